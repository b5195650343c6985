"""`score work CHALLENGE...`: evaluate what waits, on any machine that reaches the store."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from scorer.cli.options import Plugins, Result, Terminal
from scorer.cli.store import FilesWord, StoreWord, board_of

PAUSE = 1.0  # seconds between looks for work


def work(
    context: typer.Context,
    challenges: Annotated[
        list[Path],
        typer.Argument(metavar="CHALLENGE...", help="The challenges whose entries are evaluated."),
    ],
    once: Annotated[
        bool,
        typer.Option("--once", help="Exit when no entry is waiting, instead of waiting for more."),
    ] = False,
    store: StoreWord = None,
    files_at: FilesWord = None,
    allow_plugins: Plugins = False,
) -> Result:
    """Work until interrupted. Several workers share what waits."""
    edge: Terminal = context.obj
    boards = [board_of(path, edge, store, files_at, allow_plugins)[0] for path in challenges]
    done = 0
    while True:
        found = sum(board.work() for board in boards)
        done += found
        if once and not found:
            return Result(f"{done:,} evaluated\n")
        if not found:
            time.sleep(PAUSE)
