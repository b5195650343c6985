"""`score store backup|move|files ...`: back up a store, move it, copy entries' files."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scorer.cli.board import FilesWord, StoreWord, board_of
from scorer.cli.options import OneOutput, Plugins, Result, Terminal
from scorer.core.errors import UsageError
from scorer.core.text import printable, quoted

if TYPE_CHECKING:
    from scorer.board.backup import Copied

LOST = 1  # the exit code where files are missing


class Upkeep(StrEnum):
    """What can be done with a store."""

    backup = "backup"
    move = "move"
    files = "files"


USAGE = {
    Upkeep.backup: "backup CHALLENGE DIR",
    Upkeep.move: "move CHALLENGE URL",
    Upkeep.files: "files CHALLENGE --entries 3,9 -o DIR",
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
    entries: Annotated[
        str | None,
        typer.Option("--entries", metavar="N,M", help="Of files: the numbers of the entries."),
    ] = None,
    output: OneOutput = None,
    store: StoreWord = None,
    files: FilesWord = None,
    allow_plugins: Plugins = False,
) -> Result:
    """Keep a store, or take files out of it. For organizers.

    backup writes a new folder with all that a board needs, the truth and its keys among them, while
    it goes on; a copy of that folder is the board again. move copies the board to another database,
    SQLite or PostgreSQL; end servers and workers before. files copies what entries 3 and 9 sent to
    a new or empty folder, for score compare, explain or study.
    """
    wants_files = verb is Upkeep.files
    if (target is None, entries is not None, output is not None) != (wants_files,) * 3:
        raise UsageError(f"write: score store {USAGE[verb]}")
    numbers = _numbers(entries) if entries is not None else []
    terminal: Terminal = context.obj
    board, notes = board_of(challenge, terminal, store, files, allow_plugins)
    if output is not None:
        from scorer.board.backup import copy_entry_files

        count = copy_entry_files(board, numbers, output)
        return Result(f"{_files(count)} copied to {printable(output)}\n", notes)
    from scorer.board.backup import back_up, move

    if verb is Upkeep.backup:
        copied = back_up(board, Path(str(target)))
        notes = (*notes, "it holds the truth and the store's keys: keep it as safe as these")
    else:
        copied = move(board, str(target))
        message = "name it from now on by --store or SCORER_STORE; the old store is unchanged"
        notes = (*notes, message)
    return Result(_said(verb, str(target), copied), notes, exit_code=LOST if copied.missing else 0)


def _numbers(words: str) -> list[int]:
    """Return the numbers of entries that are separated by commas; `UsageError` for others."""
    try:
        return [int(word) for word in words.split(",")]
    except ValueError:
        raise UsageError(f"--entries {quoted(words)}: write numbers, such as 3,9") from None


def _files(count: int) -> str:
    return f"{count:,} file{'s' * (count != 1)}"


def _said(verb: Upkeep, other: str, copied: Copied) -> str:
    what = "backed up to" if verb is Upkeep.backup else "moved to"
    name = other.rpartition("@")[2] if "://" in other else other
    entries = f"{copied.entries:,} {'entry' if copied.entries == 1 else 'entries'}"
    files = f" and {_files(copied.files)}" if copied.files else ""
    lost = "".join(f"file {sha256} is not kept any more\n" for sha256 in copied.missing)
    return f"{entries}{files} {what} {printable(name)}\n{lost}"
