"""Backups of a board with all that it needs, their restoring, and the move to another database."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from scorer.board.receipts import SEAL
from scorer.bytes.write import write
from scorer.challenge.load import load
from scorer.challenge.model import FOLDER, KEY, Challenge
from scorer.core.errors import UsageError
from scorer.core.text import join_first, printable
from scorer.core.version import __version__
from scorer.store.files import Files, digest_in, digest_of

if TYPE_CHECKING:
    from scorer.store.database import Database

MANIFEST, DATABASE, KEPT, SECRETS, CHALLENGE = (
    "backup.json", "board.db", "files", "secrets", "challenge",
)  # fmt: skip
MOVED = "moved"  # says where a board went that is no longer beside its challenge


class Copied(NamedTuple):
    """The size of a backup, of what was restored, or moved."""

    entries: int
    files: int
    missing: tuple[str, ...] = ()  # SHA-256 of files that the store had lost


def default_url(folder: Path) -> str:
    """The database beside a challenge, by its .scorer. Raises `UsageError` if it was moved."""
    with suppress(FileNotFoundError):
        raise UsageError(
            f"this board was moved to {(folder / MOVED).read_text(encoding='utf-8').strip()}; "
            "name it by --store or SCORER_STORE"
        )
    return f"sqlite:///{folder / DATABASE}"


def save(challenge: Challenge, database: Database, files: Files, folder: Path) -> Copied:
    """Write a new folder with rows, files, secrets and challenge, while the board goes on.

    Raises:
        UsageError: the folder exists, or something cannot be read or written.
    """
    if os.path.lexists(folder):
        raise UsageError(f"{printable(folder)} exists already")
    passing = folder.with_name(f".{folder.name}.new-{os.getpid()}")
    try:
        passing.mkdir(parents=True, mode=0o700)
        tables = _saved(database, passing / DATABASE)
        missing = _kept(database.named(all=False), files, Files(passing / KEPT))
        store = challenge.folder / FOLDER
        secrets = [p.name for p in _children(store) if not p.name.startswith((DATABASE, MOVED))]
        _taken(store, secrets, passing / SECRETS)
        own = [os.path.relpath(path, challenge.folder) for path in challenge.files]
        _taken(challenge.folder, [*own, KEY, SEAL], passing / CHALLENGE)
        paths = sorted(path for path in passing.rglob("*") if path.is_file())
        fields = {
            "schema": "backup/1",
            "scorer": __version__,
            "challenge": challenge.id,
            "made": datetime.now(UTC).isoformat(timespec="seconds"),
            "tables": tables,
            "missing": missing,
            "files": {path.relative_to(passing).as_posix(): digest_of(path)[0] for path in paths},
        }
        write(passing / MANIFEST, json.dumps(fields, indent=1).encode())
        os.replace(passing, folder)
    except OSError as error:
        raise UsageError(f"the backup cannot be written: {error.strerror or error}") from None
    finally:
        shutil.rmtree(passing, ignore_errors=True)
    return Copied(_count(tables), len(fields["files"]), tuple(missing))


def _saved(database: Database, path: Path) -> dict[str, str]:
    """Write the board's rows to a new SQLite file; gives their digests."""
    from scorer.store.database import Database

    with Database.open(f"sqlite:///{path}", database.board) as target:
        return database.copy_to(target)


def _children(folder: Path) -> list[Path]:
    return [path for path in folder.glob("*") if path.is_file()]


