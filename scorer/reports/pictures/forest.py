"""The forest plot: every submission's value with its interval, on one axis."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from scorer.core.text import printable
from scorer.metrics.api import Better
from scorer.reports.document import Table, texts
from scorer.reports.leaderboard.cells import head_of, interval, level, mean_of, place
from scorer.reports.pictures import draw
from scorer.reports.pictures.bars import scale_of
from scorer.reports.pictures.draw import LINE, Axis, Canvas, Figure
from scorer.results.report import Report, Standing

ROW, MOST = 18.0, 60  # of height, a row; rows
NUMBERS = 520.0  # from this width on the numbers stand beside the marks
SHAPES = (draw.diamond, draw.dot)  # of splits


class ForestRow(NamedTuple):
    """A row: a standing with its numbers as they are shown."""

    standing: Standing
    value: float
    ends: tuple[float, float] | None
    text: str
    parts: Sequence[float]  # of the splits; NaN where it has none


def forest(report: Report, precision: int) -> Iterator[Figure]:
    """Each standing's primary value, its interval, its tier; the values on splits."""
    primary, ends = report.primary, level(report)
    valued = [row for row in report.leaderboard if not math.isnan(row.values[primary.id])]
    if not valued:
        return
    decimals = precision if primary.decimals else 0
    splits = (report.splits or ())[: len(SHAPES)]
    means = [{row.name: row.values[primary.id] for row in split.leaderboard} for split in splits]
    rows = [_forest_row(row, report, decimals, means) for row in valued[:MOST]]
    labels = [_split_name(split) for split in splits]
    title = f"{printable(primary.id)} of each submission{f', with its {ends}' if ends else ''}"
    name = head_of(primary, report)

    def drawn(wide: float) -> Canvas:
        return plotted(rows, labels, name, primary.metric.better, wide)

    yield Figure("forest", title, _caption(rows, len(valued), report), drawn,
                 _forest_table(rows, labels, name, ends, decimals))  # fmt: skip


def _split_name(split: Report) -> str:
    return printable((split.scope.split if split.scope else None) or "all")


def _forest_row(
    row: Standing, report: Report, decimals: int, means: Sequence[Mapping[str, float]]
) -> ForestRow:
    """A row, no more exact than its numbers."""
    primary = report.primary
    ends = row.interval and (round(row.interval[0], decimals), round(row.interval[1], decimals))
    text = f"{mean_of(row, primary, decimals)} {interval(row, primary, decimals)}".strip()
    parts = [round(mean.get(row.name, math.nan), decimals) for mean in means]
    return ForestRow(row, round(row.values[primary.id], decimals), ends, text, parts)


def _caption(rows: Sequence[ForestRow], many: int, report: Report) -> str:
    better = report.primary.metric.better
    said = [f"Best above; {better} is better."]
    if any(row.ends for row in rows):
        said.append("The line is the interval.")
    if len({row.standing.tier for row in rows if row.standing.tier}) > 1:
        said.append("Each band is a tier.")
    if any(row.standing.baseline for row in rows):
        said.append("A hollow dot is a baseline.")
    if any(_on(rows, better, 0, 1).beyond(row.value) for row in rows):
        said.append("An arrow marks a value beyond the axis, far behind the others.")
    if many > len(rows):
        said.append(f"The first {len(rows)} of {many:,}; the others are left out.")
    return " ".join(said)


def _on(rows: Sequence[ForestRow], better: Better, start: float, end: float) -> Axis:
    """The axis, over all but what lies far behind the others."""
    spans = [(*(row.ends or (row.value, row.value)), row.value) for row in rows]
    low, high = scale_of([(low, value, high) for low, high, value in spans], better)
    parts = [part for row in rows for part in row.parts if not math.isnan(part)]
    return draw.scale(min([low, *parts]), max([high, *parts]), start, end)


def plotted(
    rows: Sequence[ForestRow], labels: Sequence[str], name: str, better: Better, wide: float
) -> Canvas:
    """Rows, best above, with the name of their axis below."""
    ranks = [place(row.standing) for row in rows]
    first = draw.names_width(ranks, wide) + 8
    names = draw.names_width((row.standing.name for row in rows), wide * 0.3)
    last = draw.names_width((row.text for row in rows), wide) if wide >= NUMBERS else 0.0
    left = first + names + 10
    on = _on(rows, better, left, wide - (last + 12 if last else 6))
    marks = [partial(draw.dot, look="dot"), *(partial(shape, look="part") for shape in SHAPES)]
    entries = list(zip(marks, ["all", *labels], strict=False)) if labels else []
    key = draw.legend(entries, left, 10, wide - left)
    top = key.tall + (6 if labels else 0)
    bottom = top + ROW * len(rows)
    parts = [key.body, *_bands(rows, top, wide), draw.across(on, top, bottom, name)]
    for n, (row, rank) in enumerate(zip(rows, ranks, strict=True)):
        y = top + ROW * (n + 0.5)
        parts.append(draw.words(first - 8, y + 4, rank, "soft", "end"))
        parts.append(draw.words(first, y + 4, draw.fitted(row.standing.name, names + 1)))
        parts += _mark(row, on, y, f"{rank} {row.standing.name}: {row.text}", labels)
        parts += [draw.words(wide, y + 4, row.text, "soft", "end")] if last else []
    return Canvas(bottom + 2.6 * LINE, "".join(parts))


def _bands(rows: Sequence[ForestRow], top: float, wide: float) -> Iterator[str]:
    """A band behind every second tier."""
    tiers = list(dict.fromkeys(row.standing.tier for row in rows if row.standing.tier))
    for n, row in enumerate(rows):
        tier = row.standing.tier
        if tier and tiers.index(tier) % 2:
            yield draw.box(0, top + ROW * n, wide, ROW, "band", f"tier {tier}")


def _mark(row: ForestRow, on: Axis, y: float, title: str, labels: Sequence[str]) -> Iterator[str]:
    """The interval, the splits' values, and the dot; an arrow for what lies beyond the axis."""
    aside = row.standing.baseline
    if row.ends is not None:
        low, high = map(on.at, row.ends)
        yield draw.stroke(low, y, high, y, "span aside" if aside else "span")
    for n, (part, label) in enumerate(zip(row.parts, labels, strict=True)):
        if not math.isnan(part):
            yield SHAPES[n](on.at(part), y, "part", f"{title}; {label} {part:g}")
    if side := on.beyond(row.value):
        x = on.at(row.value)
        yield draw.path(f"M{draw.place(x - 7 * side)} {draw.place(y - 4)}L{draw.place(x)} "
                        f"{draw.place(y)}L{draw.place(x - 7 * side)} {draw.place(y + 4)}",
                        "axis", title)  # fmt: skip
    else:
        yield draw.dot(on.at(row.value), y, "aside" if aside else "dot", title)


def _forest_table(
    rows: Sequence[ForestRow], labels: Sequence[str], name: str, ends: str, decimals: int
) -> Table:
    head = ["name", "rank", f"{name}{f' {ends}' if ends else ''}", *labels]
    return texts(name, head, [
        [row.standing.name, place(row.standing), row.text,
         *("-" if math.isnan(part) else f"{part:.{decimals}f}" for part in row.parts)]
        for row in rows
    ])  # fmt: skip
