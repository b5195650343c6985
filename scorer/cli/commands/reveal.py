"""`score reveal CHALLENGE -o DIR`: open what was sealed, for anybody to verify."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scorer.board.seal import sealed_late
from scorer.cli.board import At, Living, moment, on_board
from scorer.cli.options import Result
from scorer.core.text import printable


@on_board
def reveal(
    living: Living,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="A new folder, to be published.")
    ],
    altered: Annotated[
        bool,
        typer.Option("--altered", help="Also where the store was altered; the folder says what."),
    ] = False,
    now: Annotated[
        bool,
        typer.Option("--now", help="Also while entries are taken: the truth becomes public."),
    ] = False,
    at: At = None,
) -> Result:
    """Publish the sealed files, the truth among them, the salt, and all receipts.

    First the whole store is held against its receipts, files and scorecards.
    """
    from scorer.board.seal import count_entries_before_seal

    board, notes = living.open()
    board.reveal(output, altered=altered, early=now, now=moment(at))
    late = count_entries_before_seal(board.challenge, board.database)
    if late:
        notes = (*notes, sealed_late(late))
    return Result(f"{printable(output)}: holds the truth; score verify checks it\n", notes)
