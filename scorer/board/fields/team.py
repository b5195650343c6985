"""Teams and their tokens as fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scorer.results.json import optional


@dataclass(frozen=True, slots=True)
class Line:
    """A team, the time at which it was made, and the number of its entries."""

    team: str
    made: str
    entries: int


@dataclass(frozen=True, slots=True)
class TokenLine:
    """A token that is not revoked: its number, its label, and when it was made and last used."""

    number: int
    label: str | None
    made: str
    used: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """All teams; or one team, null for the organizers, and its tokens, a new one, or how many went.

    `token` is the secret of a new token, `revoked` the number of tokens that were revoked.
    """

    schema: str = "team/1"
    teams: Sequence[Line] = optional()
    team: str | None = optional()
    tokens: Sequence[TokenLine] = optional()
    token: str = optional()
    revoked: int = optional()
