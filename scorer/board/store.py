"""The upkeep of a board's store: its size, backups, moves, and copies of entries' files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from scorer.api.submissions import submission_name
from scorer.board.board import Board
from scorer.core.errors import UsageError
from scorer.reading.repair import FIXED
from scorer.reading.write import file_name, write_folder


class Usage(NamedTuple):
    """Bytes: of the database, of the files of entries, and free for more."""

    database: int
    files: int
    free: int


def measure_usage(board: Board) -> Usage:
    """Return how much room a board's store takes, and how much there is."""
    database = board.database
    return Usage(database.size(), database.file_size(), board.files.free())


def copy_entry_files(board: Board, numbers: Iterable[int], folder: Path) -> int:
    """Copy the files of some entries to a new or empty folder, that of entry 3 as `3-red.csv`.

    Returns:
        The number of files.

    Raises:
        UnknownName: There is no such entry; nothing is written.
        UsageError: Something is in the folder, or a file is not kept any more; nothing is written.
    """
    copies = dict[str, Path]()
    for number in dict.fromkeys(numbers):
        entry = board.ledger.get(number)
        kept = board.files.path(entry.sha256)
        if not kept.exists():
            raise UsageError(f"the file of entry {number} is not kept any more")
        name = Path(entry.file).name.replace(FIXED, ".")
        suffix = name.removeprefix(submission_name(Path(name)))  # by which its format is known
        copies[f"{number}-{file_name(board.ledger.team_of(entry))}{suffix}"] = kept
    write_folder(folder, copies)
    return len(copies)
