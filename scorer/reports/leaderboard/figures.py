"""The pictures of results, each with its numbers, and the kinds of pictures of a board."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from scorer.core.arrays import Floats
from scorer.core.text import printable, unit
from scorer.metrics.api import Better
from scorer.reports.base import Options
from scorer.reports.charts import charts
from scorer.reports.charts.charts import Bar, DotRow, Field, MatrixCell, Point, shared_scale
from scorer.reports.charts.svg import padded
from scorer.reports.document import Cell, Column, Picture, Row, Table, cut, texts
from scorer.reports.leaderboard.cells import (
    chance,
    has_ranges,
    interval,
    level,
    mean_of,
    number,
    ordered,
    place,
    signed,
)
from scorer.reports.leaderboard.curves import curves
from scorer.results.front import FrontAxis
from scorer.results.report import Report

MAX_ROWS = 60  # rows of a forest plot
MAX_SPLITS = 2  # splits whose values have marks in a forest plot
MAX_PAIRED = 15  # submissions in a triangle of pairs
MAX_LISTED = 50  # submissions whose values are drawn list by list
MAX_DOTS = 3_000  # values of lists that are drawn as single dots, of all submissions together
MAX_COLUMNS = 100  # columns of a matrix of lists; more lists share a column
MAX_BARS = 80  # bars of sorted differences; more lists share a bar
SHOWN_ENDS = 10  # how many of the greatest and of the least differences a text shows
MAX_NAMED = 40  # dots of a Pareto front that all have names
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def left_out(shown: int, total: int, what: str = "submissions") -> str:
    """Return a sentence on how many a picture shows; empty if it shows all."""
    return f" The first {shown} of {total:,} {what}." if total > shown else ""


def forest(report: Report, precision: int) -> Iterator[Picture]:
    """Yield each submission's primary value with its interval, and its values on splits."""
    primary, interval_name = report.primary, level(report)
    standings = [row for row in report.leaderboard if not math.isnan(row.values[primary.id])]
    if not standings:
        return
    decimals = precision if primary.decimals else 0
    splits = (report.splits or ())[:MAX_SPLITS]
    marks = [printable((split.scope and split.scope.split) or "all") for split in splits]
    means = [{row.name: row.values[primary.id] for row in split.leaderboard} for split in splits]
    rows = [
        DotRow(
            row.name,
            round(row.values[primary.id], decimals),
            row.interval and (round(row.interval[0], decimals), round(row.interval[1], decimals)),
            place(row, has_ranges(report)),
            f"{mean_of(row, primary, decimals)} {interval(row, primary, decimals)}".strip(),
            row.baseline,
            row.tier,
            [round(mean.get(row.name, math.nan), decimals) for mean in means],
        )
        for row in standings[:MAX_ROWS]
    ]
    with_interval = f", with its {interval_name}" if interval_name else ""
    title = f"{printable(primary.id)} of each submission{with_interval}"
    rest = left_out(len(rows), len(standings))
    name = f"{primary.id}{primary.mark}"
    yield _dots("forest", title, name, rows, primary.metric.better, rest, marks)


def _dots(
    key: str,
    title: str,
    name: str,
    rows: Sequence[DotRow],
    better: Better,
    rest: str,
    marks: Sequence[str],
) -> Picture:
    """Return rows of dots, on an axis that leaves out values far worse than the others.

    `marks` are the names of the splits, `rest` a sentence on the rows that are left out.
    """
    intervals = [row.interval or (row.value, row.value) for row in rows]
    spans = [(low, row.value, high) for row, (low, high) in zip(rows, intervals, strict=True)]
    low, high = shared_scale(spans, better)
    marked = [mark for row in rows for mark in row.marks if not math.isnan(mark)]
    ends = padded(min([low, *marked]), max([high, *marked]))
    caption = f"Best above; {better} is better."
    if any(row.interval for row in rows):
        caption += " The line is the interval."
    if len({row.group for row in rows if row.group}) > 1:
        caption += " A rule parts tiers."
    if any(row.baseline for row in rows):
        caption += " A hollow dot is a baseline."
    if any(not ends[0] <= row.value <= ends[1] for row in rows):
        caption += " An arrow marks a value beyond the axis, far behind the others."
    head = ["name", "rank", name, *marks]
    cells = [
        [row.name, row.label, row.text, *("-" if math.isnan(m) else f"{m:g}" for m in row.marks)]
        for row in rows
    ]
    return Picture(
        key,
        title,
        caption + rest,
        lambda width: charts.dot_rows(rows, ends, name, width, marks),
        texts(name, head, cells),
    )


