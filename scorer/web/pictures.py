"""Pictures of boards and of a team's entries over time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from operator import attrgetter, itemgetter
from typing import NamedTuple
from zoneinfo import ZoneInfo

import numpy as np

from scorer.board.entries import Added
from scorer.board.models import Entry
from scorer.board.phases import spans
from scorer.board.standings import BoardState, LiveReport
from scorer.core.text import printable
from scorer.leaderboard.rounding import rounded
from scorer.reports.charts.charts import Moment
from scorer.reports.document import Picture
from scorer.reports.figures import timeline

MOST_ENTRIES = 2_000  # entries of a plot over time


def over_time(
    snapshot: BoardState, live: LiveReport, now: datetime, teams: Mapping[str, int],
    zone: ZoneInfo, digits: int,
) -> Picture | None:  # fmt: skip
    """The primary measure of entries against time, and the best so far; None for fewer than two.

    Only what the board shows or showed is in it: the entries that count, and where the best or
    the last of each team counts, those that counted at their time.
    """
    primary, names = snapshot.terms.primary, snapshot.state(now).names
    points = [
        (
            entry.received,
            rounded(snapshot.means[entry.sha256][live.split][primary.id], digits),
            names[team],
        )
        for entry in _on_the_board(snapshot, live, now)
        if (team := entry.team) is not None
    ]
    points = [point for point in points if not np.isnan(point[1])]
    points = sorted(points, key=itemgetter(0))[-MOST_ENTRIES:]
    if len(points) < 2:
        return None
    moments = [
        Moment(time.astimezone(zone), value, team, f"team-{teams.get(team, 0)}")
        for time, value, team in points
    ]
    name = printable(primary.id)
    closings = [span.closes.astimezone(zone) for span in spans(snapshot.rules) if span.closes]
    return timeline(name, moments, primary.metric.better, closings, now.astimezone(zone))


def _on_the_board(snapshot: BoardState, live: LiveReport, now: datetime) -> Iterator[Entry]:
    """Entries that count, or counted when they came."""
    counts = {row.entry for row in live.rows.values()}
    rules, primary, decided = (
        snapshot.rules.leaderboard,
        snapshot.terms.primary,
        snapshot.state(now),
    )
    before = live.split == snapshot.split_shown(snapshot.span(now), now) and rules.ladder == "off"
    sign = 1.0 if primary.metric.better == "higher" else -1.0
    best_of_team: dict[int | None, float] = {}
    for entry in sorted(snapshot.entries, key=attrgetter("received", "number")):
        scored = snapshot.statuses.get(entry.sha256) == "scored"
        if entry.baseline or entry.received > now or not scored or decided.out(entry):
            continue
        value = sign * snapshot.means[entry.sha256][live.split].get(primary.id, np.nan)
        improves = not value <= best_of_team.get(entry.team, -np.inf)
        if not np.isnan(value):
            best_of_team[entry.team] = max(value, best_of_team.get(entry.team, -np.inf))
        counted = rules.entry in ("last", "all") or (rules.entry == "best" and improves)
        if entry.number in counts or (before and counted):
            yield entry


class OwnValue(NamedTuple):
    """A value of an entry as its team sees it."""

    entry: int
    time: datetime
    value: float


def history(outcomes: Sequence[Added], split: str, measure: str) -> list[OwnValue]:
    """The values of a team's entries that it sees, by time."""
    values = [
        OwnValue(added.entry, added.received, added.values[split][measure])
        for added in outcomes
        if added.entry is not None and added.values and split in added.values
    ]
    shown = [each for each in values if not np.isnan(each.value)]
    return sorted(shown, key=attrgetter("time", "entry"))


def changes(values: Sequence[OwnValue]) -> dict[int, float]:
    """Entry -> how much its value differs from that of the entry before."""
    return {later.entry: later.value - before.value for before, later in pairwise(values)}
