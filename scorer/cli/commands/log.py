"""`score log CHALLENGE`: entries, decisions, versions and teams in the order of time."""

from __future__ import annotations

from typing import Annotated

import typer

from scorer.cli.board import (
    FilesWord,
    Form,
    Format,
    StoreWord,
    as_json,
    board_of,
    table,
    zoned,
)
from scorer.cli.options import ChallengeWord, Output, Plugins, Result, Terminal
from scorer.core.text import printable


def log(
    context: typer.Context,
    challenge: ChallengeWord,
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
    store: StoreWord = None,
    files_at: FilesWord = None,
    allow_plugins: Plugins = False,
) -> Result:
    """Show what happened. For organizers."""
    terminal: Terminal = context.obj
    board, notes = board_of(challenge, terminal, store, files_at, allow_plugins)
    if reference is not None:
        return Result(board.failure(reference), notes, output=output)
    if receipts:
        return Result(board.receipts(), notes, output=output)
    events = board.log(team)
    if format is Form.json:
        from scorer.board.fields.log import fields
        from scorer.reports.codec import to_fields

        record = to_fields(fields(events, board.challenge))
        return Result(as_json(record), notes, output=output)
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
    return Result(table(heads, rows, terminal), notes, output=output)