def pairs(report: Report, precision: int) -> Iterator[Picture]:
    """Yield the difference of each two submissions by the primary measure, as a triangle."""
    certainty = report.certainty
    if certainty is None or len(certainty.names) < 2:
        return
    names, alpha = certainty.names[:MAX_PAIRED], certainty.how.alpha
    primary = printable(report.primary.id)
    sign = 1 if report.primary.metric.better == "higher" else -1
    indices = [(above, below) for below in range(1, len(names)) for above in range(below)]
    magnitudes = np.abs([certainty.difference[pair] for pair in indices])
    largest = float(np.nanmax(magnitudes, initial=0)) or 1.0
    cells, rows = list[MatrixCell](), list[Row]()
    for above, below in indices:
        difference = float(certainty.difference[above, below])
        p = float(certainty.p[above, below])
        significant = bool(p <= alpha)
        text = signed(difference, precision) + "*" * significant
        pair = f"{cut(names[above])} minus {cut(names[below])}"
        lower_leads = bool(sign * certainty.lead[above, below] < 0)
        if significant:
            look = "fill other" if lower_leads else "fill"
            depth = 0.35 + 0.65 * abs(difference) / largest
        else:
            look = "against" if lower_leads else "cell"
            depth = 1.0
        title = f"{pair}: {text}, p {chance(p)}"
        cells.append(MatrixCell(below, above, look, depth, text, title))
        marks = ["significant"] * significant
        rows.append(Row([Cell(pair), Cell(text, marks=marks), Cell(chance(p))]))
    caption = (
        f"Each square is the {primary} of the submission above it minus the one to its right, "
        f"over the {unit(report.called)} that both have. Filled where significant "
        f"(alpha {alpha:g}), deeper for larger differences."
    )
    if any(cell.look in ("against", "fill other") for cell in cells):
        caption += " In the other colour the lower one is ahead."
    columns = [Column("a minus b", "name", cut=130), Column("difference"), Column("p")]
    yield Picture(
        "pairs",
        f"Differences in {primary}, pair by pair",
        caption + left_out(len(names), len(certainty.names)),
        lambda width: charts.matrix(names, (), cells, width),
        Table(f"Differences in {primary}", columns, rows),
    )


def pareto(report: Report, precision: int) -> Iterator[Picture]:
    """Yield the primary measure against each other number of the front, with the front's steps."""
    front = report.pareto
    for n, axis in enumerate(front.axes[1:] if front else (), start=1):
        assert front
        key = "pareto" if len(front.axes) == 2 else f"pareto-{n}"
        yield _front(key, axis, report, precision)


def _front(key: str, axis: FrontAxis, report: Report, precision: int) -> Picture:
    """Return the ranked submissions as points: the number of `axis` across, the primary one up."""
    front, primary = report.pareto, report.primary
    assert front
    x_name, y_name = printable(axis.id, 60), f"{primary.id}{primary.mark}"
    x_lower, y_lower = axis.better == "lower", primary.metric.better == "lower"
    measure = next((each for each in report.measures if each.id == axis.id), None)
    rows, dots = list[list[str]](), list[Point]()
    for name in front.names:
        values = next(row.values for row in report.leaderboard if row.name == name)
        y, text = values[primary.id], report.answers[name][axis.id] if not axis.measure else ""
        if measure is not None and axis.measure:
            text = number(values[axis.id], measure, precision)
        x = values[axis.id] if axis.measure else float(text)
        on_front = front.place(name) == "yes"
        rows.append([name, text, number(y, primary, precision), front.place(name)])
        named = name if len(front.names) <= MAX_NAMED or on_front else ""
        title = f"{name}: {x_name} {text}, {y_name} {rows[-1][2]}"
        dots.append(Point(x, y, title, named, "dot" if on_front else "baseline", 3.5))
    dots.sort(key=lambda dot: dot.look == "dot")  # drawn last, named first
    field = Field(
        x_name,
        y_name,
        padded(min(dot.x for dot in dots), max(dot.x for dot in dots), 0.08),
        padded(min(dot.y for dot in dots), max(dot.y for dot in dots), 0.08),
    )
    line = front_corners([(dot.x, dot.y) for dot in dots], x_lower, y_lower)
    # The last step goes on to the worse end of the axis.
    line.append((field.x_ends[1 if x_lower else 0], line[-1][1]))
    caption = (
        f"Better to the {'left' if x_lower else 'right'}, and {'below' if y_lower else 'above'}. "
        "The steps are the front of these two numbers. Filled dots are on the front"
        f"{' of all numbers together' if len(front.axes) > 2 else ''}."
    )
    if len(dots) > MAX_NAMED:
        caption += " The others have no names."
    title = f"{printable(primary.id)} against {x_name}, and the Pareto front"
    return Picture(
        key,
        title,
        caption,
        lambda width: charts.points(field, dots, width, line=line, square=False),
        texts(title, ["name", x_name, y_name, "front"], rows),
    )


