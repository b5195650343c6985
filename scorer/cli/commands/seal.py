"""`score seal CHALLENGE`: commit to truth and rules before the start."""

from __future__ import annotations

import typer

from scorer.cli.board import At, FilesWord, StoreWord, board_of, moment
from scorer.cli.options import ChallengeWord, Plugins, Result, Terminal


def seal(
    context: typer.Context,
    challenge: ChallengeWord,
    at: At = None,
    store: StoreWord = None,
    files_at: FilesWord = None,
    allow_plugins: Plugins = False,
) -> Result:
    """Write challenge.seal, which is to be published, and print the commitment."""
    terminal: Terminal = context.obj
    board, notes = board_of(challenge, terminal, store, files_at, allow_plugins)
    commitment = board.seal(now=moment(at))
    return Result(f"{commitment}\n", (*notes, "publish challenge.seal; keep .scorer/seal.salt"))
