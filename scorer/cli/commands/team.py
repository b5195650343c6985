"""`score team CHALLENGE add|list|token|invite|revoke|organizer ...`: teams, people, tokens."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote

import typer

from scorer.cli.board import At, Form, Format, Living, as_json, moment, on_board, table, zoned
from scorer.cli.options import Result
from scorer.core.errors import UsageError
from scorer.core.text import printable

if TYPE_CHECKING:
    from scorer.board.board import Board
    from scorer.board.people import Let


class Verb(StrEnum):
    """What can be done with teams and people."""

    add = "add"
    list = "list"
    token = "token"
    invite = "invite"
    revoke = "revoke"
    organizer = "organizer"  # one of the others, with organizers


@on_board
def team(
    living: Living,
    verb: Annotated[Verb, typer.Argument(metavar="VERB", help=f"One of {', '.join(Verb)}.")],
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="The team's name; after organizer one of the verbs."),
    ] = None,
    person: Annotated[
        str | None,
        typer.Argument(metavar="PERSON", help="A person of the team, or the organizer's name."),
    ] = None,
    organizer: Annotated[
        bool, typer.Option("--organizer", help="A token of an organizer's without a name.")
    ] = False,
    invite: Annotated[
        bool, typer.Option("--invite", help="Of add: an invitation link instead of a token.")
    ] = False,
    public_url: Annotated[
        str,
        typer.Option(
            "--public-url",
            envvar="SCORER_PUBLIC_URL",
            metavar="URL",
            help="The server's address, with which an invitation link begins.",
        ),
    ] = "http://127.0.0.1:8000",
    at: At = None,
    format: Format = Form.text,
) -> Result:
    """Make and list teams, tokens of teams, people and organizers, and invitations. For organizers.

    A token is shown once; an invitation link is good once, for a week. What people do who have
    tokens of their own, such as organizers, stands in the log under their names.
    """
    from scorer.board.fields.team import Record

    board, notes = living.open()
    if verb is Verb.organizer:
        verb, name, organizer = _verb(name), None, True
    if verb is Verb.list:
        return _listed(board, living, organizer, format, notes)
    if (name is None) != organizer or (verb is Verb.add and name is not None and person):
        raise UsageError(f"team {verb.value} takes either a team's name or --organizer")
    now = moment(at)
    if verb is Verb.revoke:
        count = board.revoke(name, person, now=now)
        if format is Form.json:
            return Result(as_json(Record(team=name, revoked=count)), notes)
        return Result(f"{count} token{'s' * (count != 1)} revoked\n", notes)
    if verb is Verb.invite or invite:
        let = _invited(board, verb, name, person, now)
        page = f"{public_url.rstrip('/')}/c/{quote(board.challenge.id)}"
        link = f"{page}/invitation?code={let.secret}"
        assert let.token.until
        if format is Form.json:
            until = let.token.until.isoformat()
            return Result(as_json(Record(team=name, invitation=link, until=until)), notes)
        good = f"good once, until {zoned(let.token.until, board)}"
        return Result(f"{link}\n", (*notes, f"{good}; hand it over safely"))
    if verb is Verb.add and name is not None:
        token = board.add_team(name, now=now)
    else:
        token = board.new_token(name, person, now=now)
    if format is Form.json:
        return Result(as_json(Record(team=name, token=token)), notes)
    return Result(f"{token}\n", (*notes, "this token is shown once; hand it over safely"))


def _verb(word: str | None) -> Verb:
    """The verb after `organizer`."""
    verbs = [verb.value for verb in Verb if verb is not Verb.organizer]
    if word not in verbs:
        raise UsageError(f"team organizer takes one of {', '.join(verbs)}")
    return Verb(word)


def _invited(
    board: Board, verb: Verb, name: str | None, person: str | None, now: datetime | None
) -> Let:
    """An invitation to a team, which `add` makes first, or to organize."""
    time = now or datetime.now(UTC)
    if verb is Verb.add and name is not None:
        return board.people.add(name, now=time, invites=True)
    return board.people.invite(name, person, now=time)


def _listed(
    board: Board, living: Living, organizers: bool, format: Form, notes: tuple[str, ...]
) -> Result:
    """The teams, or the tokens of organizers."""
    from scorer.board.fields.team import Line, OrganizerLine, Record

    if organizers:
        tokens = [(t.person, t.made, t.used) for t in board.people.of(None)]
        if format is Form.json:
            people = [
                OrganizerLine(person, made.isoformat(), used.isoformat() if used else None)
                for person, made, used in tokens
            ]
            return Result(as_json(Record(organizers=people)), notes)
        rows = [
            [printable(person or ""), zoned(made, board), zoned(used, board) if used else ""]
            for person, made, used in tokens
        ]
        return Result(table(("organizer", "made", "last seen"), rows, living.terminal), notes)
    counts = board.ledger.listing().by_team()
    teams = [(called, t, counts.get(t.id, 0)) for called, t in board.teams().items()]
    if format is Form.json:
        lines = [Line(c, t.made.isoformat(), n) for c, t, n in teams]
        return Result(as_json(Record(teams=lines)), notes)
    rows = [[printable(c), zoned(t.made, board), str(n)] for c, t, n in teams]
    return Result(table(("team", "made", "entries"), rows, living.terminal), notes)
