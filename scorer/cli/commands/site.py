"""`score site CHALLENGE -o DIR`: what visitors see, as plain files for any host of files."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from scorer.cli.board import FILES, STORE, Living, on_board
from scorer.cli.options import Result
from scorer.core.errors import UsageError


@on_board
def site(
    living: Living,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="The folder of the site.")
    ],
    watch: Annotated[
        bool, typer.Option("--watch", help="Write it anew after each change, until interrupted.")
    ] = False,
) -> Result:
    """Write board, receipts, rules, pictures and downloads as files, with their checksums.

    They hold what visitors see now and no more. SHA256SUMS names them all.
    """
    board, notes = living.open()
    try:
        export = import_module("scorer.web.export")  # by its name, as by score serve
    except ImportError:
        raise UsageError(
            "a site needs the extra of the web page: pip install challenge-scorer[web]"
        ) from None
    export.export(
        board.challenge.path, output, living.store or os.environ.get(STORE),
        living.files or os.environ.get(FILES), board.allow_plugins,
        lambda line: print(line, file=sys.stderr, flush=True), watch=watch,
    )  # fmt: skip
    return Result(notes=notes)
