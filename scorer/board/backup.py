"""The upkeep of a board's store: backups, moves, its size, and copies of entries' files."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from scorer.api.submissions import submission_name
from scorer.board.board import DATABASE, MOVED, Board
from scorer.board.connection import shown_url
from scorer.board.database import Database
from scorer.board.files import FileStore, digest_of
from scorer.board.models import Team, Token, Version
from scorer.board.seal import SEAL
from scorer.challenge.model import FOLDER, KEY
from scorer.core.errors import UsageError
from scorer.core.text import printable
from scorer.reading.repair import FIXED
from scorer.reading.write import file_name, write_file, write_folder

KEPT = "files"  # in .scorer


class Copied(NamedTuple):
    """The size of a backup, or of what was moved."""

    entries: int
    files: int
    missing: tuple[str, ...] = ()  # SHA-256 of files that the store had lost


def back_up(board: Board, folder: Path) -> Copied:
    """Write challenge, rows, files and secrets to a new folder, while the board goes on.

    The new folder is a challenge's folder with its store, from which the board can be served.

    Raises:
        UsageError: the folder exists, or something cannot be read or written.
    """
    challenge, database = board.challenge, board.database
    if os.path.lexists(folder):
        raise UsageError(f"{printable(folder)} exists already")
    new_folder = folder.with_name(f".{folder.name}.new-{os.getpid()}")
    store = new_folder / FOLDER
    try:
        store.mkdir(parents=True, mode=0o700)
        new_folder.chmod(0o700)
        entries = save_rows(database, store / DATABASE)
        missing = _copy_kept(database.referenced_files(), board.files, FileStore(store / KEPT))
        beside = challenge.folder / FOLDER
        secrets = [
            path.name
            for path in beside.glob("*")
            if path.is_file() and not path.name.startswith((DATABASE, MOVED))
        ]
        _copy(beside, secrets, store)
        own = [os.path.relpath(path, challenge.folder) for path in challenge.files]
        _copy(challenge.folder, [*own, KEY, SEAL], new_folder)
        count = sum(path.is_file() for path in new_folder.rglob("*"))
        os.replace(new_folder, folder)
    except OSError as error:
        raise UsageError(f"the backup cannot be written: {error.strerror or error}") from None
    finally:
        shutil.rmtree(new_folder, ignore_errors=True)
    return Copied(entries, count, tuple(missing))


def save_rows(database: Database, path: Path) -> int:
    """Write the rows of a board to a new SQLite file; gives the number of its entries."""
    with Database.open(f"sqlite:///{path}", database.board) as target:
        return database.copy_to(target)


def _copy(source: Path, names: Iterable[str], target: Path) -> None:
    """Copy files that are there and lie below `source`, readable by their owner alone."""
    for name in dict.fromkeys(names):
        if ".." not in Path(name).parts and (source / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_file(target / name, (source / name).read_bytes())
            (target / name).chmod(0o600)


def _copy_kept(digests: Iterable[str], source: FileStore, target: FileStore) -> list[str]:
    """Keep files in another place, each held against its digest; gives what cannot be had."""
    missing = []
    for sha256 in sorted(digests):
        try:
            stream = source.open(sha256)
        except OSError:
            missing.append(sha256)
            continue
        with stream:
            target.keep(stream, sha256)
        if digest_of(target.path(sha256))[0] != sha256:
            raise OSError(f"file {sha256} is kept with other bytes than its digest says")
    return missing


def move(board: Board, url: str) -> Copied:
    """Copy a board to another database; files and secrets stay where they are.

    The database beside the challenge is renamed then, so that nobody goes on with it.

    Args:
        board: the board.
        url: of the other database.

    Raises:
        UsageError: another process has the store open, or the target has the board already.
    """
    database = board.database
    folder = (board.challenge.folder / FOLDER).resolve()
    database.require_exclusive()  # at first; what is recorded from then on is copied, too
    with Database.open(url, database.board) as target:
        if any(target.counts(Version, Team, Token)):  # it may be this store itself
            raise UsageError("there is a board in that store already")
        rows = database.copy_to(target, last=True)
    if database.path == folder / DATABASE:
        database.close()
        os.replace(folder / DATABASE, folder / f"{DATABASE}.{MOVED}")
        write_file(folder / MOVED, f"{shown_url(url)}\n".encode())
    elif target.path == folder / DATABASE:
        (folder / MOVED).unlink(missing_ok=True)
    return Copied(rows, 0)


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
    """Copy the files of entries to a new or empty folder, for example `3-red.csv` for entry 3.

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
