"""Pictures of boards and of a team's entries over time; two entries side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from operator import attrgetter, itemgetter
from typing import NamedTuple
from zoneinfo import ZoneInfo

import numpy as np

from scorer.board.entries import Added
from scorer.board.live import LiveReport
from scorer.board.phases import spans
from scorer.board.snapshot import Snapshot
from scorer.challenge.model import Challenge
from scorer.core.text import printable
from scorer.leaderboard.rounding import rounded
from scorer.reports.document import Table, texts
from scorer.reports.pictures.draw import Figure
from scorer.reports.pictures.timeline import Arrival, timeline
from scorer.store.records import Entry

MOST_ENTRIES = 2_000  # entries of a plot over time


class EntryComparison(NamedTuple):
    """Two entries, measure by measure, and sentences on their lists."""

    numbers: Table
    words: Sequence[str]


def over_time(
    snapshot: Snapshot, live: LiveReport, now: datetime, teams: Mapping[str, int],
    zone: ZoneInfo, digits: int,
) -> Figure | None:  # fmt: skip
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
        Arrival(time.astimezone(zone), value, team, f"team-{teams.get(team, 0)}")
        for time, value, team in points
    ]
    rows = [
        [f"{moment.time:%Y-%m-%d %H:%M}", printable(moment.team, 100), f"{moment.value:.4f}"]
        for moment in moments
    ]
    name = printable(primary.id)
    title = f"{name} of entries as they came"
    numbers = texts(title, ["time", "team", "value"], rows)
    return timeline(title, name, moments, primary.metric.better,
                    _closings(snapshot.rules, zone), now.astimezone(zone), numbers)  # fmt: skip


def _on_the_board(snapshot: Snapshot, live: LiveReport, now: datetime) -> Iterator[Entry]:
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
        if added.entry is not None and split in added.values
    ]
    shown = [each for each in values if not np.isnan(each.value)]
    return sorted(shown, key=attrgetter("time", "entry"))


def changes(values: Sequence[OwnValue]) -> dict[int, float]:
    """Entry -> how much its value differs from that of the entry before."""
    return {later.entry: later.value - before.value for before, later in pairwise(values)}


def _closings(rules: Challenge, zone: ZoneInfo) -> list[datetime]:
    return [span.closes.astimezone(zone) for span in spans(rules) if span.closes]


def compare_entries(
    snapshot: Snapshot, pair: tuple[Added, Added], split: str, now: datetime, lists: bool
) -> EntryComparison:
    """Two entries measure by measure, and whether chance alone explains their difference.

    Args:
        snapshot: has these two entries.
        pair: the entries, with the values that may be seen.
        split: the split on which they are compared.
        now: the time by which they came.
        lists: whether it may be said how they differ from list to list.
    """
    primary, numbers_of = snapshot.terms.primary, [added.entry or 0 for added in pair]
    rows = []
    for measure in snapshot.terms.measures:
        a, b = (added.values.get(split, {}).get(measure.id, np.nan) for added in pair)
        cells = ("" if np.isnan(value) else f"{value:{form}}" for value, form in
                 ((a, ".4f"), (b, ".4f"), (a - b, "+.4f")))  # fmt: skip
        rows.append([printable(measure.id), *cells])
    head = ["measure", *(f"entry {number}" for number in numbers_of), "difference"]
    caption = (
        f"Means over the {printable(split)} lists; the difference is the first minus the second"
    )
    numbers = texts(caption, head, rows)
    if not lists:
        notes = (f"Entry {a.entry}: {a.message}." for a in pair if a.message)
        return EntryComparison(numbers, [*notes])
    entries = {entry.number: entry for entry in snapshot.entries}
    one, other = (
        snapshot.scored(entries[number], "", split).values[primary.id].per_list
        for number in numbers_of
    )
    if one is None or other is None:
        return EntryComparison(numbers, [])
    differences = one - other
    differences = differences[~np.isnan(differences)]
    if not differences.size:
        return EntryComparison(numbers, [])
    higher, lower = int((differences > 0).sum()), int((differences < 0).sum())
    words = [
        f"Entry {numbers_of[0]} is higher in {higher:,} lists, entry {numbers_of[1]} in {lower:,}; "
        f"{differences.size - higher - lower:,} are equal."
    ]
    live = snapshot.order(now, split=split, only=numbers_of)
    tested = snapshot.certain(live).report.certainty
    if tested is not None and tested.p.shape == (2, 2) and not np.isnan(tested.p[0, 1]):
        words.append(
            f"A difference as large as this in {printable(primary.id)} comes by chance with "
            f"p = {tested.p[0, 1]:.4f} ({tested.how.test} test over the lists)."
        )
    return EntryComparison(numbers, words)
