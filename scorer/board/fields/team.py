"""Teams and their tokens as fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scorer.reports.codec import optional


@dataclass(frozen=True, slots=True)
class Line:
    """A team, the time at which it was made, and the number of its entries."""

    team: str
    made: str
    entries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """All teams; or one, null for the organizers, with its new token or the number of revoked."""

    schema: str = "team/1"
    teams: Sequence[Line] = optional()
    team: str | None = optional()
    token: str = optional()
    revoked: int = optional()
