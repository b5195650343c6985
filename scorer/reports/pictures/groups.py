"""Means over groups of lists: a small picture for each group, all on one axis."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scorer.core.text import printable
from scorer.metrics.notation import Measure
from scorer.reports.document import texts
from scorer.reports.leaderboard.cells import ordered
from scorer.reports.pictures import draw
from scorer.reports.pictures.draw import LINE, Canvas, Figure
from scorer.results.report import Report, Scored

ROW, MOST, PANELS, LEAST = 16.0, 20, 12, 120.0  # rows; groups; the least width of a panel


class GroupRow(NamedTuple):
    """A submission: its value of all lists, and of each group."""

    name: str
    whole: float
    means: Sequence[float]


def groups(report: Report, precision: int) -> Iterator[Figure]:
    """A panel a group, a row a submission; a tick stands at the value of all lists."""
    primary, names = report.primary, list(report.groups)[:PANELS]
    found = [scored for scored in ordered(report) if scored.valid]
    rows = [_group_row(scored, primary, names, precision) for scored in found[:MOST]]
    if not report.groups:
        return
    if not any(not math.isnan(mean) for row in rows for mean in row.means):
        return
    word = printable(report.called.get("group", "group"))
    caption = "The dot is the mean of the group, the tick the value of all."
    if len(report.groups) > PANELS:
        caption += f" The first {PANELS} of {len(report.groups):,} groups."
    if len(found) > MOST:
        caption += f" The first {MOST} of {len(found):,} submissions."
    title = f"{printable(primary.id)} by {word}"
    heads = [f"{printable(name, 60) or '(none)'} ({report.groups[name]:,})" for name in names]
    cells = [[row.name, *(f"{mean:.{precision}f}" for mean in row.means)] for row in rows]
    yield Figure("groups", title, caption,
                 lambda wide: _panels(rows, heads, printable(primary.id), wide),
                 texts(title, ["name", *heads], cells))  # fmt: skip


def _group_row(scored: Scored, primary: Measure, names: Sequence[str], precision: int) -> GroupRow:
    of_groups = scored.groups.get(primary.id, {})
    means = [round(of_groups.get(name, math.nan), precision) for name in names]
    return GroupRow(scored.name, round(scored.values[primary.id].mean, precision), means)


def _panels(rows: Sequence[GroupRow], heads: Sequence[str], name: str, wide: float) -> Canvas:
    left = draw.names_width((row.name for row in rows), wide * 0.3) + 10
    across = max(1, min(len(heads), int((wide - left) / LEAST)))
    room = (wide - left) / across
    tall = LINE + ROW * len(rows) + 2.8 * LINE
    known = [v for row in rows for v in (row.whole, *row.means) if not math.isnan(v)]
    parts = []
    for n, head in enumerate(heads):
        x, y = left + room * (n % across), tall * (n // across)
        on = draw.scale(min(known), max(known), x, x + room - 16, 0.08)
        top = y + LINE + 2
        parts.append(draw.words(x, y + 11, draw.fitted(head, room - 12), "head"))
        parts.append(draw.across(on, top, top + ROW * len(rows), draw.fitted(name, room - 10)))
        for i, row in enumerate(rows):
            middle = top + ROW * (i + 0.5)
            if n % across == 0:
                parts.append(draw.words(0, middle + 4, draw.fitted(row.name, left - 9)))
            if not math.isnan(row.whole):
                at = on.at(row.whole)
                parts.append(draw.stroke(at, middle - 5, at, middle + 5, "median"))
            if not math.isnan(mean := row.means[n]):
                said = f"{row.name}, {head}: {mean:g}; of all {row.whole:g}"
                parts.append(draw.dot(on.at(mean), middle, "dot", said))
    return Canvas(tall * math.ceil(len(heads) / across), "".join(parts))
