"""The events of a board, in the order of time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from scorer.board.entries import Ledger
from scorer.board.teams import Roster

if TYPE_CHECKING:
    from scorer.store.database import Database
    from scorer.store.records import Entry


class Event(NamedTuple):
    """A line of the log."""

    time: datetime
    kind: str  # entry, decision, version or team
    entry: int | None = None
    team: str | None = None
    status: str | None = None  # of an entry; of a decision, the act
    by: str | None = None
    reason: str | None = None


def log(
    database: Database,
    entries: Ledger,
    teams: Roster,
    team: str | None,
    reasons: Callable[[Entry], str | None],
) -> list[Event]:
    """Entries, decisions, versions and teams in the order of time; see `Board.log`."""
    names = teams.names()
    sent, statuses = database.entries(), entries.statuses()
    team_of = {e.number: e.name if e.team is None else names[e.team] for e in sent}
    events = [
        Event(v.since, "version", reason=f"version {v.number}, {v.fingerprint}")
        for v in database.versions()
    ]
    events += [Event(t.made, "team", team=names[t.id]) for t in database.teams()]
    events += [
        Event(e.received, "entry", e.number, team_of[e.number], statuses[e.number],
              reason=reasons(e)) for e in sent
    ]  # fmt: skip
    for d in database.decisions():
        about = team_of.get(d.entry) if d.entry is not None else names.get(d.team or 0)
        reason = f"{d.name}: {d.reason}" if d.act == "rename" else d.reason
        what = f"{d.act}, late" if d.late else d.act
        events.append(Event(d.time, "decision", d.entry, about, what, d.by, reason))
    if team is not None:
        teams.one(team)
        events = [event for event in events if event.team == team]
    return sorted(events, key=lambda event: (event.time, event.kind, event.entry or 0))
