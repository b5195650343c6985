"""`score board CHALLENGE`: the living leaderboard, in every form of a report."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from scorer.cli.board import At, Living, as_json, moment, on_board
from scorer.cli.options import (
    Output,
    Precision,
    Quiet,
    Result,
    chosen_forms,
    form_option,
    refuse_overwrite,
)
from scorer.core.errors import UsageError
from scorer.reports.base import ReportForm

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
    format: Annotated[str | None, form_option("leaderboard")] = None,
    output: Output = None,
    per_list: Annotated[
        bool, typer.Option("--per-list", help="The value of every list, too.")
    ] = False,
    precision: Precision = 4,
    quiet: Quiet = False,
) -> Result:
    """Show the board. For organizers: any split may be asked for."""
    forms = chosen_forms("leaderboard", format, output, "table")
    if entry is not None and entry not in RULES:
        raise UsageError(f"--entry takes one of {', '.join(RULES)}")
    board, notes = living.open()
    refuse_overwrite(output, board.challenge)
    live = board.board(split=split, phase=phase, as_of=moment(as_of), rule=entry, now=moment(at))
    options = living.terminal.options(output, precision, per_list=per_list, quiet=quiet)

    def text(form: ReportForm) -> str:
        if form.name != "json":
            report = replace(live.report, absent=live.absent)  # for organizers, who ask here
            return form.write(report, options)
        from scorer.board.fields.board import fields

        return as_json(fields(live, options))

    lines = () if quiet else (*notes, *map(str, live.report.notes))
    return forms.written(list(map(text, forms.forms)), lines)
