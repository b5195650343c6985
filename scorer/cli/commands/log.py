"""`score log CHALLENGE`: entries, decisions, versions and teams in the order of time."""

from __future__ import annotations

from typing import Annotated

import typer

from scorer.cli.board import Form, Format, Living, as_json, on_board, table, zoned
from scorer.cli.options import Output, Result
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
    format: Format = Form.text,
    output: Output = None,
) -> Result:
    """Show what happened. For organizers."""
    board, notes = living.open()
    if reference is not None:
        return Result(board.failure(reference), notes, output=output)
    if receipts:
        return Result(board.receipts(), notes, output=output)
    events = board.log(team)
    if format is Form.json:
        from scorer.board.fields.log import fields

        return Result(as_json(fields(events, board.challenge)), notes, output=output)
    rows = [
        [
            zoned(event.time, board),
            event.kind,
            "" if event.entry is None else str(event.entry),
            *(printable(text or "") for text in (event.team, event.status, event.by, event.reason)),
        ]
        for event in events
    ]
    heads = ("time", "kind", "entry", "team", "status", "by", "reason")
    return Result(table(heads, rows, living.terminal), notes, output=output)
