"""`score team CHALLENGE add|list|token|revoke ...`: teams, and tokens of teams and organizers."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from scorer.cli.board import At, Form, Format, Living, as_json, moment, on_board, table, zoned
from scorer.cli.options import Result
from scorer.core.errors import UsageError
from scorer.core.text import printable

if TYPE_CHECKING:
    from scorer.board.board import Board


class Verb(StrEnum):
    """What can be done with teams and tokens."""

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
        bool, typer.Option("--organizer", help="The organizers instead of a team.")
    ] = False,
    label: Annotated[
        str | None,
        typer.Option(
            "--label",
            metavar="TEXT",
            help="Of a new token: who or what holds it; the log names it.",
        ),
    ] = None,
    number: Annotated[
        int | None,
        typer.Option(
            "--token", metavar="NUMBER", help="Of revoke: this token alone, as list NAME shows it."
        ),
    ] = None,
    at: At = None,
    format: Format = Form.text,
) -> Result:
    """Make and list teams; make, list and revoke tokens of teams and organizers. For organizers.

    A token is shown once. The log has the decisions of its holder with its label.
    """
    from scorer.board.teams import TeamTokens

    board, notes = living.open()
    if label is not None and verb not in (Verb.add, Verb.token):
        raise UsageError("--label belongs to add and token")
    if number is not None and verb is not Verb.revoke:
        raise UsageError("--token belongs to revoke")
    if verb is Verb.list and name is None and not organizer:
        return _teams(board, living, format, notes)
    if (name is None) != organizer or (verb is Verb.add and organizer):
        takes = "a team's name" if verb is Verb.add else "either a team's name or --organizer"
        raise UsageError(f"team {verb.value} takes {takes}")
    now = moment(at)
    match verb:
        case Verb.list:
            return _tokens(board, living, name, format, notes)
        case Verb.revoke:
            count = board.revoke(name, number, now=now)
            if format is Form.json:
                return Result(as_json(TeamTokens(team=name, revoked=count)), notes)
            return Result(f"{count} token{'s' * (count != 1)} revoked\n", notes)
        case Verb.add if name is not None:
            token = board.add_team(name, label, now=now)
        case _:
            token = board.new_token(name, label, now=now)
    if format is Form.json:
        return Result(as_json(TeamTokens(team=name, token=token)), notes)
    return Result(f"{token}\n", (*notes, "this token is shown once; hand it over safely"))


def _teams(board: Board, living: Living, format: Form, notes: tuple[str, ...]) -> Result:
    """All teams, each with the number of its entries."""
    from scorer.board.teams import ListedTeam, TeamTokens

    counts = board.ledger.listing().by_team()
    teams = [(called, t, counts.get(t.id, 0)) for called, t in board.teams.by_name().items()]
    if format is Form.json:
        lines = [ListedTeam(c, t.made, n) for c, t, n in teams]
        return Result(as_json(TeamTokens(teams=lines)), notes)
    rows = [[printable(c), zoned(t.made, board), str(n)] for c, t, n in teams]
    return Result(table(("team", "made", "entries"), rows, living.terminal), notes)


def _tokens(
    board: Board, living: Living, name: str | None, format: Form, notes: tuple[str, ...]
) -> Result:
    """The tokens of a team, or of the organizers, that are not revoked."""
    from scorer.board.teams import ListedToken, TeamTokens

    tokens = board.teams.tokens(name)
    if format is Form.json:
        lines = [ListedToken(t.id, t.label, t.made, t.used) for t in tokens]
        return Result(as_json(TeamTokens(team=name, tokens=lines)), notes)
    rows = [
        [
            str(t.id),
            printable(t.label or ""),
            zoned(t.made, board),
            zoned(t.used, board) if t.used else "",
        ]
        for t in tokens
    ]
    return Result(table(("token", "label", "made", "last seen"), rows, living.terminal), notes)
