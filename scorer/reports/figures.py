"""The pictures of results, each with its numbers, and the kinds of pictures of a board."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

import numpy as np

from scorer.core.arrays import Floats
from scorer.core.text import printable, unit
from scorer.metrics.api import Better
from scorer.reports.base import Options
from scorer.reports.charts import charts
from scorer.reports.charts.charts import (
    Bar,
    DotRow,
    Field,
    MatrixCell,
    Moment,
    Point,
    Series,
    shared_scale,
)
from scorer.reports.charts.svg import padded
from scorer.reports.document import Cell, Column, Figure, Row, Table, cut, texts
from scorer.reports.leaderboard.cells import (
    chance,
    head_of,
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

MOST_ROWS = 60  # of a forest plot
MOST_SPLITS = 2  # whose values have marks of their own
MOST_PAIRED = 15  # submissions in a triangle of pairs
MOST_LISTED = 50  # submissions whose values are drawn list by list
MOST_DOTS = 3_000  # values of lists, in all
MOST_COLUMNS = 100  # of a matrix of lists
MOST_BARS = 80  # of sorted differences; more lists share them
MOST_ENDS = 10  # of the greatest and the least differences in a text
MOST_NAMED = 40  # dots with their names beside them
AXIS_SPAN = 3.0  # times the span of the entries, the longest axis that shows a deadline
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def left_out(shown: int, total: int, what: str = "submissions") -> str:
    """Return a sentence on what a picture leaves out; empty where it has all."""
    return f" The first {shown} of {total:,} {what}." if total > shown else ""


def forest(report: Report, precision: int) -> Iterator[Figure]:
    """Every submission's primary value with its interval, and its values on splits."""
    primary, ends = report.primary, level(report)
    standings = [row for row in report.leaderboard if not math.isnan(row.values[primary.id])]
    if not standings:
        return
    decimals = precision if primary.decimals else 0
    splits = (report.splits or ())[:MOST_SPLITS]
    marks = [printable((split.scope and split.scope.split) or "all") for split in splits]
    means = [{row.name: row.values[primary.id] for row in split.leaderboard} for split in splits]
    rows = [
        DotRow(
            row.name,
            round(row.values[primary.id], decimals),
            row.interval and (round(row.interval[0], decimals), round(row.interval[1], decimals)),
            place(row),
            f"{mean_of(row, primary, decimals)} {interval(row, primary, decimals)}".strip(),
            row.baseline,
            row.tier,
            [round(mean.get(row.name, math.nan), decimals) for mean in means],
        )
        for row in standings[:MOST_ROWS]
    ]
    title = f"{printable(primary.id)} of each submission{f', with its {ends}' if ends else ''}"
    rest = left_out(len(rows), len(standings))
    yield _dots("forest", title, head_of(primary, report), rows, primary.metric.better, rest, marks)


def _dots(
    key: str,
    title: str,
    name: str,
    rows: Sequence[DotRow],
    better: Better,
    rest: str,
    marks: Sequence[str],
) -> Figure:
    """Return rows of dots on an axis over all but what is far behind the others."""
    spans = [((r.interval or (r.value,))[0], r.value, (r.interval or (r.value,))[-1]) for r in rows]
    low, high = shared_scale(spans, better)
    parts = [mark for row in rows for mark in row.marks if not math.isnan(mark)]
    ends = padded(min([low, *parts]), max([high, *parts]))
    caption = f"Best above; {better} is better."
    caption += " The line is the interval." * any(row.interval for row in rows)
    caption += " A rule parts tiers." * (len({row.group for row in rows if row.group}) > 1)
    caption += " A hollow dot is a baseline." * any(row.baseline for row in rows)
    beyond = any(not ends[0] <= row.value <= ends[1] for row in rows)
    caption += " An arrow marks a value beyond the axis, far behind the others." * beyond
    head = ["name", "rank", name, *marks]
    cells = [
        [row.name, row.label, row.text, *("-" if math.isnan(m) else f"{m:g}" for m in row.marks)]
        for row in rows
    ]
    return Figure(
        key,
        title,
        caption + rest,
        lambda width: charts.dot_rows(rows, ends, name, width, marks),
        texts(name, head, cells),
    )


def pairs(report: Report, precision: int) -> Iterator[Figure]:
    """How far each submission is ahead of each below it, by the primary measure."""
    certainty = report.certainty
    if certainty is None or len(certainty.names) < 2:
        return
    names, alpha = certainty.names[:MOST_PAIRED], certainty.how.alpha
    primary = printable(report.primary.id)
    up = 1 if report.primary.metric.better == "higher" else -1
    corners = [(above, below) for below in range(1, len(names)) for above in range(below)]
    largest = float(np.nanmax(np.abs([certainty.difference[c] for c in corners]), initial=0)) or 1.0
    cells, rows = list[MatrixCell](), list[Row]()
    for above, below in corners:
        difference, p = (float(of[above, below]) for of in (certainty.difference, certainty.p))
        significant = bool(p <= alpha)
        text = signed(difference, precision) + "*" * significant
        pair = f"{cut(names[above])} minus {cut(names[below])}"
        against = bool(up * certainty.lead[above, below] < 0)
        look = "fill other" if against else "fill"
        if not significant:
            look = "against" if against else "cell"
        depth = 0.35 + 0.65 * abs(difference) / largest if significant else 1.0
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
    yield Figure(
        "pairs",
        f"Differences in {primary}, pair by pair",
        caption + left_out(len(names), len(certainty.names)),
        lambda width: charts.matrix(names, (), cells, width),
        Table(f"Differences in {primary}", columns, rows),
    )