def front_corners(
    points: Sequence[tuple[float, float]], x_lower: bool, y_lower: bool
) -> list[tuple[float, float]]:
    """Return the corners of the steps between points and those they dominate, from the best x.

    `x_lower` and `y_lower` say whether a lower x and a lower y are better.

    >>> front_corners([(1, 0.2), (3, 0.9), (2, 0.1)], True, False)
    [(1, 0.2), (3, 0.2), (3, 0.9)]
    """
    corners, best = list[tuple[float, float]](), None
    x_sign, y_sign = (1 if x_lower else -1), (1 if y_lower else -1)
    for x, y in sorted(points, key=lambda point: (x_sign * point[0], y_sign * point[1])):
        if best is None or y_sign * y < y_sign * best:
            corners += [(x, best)] if best is not None else []
            corners.append((x, y))
            best = y
    return corners


def _listed(report: Report, precision: int) -> tuple[dict[str, Floats], str]:
    """Return name -> (lists,) values of the first submissions, and a sentence on the others."""
    found = {
        scored.name: np.round(values, precision)
        for scored in ordered(report)
        if scored.valid
        and (values := scored.values[report.primary.id].per_list) is not None
        and not np.isnan(values).all()
    }
    some = dict(list(found.items())[:MAX_LISTED])
    return some, left_out(len(some), len(found))


def values(report: Report, precision: int) -> Iterator[Picture]:
    """Yield each submission's values of lists: their quartiles as a box, their median, dots."""
    listed, rest = _listed(report, precision)
    if not listed:
        return
    lists, primary = unit(report.called), printable(report.primary.id)
    dotted = sum(map(len, listed.values())) <= MAX_DOTS
    rows, cells = list[DotRow](), list[list[str]]()
    for name, found in listed.items():
        least, first, median, third, most = np.nanquantile(found, QUANTILES).tolist()
        shown = [f"{q:.{precision}f}" for q in (least, first, median, third, most)]
        text = f"median {shown[2]}, half from {shown[1]} to {shown[3]}"
        rows.append(
            DotRow(
                name,
                median,
                (least, most),
                text=text,
                box=(first, third),
                points=found if dotted else None,
            )
        )
        cells.append([name, *shown])
    ends = padded(
        min(float(np.nanmin(found)) for found in listed.values()),
        max(float(np.nanmax(found)) for found in listed.values()),
    )
    caption = "The box holds the middle half, the dot is the median, the lines end at 5 and 95 %."
    if dotted:
        caption += f" Small dots are single {lists}."
    title = f"{primary} of the {lists}, by submission"
    head = ["name", "5 %", "25 %", "median", "75 %", "95 %"]
    unlabelled = [row._replace(text="") for row in rows]
    yield Picture(
        "values",
        title,
        caption + rest,
        lambda width: charts.dot_rows(unlabelled, ends, primary, width),
        texts(title, head, cells),
    )


def lists(report: Report, precision: int) -> Iterator[Picture]:
    """Yield the values of lists as a matrix: a row a submission, the hardest lists first."""
    listed, rest = _listed(report, precision)
    if len(listed) < 2 or len(report.lists) < 2:
        return
    table = np.stack(list(listed.values()))
    known = np.flatnonzero(~np.isnan(table).all(axis=0))
    sign = 1 if report.primary.metric.better == "higher" else -1
    order = known[np.argsort(sign * np.nanmean(table[:, known], axis=0), kind="stable")]
    groups = np.array_split(order, min(MAX_COLUMNS, order.size))
    means = np.full((len(table), len(groups)), np.nan)
    for n, group in enumerate(groups):
        counts = (~np.isnan(table[:, group])).sum(axis=1)
        means[:, n] = np.nansum(table[:, group], axis=1) / np.where(counts, counts, np.nan)
    low, high = float(np.nanmin(means)), float(np.nanmax(means))
    depths = 0.06 + 0.94 * (means - low) / ((high - low) or 1.0)
    cells = [
        MatrixCell(int(i), int(j), depth=float(depths[i, j]))
        for i, j in np.argwhere(~np.isnan(means))
    ]
    one, many = unit(report.called, 1), unit(report.called)
    caption = (
        f"From left to right from the hardest to the easiest of the {many}, by their mean. "
        f"The deeper, the larger: from {low:.3g} to {high:.3g}. Empty: no value."
    )
    if len(groups) < order.size:
        sizes = sorted({len(group) for group in groups})
        caption += f" Each column is the mean of {' or '.join(map(str, sizes))} {many}."
    names, heads = list(listed), [""] * len(groups)
    yield Picture(
        "lists",
        f"{printable(report.primary.id)} by submission and {one}",
        caption + rest,
        lambda width: charts.matrix(names, heads, cells, width),
    )


