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


@dataclass(frozen=True, slots=True)
class OrganizerLine:
    """A token of an organizer's, null for one without a name, and when it was last used."""

    organizer: str | None
    made: str
    used: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """All teams or organizers; or one team, null for the organizers, and what was made or revoked.

    That is a token, an invitation link with the end of its time, or the number of revoked tokens.
    """

    schema: str = "team/1"
    teams: Sequence[Line] = optional()
    organizers: Sequence[OrganizerLine] = optional()
    team: str | None = optional()
    token: str = optional()
    invitation: str = optional()
    until: str = optional()
    revoked: int = optional()