def pareto(report: Report, precision: int) -> Iterator[Figure]:
    """The primary measure against each other number of the front, whose steps are drawn."""
    front = report.pareto
    for n, axis in enumerate(front.axes[1:] if front else (), start=1):
        assert front
        key = "pareto" if len(front.axes) == 2 else f"pareto-{n}"
        yield _front(key, axis, report, precision)


def _front(key: str, axis: FrontAxis, report: Report, precision: int) -> Figure:
    front, primary = report.pareto, report.primary
    assert front
    x_name, y_name = printable(axis.id, 60), head_of(primary, report)
    less, falls = axis.better == "lower", primary.metric.better == "lower"
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
        named = name if len(front.names) <= MOST_NAMED or on_front else ""
        title = f"{name}: {x_name} {text}, {y_name} {rows[-1][2]}"
        dots.append(Point(x, y, title, named, "dot" if on_front else "baseline", 3.5))
    dots.sort(key=lambda dot: dot.look == "dot")  # drawn last, named first
    field = Field(
        x_name,
        y_name,
        padded(min(dot.x for dot in dots), max(dot.x for dot in dots), 0.08),
        padded(min(dot.y for dot in dots), max(dot.y for dot in dots), 0.08),
    )
    line = front_corners([(dot.x, dot.y) for dot in dots], less, falls)
    line.append((field.x_ends[1 if less else 0], line[-1][1]))
    caption = (
        f"Better to the {'left' if less else 'right'}, and {'below' if falls else 'above'}. "
        "The steps are the front of these two numbers. Filled dots are on the front"
        f"{' of all numbers together' if len(front.axes) > 2 else ''}."
    )
    if len(dots) > MOST_NAMED:
        caption += " The others have no names."
    title = f"{printable(primary.id)} against {x_name}, and the Pareto front"
    return Figure(
        key,
        title,
        caption,
        lambda width: charts.points(field, dots, width, line=line, square=False),
        texts(title, ["name", x_name, y_name, "front"], rows),
    )


def front_corners(
    points: Sequence[tuple[float, float]], less: bool, falls: bool
) -> list[tuple[float, float]]:
    """Return the corners of the steps of what no point dominates, from the best across.

    `less` and `falls` say that less is better across and upwards.

    >>> front_corners([(1, 0.2), (3, 0.9), (2, 0.1)], True, False)
    [(1, 0.2), (3, 0.2), (3, 0.9)]
    """
    corners, best = list[tuple[float, float]](), None
    turn, sign = (1 if less else -1), (1 if falls else -1)
    for x, y in sorted(points, key=lambda point: (turn * point[0], sign * point[1])):
        if best is None or sign * y < sign * best:
            corners += [(x, best)] if best is not None else []
            corners.append((x, y))
            best = y
    return corners


def _listed(report: Report, precision: int) -> tuple[dict[str, Floats], str]:
    """Return the first submissions' values of lists, and a sentence on the others."""
    found = {
        scored.name: np.round(values, precision)
        for scored in ordered(report)
        if scored.valid
        and (values := scored.values[report.primary.id].per_list) is not None
        and not np.isnan(values).all()
    }
    some = dict(list(found.items())[:MOST_LISTED])
    return some, left_out(len(some), len(found))


def values(report: Report, precision: int) -> Iterator[Figure]:
    """The values of lists of each submission: a box, a dot for each, their median."""
    listed, rest = _listed(report, precision)
    if not listed:
        return
    lists, primary = unit(report.called), printable(report.primary.id)
    dotted = sum(map(len, listed.values())) <= MOST_DOTS
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
    caption += f" Small dots are single {lists}." * dotted
    title = f"{primary} of the {lists}, by submission"
    head = ["name", "5 %", "25 %", "median", "75 %", "95 %"]
    unlabelled = [row._replace(text="") for row in rows]
    yield Figure(
        "values",
        title,
        caption + rest,
        lambda width: charts.dot_rows(unlabelled, ends, primary, width),
        texts(title, head, cells),
    )


def lists(report: Report, precision: int) -> Iterator[Figure]:
    """The value of each list of each submission as a matrix, the hardest lists first."""
    listed, rest = _listed(report, precision)
    if len(listed) < 2 or len(report.lists) < 2:
        return
    table = np.stack(list(listed.values()))
    known = np.flatnonzero(~np.isnan(table).all(axis=0))
    up = 1 if report.primary.metric.better == "higher" else -1
    order = known[np.argsort(up * np.nanmean(table[:, known], axis=0), kind="stable")]
    groups = np.array_split(order, min(MOST_COLUMNS, order.size))
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
    yield Figure(
        "lists",
        f"{printable(report.primary.id)} by submission and {one}",
        caption + rest,
        lambda width: charts.matrix(names, heads, cells, width),
    )


