"""The entries that a platform lets organizers download: an archive, and a table of its files."""

from __future__ import annotations

import csv
import io
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from scorer.api.submissions import Named
from scorer.board.board import Board
from scorer.bridges.found import as_utc, bundle_files
from scorer.core.errors import UsageError
from scorer.core.text import join_first, printable, quoted

ABSENT = "not known"  # as an answer
FILE = ("file", "filename", "file_name", "path", "submission", "submission_id", "id")
TEAM = ("team", "team_name", "participant_team", "participant", "owner", "user", "username")
TIME = ("time", "received", "created_at", "created_when", "submitted_at", "created", "date")


class SentEntry(NamedTuple):
    """A file that a team sent to a platform."""

    team: str
    file: str  # its name
    data: bytes
    time: datetime
    cells: Mapping[str, str]  # of its row, by the names of the columns


def sent_entries(archive: Path, table: Path) -> list[SentEntry]:
    """The entries in the order of time.

    `UsageError` if a column is missing, or a row has no time or no file in the archive.
    """
    files = bundle_files(archive)
    try:
        rows = list(csv.DictReader(io.StringIO(table.read_text("utf-8-sig"))))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UsageError(f"{printable(table)} cannot be read: {printable(error)}") from None
    head = [name or "" for name in rows[0]] if rows else []
    file, team, time = (_found_column(head, words, table) for words in (FILE, TEAM, TIME))
    entries = []
    for n, row in enumerate(rows, 2):
        when = as_utc(row[time])
        if when is None:
            raise UsageError(f"{printable(table)}:{n}: {quoted(row[time])} is no time")
        name = _file_named(files, row[file] or "")
        if name is None:
            message = f"{quoted(row[file])} is no file of {printable(archive)}"
            raise UsageError(f"{printable(table)}:{n}: {message}")
        moment = datetime.fromisoformat(when)
        base = posixpath.basename(name)
        entries.append(SentEntry(row[team] or "", base, files[name], moment, row))
    return sorted(entries, key=lambda entry: entry.time)


def recorded(board: Board, entries: Sequence[SentEntry]) -> Iterator[str]:
    """Record entries at their times, and tell how each ended; teams are made."""
    known = set(board.teams())
    for entry in entries:
        if entry.team not in known:
            board.add_team(entry.team, now=entry.time)
            known.add(entry.team)
        with TemporaryDirectory() as folder:
            path = Path(folder, entry.file)
            path.write_bytes(entry.data)
            named = Named(path.stem, path, label=entry.file)
            answers = _told_answers(board, entry)
            (added,) = board.add([named], entry.team, now=entry.time, answers=answers)
        why = f": {added.message}" if added.message else ""
        words = f"{printable(entry.team)}, {printable(entry.file)}, {entry.time.isoformat()}"
        yield f"{words}: {added.status}{why}"


def _told_answers(board: Board, entry: SentEntry) -> dict[str, str]:
    """The answers in an entry's row; a text that is asked for and is not there is said to be so."""
    asked = board.in_force.questions
    told = {name: entry.cells[name] for name in asked if entry.cells.get(name)}
    absent = {n: ABSENT for n, question in asked.items() if question.required and n not in told}
    return told | {name: word for name, word in absent.items() if asked[name].type == "text"}


def _found_column(head: Sequence[str], words: Sequence[str], table: Path) -> str:
    plain = {name.strip().lower().replace(" ", "_"): name for name in head}
    for word in words:
        if word in plain:
            return plain[word]
    message = f"no column {' or '.join(words[:3])}; there are {join_first(list(head))}"
    raise UsageError(f"{printable(table)}: {message}")


def _file_named(files: Mapping[str, bytes], cell: str) -> str | None:
    """The file that a cell names: by its path, its name, its name without suffix, or its folder."""
    if cell in files:
        return cell
    for name in files:
        base = posixpath.basename(name)
        if cell and cell in (base, base.split(".")[0], posixpath.dirname(name).split("/")[-1]):
            return name
    return None
