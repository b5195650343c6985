"""`score why CHALLENGE TEAM`: why a team stands where it stands."""

from __future__ import annotations

from typing import Annotated

import typer

from scorer.cli.board import At, Form, Format, Living, as_json, moment, on_board
from scorer.cli.options import Result
from scorer.core.text import printable


@on_board
def why(
    living: Living,
    team: Annotated[str, typer.Argument(metavar="TEAM", help="The team's name.")],
    split: Annotated[str | None, typer.Option("--split", metavar="S", help="The split.")] = None,
    at: At = None,
    format: Format = Form.text,
) -> Result:
    """Explain a rank: the rules that applied, ties, what was not counted. For organizers."""
    board, notes = living.open()
    explanation = board.why(team, split=split, now=moment(at))
    if format is Form.json:
        from scorer.board.fields.standing import Record

        return Result(as_json(Record(**explanation._asdict())), notes)
    lines = [
        printable(explanation.team),
        *(f"  {printable(line, 1000)}" for line in explanation.lines),
    ]
    return Result("".join(f"{line}\n" for line in lines), notes)
