"""The teams of a board: their present names, and the tokens of teams and organizers."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from scorer.api.submissions import submission_name
from scorer.board.database import Database
from scorer.board.models import Decision, Team, Token
from scorer.board.names import ORGANIZER, team_name
from scorer.board.selection import DecisionState, decisions_until
from scorer.challenge.model import Challenge
from scorer.core.errors import UnknownName, UsageError
from scorer.core.text import quoted
from scorer.results.json import Time, optional

LATEST = datetime.max.replace(tzinfo=UTC)  # by which all decisions are made
MOST_TOKENS = 50  # of a team, or of the organizers, that are not revoked


@dataclass(frozen=True, slots=True)
class ListedTeam:
    """A team, the time at which it was made, and the number of its entries."""

    team: str
    made: Time
    entries: int


@dataclass(frozen=True, slots=True)
class ListedToken:
    """A token that is not revoked: its number, its label, and when it was made and last used."""

    number: int
    label: str | None
    made: Time
    used: Time | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamTokens:
    """All teams; or one team, null for the organizers, and its tokens, a new one, or how many went.

    `token` is the secret of a new token, `revoked` the number of tokens that were revoked.
    """

    schema: str = "team/1"
    teams: Sequence[ListedTeam] = optional()
    team: str | None = optional()
    tokens: Sequence[ListedToken] = optional()
    token: str = optional()
    revoked: int = optional()


class Teams:
    """The teams of one board; `None` for a team means the organizers."""

    def __init__(self, challenge: Challenge, database: Database) -> None:
        self._challenge, self._database = challenge, database
        self._known: tuple[tuple[int, ...], list[Team], DecisionState] | None = None

    def decisions_at(self, now: datetime | None = None) -> DecisionState:
        """The state that the decisions made so far, or by a time, lead to."""
        if now is not None:
            return decisions_until(self._database.teams(), self._database.decisions(), now)
        return self._present()[1]

    def _present(self) -> tuple[list[Team], DecisionState]:
        """The teams and the state of now, which are read again when there are more of either."""
        with self._database.read():
            counts, known = self._database.counts(Team, Decision), self._known
            if known is None or known[0] != counts:
                teams = self._database.teams()
                held = decisions_until(teams, self._database.decisions(), LATEST)
                known = counts, teams, held
                if not self._database.is_writing:  # else it may be undone
                    self._known = known
        return known[1], known[2]

    def names(self) -> Mapping[int, str]:
        """Team -> its present name."""
        return self.decisions_at().names

    def by_name(self) -> dict[str, Team]:
        """Present name -> team, in the order in which they were made."""
        teams, held = self._present()
        return {held.names[team.id]: team for team in teams}

    def find(self, name: str) -> Team | None:
        """One team."""
        return self.by_name().get(name)

    def get(self, name: str) -> Team:
        """One team. Raises `UnknownName`."""
        match = self.find(name)
        if match is None:
            raise UnknownName("team", name, list(self.by_name()))
        return match

    def add(self, name: str, now: datetime) -> Team:
        """Make a team. Raises `UsageError`; see `new_name`."""
        return self._database.add_team(self.new_name(name), now)

    def new_name(self, name: str, but: int | None = None) -> str:
        """A valid name that looks like no team's or baseline's but `but`'s; else `UsageError`."""
        teams = self.by_name()
        if name in teams:
            raise UsageError(f"there is a team {quoted(name)} already")
        others = [other for other, team in teams.items() if team.id != but]
        baselines = [entry.name for entry in self._database.entries(team=None)]
        baselines += map(submission_name, self._challenge.leaderboard.baselines)
        return team_name(name, [*others, *baselines, *self.organizers(), ORGANIZER])

    def organizers(self) -> set[str]:
        """Return the labels of the organizers' tokens, by which the log names them."""
        return {t.label for t in self._database.tokens() if t.team is None and t.label}

    def add_token(self, team: str | None, label: str | None, now: datetime) -> str:
        """Make a token, and return its secret; only its hash is kept.

        Args:
            team: The team's name; None for an organizer.
            label: Who or what holds it, for the log; an organizer's must look like no team's name.

        Raises:
            UnknownName: There is no such team.
            UsageError: The label is not valid, or there are too many tokens.
        """
        number = self._number(team)
        if label is not None:
            taken = [] if team is not None else [*self.by_name(), ORGANIZER]
            if team is None:
                taken += self.organizers() - {label}
            team_name(label, taken)
        if len(self.tokens(team)) >= MOST_TOKENS:
            raise UsageError(f"there are {MOST_TOKENS} tokens already; revoke some")
        secret = secrets.token_urlsafe(24)
        self._database.add_token(number, hash_of(secret), now, label)
        return secret

    def tokens(self, team: str | None) -> list[Token]:
        """Return the valid tokens of a team or the organizers; `UnknownName` for another team."""
        number = self._number(team)
        tokens = self._database.tokens()
        return [token for token in tokens if token.team == number and token.is_valid]

    def revoke(self, team: str | None, token: int | None, now: datetime) -> int:
        """Revoke all tokens of a team, or of the organizers, or the one of that number.

        Gives how many were revoked. Raises `UnknownName`.
        """
        tokens = self.tokens(team)
        if token is not None:
            numbers = [str(each.id) for each in tokens]
            tokens = [each for each in tokens if each.id == token]
            if not tokens:
                raise UnknownName("token", str(token), numbers)
        for each in tokens:
            self._database.mark_token(each.id, revoked=now)
        return len(tokens)

    def _number(self, team: str | None) -> int | None:
        return None if team is None else self.get(team).id


def hash_of(secret: str) -> str:
    """The SHA-256 of a token's secret, by which it is known."""
    return hashlib.sha256(secret.encode()).hexdigest()
