"""`score store gc|backup|move ...`: keep a store in order, copy it, move it."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scorer.cli.board import FilesWord, StoreWord, board_of, table, zoned
from scorer.cli.options import Plugins, Result, Terminal
from scorer.core.errors import UsageError
from scorer.core.text import printable

if TYPE_CHECKING:
    from scorer.board.backup import Copied
    from scorer.board.board import Board

LOST = 1  # the exit code where files are missing


class Upkeep(StrEnum):
    """What can be done with a store."""

    gc = "gc"
    backup = "backup"
    move = "move"


USAGE = {
    Upkeep.gc: "gc CHALLENGE",
    Upkeep.backup: "backup CHALLENGE DIR",
    Upkeep.move: "move CHALLENGE URL",
}


def store(
    context: typer.Context,
    verb: Annotated[Upkeep, typer.Argument(metavar="VERB", help=f"One of {', '.join(Upkeep)}.")],
    challenge: Annotated[Path, typer.Argument(metavar="CHALLENGE", help="The challenge.")],
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="DIR-or-URL", help="The backup's new folder; the database to move to."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Of gc: list the files, and remove nothing.")
    ] = False,
    unshared: Annotated[
        bool,
        typer.Option("--unshared", help="Of gc: no other board keeps files where --files says."),
    ] = False,
    store: StoreWord = None,
    files: FilesWord = None,
    allow_plugins: Plugins = False,
) -> Result:
    """Keep a store in order. For organizers.

    gc removes the files that no entry and no version names. backup writes a new folder with all
    that a board needs, the truth and its keys among them, while it goes on; a copy of that folder
    is the board again. move copies the board to another database, SQLite or PostgreSQL. Copies are
    held against digests. End servers and workers before gc and move.
    """
    if (target is None) != (verb is Upkeep.gc):
        raise UsageError(f"write: score store {USAGE[verb]}")
    terminal: Terminal = context.obj
    board, notes = board_of(challenge, terminal, store, files, allow_plugins)
    if verb is Upkeep.gc or target is None:
        return Result(_gc(board, terminal, dry_run, unshared), notes)
    if verb is Upkeep.backup:
        copied = board.store.backup(Path(target))
        notes = (*notes, "it holds the truth and the store's keys: keep it as safe as these")
    else:
        copied = board.store.move(target)
        notes = (*notes, "name it from now on by --store or SCORER_STORE; a PostgreSQL store "
                 "that was left is as it was")  # fmt: skip
    return Result(_said(verb, target, copied), notes, exit_code=LOST if copied.missing else 0)


def _gc(board: Board, terminal: Terminal, dry_run: bool, unshared: bool) -> str:
    found = board.store.gc(dry_run=dry_run, unshared=unshared)
    rows = [[kept.path, f"{kept.size:,}", zoned(kept.time, board)] for kept in found]
    text = table(("file", "bytes", "kept since"), rows, terminal) if rows and dry_run else ""
    what = "would be removed" if dry_run else "removed"
    total = sum(kept.size for kept in found)
    return f"{text}{len(found):,} file{'s' * (len(found) != 1)} of {total:,} bytes {what}\n"


def _said(verb: Upkeep, other: str, copied: Copied) -> str:
    what = "backed up to" if verb is Upkeep.backup else "moved to"
    name = other.rpartition("@")[2] if "://" in other else other
    entries = f"{copied.entries:,} {'entry' if copied.entries == 1 else 'entries'}"
    files = f" and {copied.files:,} file{'s' * (copied.files != 1)}" if copied.files else ""
    lost = "".join(f"file {sha256} is not kept any more\n" for sha256 in copied.missing)
    return f"{entries}{files} {what} {printable(name)}, verified by digest\n{lost}"
