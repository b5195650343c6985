"""The events of a board, in the order of time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal

from scorer.board.database import Database
from scorer.board.entries import EntryService
from scorer.board.evaluation_service import EvaluationService
from scorer.board.explain import describe_refusal, explain_entries
from scorer.board.listing import EntryFilter, Page
from scorer.board.models import Entry
from scorer.board.teams import Teams
from scorer.results.json import VERSION, ChallengeIdentity, Time


@dataclass(frozen=True, slots=True)
class Event:
    """An entry, decision, version or team."""

    time: Time
    kind: Literal["entry", "decision", "version", "team"]
    entry: int | None = None
    team: str | None = None
    status: str | None = None  # of an entry; of a decision, the act
    by: str | None = None
    reason: str | None = None
    given: bool = False  # whether the time was given to the board (--at), and is no clock's


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardLog:
    """Everything that happened, in the order of time."""

    schema: str = "log/1"
    scorer: str = VERSION
    challenge: ChallengeIdentity
    events: Sequence[Event]


def new_events(events: Iterable[Event], seen: Counter[Event]) -> list[Event]:
    """The events that were not seen, and entries whose status is another; from now on all are seen.

    A team that is renamed makes none of its earlier events another one.
    """
    found, now = [], Counter[Event]()
    for event in events:
        key = replace(event, team=None, reason=None)
        now[key] += 1
        if now[key] > seen[key]:
            seen[key] += 1
            found.append(event)
    return found


def log(
    database: Database,
    evaluations: EvaluationService,
    entries: EntryService,
    teams: Teams,
    team: str | None,
    most: int | None,
) -> list[Event]:
    """Entries, decisions, versions and teams in the order of time; see `Board.log`."""
    wanted = EntryFilter() if team is None else EntryFilter(team=teams.get(team).id)
    until = most if team is None else None  # of a team's, all
    names, found = teams.names(), entries.listing().found(wanted, Page(until, order="latest"))
    given = database.given()
    events = [
        Event(
            v.since,
            "version",
            reason=f"version {v.number}, {v.fingerprint}",
            given=("version", str(v.number)) in given,
        )
        for v in database.versions()
    ]
    events += [Event(t.made, "team", team=names[t.id]) for t in database.teams()]
    events += [
        Event(
            entry.received,
            "entry",
            entry.number,
            _sender(entry, names),
            evaluation.status,
            reason=describe_refusal(evaluation),
            given=("entry", str(entry.number)) in given,
        )
        for entry, evaluation, _ in found
    ]
    sent = {each.entry.number: each.entry for each in found}
    decisions = sorted(database.decisions(), key=lambda act: act.time)
    for d in decisions if until is None else decisions[max(len(decisions) - until, 0) :]:
        entry = d.entry and (sent.get(d.entry) or database.entry(d.entry))
        about = _sender(entry, names) if entry else names.get(d.team or 0)
        reason = f"{d.name}: {d.reason}" if d.act == "rename" else d.reason
        what = f"{d.act}, late" if d.late else d.act
        told = ("decision", str(d.number)) in given
        events.append(Event(d.time, "decision", d.entry, about, what, d.by, reason, told))
    if wanted.team is not None:
        events = [event for event in events if event.team == team]
        events = _with_reasons(events, evaluations, wanted.team)
    in_time = sorted(events, key=lambda event: (event.time, event.kind, event.entry or 0))
    return in_time[max(len(in_time) - most, 0) :] if most is not None else in_time


def _with_reasons(events: list[Event], evaluations: EvaluationService, team: int) -> list[Event]:
    """Return a team's events. Those of entries say why the entry counts or does not.

    The answer is for the present, or for the last event if that lies in the future.
    """
    snapshot, now = (
        evaluations.team_state(team),
        max([datetime.now(UTC), *(e.time for e in events)]),
    )
    split = snapshot.split_shown(snapshot.span_of(now, None), now)
    reasons = explain_entries(snapshot, team, now, split)
    return [
        replace(event, reason=f"counts: {reason.why}" if reason.counts else reason.why)
        if event.kind == "entry" and (reason := reasons.get(event.entry or 0)) is not None
        else event
        for event in events
    ]


def _sender(entry: Entry, names: Mapping[int, str]) -> str:
    return entry.name if entry.team is None else names[entry.team]
