"""Values per list: of each submission as dots and a box, and of all as a heat map."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from scorer.core.arrays import Floats
from scorer.core.text import printable, unit
from scorer.reports.document import texts
from scorer.reports.leaderboard.cells import ordered
from scorer.reports.pictures import draw
from scorer.reports.pictures.draw import LINE, Axis, Canvas, Figure
from scorer.results.report import Report

ROW, MOST, DOTS, STEP = 22.0, 50, 3_000, 5.0  # height; rows; dots in all; from one dot to the next
COLUMNS, SHADES, CELL = 100, 8, 14.0  # of the heat map
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


class ListValues(NamedTuple):
    """A submission's values by the primary measure, as they are shown."""

    name: str
    values: Floats  # (lists,), NaN where one does not count


def _submissions_of(report: Report, precision: int) -> tuple[list[ListValues], int]:
    """The first submissions with values of lists, and of how many they are."""
    found = [
        ListValues(scored.name, np.round(values, precision))
        for scored in ordered(report)
        if scored.valid
        and (values := scored.values[report.primary.id].per_list) is not None
        and not np.isnan(values).all()
    ]
    return found[:MOST], len(found)


def _left_out(shown: int, many: int) -> str:
    return f" The first {shown} of {many:,} submissions." if many > shown else ""


def values(report: Report, precision: int) -> Iterator[Figure]:
    """A box and dots for each submission, on one axis."""
    rows, many = _submissions_of(report, precision)
    if not rows:
        return
    lists, primary = unit(report.called), printable(report.primary.id)
    dotted = sum(len(row.values) for row in rows) <= DOTS
    caption = "The box holds the middle half, the bar is the median, the lines end at 5 and 95 %."
    caption += (
        f" A dot is one of the {lists}." if dotted else f" Single {lists} are left out: too many."
    )
    head = ["name", "5 %", "25 %", "median", "75 %", "95 %"]
    cells = [
        [row.name, *(f"{q:.{precision}f}" for q in np.nanquantile(row.values, QUANTILES))]
        for row in rows
    ]
    title = f"{primary} of the {lists}, by submission"
    yield Figure(
        "values", title, caption + _left_out(len(rows), many),
        lambda wide: _boxes(rows, dotted, primary, wide), texts(title, head, cells),
    )  # fmt: skip


def _boxes(rows: Sequence[ListValues], dotted: bool, name: str, wide: float) -> Canvas:
    left = draw.names_width((row.name for row in rows), wide * 0.34) + 10
    low = min(float(np.nanmin(row.values)) for row in rows)
    high = max(float(np.nanmax(row.values)) for row in rows)
    on, bottom = draw.scale(low, high, left, wide - 8), ROW * len(rows)
    parts = [draw.across(on, 0.0, bottom, name)]
    for n, row in enumerate(rows):
        y = ROW * (n + 0.5)
        parts.append(draw.words(0, y + 4, draw.fitted(row.name, left - 9)))
        parts += _quartiles(row, on, y)
        if dotted:
            parts.append(draw.dots(_swarm(row.values, on, y), "points"))
    return Canvas(bottom + 2.6 * LINE, "".join(parts))


def _quartiles(row: ListValues, on: Axis, y: float) -> Iterator[str]:
    ends = np.nanquantile(row.values, QUANTILES)
    least, first, middle, third, most = (on.at(float(end)) for end in ends)
    said = f"{row.name}: median {ends[2]:.4g}, half from {ends[1]:.4g} to {ends[3]:.4g}"
    yield draw.stroke(least, y, most, y, "axis")
    yield draw.box(first, y - 7, max(third - first, 1.0), 14, "quarter", said)
    yield draw.stroke(middle, y - 7, middle, y + 7, "median")


def _swarm(values: Floats, on: Axis, y: float) -> Iterator[tuple[float, float]]:
    """A place for each value, those at one place above and below each other by turns."""
    taken = dict[int, int]()
    for value in np.sort(values[~np.isnan(values)]).tolist():
        x = on.at(value)
        step = taken[round(x / 3)] = taken.get(round(x / 3), -1) + 1
        away = min(STEP * 0.6 * ((step + 1) // 2), ROW / 2 - 3)
        yield x, y + (away if step % 2 else -away)


def lists(report: Report, precision: int) -> Iterator[Figure]:
    """A row a submission, a column a list, from the hardest to the easiest."""
    rows, many = _submissions_of(report, precision)
    if len(rows) < 2 or rows[0].values.size < 2:
        return
    table = np.stack([row.values for row in rows])
    known = np.flatnonzero(~np.isnan(table).all(axis=0))
    up = 1 if report.primary.metric.better == "higher" else -1
    order = known[np.argsort(up * np.nanmean(table[:, known], axis=0), kind="stable")]
    groups = np.array_split(order, min(COLUMNS, order.size))
    means = np.stack([_column_means(table[:, group]) for group in groups], axis=1)
    words, primary = unit(report.called), printable(report.primary.id)
    caption = f"From left to right from the hardest to the easiest of the {words}, by their mean."
    if len(groups) < order.size:
        sizes = sorted({len(group) for group in groups})
        caption += f" Each column is the mean of {' or '.join(map(str, sizes))} {words}."
    names = [row.name for row in rows]
    yield Figure(
        "lists", f"{primary} by submission and {unit(report.called, 1)}",
        f"{caption} Empty: no value.{_left_out(len(rows), many)}",
        lambda wide: _heat(names, means, wide),
    )  # fmt: skip


def _column_means(part: Floats) -> Floats:
    counts = (~np.isnan(part)).sum(axis=1)
    sums: Floats = np.nansum(part, axis=1) / np.where(counts, counts, np.nan)
    return sums


def _heat(names: Sequence[str], means: Floats, wide: float) -> Canvas:
    """A path for each shade, over a legend of the shades."""
    left = draw.names_width(names, wide * 0.34) + 10
    step = (wide - left - 2) / means.shape[1]
    low, high = float(np.nanmin(means)), float(np.nanmax(means))
    shade = np.floor((means - low) / ((high - low) or 1.0) * SHADES).clip(0, SHADES - 1)
    top = 1.6 * LINE
    ends = [low + (high - low) * n / SHADES for n in range(SHADES + 1)]
    parts = [
        draw.words(0, top + CELL * n + 11, draw.fitted(name, left - 9))
        for n, name in enumerate(names)
    ]
    swatch = min(26.0, (wide - left - 100) / SHADES)
    parts.append(draw.words(left, 11, f"{low:.3g}", "tick"))
    begin = left + draw.length(f"{low:.3g}") + 6
    for n in range(SHADES):
        deep = 0.06 + 0.94 * n / (SHADES - 1)
        rows, columns = np.nonzero(shade == n)
        parts.append(draw.box(begin + swatch * n, 2, swatch, 10, "fill",
                              f"{ends[n]:.3g} to {ends[n + 1]:.3g}", deep))  # fmt: skip
        way = "".join(
            f"M{draw.place(left + step * j)} {draw.place(top + CELL * i)}h{draw.place(step)}"
            f"v{draw.place(CELL - 1)}h{draw.place(-step)}z"
            for i, j in zip(rows.tolist(), columns.tolist(), strict=True)
        )
        parts += (
            [f'<g fill-opacity="{draw.place(deep)}">{draw.path(way, "fill")}</g>'] if way else []
        )
    parts.append(draw.words(begin + swatch * SHADES + 6, 11, f"{high:.3g}", "tick"))
    return Canvas(top + CELL * len(names) + LINE / 2, "".join(parts))
