"""Five charts: rows of dots, a matrix, points, bars, lines over time. They know of no results."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.api import Better
from scorer.reports.charts import svg
from scorer.reports.charts.svg import BOTTOM, FONT_SIZE, LINE, TOP, Axis, Canvas, coordinate

Ends = tuple[float, float]

ROW_HEIGHT = 18.0
BOX_HEIGHT = 14.0
TEXT_WIDTH = 520.0  # of a drawing, from which on the rows' numbers stand beside their marks
MARKS = (svg.draw_diamond, svg.draw_dot)  # of further values of a row
CELL_WIDTH = 64.0  # the most
CELL_HEIGHTS = 14.0, 24.0  # the least, for a line of text, and the most
CELL_FONT_SIZE = 10.0
DIAGONAL_NAME = 90.0  # room for the last name of a triangle
SQUARE_SIDE = 320.0  # the most
FIELD_HEIGHT = 260.0  # of points that are not in a square
NAME_HEIGHT = 12.0  # of the name of a point
BARS_HEIGHT = 130.0
BAR_WIDTH = 26.0  # the most
TIME_HEIGHT = 190.0
TIME_EDGE = 10.0  # at the right
DOT_NAME = 160.0  # room for the name of a dot
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)
MONTH = 30.4 * DAY  # about
# units of time, how many of them a step has, and how a time is written
TIME_STEPS = (
    (MINUTE, (1, 2, 5, 10, 30), "%m-%d %H:%M"),
    (60 * MINUTE, (1, 2, 6, 12), "%m-%d %H:%M"),
    (DAY, (1, 2, 7, 14), "%Y-%m-%d"),
    (DAY, (7, 14), "%m-%d"),
    (MONTH, (1, 2, 3, 6), "%Y-%m"),
    (12 * MONTH, (1, 2, 5, 10, 20, 50, 100), "%Y"),
)


class IntervalSpan(NamedTuple):
    """An interval and its value on the scale that all intervals of a column share.

    Nothing is drawn more exactly than it is written: all numbers have `decimals`.
    """

    ends: Ends
    value: float
    scale: Ends
    decimals: int

    def axis(self, length: float) -> Axis:
        """Return the scale on so much room."""
        low, high = (round(end, self.decimals) for end in self.scale)
        return Axis(low, high, 0.0, length)

    def places(self, length: float) -> tuple[float, float, float, int]:
        """Return where the interval begins, its value and its end, in so much room.

        The last number is 1 for a value above the scale, -1 below it, else 0.
        """
        axis = self.axis(length)
        left, middle, right = (
            round(number, self.decimals) for number in (self.ends[0], self.value, self.ends[1])
        )
        return axis.at(left), axis.at(middle), axis.at(right), axis.beyond(middle)


def shared_scale(values: Sequence[tuple[float, float, float]], better: Better) -> Ends:
    """Return the ends of a scale over all intervals but those far behind the others.

    Args:
        values: Low end, value and high end of each; NaN where there is none.
        better: Which values are; the best ones are always on the scale.

    Returns:
        The lowest and the highest end of those whose value is at most one and a half
        interquartile ranges worse than the worse quartile (Tukey's fence).
    """
    valued = np.array([row for row in values if not math.isnan(row[1])], dtype=float)
    if not len(valued):
        return 0.0, 1.0
    first, third = np.quantile(valued[:, 1], [0.25, 0.75])
    fence = 1.5 * (third - first)
    behind = valued[:, 1] < first - fence if better == "higher" else valued[:, 1] > third + fence
    inside = ~behind if fence > 0 else np.full(len(valued), True)
    return float(np.nanmin(valued[inside])), float(np.nanmax(valued[inside]))


class DotRow(NamedTuple):
    """A row: a name, a value as a dot, an interval as a line; all else where there is some."""

    name: str
    value: float
    interval: Ends | None = None
    label: str = ""  # before the name
    text: str = ""  # the numbers, written
    baseline: bool = False
    group: int | None = None  # a rule parts rows of different groups
    marks: Sequence[float] = ()  # further values; NaN where there is none
    box: Ends | None = None
    points: Floats | None = None  # single values


def dot_rows(
    rows: Sequence[DotRow], ends: Ends, name: str, width: float, marks: Sequence[str] = ()
) -> Canvas:
    """Draw rows on one axis, whose name stands below; `marks` names the rows' further values."""
    first = svg.names_width((row.label for row in rows), width)
    first += 8 if first else 0
    names = svg.names_width((row.name for row in rows), width * 0.3)
    texts = svg.names_width((row.text for row in rows), width) if width >= TEXT_WIDTH else 0.0
    axis = Axis(*ends, first + names + 10, width - (texts + 12 if texts else 6))
    height = ROW_HEIGHT if all(row.box is None for row in rows) else ROW_HEIGHT + 4
    top = LINE + 6 if marks else 0.0
    bottom = top + height * len(rows)
    parts = [*_draw_marks_key(axis.start, marks), svg.draw_x_axis(axis, top, bottom, name)]
    for n, row in enumerate(rows):
        y = top + height * (n + 0.5)
        if n and row.group != rows[n - 1].group:
            parts.append(svg.draw_line(0, y - height / 2, width, y - height / 2, "parting"))
        parts += [svg.draw_text(first - 8, y + 4, row.label, "soft", "end")] if row.label else []
        parts.append(svg.draw_text(first, y + 4, svg.fit_text(row.name, names + 1)))
        parts += _draw_row(row, axis, y, height, marks)
        parts += [svg.draw_text(width, y + 4, row.text, "soft", "end")] if texts else []
    return Canvas(bottom + BOTTOM, "".join(parts))


def _draw_marks_key(x: float, marks: Sequence[str]) -> Iterator[str]:
    """Yield each kind of mark with its meaning, in a line."""
    for n, text in enumerate(["all", *marks] if marks else []):
        yield MARKS[n - 1](x + 6, 6, "part") if n else svg.draw_dot(x + 6, 6, "dot")
        yield svg.draw_text(x + 18, 10, text)
        x += 32 + svg.text_width(text)


def _draw_row(
    row: DotRow, axis: Axis, y: float, height: float, marks: Sequence[str]
) -> Iterator[str]:
    """Yield what a row has; an arrow is drawn for a value beyond the axis."""
    title = f"{row.label} {row.name}: {row.text}".strip()
    if row.interval is not None:
        low, high = map(axis.at, row.interval)
        look = "axis" if row.box else "span baseline" if row.baseline else "span"
        yield svg.draw_line(low, y, high, y, look)
    if row.box is not None:
        low, high = map(axis.at, row.box)
        box_top = y - BOX_HEIGHT / 2
        yield svg.draw_rect(low, box_top, max(high - low, 1.0), BOX_HEIGHT, "quarter", title)
    if row.points is not None:
        yield svg.draw_dots(_swarm(row.points, axis, y, height), "points")
    for draw, mark, text in zip(MARKS, row.marks, marks, strict=False):
        if not math.isnan(mark):
            yield draw(axis.at(mark), y, "part", f"{title}; {text} {mark:g}")
    x = axis.at(row.value)
    if side := axis.beyond(row.value):
        corners = [(x - 7 * side, y - 4), (x, y), (x - 7 * side, y + 4)]
        yield svg.draw_polyline(corners, "axis")
    else:
        yield svg.draw_dot(x, y, "baseline" if row.baseline else "dot", title)


def _swarm(values: Floats, axis: Axis, y: float, height: float) -> Iterator[tuple[float, float]]:
    """Yield a place for each value, those of one place above and below each other by turns."""
    taken = defaultdict[int, int](int)
    for value in np.sort(values[~np.isnan(values)]).tolist():
        x = axis.at(value)
        turn = taken[round(x / 3)]
        taken[round(x / 3)] += 1
        away = min(3.0 * ((turn + 1) // 2), height / 2 - 3)
        yield x, y + (away if turn % 2 else -away)


class MatrixCell(NamedTuple):
    """A cell of a matrix; `depth` is the share of its colour."""

    row: int
    column: int
    look: str = "fill"
    depth: float = 1.0
    text: str = ""
    title: str = ""


def matrix(
    names: Sequence[str],
    heads: Sequence[str],
    cells: Sequence[MatrixCell],
    width: float,
    corner: str = "",
) -> Canvas:
    """Draw rows of cells below heads; without heads, a triangle whose names are its diagonal."""
    columns = len(heads) or len(names) - 1
    left = svg.names_width(names, max(width * 0.3, DIAGONAL_NAME)) + 10
    widest = max(svg.text_width(cell.text, CELL_FONT_SIZE) for cell in cells) + 3
    most = max(CELL_WIDTH, svg.names_width(heads, DIAGONAL_NAME) + 8)
    side = min((width - left) / columns, most)
    if not heads and side < widest <= (width - DIAGONAL_NAME) / columns:
        side = widest  # numbers rather than whole names
    least_height, most_height = CELL_HEIGHTS
    height = min(max(side, least_height), most_height)
    top = 2.2 * LINE if corner else 0.0
    start = left if heads else 0.0
    parts = [svg.draw_text(left, LINE - 4, corner, "axis-name")] if corner else []
    for n, head in enumerate(heads if side >= most_height else ()):
        x = left + side * (n + 0.5)
        parts.append(svg.draw_text(x, top - 5, svg.fit_text(head, side - 4), "tick", "middle"))
    for n, name in enumerate(names):
        x = 0.0 if heads else side * n + 4
        room = left - 9 if heads else width - x
        parts.append(svg.draw_text(x, top + height * (n + 0.5) + 4, svg.fit_text(name, room)))
    if widest > side:
        cells = [cell._replace(text="") for cell in cells]
    parts += _draw_cells(cells, (start, top), (side, height))
    return Canvas(top + height * len(names) + LINE / 2, "".join(parts))


def _draw_cells(
    cells: Sequence[MatrixCell], origin: tuple[float, float], size: tuple[float, float]
) -> Iterator[str]:
    """Yield cells; those of one look without a text or title are one path, as pages get large."""
    gap = 2.0 if size[0] > 8 else 1.0
    width, height = (coordinate(side - gap) for side in size)
    alike = defaultdict[tuple[str, float], list[str]](list)
    for cell in cells:
        x = origin[0] + size[0] * cell.column + gap / 2
        y = origin[1] + size[1] * cell.row + gap / 2
        if not cell.text and not cell.title:
            way = f"M{coordinate(x)} {coordinate(y)}h{width}v{height}h-{width}z"
            alike[cell.look, round(cell.depth, 1)].append(way)
            continue
        yield svg.draw_rect(x, y, size[0] - gap, size[1] - gap, cell.look, cell.title, cell.depth)
        if cell.text:
            deep = "fill" in cell.look and cell.depth > 0.5
            look = "small on" if deep else "small" if "fill" in cell.look else "small soft"
            middle = x + (size[0] - gap) / 2
            text_y = y + size[1] / 2 + 3
            yield svg.draw_text(middle, text_y, cell.text, look, "middle")
    for (look, depth), ways in alike.items():
        yield f'<g fill-opacity="{coordinate(depth)}">{svg.draw_path("".join(ways), look)}</g>'


class Point(NamedTuple):
    """A point; its title is read where it is pointed to, its name stands beside it."""

    x: float
    y: float
    title: str = ""
    name: str = ""
    look: str = "dot"
    radius: float = 3.0


class Field(NamedTuple):
    """The axes of a field: their names and their ends."""

    x_name: str
    y_name: str
    x_ends: Ends = (0.0, 1.0)
    y_ends: Ends = (0.0, 1.0)


def points(
    field: Field,
    dots: Sequence[Point],
    width: float,
    *,
    line: Sequence[Ends] = (),
    stepped: bool = False,
    rule: tuple[Ends, Ends] | None = None,
    cloud: Sequence[Ends] = (),
    square: bool = True,
) -> Canvas:
    """Draw points in a field.

    Args:
        field: The axes.
        dots: The points.
        width: Of the drawing.
        line: Points that a line joins, `stepped` or straight.
        stepped: Whether the line goes up or down first, then across.
        rule: The ends of a dashed line.
        cloud: Points that are too many for a title each.
        square: Whether both axes are of one length.
    """
    marks = svg.y_marks(*field.y_ends, SQUARE_SIDE if square else FIELD_HEIGHT)
    left = 12 + max(map(svg.text_width, marks.values()), default=0.0)
    across = min(SQUARE_SIDE, width - left - 14) if square else width - left - 14
    bottom = TOP + (across if square else FIELD_HEIGHT)
    x_axis, y_axis = Axis(*field.x_ends, left, left + across), Axis(*field.y_ends, bottom, TOP)

    def place(point: Ends) -> tuple[float, float]:
        return x_axis.at(point[0]), y_axis.at(point[1])

    parts = [
        svg.draw_y_axis(y_axis, left, x_axis.end, field.y_name, marks),
        svg.draw_x_axis(x_axis, TOP, bottom, field.x_name),
    ]
    parts += [svg.draw_line(*place(rule[0]), *place(rule[1]), "rule")] if rule else []
    parts += [svg.draw_polyline(list(map(place, line)), "line", stepped)] if len(line) > 1 else []
    parts += [svg.draw_dots(map(place, cloud), "points")] if cloud else []
    parts += _draw_names(dots, x_axis, y_axis, width)
    parts += [svg.draw_dot(*place((dot.x, dot.y)), dot.look, dot.title, dot.radius) for dot in dots]
    return Canvas(bottom + BOTTOM, "".join(parts))


def _draw_names(dots: Sequence[Point], x_axis: Axis, y_axis: Axis, width: float) -> Iterator[str]:
    """Yield the names beside their dots; the last dots first, none where there is no room."""
    places = [(x_axis.at(dot.x), y_axis.at(dot.y)) for dot in dots]
    taken = [(x - 4, y - 4, x + 4, y + 4) for x, y in places]
    for dot, (x, y) in zip(reversed(dots), reversed(places), strict=True):
        text = svg.fit_text(dot.name, width * 0.3)
        long = svg.text_width(text)
        for right, below in ((True, -5), (True, 13), (False, -5), (False, 13)) if text else ():
            start = x + 6 if right else x - 6 - long
            box = (start, y + below - NAME_HEIGHT + 2, start + long, y + below + 2)
            inside = x_axis.start <= start and start + long <= width
            if inside and not any(_overlap(box, other) for other in taken):
                taken.append(box)
                yield svg.draw_text(start, y + below, text, "halo")
                break


def _overlap(one: Sequence[float], other: Sequence[float]) -> bool:
    """Return whether two boxes overlap: left, top, right, bottom."""
    return all(one[n] < other[n + 2] and other[n] < one[n + 2] for n in (0, 1))


class Bar(NamedTuple):
    """A bar, as long as its text says."""

    name: str
    value: float
    text: str


def bars(listed: Sequence[Bar], name: str, width: float) -> Canvas:
    """Draw bars from a line at 0; `name` is of the values."""
    values = [float(bar.text) for bar in listed]
    low, high = svg.padded(min(*values, 0.0), max(*values, 0.0))
    axis = Axis(low, high, TOP + BARS_HEIGHT, TOP)
    marks = svg.round_marks(low, high, 5)
    left = 14 + max(map(svg.text_width, marks.values()))
    step = min((width - left) / len(values), BAR_WIDTH)
    zero, end = axis.at(0.0), left + step * len(values)
    parts = [svg.draw_y_axis(axis, left, end, name, marks)]
    for n, (bar, value) in enumerate(zip(listed, values, strict=True)):
        y, look = axis.at(value), "fill" if value > 0 else "fill other"
        if value:
            box = left + n * step + 0.5, min(y, zero), max(step - 1, 0.5), abs(y - zero)
            parts.append(svg.draw_rect(*box, look, f"{bar.name}: {bar.text}"))
    parts.append(svg.draw_line(left, zero, end, zero, "axis"))
    return Canvas(TOP + BARS_HEIGHT + LINE / 2, "".join(parts))


class Moment(NamedTuple):
    """A value at a time."""

    time: datetime
    value: float
    name: str
    look: str = ""

    @property
    def x(self) -> float:
        """The time in seconds."""
        return self.time.timestamp()


class Series(NamedTuple):
    """A line through moments, stepped; its label stands at its end."""

    moments: Sequence[Moment]
    look: str
    label: str = ""


def lines(
    series: Sequence[Series],
    dots: Sequence[Moment],
    rules: Sequence[tuple[datetime, str]],
    name: str,
    ends: tuple[datetime, datetime],
    y_ends: Ends,
    until: datetime,
    width: float,
) -> Canvas:
    """Draw values over time.

    Args:
        series: Lines; the moments of the first have their names beside them.
        dots: Single moments.
        rules: Times with a broken line and a text.
        name: Of the values.
        ends: Of the axis of time.
        y_ends: Of the axis of values.
        until: Where the lines end.
        width: Of the drawing.
    """
    bottom = TOP + TIME_HEIGHT
    y_axis = Axis(*y_ends, bottom, TOP)
    marks = svg.y_marks(*y_ends, TIME_HEIGHT)
    left = 12 + max(map(svg.text_width, marks.values()))
    right = width - TIME_EDGE - max(svg.text_width(each.label) for each in series)
    x_ends = svg.padded(ends[0].timestamp(), ends[1].timestamp(), 0.02)
    x_axis = Axis(*x_ends, left, right)
    parts = [
        svg.draw_y_axis(y_axis, left, right, name, marks),
        svg.draw_x_axis(x_axis, TOP, bottom, marks=time_marks(ends[0], x_axis)),
        *_draw_rules(rules, x_axis, bottom, width),
    ]
    stop = x_axis.at(until.timestamp())
    for each in series:
        places = [(x_axis.at(moment.x), y_axis.at(moment.value)) for moment in each.moments]
        last = places[-1][1]
        corners = [places[0]]
        for x, y in [*places[1:], (stop, last)]:
            corners += [(x, corners[-1][1]), (x, y)]
        parts.append(svg.draw_polyline(corners, each.look))
        if each.label:
            look = each.look.removesuffix(" line")
            parts.append(svg.draw_text(stop + 4, last + 4, each.label, look))
    for dot in dots:
        place = x_axis.at(dot.x), y_axis.at(dot.value)
        parts.append(
            svg.draw_dot(*place, f"{dot.look} dot".strip(), f"{dot.name}: {dot.value:.4f}", 3)
        )
    parts += _draw_step_names(series[0].moments, x_axis, y_axis)
    return Canvas(bottom + (3.0 if rules else 1.8) * LINE, "".join(parts))


def _draw_step_names(moments: Sequence[Moment], x_axis: Axis, y_axis: Axis) -> Iterator[str]:
    """Yield names at the corners of a stepped line, from the last back, where they have room."""
    rising = moments[-1].value >= moments[0].value
    away = -7.0 if rising else 15.0
    dots = [(x_axis.at(moment.x), y_axis.at(moment.value)) for moment in moments]
    taken = list[tuple[float, float, float, float]]()
    next_x = x_axis.end
    for n in reversed(range(len(moments))):
        x, y = dots[n]
        text = svg.fit_text(moments[n].name, DOT_NAME)
        long = svg.text_width(text)
        start = x - long + 3 if x - long >= x_axis.start else x - 3
        box = (start - 4, y + away - FONT_SIZE - 3, start + long + 4, y + away + 4)
        others = [(at, up, at, up) for at, up in dots[:n] + dots[n + 1 :]]
        free = not any(_overlap(box, other) for other in taken + others)
        if free and (start + long <= next_x or start < x - 3):
            taken.append(box)
            yield svg.draw_text(start, y + away, text, f"{moments[n].look} name".strip())
        next_x = x


def _draw_rules(
    rules: Sequence[tuple[datetime, str]], x_axis: Axis, bottom: float, width: float
) -> Iterator[str]:
    """Yield a broken line at each time, with its text below where that has room."""
    free = width
    for time, text in sorted(rules, reverse=True):
        x, long = x_axis.at(time.timestamp()), svg.text_width(text)
        yield svg.draw_line(x, TOP, x, bottom, "rule", text)
        end = min(x + long / 2, free)
        if end - long >= 0:
            yield svg.draw_text(end, bottom + 2.2 * LINE, text, "axis-name", "end")
            free = end - long - 8


def time_marks(first: datetime, axis: Axis) -> dict[float, str]:
    """Return round times with their texts, as many as have room; `first` has their zone."""
    span = timedelta(seconds=axis.high - axis.low)
    unit, many, form = next(
        (unit, many, form)
        for unit, numbers, form in TIME_STEPS
        for many in numbers
        if span / (many * unit) * (svg.text_width(first.strftime(form)) + 16)
        <= axis.end - axis.start
        or many * unit > 90 * 12 * MONTH
    )
    marks = dict[float, str]()
    for time in _round_times(first, unit, many):
        text, seconds = time.strftime(form), time.timestamp()
        if seconds > axis.high or axis.at(seconds) + svg.text_width(text) / 2 > axis.end + 6:
            return marks
        if seconds >= axis.low:
            marks[seconds] = text
    return marks


def _round_times(first: datetime, unit: timedelta, many: int) -> Iterator[datetime]:
    """Yield times so many units apart, from one before `first` on; weeks begin on Mondays."""
    time = first.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit < MONTH:
        if unit == DAY:
            time -= timedelta(days=(time.toordinal() - 1) % many)
        while True:
            yield time
            time += many * unit
    step = many * round(unit / MONTH)
    months = (12 * first.year + first.month - 1) // step * step
    while True:
        yield time.replace(year=months // 12, month=months % 12 + 1, day=1)
        months += step
