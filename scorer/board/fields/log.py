"""The log of a board as fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from scorer.board.log import Event
from scorer.challenge.model import Challenge
from scorer.results.json import VERSION, ChallengeIdentity


@dataclass(frozen=True, slots=True)
class Line:
    """An entry, decision, version or team."""

    time: str
    kind: Literal["entry", "decision", "version", "team"]
    entry: int | None
    team: str | None
    status: str | None  # of a decision, the act
    by: str | None
    reason: str | None
    given: bool  # whether the time was given to the board (--at), and is no clock's


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """Everything that happened, in the order of time."""

    schema: str = "log/1"
    scorer: str = VERSION
    challenge: ChallengeIdentity
    events: Sequence[Line]


def fields(events: Sequence[Event], challenge: Challenge) -> Record:
    """The record of a log."""
    return Record(
        challenge=ChallengeIdentity.of(challenge), events=[line(event) for event in events]
    )


def line(event: Event) -> Line:
    """The record of an event."""
    return Line(**event._asdict() | {"time": event.time.isoformat()})
