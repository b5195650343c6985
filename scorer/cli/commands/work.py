"""`score work CHALLENGE...`: evaluate what waits, on any machine that reaches the store."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from scorer.cli.board import (
    FILES,
    STORE,
    FilesWord,
    Log,
    LogFile,
    LogForm,
    Memory,
    Seconds,
    StoreWord,
    begin_log,
    board_of,
)
from scorer.cli.options import Plugins, Result, Terminal

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
    seconds: Seconds = 600,
    memory: Memory = 4096,
    log: Log = LogForm.json,
    log_file: LogFile = None,
    store: StoreWord = None,
    files_at: FilesWord = None,
    allow_plugins: Plugins = False,
) -> Result:
    """Evaluate what waits until interrupted, each in a child process; workers share the work."""
    from scorer.board.children import BoardPlace, ChildLimits, ask_child, evaluate_next
    from scorer.board.confine import protections
    from scorer.board.evaluations import worker_name

    begin_log(context, log, log_file)
    terminal: Terminal = context.obj
    limits, done = ChildLimits(seconds, memory << 20), 0
    store, files = store or os.environ.get(STORE), files_at or os.environ.get(FILES)
    boards = []
    for path in challenges:
        board, _ = board_of(path, terminal, store, files, allow_plugins)
        place = BoardPlace(str(board.challenge.path), store, files, allow_plugins)
        ask_child(
            place, limits, "prepare"
        )  # a challenge that cannot be evaluated ends the command at once
        boards.append((board, place))
    print(protections(), file=sys.stderr, flush=True)
    name = worker_name()
    while True:
        evaluated = sum(evaluate_next(board, place, limits, name) for board, place in boards)
        done += evaluated
        if once and not evaluated:
            return Result(f"{done:,} evaluated\n")
        if not evaluated:
            time.sleep(PAUSE)
