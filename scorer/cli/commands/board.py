"""`score board CHALLENGE`: the living leaderboard, in every form of a report."""

from __future__ import annotations

from typing import Annotated

import typer

from scorer.cli.board import At, Living, as_json, moment, on_board
from scorer.cli.options import Output, Precision, Quiet, Result
from scorer.core.errors import UsageError
from scorer.reports.base import form_names, form_of

FORMATS = form_names("leaderboard")
RULES = ("best", "last", "selected", "all")


@on_board
def board(
    living: Living,
    split: Annotated[
        str | None,
        typer.Option(
            "--split",
            metavar="S",
            help="The split to score on; default: the one that the phase shows.",
        ),
    ] = None,
    phase: Annotated[
        str | None,
        typer.Option(
            "--phase", metavar="P", help="The phase whose rules apply; default: the current one."
        ),
    ] = None,
    as_of: Annotated[
        str | None,
        typer.Option("--as-of", metavar="TIME", help="The board as it was at this time."),
    ] = None,
    at: At = None,
    entry: Annotated[
        str | None,
        typer.Option("--entry", metavar="RULE", help=f"Another entry rule: {', '.join(RULES)}."),
    ] = None,
    format: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help=f"How it is written: {FORMATS}.")
    ] = "table",
    output: Output = None,
    per_list: Annotated[
        bool, typer.Option("--per-list", help="The value of every list, too.")
    ] = False,
    precision: Precision = 4,
    quiet: Quiet = False,
) -> Result:
    """Show the board. For organizers: any split may be asked for."""
    form = form_of("leaderboard", format)
    if entry is not None and entry not in RULES:
        raise UsageError(f"--entry takes one of {', '.join(RULES)}")
    board, notes = living.open()
    live = board.board(split=split, phase=phase, as_of=moment(as_of), rule=entry, now=moment(at))
    options = living.terminal.options(output, precision, per_list=per_list, quiet=quiet)
    if form.name == "json":
        from scorer.board.fields.board import fields

        text = as_json(fields(live, options))
    else:
        text = form.write(live.report, options)
    lines = () if quiet else (*notes, *map(str, live.report.notes))
    return Result(text, lines, output=output)
