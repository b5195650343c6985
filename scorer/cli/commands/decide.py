"""`score decide CHALLENGE ACT ENTRY-or-TEAM --reason TEXT`: disqualify, restore, select, ..."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from scorer.cli.board import At, By, Form, Format, Living, as_json, moment, on_board, zoned
from scorer.cli.options import Result
from scorer.core.text import printable


class Act(StrEnum):
    """What can be decided."""

    disqualify = "disqualify"
    restore = "restore"
    select = "select"
    unselect = "unselect"
    withdraw = "withdraw"
    rename = "rename"


@on_board
def decide(
    living: Living,
    act: Annotated[Act, typer.Argument(metavar="ACT", help=f"One of {', '.join(Act)}.")],
    subject: Annotated[
        str, typer.Argument(metavar="ENTRY-or-TEAM", help="An entry's number or a team's name.")
    ],
    reason: Annotated[
        str, typer.Option("--reason", metavar="TEXT", help="The reason, which is recorded.")
    ],
    name: Annotated[
        str | None, typer.Option("--name", metavar="NEW", help="The new name, of a rename.")
    ] = None,
    late: Annotated[
        bool,
        typer.Option(
            "--late", help="Decide for a team after the time for it; log, board and why say so."
        ),
    ] = False,
    by: By = None,
    at: At = None,
    format: Format = Form.text,
) -> Result:
    """Record a decision. Nothing is deleted; another decision undoes one. For organizers.

    Exit code 3 says that the time is over in which teams select, unselect and withdraw entries.
    """
    board, notes = living.open()
    decision = board.decide(act.value, subject, reason, by=by, name=name, now=moment(at), late=late)
    if format is Form.json:
        from scorer.board.decisions import RecordedDecision

        return Result(as_json(RecordedDecision.of(decision, subject)), notes)
    act_words = f"{decision.act}, late," if decision.late else decision.act
    text = f"{act_words} {printable(subject)}: {printable(reason, 500)}"
    return Result(f"{zoned(decision.time, board)}: {text}\n", notes)
