"""Four charts: rows of dots, a matrix, points, bars. `timeline` has a fifth.

They draw numbers and texts; `reports/leaderboard/figures.py` makes these of results.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.api import Better
from scorer.reports.charts import svg
from scorer.reports.charts.svg import BOTTOM, LINE, TOP, Axis, Canvas, coordinate

Ends = tuple[float, float]

ROW_HEIGHT = 18.0
BOX_HEIGHT = 14.0
MIN_WIDTH_WITH_TEXTS = 520.0  # the narrowest drawing with each row's numbers at its right
EXTRA_MARKS = (svg.draw_diamond, svg.draw_dot)  # how the values in `DotRow.marks` are drawn
MAX_CELL_WIDTH = 64.0
MIN_CELL_HEIGHT = 14.0  # a line of text
MAX_CELL_HEIGHT = 24.0
CELL_FONT_SIZE = 10.0
LAST_NAME_WIDTH = 90.0  # of the last name in a triangle, at the right of all cells
MAX_SQUARE_SIDE = 320.0
WIDE_PLOT_HEIGHT = 260.0  # of a plot of points that is no square
NAME_HEIGHT = 12.0  # of the name of a point
BARS_HEIGHT = 130.0
MAX_BAR_WIDTH = 26.0


class IntervalSpan(NamedTuple):
    """An interval and its value on the scale that all intervals of a column share.

    Nothing is drawn more exactly than it is written: all numbers have `decimals`.
    """

    ends: Ends
    value: float
    scale: Ends
    decimals: int

    def axis(self, length: float) -> Axis:
        """Return the scale as an axis from 0 to `length`."""
        low, high = (round(end, self.decimals) for end in self.scale)
        return Axis(low, high, 0.0, length)

    def coordinates(self, length: float) -> tuple[float, float, float, int]:
        """Return the positions of the low end, the value and the high end, from 0 to `length`.

        The fourth number is 1 for a value above the scale, -1 for one below it, else 0.
        """
        axis = self.axis(length)
        low, value, high = (
            round(number, self.decimals) for number in (self.ends[0], self.value, self.ends[1])
        )
        return axis.at(low), axis.at(value), axis.at(high), axis.beyond(value)


def shared_scale(values: Sequence[tuple[float, float, float]], better: Better) -> Ends:
    """Return the ends of a scale that leaves out intervals far worse than the others.

    Args:
        values: The low end, the value and the high end of each interval; NaN where one is missing.
        better: Whether higher or lower values are better; the best are always on the scale.

    Returns:
        The lowest and the highest end of the intervals whose value is at most one and a half
        interquartile ranges worse than the worse quartile (Tukey's fence).
    """
    valued = np.array([row for row in values if not math.isnan(row[1])], dtype=float)
    if not len(valued):
        return 0.0, 1.0
    first, third = np.quantile(valued[:, 1], [0.25, 0.75])
    fence = 1.5 * (third - first)
    is_far = valued[:, 1] < first - fence if better == "higher" else valued[:, 1] > third + fence
    inside = ~is_far if fence > 0 else np.full(len(valued), True)
    return float(np.nanmin(valued[inside])), float(np.nanmax(valued[inside]))


class DotRow(NamedTuple):
    """A row of a dot chart: a name, and a value drawn as a dot. Everything else is optional."""

    name: str
    value: float
    interval: Ends | None = None  # a line
    label: str = ""  # before the name
    text: str = ""  # the numbers of the row, formatted
    baseline: bool = False  # a hollow dot
    group: int | None = None  # a rule separates rows of different groups
    marks: Sequence[float] = ()  # values on splits, each with a mark; NaN if it has none
    box: Ends | None = None  # the quartiles
    points: Floats | None = None  # single values, as small dots


def dot_rows(
    rows: Sequence[DotRow], ends: Ends, name: str, width: float, mark_names: Sequence[str] = ()
) -> Canvas:
    """Draw rows on one axis from `ends[0]` to `ends[1]`, called `name`.

    `mark_names` says what the values in `DotRow.marks` are: the same number of them in each row.
    """
    names_start = svg.names_width((row.label for row in rows), width)
    names_start += 8 if names_start else 0
    names_width = svg.names_width((row.name for row in rows), width * 0.3)
    texts_width = 0.0
    if width >= MIN_WIDTH_WITH_TEXTS:
        texts_width = svg.names_width((row.text for row in rows), width)
    axis_end = width - (texts_width + 12 if texts_width else 6)
    axis = Axis(*ends, names_start + names_width + 10, axis_end)
    height = ROW_HEIGHT if all(row.box is None for row in rows) else ROW_HEIGHT + 4
    top = LINE + 6 if mark_names else 0.0
    bottom = top + height * len(rows)
    parts = [*_draw_marks_key(axis.start, mark_names), svg.draw_x_axis(axis, top, bottom, name)]
    for n, row in enumerate(rows):
        y = top + height * (n + 0.5)
        if n and row.group != rows[n - 1].group:
            parts.append(svg.draw_line(0, y - height / 2, width, y - height / 2, "parting"))
        if row.label:
            parts.append(svg.draw_text(names_start - 8, y + 4, row.label, "soft", "end"))
        parts.append(svg.draw_text(names_start, y + 4, svg.fit_text(row.name, names_width + 1)))
        parts += _draw_row(row, axis, y, height, mark_names)
        if texts_width:
            parts.append(svg.draw_text(width, y + 4, row.text, "soft", "end"))
    return Canvas(bottom + BOTTOM, "".join(parts))


def _draw_marks_key(x: float, mark_names: Sequence[str]) -> Iterator[str]:
    """Yield the legend, one line: the dot of all lists, then each further mark with its name."""
    if not mark_names:
        return
    for text, draw in zip(["all", *mark_names], [None, *EXTRA_MARKS], strict=False):
        yield svg.draw_dot(x + 6, 6, "dot") if draw is None else draw(x + 6, 6, "part")
        yield svg.draw_text(x + 18, 10, text)
        x += 32 + svg.text_width(text)


def _draw_row(
    row: DotRow, axis: Axis, y: float, height: float, mark_names: Sequence[str]
) -> Iterator[str]:
    """Yield the marks of a row, those behind others first; an arrow for a value off the axis."""
    title = f"{row.label} {row.name}: {row.text}".strip()
    if row.interval is not None:
        low, high = map(axis.at, row.interval)
        look = "span baseline" if row.baseline else "span"
        yield svg.draw_line(low, y, high, y, "axis" if row.box else look)
    if row.box is not None:
        low, high = map(axis.at, row.box)
        box_top = y - BOX_HEIGHT / 2
        yield svg.draw_rect(low, box_top, max(high - low, 1.0), BOX_HEIGHT, "quarter", title)
    if row.points is not None:
        yield svg.draw_dots(_swarm(row.points, axis, y, height), "points")
    for draw, mark, text in zip(EXTRA_MARKS, row.marks, mark_names, strict=False):
        if not math.isnan(mark):
            yield draw(axis.at(mark), y, "part", f"{title}; {text} {mark:g}")
    x = axis.at(row.value)
    if side := axis.beyond(row.value):
        corners = [(x - 7 * side, y - 4), (x, y), (x - 7 * side, y + 4)]
        yield svg.draw_polyline(corners, "axis")
    else:
        yield svg.draw_dot(x, y, "baseline" if row.baseline else "dot", title)


def _swarm(values: Floats, axis: Axis, y: float, height: float) -> Iterator[tuple[float, float]]:
    """Yield the position of each dot; dots that would overlap go below and above in turn."""
    counts = defaultdict[int, int](int)  # how many dots are in a column of 3 units
    for value in np.sort(values[~np.isnan(values)]).tolist():
        x = axis.at(value)
        earlier = counts[round(x / 3)]
        counts[round(x / 3)] += 1
        offset = min(3.0 * ((earlier + 1) // 2), height / 2 - 3)
        yield x, y + (offset if earlier % 2 else -offset)


class MatrixCell(NamedTuple):
    """A cell of a matrix."""

    row: int
    column: int
    look: str = "fill"  # its classes
    depth: float = 1.0  # the opacity of its colour
    text: str = ""
    title: str = ""


def matrix(
    names: Sequence[str],
    heads: Sequence[str],
    cells: Sequence[MatrixCell],
    width: float,
    corner: str = "",
) -> Canvas:
    """Draw named rows of cells below the headings `heads`.

    Without headings it is a triangle, with each name at the end of its row, on the diagonal.
    `corner` is a text above the headings.
    """
    columns = len(heads) or len(names) - 1
    left = svg.names_width(names, max(width * 0.3, LAST_NAME_WIDTH)) + 10
    text_width = max(svg.text_width(cell.text, CELL_FONT_SIZE) for cell in cells) + 3
    max_width = max(MAX_CELL_WIDTH, svg.names_width(heads, LAST_NAME_WIDTH) + 8)
    cell_width = min((width - left) / columns, max_width)
    if not heads and cell_width < text_width <= (width - LAST_NAME_WIDTH) / columns:
        cell_width = text_width  # the numbers fit if the names are cut
    height = min(max(cell_width, MIN_CELL_HEIGHT), MAX_CELL_HEIGHT)
    top = 2.2 * LINE if corner else 0.0
    start = left if heads else 0.0
    parts = [svg.draw_text(left, LINE - 4, corner, "axis-name")] if corner else []
    for n, head in enumerate(heads if cell_width >= MAX_CELL_HEIGHT else ()):
        x = left + cell_width * (n + 0.5)
        text = svg.fit_text(head, cell_width - 4)
        parts.append(svg.draw_text(x, top - 5, text, "tick", "middle"))
    for n, name in enumerate(names):
        x = 0.0 if heads else cell_width * n + 4
        room = left - 9 if heads else width - x
        parts.append(svg.draw_text(x, top + height * (n + 0.5) + 4, svg.fit_text(name, room)))
    if text_width > cell_width:
        cells = [cell._replace(text="") for cell in cells]
    parts += _draw_cells(cells, (start, top), (cell_width, height))
    return Canvas(top + height * len(names) + LINE / 2, "".join(parts))


def _draw_cells(
    cells: Sequence[MatrixCell], origin: tuple[float, float], size: tuple[float, float]
) -> Iterator[str]:
    """Yield the cells. Cells without text and title share a path, which keeps pages small."""
    gap = 2.0 if size[0] > 8 else 1.0
    width, height = (coordinate(side - gap) for side in size)
    paths = defaultdict[tuple[str, float], list[str]](list)  # look and depth -> squares
    for cell in cells:
        x = origin[0] + size[0] * cell.column + gap / 2
        y = origin[1] + size[1] * cell.row + gap / 2
        if not cell.text and not cell.title:
            square = f"M{coordinate(x)} {coordinate(y)}h{width}v{height}h-{width}z"
            paths[cell.look, round(cell.depth, 1)].append(square)
            continue
        yield svg.draw_rect(x, y, size[0] - gap, size[1] - gap, cell.look, cell.title, cell.depth)
        if cell.text:
            look = "small soft"
            if "fill" in cell.look:
                look = "small on" if cell.depth > 0.5 else "small"  # light text on a deep colour
            middle = x + (size[0] - gap) / 2
            text_y = y + size[1] / 2 + 3
            yield svg.draw_text(middle, text_y, cell.text, look, "middle")
    for (look, depth), squares in paths.items():
        yield f'<g fill-opacity="{coordinate(depth)}">{svg.draw_path("".join(squares), look)}</g>'


class Point(NamedTuple):
    """A point; its title is shown on hover, its name always."""

    x: float
    y: float
    title: str = ""
    name: str = ""
    look: str = "dot"
    radius: float = 3.0


class Field(NamedTuple):
    """The two axes of a plot: their names and their ends."""

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
    """Draw points, and a line through others.

    Args:
        field: The axes.
        dots: The points.
        width: The width of the drawing.
        line: The corners of a line.
        stepped: Whether the line goes up or down first, then across, instead of straight.
        rule: The ends of a dashed line.
        cloud: Small points without names and titles.
        square: Whether both axes have the same length.
    """
    marks = svg.y_marks(*field.y_ends, MAX_SQUARE_SIDE if square else WIDE_PLOT_HEIGHT)
    left = 12 + max(map(svg.text_width, marks.values()), default=0.0)
    x_length = min(MAX_SQUARE_SIDE, width - left - 14) if square else width - left - 14
    bottom = TOP + (x_length if square else WIDE_PLOT_HEIGHT)
    x_axis = Axis(*field.x_ends, left, left + x_length)
    y_axis = Axis(*field.y_ends, bottom, TOP)

    def locate(point: Ends) -> tuple[float, float]:
        return x_axis.at(point[0]), y_axis.at(point[1])

    parts = [
        svg.draw_y_axis(y_axis, left, x_axis.end, field.y_name, marks, width),
        svg.draw_x_axis(x_axis, TOP, bottom, field.x_name),
    ]
    if rule:
        parts.append(svg.draw_line(*locate(rule[0]), *locate(rule[1]), "rule"))
    if len(line) > 1:
        parts.append(svg.draw_polyline(list(map(locate, line)), "line", stepped))
    if cloud:
        parts.append(svg.draw_dots(map(locate, cloud), "points"))
    parts += _draw_names(dots, x_axis, y_axis, width)
    for dot in dots:
        x, y = locate((dot.x, dot.y))
        parts.append(svg.draw_dot(x, y, dot.look, dot.title, dot.radius))
    return Canvas(bottom + BOTTOM, "".join(parts))


def _draw_names(dots: Sequence[Point], x_axis: Axis, y_axis: Axis, width: float) -> Iterator[str]:
    """Yield the names beside their dots, the last dot first; a name without room is left out."""
    places = [(x_axis.at(dot.x), y_axis.at(dot.y)) for dot in dots]
    taken = [(x - 4, y - 4, x + 4, y + 4) for x, y in places]
    for dot, (x, y) in zip(reversed(dots), reversed(places), strict=True):
        text = svg.fit_text(dot.name, width * 0.3)
        if not text:
            continue
        length = svg.text_width(text)
        for right, below in ((True, -5), (True, 13), (False, -5), (False, 13)):
            start = x + 6 if right else x - 6 - length
            box = (start, y + below - NAME_HEIGHT + 2, start + length, y + below + 2)
            inside = x_axis.start <= start and start + length <= width
            if inside and not any(boxes_overlap(box, other) for other in taken):
                taken.append(box)
                yield svg.draw_text(start, y + below, text, "halo")
                break


def boxes_overlap(one: Sequence[float], other: Sequence[float]) -> bool:
    """Return whether two boxes (left, top, right, bottom) overlap."""
    return all(one[n] < other[n + 2] and other[n] < one[n + 2] for n in (0, 1))


class Bar(NamedTuple):
    """A bar of a named value."""

    name: str
    value: float
    text: str  # the rounded value, as it is drawn


def bars(items: Sequence[Bar], name: str, width: float) -> Canvas:
    """Draw bars from a line at 0, on an axis called `name`; a bar is as long as its text says."""
    values = [float(bar.text) for bar in items]
    low, high = svg.padded(min(*values, 0.0), max(*values, 0.0))
    axis = Axis(low, high, TOP + BARS_HEIGHT, TOP)
    marks = svg.round_marks(low, high, 5)
    left = 14 + max(map(svg.text_width, marks.values()))
    step = min((width - left) / len(values), MAX_BAR_WIDTH)
    zero, end = axis.at(0.0), left + step * len(values)
    parts = [svg.draw_y_axis(axis, left, end, name, marks, width)]
    for n, (bar, value) in enumerate(zip(items, values, strict=True)):
        if value:
            y = axis.at(value)
            look = "fill" if value > 0 else "fill other"
            box = left + n * step + 0.5, min(y, zero), max(step - 1, 0.5), abs(y - zero)
            parts.append(svg.draw_rect(*box, look, f"{bar.name}: {bar.text}"))
    parts.append(svg.draw_line(left, zero, end, zero, "axis"))
    return Canvas(TOP + BARS_HEIGHT + LINE / 2, "".join(parts))
