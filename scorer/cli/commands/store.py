"""`score store gc CHALLENGE`: remove the files of a store that nothing names."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from scorer.cli.board import FilesWord, StoreWord, board_of, table, zoned
from scorer.cli.options import ChallengeWord, Plugins, Result, Terminal


class Upkeep(StrEnum):
    """What can be done with a store."""

    gc = "gc"


def store(
    context: typer.Context,
    verb: Annotated[Upkeep, typer.Argument(metavar="VERB", help=f"One of {', '.join(Upkeep)}.")],
    challenge: ChallengeWord,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Of gc: list the files, and remove nothing.")
    ] = False,
    unshared: Annotated[
        bool,
        typer.Option("--unshared", help="Of gc: no other database keeps files where --files says."),
    ] = False,
    store: StoreWord = None,
    files: FilesWord = None,
    allow_plugins: Plugins = False,
) -> Result:
    """Keep a store in order. For organizers.

    gc removes the files that no entry and no version names, a day after they came.
    """
    terminal: Terminal = context.obj
    board, notes = board_of(challenge, terminal, store, files, allow_plugins)
    found = board.store.gc(dry_run=dry_run, unshared=unshared)
    rows = [[kept.path, f"{kept.size:,}", zoned(kept.time, board)] for kept in found]
    text = table(("file", "bytes", "kept since"), rows, terminal) if rows and dry_run else ""
    what = "would be removed" if dry_run else "removed"
    total = sum(kept.size for kept in found)
    count = f"{len(found):,} file{'s' * (len(found) != 1)}"
    return Result(f"{text}{count} of {total:,} bytes {what}\n", notes)