def _taken(source: Path, names: Iterable[str], target: Path) -> None:
    """Copy files that are there and lie below `source`, readable by their owner alone."""
    for name in dict.fromkeys(names):
        if ".." not in Path(name).parts and (source / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write(target / name, (source / name).read_bytes())
            (target / name).chmod(0o600)


def _kept(digests: Iterable[str], source: Files, target: Files) -> list[str]:
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
        if digest_in(target, sha256) != sha256:
            raise OSError(f"file {sha256} is kept with other bytes than its digest says")
    return missing


def _count(tables: Mapping[str, str]) -> int:
    return int(tables["entry"].split()[0])


def described(folder: Path) -> dict[str, Any]:
    """The manifest of a backup. Raises `UsageError` where a file is missing or was altered."""
    try:
        fields = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        wrong = [name for name, sha256 in fields["files"].items() if not _is(folder, name, sha256)]
        wrong = wrong[: None if fields["schema"] == "backup/1" else 0]
        tables, missing = dict(fields["tables"]), list(fields["missing"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise UsageError(f"{printable(folder)} is no backup, or has no {MANIFEST}") from None
    if wrong:
        raise UsageError(f"{join_first(wrong)} of the backup: missing or altered; nothing is done")
    return {**fields, "tables": tables, "missing": missing}


def _is(folder: Path, name: str, sha256: str) -> bool:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        return False
    try:
        return digest_of(folder / path)[0] == sha256
    except OSError:
        return False


def folder_of(folder: Path, challenge: Path) -> None:
    """Make the challenge's folder from a backup, where there is none.

    `UsageError` if it would have another id, which by default is the folder's name.
    """
    if os.path.lexists(challenge):
        return
    fields = described(folder)
    names = [path.relative_to(folder / CHALLENGE) for path in (folder / CHALLENGE).rglob("*")]
    _taken(folder / CHALLENGE, map(str, names), challenge)
    if (found := load(challenge).id) != fields["challenge"]:
        shutil.rmtree(challenge)
        raise _of_another(fields, found)


def _of_another(fields: Mapping[str, Any], id: str) -> UsageError:
    return UsageError(
        f"the backup is of challenge {printable(fields['challenge'])}, not of {id}; without id: in "
        "challenge.yaml, the folder's name is the id"
    )


def _refuse_taken(database: Database) -> None:
    if database.versions() or database.teams() or database.tokens():
        raise UsageError(f"there is a board {database.board} in that store already")


def restore(folder: Path, challenge: Challenge, database: Database, files: Files) -> Copied:
    """Put a backup into an empty store: files first, then secrets, then rows.

    Args:
        folder: the backup, each file of which is held against its digest first.
        challenge: whose board it is.
        database: which has no such board yet.
        files: where its files are kept from now on.

    Raises:
        UsageError: it was altered, is another challenge's, or the store has the board already.
    """
    from scorer.store.database import Database

    fields = described(folder)
    if fields["challenge"] != challenge.id:
        raise _of_another(fields, challenge.id)
    _refuse_taken(database)
    try:
        with tempfile.TemporaryDirectory(prefix="scorer-") as place:
            shutil.copyfile(folder / DATABASE, f"{place}/{DATABASE}")  # which may be migrated
            with Database.open(f"sqlite:///{place}/{DATABASE}", challenge.id) as source:
                named = source.named(all=False) - set(fields["missing"])
                missing = _kept(named, Files(folder / KEPT), files)
                store = challenge.folder / FOLDER
                store.mkdir(mode=0o700, exist_ok=True)
                _taken(folder / SECRETS, [p.name for p in _children(folder / SECRETS)], store)
                tables = source.copy_to(database)
    except OSError as error:
        raise UsageError(f"the backup cannot be restored: {error.strerror or error}") from None
    return Copied(_count(tables), len(named), (*missing, *fields["missing"]))


def move(challenge: Challenge, database: Database, url: str) -> Copied:
    """Copy a board to another database; files and secrets stay where they are.

    The database beside the challenge is renamed then, so that nobody goes on with it.

    Args:
        url: of the other database.

    Raises:
        UsageError: another process has the store open, or the target has the board already.
    """
    from scorer.store.connect import shown_url
    from scorer.store.database import Database

    folder = (challenge.folder / FOLDER).resolve()
    database.refuse_others()
    with Database.open(url, database.board) as target:
        _refuse_taken(target)
        tables = database.copy_to(target, last=True)
    if database.path == folder / DATABASE:
        database.close()
        os.replace(folder / DATABASE, folder / f"{DATABASE}.{MOVED}")
        write(folder / MOVED, f"{shown_url(url)}\n".encode())
    elif target.path == folder / DATABASE:
        (folder / MOVED).unlink(missing_ok=True)
    return Copied(_count(tables), 0)
