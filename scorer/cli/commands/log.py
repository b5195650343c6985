"""`score log CHALLENGE`: entries, decisions, versions and teams in the order of time."""

from __future__ import annotations

from typing import Annotated

import typer

from scorer.cli.board import Form, Living, as_json, form_by_suffix, on_board, table, zoned
from scorer.cli.options import OneOutput, Result, refuse_overwrite
from scorer.core.text import printable


@on_board
def log(
    living: Living,
    team: Annotated[
        str | None, typer.Option("--team", metavar="T", help="Only this team's.")
    ] = None,
    receipts: Annotated[
        bool, typer.Option("--receipts", help="The receipts instead, one a line, for score verify.")
    ] = False,
    reference: Annotated[
        str | None,
        typer.Option(
            "--reference", metavar="REF", help="Why the evaluation of that reference failed."
        ),
    ] = None,
    format: Annotated[
        Form | None, typer.Option("--format", help="How it is written; default: by -o, else text.")
    ] = None,
    output: OneOutput = None,
) -> Result:
    """Show what happened. For organizers."""
    board, notes = living.open()
    refuse_overwrite([output] if output else None, board.challenge)

    def result(text: str) -> Result:
        return Result(text, notes, files=((output, text),) if output else ())

    if reference is not None:
        return result(board.failure(reference))
    if receipts:
        return result(board.receipts())
    events = board.log(team)
    if (format or form_by_suffix(output)) is Form.json:
        from scorer.board.fields.log import fields

        return result(as_json(fields(events, board.challenge)))
    rows = [
        [
            zoned(event.time, board) + " (--at)" * event.given,
            event.kind,
            "" if event.entry is None else str(event.entry),
            *(printable(text or "") for text in (event.team, event.status, event.by, event.reason)),
        ]
        for event in events
    ]
    heads = ("time", "kind", "entry", "team", "status", "by", "reason")
    terminal = living.terminal if output is None else living.terminal._replace(width=None)
    return result(table(heads, rows, terminal))
