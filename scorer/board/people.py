"""The people of a board: organizers and members of teams, by their tokens and invitations."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from scorer.board.names import ORGANIZER, team_name
from scorer.board.teams import Roster
from scorer.core.errors import UsageError
from scorer.store.records import Token

if TYPE_CHECKING:
    from scorer.store.database import Database

GOOD_FOR = timedelta(days=7)  # of an invitation
MOST_TOKENS = 50  # of a team, invitations that wait among them


class Let(NamedTuple):
    """A token that was made: the secret, which is shown once, and its record."""

    secret: str
    token: Token


class People:
    """Who may act on a board; `None` for a team means the organizers."""

    def __init__(self, database: Database, teams: Roster) -> None:
        self._database, self._teams = database, teams

    def add(self, team: str, *, now: datetime, invites: bool = False) -> Let:
        """Make a team and its token, or an invitation to it.

        `UsageError` if the name is taken, looks like another, or is not valid.
        """
        until = now + GOOD_FOR if invites else None
        return self._made(self._teams.add(team, now).id, None, now, until)

    def token(self, team: str | None, person: str | None = None, *, now: datetime) -> str:
        """Make a token of a team or organizer, for a person or for all.

        Raises:
            UnknownName: there is no such team.
            UsageError: the person's name is not valid, or there are too many tokens.
        """
        return self._made(self._number(team), self._named(team, person), now).secret

    def invite(self, team: str | None, person: str | None = None, *, now: datetime) -> Let:
        """Make an invitation, good once and for a week, for somebody to get a token by it.

        Raises as `token` does, and `UsageError` for an organizer without a name.
        """
        if team is None and person is None:
            raise UsageError("an organizer is invited by name")
        return self._made(self._number(team), self._named(team, person), now, now + GOOD_FOR)

    def invitation(self, code: str, now: datetime) -> Token | None:
        """The invitation of that code, if it is still good."""
        wanted = hash_of(code)
        good = [token for token in self.waiting(now) if hmac.compare_digest(token.hash, wanted)]
        return good[0] if good else None

    def accept(self, code: str, person: str | None = None, *, now: datetime) -> Let:
        """Use up an invitation, for a token of the person whom it names, or else of `person`.

        `UsageError` if it was used before, was revoked, or is older than a week.
        """
        invitation = self.invitation(code, now)
        if invitation is not None:
            named = invitation.person or self._named("", person)
            if let := self._instead(invitation, named, now):
                return let
        raise UsageError(
            "this invitation is not known, was used or revoked, or is older than a week"
        )

    def renew(self, number: int, *, now: datetime) -> Let:
        """Make a token for whoever holds this one, which opens nothing any more.

        `UsageError` if it does not already.
        """
        old = [token for token in self._database.tokens() if token.id == number and token.opens]
        if old and (let := self._instead(old[0], old[0].person, now)):
            return let
        raise UsageError("this token opens nothing any more")

    def used(self, number: int, now: datetime) -> None:
        """Note that a token was used."""
        self._database.mark_token(number, used=now)

    def revoke(self, team: str | None, person: str | None = None, *, now: datetime) -> int:
        """Revoke tokens and invitations of a team or of the organizers, or of one person there.

        Gives their number. Raises `UnknownName`.
        """
        number = self._number(team)
        tokens = [
            token
            for token in self._database.tokens()
            if token.team == number and token.revoked is None and person in (None, token.person)
        ]
        for token in tokens:
            self._database.mark_token(token.id, revoked=now)
        return len(tokens)

    def of(self, team: int | None) -> list[Token]:
        """The tokens of a team or of the organizers with which one can sign in."""
        return [token for token in self._database.tokens() if token.team == team and token.opens]

    def waiting(self, now: datetime) -> list[Token]:
        """The invitations that are still good."""
        return [
            token
            for token in self._database.tokens()
            if token.until is not None and token.revoked is None and now <= token.until
        ]

    def _number(self, team: str | None) -> int | None:
        return None if team is None else self._teams.one(team).id

    def _named(self, team: str | None, person: str | None) -> str | None:
        """The valid name of a person; an organizer's looks like no team's or other organizer's."""
        if person is None or team is not None:
            return None if person is None else team_name(person, ())
        others = self._teams.organizers() - {person}
        return team_name(person, [*self._teams.by_name(), *others, ORGANIZER])

    def _made(
        self, team: int | None, person: str | None, now: datetime, until: datetime | None = None
    ) -> Let:
        valid = [*self.of(team), *(token for token in self.waiting(now) if token.team == team)]
        if len(valid) >= MOST_TOKENS:
            raise UsageError(f"there are {MOST_TOKENS} tokens and invitations already; revoke some")
        secret, hash = _secret()
        token = self._database.add_token(team, hash, now, person=person, until=until)
        assert token is not None
        return Let(secret, token)

    def _instead(self, old: Token, person: str | None, now: datetime) -> Let | None:
        secret, hash = _secret()
        token = self._database.add_token(old.team, hash, now, person=person, instead=old.id)
        return None if token is None else Let(secret, token)


def _secret() -> tuple[str, str]:
    """A secret of 192 bits, and its hash, which alone is kept."""
    secret = secrets.token_urlsafe(24)
    return secret, hash_of(secret)


def hash_of(secret: str) -> str:
    """The SHA-256 of a secret, by which it is known."""
    return hashlib.sha256(secret.encode()).hexdigest()
