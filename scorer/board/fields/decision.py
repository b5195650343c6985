"""A decision as fields."""

from __future__ import annotations

from dataclasses import dataclass

from scorer.store.records import Act, Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A decision that was recorded."""

    schema: str = "decision/1"
    decision: int
    time: str
    act: Act
    entry: int | None
    team: str | None
    name: str | None  # the new one, of a rename
    by: str | None
    reason: str
    late: bool


def fields(decision: Decision, subject: str) -> Record:
    """The record of a decision on an entry, or on the team that `subject` names."""
    return Record(
        decision=decision.number,
        time=decision.time.isoformat(),
        act=decision.act,
        entry=decision.entry,
        team=None if decision.entry is not None else subject,
        name=decision.name,
        by=decision.by,
        reason=decision.reason,
        late=decision.late,
    )