class ComparedLists(NamedTuple):
    """Two submissions by one measure, and the words for what is compared."""

    names: tuple[str, str]
    lists: Sequence[str]  # their names
    measure: str
    unit: str  # the challenge's word for a list
    units: str  # and for lists
    better: Better


def differences(
    pair: ComparedLists, values: Floats, precision: int, most: int = MOST_BARS
) -> Figure | None:
    """Return bars of the first's values minus the second's, greatest first.

    `values` are the differences, shape (lists,), NaN where one does not count; None where none
    does. Where there are more than `most`, neighbours share a bar; a text shows both ends.
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
    if (between := len(shown) - 2 * MOST_ENDS) > 1:
        shown[MOST_ENDS:-MOST_ENDS] = [Bar(f".. {between:,} between", 0.0, "")]
    first, second = map(cut, pair.names)
    title = f"{pair.measure}, {pair.unit} by {pair.unit}, {first} minus {second}, greatest first"
    caption = (
        f"Above 0, {first} has more; below, in the other colour, {second}. "
        f"{pair.better.capitalize()} is better."
    )
    if len(groups) < order.size:
        sizes = " or ".join(f"{size:,}" for size in sorted({len(group) for group in groups}))
        caption += f" Each bar is the mean of {sizes} consecutive {pair.units}."
    return Figure(
        "differences",
        f"{title}.",
        caption,
        lambda width: charts.bars(bars, f"difference in {pair.measure}", width),
        texts(title, [pair.units, "how many", "difference"], rows),
        bars=shown,
    )


def _first_two(report: Report, precision: int) -> Iterator[Figure]:
    """The differences of the first two submissions, list by list."""
    primary = report.primary
    found = [scored for scored in ordered(report) if scored.valid and not scored.baseline][:2]
    each = [scored.values[primary.id].per_list for scored in found]
    if len(found) < 2 or each[0] is None or each[1] is None:
        return
    pair = ComparedLists(
        (found[0].name, found[1].name),
        report.lists,
        printable(primary.id),
        unit(report.called, 1),
        unit(report.called),
        primary.metric.better,
    )
    if (figure := differences(pair, each[0] - each[1], precision)) is not None:
        yield figure


def timeline(
    name: str,
    moments: Sequence[Moment],
    better: Better,
    deadlines: Sequence[datetime],
    now: datetime,
) -> Figure:
    """Return values as they came, with the best so far, of all and of each team, until `now`."""
    in_time = sorted(moments, key=lambda moment: moment.time)
    first, last = in_time[0].time, in_time[-1].time
    span = max(last - first, timedelta(hours=1))
    rules = [
        (time, f"closes {time:%Y-%m-%d %H:%M}")
        for time in deadlines
        if first <= time <= first + AXIS_SPAN * span
    ]
    low, high = shared_scale([(moment.value,) * 3 for moment in in_time], better)
    end = max([last, first + timedelta(minutes=1), *(time for time, _ in rules)])
    best = _records(in_time, better)
    series = [Series(best, "line")]
    for look in sorted({moment.look for moment in in_time if moment.look}):
        own = _records([moment for moment in in_time if moment.look == look], better)
        series.append(Series(own, f"{look} mine line", "you"))
    turns = "rises" if better == "higher" else "falls"
    caption = f"The line is the best so far, with names where it {turns}."
    behind = any(not low <= moment.value <= high for moment in in_time)
    caption += " What lies far behind stands at the edge." * behind
    caption += " A broken line is a deadline." * bool(rules)
    title = f"{name} of entries as they came"
    rows = [
        [f"{moment.time:%Y-%m-%d %H:%M}", printable(moment.name, 100), f"{moment.value:.4f}"]
        for moment in in_time
    ]
    ends, until = (first, end), min(max(now, last), end)
    return Figure(
        "timeline",
        title,
        caption,
        lambda width: charts.lines(
            series, in_time, rules, name, ends, padded(low, high, 0.12), until, width
        ),
        texts(title, ["time", "team", "value"], rows),
    )


def _records(moments: Sequence[Moment], better: Better) -> list[Moment]:
    """Return the moments that are better than all before them."""
    sign = 1 if better == "higher" else -1
    best = list[Moment]()
    for moment in moments:
        if not best or sign * moment.value > sign * best[-1].value:
            best.append(moment)
    return best


def _curves(report: Report, precision: int) -> Iterator[Figure]:
    """The curves of each submission, numbered as the board is."""
    for n, scored in enumerate(ordered(report), start=1):
        for figure in curves(scored, report, Options(precision, private=True)):
            title = f"{printable(scored.name, 60)}: {figure.title}"
            yield figure._replace(key=f"{figure.key}-{n}", title=title)


class FigureKind(NamedTuple):
    """A way to draw a report, and what it needs."""

    make: Callable[[Report, int], Iterator[Figure]]
    needs: str


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
