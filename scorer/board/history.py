"""The events of a board, in the order of time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal, TypeVar

from scorer.board.database import Database
from scorer.board.entries import EntryService
from scorer.board.evaluation_service import EvaluationService
from scorer.board.explain import describe_refusal, explain_entries
from scorer.board.listing import EntryFilter, Page
from scorer.board.models import Entry
from scorer.board.teams import Teams
from scorer.results.json import VERSION, ChallengeIdentity, Time

T = TypeVar("T")


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
    """Return the events that are not in `seen`, such as entries with a new status, and add them.

    An event is the same after its team was renamed. Several equal events, such as two teams that
    were made at one moment, are counted.
    """
    found, counts = [], Counter[Event]()
    for event in events:
        key = replace(event, team=None, reason=None)
        counts[key] += 1
        if counts[key] > seen[key]:
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
    """Return entries, decisions, versions and teams in the order of time; see `Board.log`."""
    number = None if team is None else teams.get(team).id
    names, given = teams.names(), database.given()
    events = [
        Event(
            version.since,
            "version",
            reason=f"version {version.number}, {version.fingerprint}",
            given=("version", str(version.number)) in given,
        )
        for version in database.versions()
    ]
    events += [Event(each.made, "team", team=names[each.id]) for each in database.teams()]
    # Only the latest are read, unless they are of a team: its events are selected below.
    limit = most if team is None else None
    listed = entries.listing().found(EntryFilter(team=number), Page(limit, order="latest"))
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
        for entry, evaluation, _ in listed
    ]
    read = {each.entry.number: each.entry for each in listed}
    for decision in _latest(sorted(database.decisions(), key=lambda act: act.time), limit):
        entry = decision.entry and (read.get(decision.entry) or database.entry(decision.entry))
        is_rename = decision.act == "rename"
        events.append(
            Event(
                decision.time,
                "decision",
                decision.entry,
                _sender(entry, names) if entry else names.get(decision.team or 0),
                f"{decision.act}, late" if decision.late else decision.act,
                decision.by,
                f"{decision.name}: {decision.reason}" if is_rename else decision.reason,
                given=("decision", str(decision.number)) in given,
            )
        )
    if number is not None:
        own = [event for event in events if event.team == team]
        events = _with_reasons(own, evaluations, number)
    in_time = sorted(events, key=lambda event: (event.time, event.kind, event.entry or 0))
    return _latest(in_time, most)


def _latest(values: list[T], most: int | None) -> list[T]:
    """Return the last values of a list, at `most` so many; None: all."""
    return values if most is None else values[max(len(values) - most, 0) :]


def _with_reasons(events: list[Event], evaluations: EvaluationService, team: int) -> list[Event]:
    """Return a team's events; events of entries get the reason why the entry counts or does not.

    It is the reason at present, or at the time of the last event if that lies in the future.
    """
    state = evaluations.team_state(team)
    now = max([datetime.now(UTC), *(event.time for event in events)])
    split = state.split_shown(state.span_of(now, None), now)
    reasons = explain_entries(state, team, now, split)
    return [
        replace(event, reason=f"counts: {reason.why}" if reason.counts else reason.why)
        if event.kind == "entry" and (reason := reasons.get(event.entry or 0)) is not None
        else event
        for event in events
    ]


def _sender(entry: Entry, names: Mapping[int, str]) -> str:
    return entry.name if entry.team is None else names[entry.team]
