"""`score board CHALLENGE`: the living leaderboard, in every form of a report."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from scorer.cli.board import At, FilesWord, StoreWord, as_json, board_of, moment
from scorer.cli.options import ChallengeWord, Output, Plugins, Precision, Quiet, Result, Terminal
from scorer.core.errors import UsageError
from scorer.reports.base import form_names, form_of

FORMATS = form_names("leaderboard")
RULES = ("best", "last", "selected", "all")


def board(
    context: typer.Context,
    challenge: ChallengeWord,
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
    store: StoreWord = None,
    files_at: FilesWord = None,
    allow_plugins: Plugins = False,
    quiet: Quiet = False,
) -> Result:
    """Show the board. For organizers: any split may be asked for."""
    terminal: Terminal = context.obj
    form = form_of("leaderboard", format)
    if entry is not None and entry not in RULES:
        raise UsageError(f"--entry takes one of {', '.join(RULES)}")
    living, notes = board_of(challenge, terminal, store, files_at, allow_plugins)
    live = living.board(split=split, phase=phase, as_of=moment(as_of), rule=entry, now=moment(at))
    options = terminal.options(output, precision, per_list=per_list, quiet=quiet)
    text = form.write(live.report, options)
    if form.name == "json":
        from scorer.board.board import with_rows

        text = as_json(with_rows(json.loads(text), live))
    lines = () if quiet else (*notes, *map(str, live.report.notes))
    return Result(text, lines, output=output)