class ComparedLists(NamedTuple):
    """Two submissions, the measure that compares them, and the lists it has values of."""

    names: tuple[str, str]
    lists: Sequence[str]  # the names of the lists
    measure: str
    unit: str  # the challenge's word for a list
    units: str  # its plural
    better: Better


def differences(
    pair: ComparedLists, values: Floats, precision: int, most: int = MAX_BARS
) -> Picture | None:
    """Return bars of the first's values minus the second's, greatest first; None without any.

    `values` are the differences, shape (lists,), NaN for lists that do not count. If there are more
    than `most`, neighbours share a bar. A text has bars of the greatest and the least alone.
    """
    defined = np.flatnonzero(~np.isnan(values))
    if not defined.size:
        return None
    order = defined[np.argsort(-values[defined], kind="stable")]
    groups = np.array_split(order, min(most, order.size))
    bars, rows = list[Bar](), list[list[str]]()
    for group in groups:
        names = [printable(pair.lists[n], 30) for n in group[:3]]
        more = f" and {len(group) - 3:,} more" if len(group) > 3 else ""
        mean = float(values[group].mean())
        first_name = printable(pair.lists[group[0]], 18) + " .." * (len(group) > 1)
        bars.append(Bar(first_name, mean, signed(mean, precision)))
        rows.append([", ".join(names) + more, f"{len(group):,}", bars[-1].text])
    shown = [
        Bar(printable(pair.lists[n], 18), float(values[n]), signed(float(values[n]), precision))
        for n in order
    ]
    if (between := len(shown) - 2 * SHOWN_ENDS) > 1:
        shown[SHOWN_ENDS:-SHOWN_ENDS] = [Bar(f".. {between:,} between", 0.0, "")]
    first, second = map(cut, pair.names)
    title = f"{pair.measure}, {pair.unit} by {pair.unit}, {first} minus {second}, greatest first"
    caption = (
        f"Above 0, {first} has more; below, in the other colour, {second}. "
        f"{pair.better.capitalize()} is better."
    )
    if len(groups) < order.size:
        sizes = " or ".join(f"{size:,}" for size in sorted({len(group) for group in groups}))
        caption += f" Each bar is the mean of {sizes} consecutive {pair.units}."
    return Picture(
        "differences",
        f"{title}.",
        caption,
        lambda width: charts.bars(bars, f"difference in {pair.measure}", width),
        texts(title, [pair.units, "how many", "difference"], rows),
        bars=shown,
    )


def _first_two(report: Report, precision: int) -> Iterator[Picture]:
    """Yield the differences of the first two ranked submissions, list by list."""
    primary = report.primary
    found = [scored for scored in ordered(report) if scored.valid and not scored.baseline][:2]
    tables = [scored.values[primary.id].per_list for scored in found]
    if len(tables) < 2 or tables[0] is None or tables[1] is None:
        return
    pair = ComparedLists(
        (found[0].name, found[1].name),
        report.lists,
        printable(primary.id),
        unit(report.called, 1),
        unit(report.called),
        primary.metric.better,
    )
    if (figure := differences(pair, tables[0] - tables[1], precision)) is not None:
        yield figure


def _curves(report: Report, precision: int) -> Iterator[Picture]:
    """Yield the curves of each submission, numbered in the order of the board."""
    for n, scored in enumerate(ordered(report), start=1):
        for figure in curves(scored, report, Options(precision, private=True)):
            title = f"{printable(scored.name, 60)}: {figure.title}"
            yield figure._replace(key=f"{figure.key}-{n}", title=title)


class FigureKind(NamedTuple):
    """A way to draw a report."""

    make: Callable[[Report, int], Iterator[Picture]]  # of a report and a precision
    needs: str  # what the report must have, for a message


KINDS = {
    "forest": FigureKind(forest, "a submission with a value"),
    "pairs": FigureKind(pairs, "two ranked submissions, and tests of the primary measure"),
    "pareto": FigureKind(pareto, "a Pareto front: numbers beside the primary measure"),
    "values": FigureKind(values, "a primary measure with a value for each list"),
    "lists": FigureKind(lists, "two submissions, and a primary measure with values of lists"),
    "differences": FigureKind(
        _first_two, "two ranked submissions, and values of lists that both have"
    ),
    "curves": FigureKind(_curves, "a measure of labels whose rows are kept: AUROC, ECE, MCC, R2"),
}
