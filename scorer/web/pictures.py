"""Pictures of boards and of a team's entries over time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
from markupsafe import Markup

from scorer.board.board_state import BoardState
from scorer.board.entries import Added
from scorer.board.models import Entry
from scorer.board.phases import spans
from scorer.board.standings import Ranking
from scorer.core.text import printable
from scorer.leaderboard.rounding import rounded
from scorer.metrics.api import Better
from scorer.reports.charts.svg import text_width
from scorer.reports.charts.timeline import Moment
from scorer.reports.document import Picture
from scorer.reports.leaderboard.timeline import best_so_far, timeline

BADGE = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" \
aria-label="{label}: {text}"><title>{label}: {text}</title><rect width="{width}" height="20" \
rx="3" fill="#1a5fb4"/><path d="M3 0H{left}V20H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z" fill="#42464d"/>\
<g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" \
font-size="11"><text x="{a}" y="14">{label}</text><text x="{b}" y="14">{text}</text></g></svg>
"""
MOST_ENTRIES = 2_000  # entries of a plot over time


class OverTime(NamedTuple):
    """The values of entries as the board showed them, in time; of each team its number."""

    measure: str
    better: Better
    moments: Sequence[tuple[int, Moment]]
    closings: Sequence[datetime]
    now: datetime

    def figure(self, team: int | None = None) -> Picture | None:
        """Draw the best value so far and a team's own ones; None for fewer than two entries.

        Of other teams there are only the entries that were the best when they came.
        """
        if len(self.moments) < 2:
            return None
        best = best_so_far([moment for _, moment in self.moments], self.better)
        kept = [
            moment._replace(look="own") if number == team else moment
            for number, moment in self.moments
            if number == team or moment in best
        ]
        return timeline(self.measure, kept, self.better, self.closings, self.now)


def over_time(
    snapshot: BoardState, ranking: Ranking, now: datetime, zone: ZoneInfo, digits: int
) -> OverTime:
    """Return the primary measure of entries against time.

    Only what the board shows or showed is in it: the entries that count, and where the best or
    the last of each team counts, those that counted at their time.
    """
    primary, names = snapshot.terms.primary, snapshot.decisions_at(now).names
    moments = list[tuple[int, Moment]]()
    for entry in _on_the_board(snapshot, ranking, now):
        mean = snapshot.means[entry.sha256][ranking.split][primary.id]
        if entry.team is not None and not np.isnan(mean):
            time = entry.received.astimezone(zone)
            moments.append((entry.team, Moment(time, rounded(mean, digits), names[entry.team])))
    moments = sorted(moments, key=lambda each: each[1].time)[-MOST_ENTRIES:]
    closings = [span.closes.astimezone(zone) for span in spans(snapshot.rules) if span.closes]
    name = printable(primary.id)
    return OverTime(name, primary.metric.better, moments, closings, now.astimezone(zone))


def _on_the_board(snapshot: BoardState, ranking: Ranking, now: datetime) -> Iterator[Entry]:
    """Entries that count, or counted when they came."""
    counts = {row.entry for row in ranking.rows.values()}
    rules, primary, decided = (
        snapshot.rules.leaderboard,
        snapshot.terms.primary,
        snapshot.decisions_at(now),
    )
    before = (
        ranking.split == snapshot.split_shown(snapshot.span(now), now) and rules.ladder == "off"
    )
    sign = 1.0 if primary.metric.better == "higher" else -1.0
    best_of_team: dict[int | None, float] = {}
    for entry in sorted(snapshot.entries, key=attrgetter("received", "number")):
        scored = snapshot.statuses.get(entry.sha256) == "scored"
        if entry.team is None or entry.received > now or not scored or decided.out(entry):
            continue
        value = sign * snapshot.means[entry.sha256][ranking.split].get(primary.id, np.nan)
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
    """Return by entry how much its value differs from the entry before."""
    return {later.entry: later.value - before.value for before, later in pairwise(values)}


def badge(label: str, text: str) -> str:
    """Return a small picture of two fields, as an SVG file of its own."""
    label, text = printable(label, 40), printable(text, 40)
    left, right = (round(text_width(each) + 14) for each in (label, text))
    return str(
        Markup(BADGE).format(
            left=left,
            right=right,
            width=left + right,
            label=label,
            text=text,
            a=left / 2,
            b=left + right / 2,
        )
    )
