"""`score team CHALLENGE add|list|token|revoke [NAME]`: teams and their tokens."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from scorer.cli.board import At, Form, Format, Living, as_json, moment, on_board, table, zoned
from scorer.cli.options import Result
from scorer.core.errors import UsageError
from scorer.core.text import printable


class Verb(StrEnum):
    """What can be done with teams."""

    add = "add"
    list = "list"
    token = "token"
    revoke = "revoke"


@on_board
def team(
    living: Living,
    verb: Annotated[Verb, typer.Argument(metavar="VERB", help=f"One of {', '.join(Verb)}.")],
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="The team's name.")] = None,
    organizer: Annotated[
        bool, typer.Option("--organizer", help="A token of an organizer's, of no team.")
    ] = False,
    at: At = None,
    format: Format = Form.text,
) -> Result:
    """Make and list teams, make and revoke tokens. A token is shown once. For organizers."""
    from scorer.board.fields.team import Line, Record

    board, notes = living.open()
    if verb is Verb.list:
        counts: dict[int, int] = {}
        for entry in board.entries():
            if entry.team is not None:
                counts[entry.team] = counts.get(entry.team, 0) + 1
        teams = [(called, t, counts.get(t.id, 0)) for called, t in board.teams().items()]
        if format is Form.json:
            lines = [Line(c, t.made.isoformat(), n) for c, t, n in teams]
            return Result(as_json(Record(teams=lines)), notes)
        rows = [[printable(c), zoned(t.made, board), str(n)] for c, t, n in teams]
        return Result(table(("team", "made", "entries"), rows, living.terminal), notes)
    if (name is None) != organizer:
        raise UsageError(f"team {verb.value} takes either a team's name or --organizer")
    if verb is Verb.revoke:
        count = board.revoke(name, now=moment(at))
        if format is Form.json:
            return Result(as_json(Record(team=name, revoked=count)), notes)
        return Result(f"{count} token{'s' * (count != 1)} revoked\n", notes)
    if verb is Verb.add and name is not None:
        token = board.add_team(name, now=moment(at))
    else:
        token = board.new_token(name, now=moment(at))
    if format is Form.json:
        return Result(as_json(Record(team=name, token=token)), notes)
    return Result(f"{token}\n", (*notes, "this token is shown once; hand it over safely"))
