"""`score reveal CHALLENGE -o DIR`: open what was sealed, for anybody to verify."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scorer.cli.board import FilesWord, StoreWord, board_of
from scorer.cli.options import ChallengeWord, Plugins, Result, Terminal
from scorer.core.text import printable


def reveal(
    context: typer.Context,
    challenge: ChallengeWord,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="A new folder, to be published.")
    ],
    altered: Annotated[
        bool,
        typer.Option("--altered", help="Also where the store was altered; the folder says what."),
    ] = False,
    store: StoreWord = None,
    files_at: FilesWord = None,
    allow_plugins: Plugins = False,
) -> Result:
    """Publish the sealed files, the truth among them, the salt, and all receipts.

    First the whole store is held against its receipts, files and scorecards.
    """
    terminal: Terminal = context.obj
    board, notes = board_of(challenge, terminal, store, files_at, allow_plugins)
    board.reveal(output, altered=altered)
    return Result(f"{printable(output)}: holds the truth; score verify checks it\n", notes)
