"""A chart of values over time: stepped lines, dots, and dashed lines at single times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from scorer.reports.charts import svg
from scorer.reports.charts.charts import Ends, boxes_overlap
from scorer.reports.charts.svg import FONT_SIZE, LINE, TOP, Axis, Canvas

PLOT_HEIGHT = 190.0
RIGHT_MARGIN = 10.0
MAX_NAME_WIDTH = 160.0  # of a name at a stepped line
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)
MONTH = 30.4 * DAY  # about
# The steps of a time axis, shortest first: a unit, the numbers of units that a step may have, and
# the format of its times.
TIME_STEPS = (
    (MINUTE, (1, 2, 5, 10, 30), "%m-%d %H:%M"),
    (60 * MINUTE, (1, 2, 6, 12), "%m-%d %H:%M"),
    (DAY, (1, 2, 7, 14), "%Y-%m-%d"),
    (DAY, (7, 14), "%m-%d"),
    (MONTH, (1, 2, 3, 6), "%Y-%m"),
    (12 * MONTH, (1, 2, 5, 10, 20, 50, 100), "%Y"),
)


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
    """A stepped line through moments, with its label behind its end."""

    moments: Sequence[Moment]
    look: str  # its classes, of which `line` is the last
    label: str = ""


class Rule(NamedTuple):
    """A dashed line at a time, with its text."""

    time: datetime
    text: str


def draw_timeline(
    series: Sequence[Series],
    dots: Sequence[Moment],
    rules: Sequence[Rule],
    name: str,
    ends: tuple[datetime, datetime],
    y_ends: Ends,
    until: datetime,
    width: float,
) -> Canvas:
    """Draw values over time.

    Args:
        series: The lines; the moments of the first are named.
        dots: Single moments.
        rules: Dashed lines at single times.
        name: The name of the values.
        ends: The ends of the time axis.
        y_ends: The ends of the value axis.
        until: The time at which all lines end.
        width: The width of the drawing.
    """
    bottom = TOP + PLOT_HEIGHT
    y_axis = Axis(*y_ends, bottom, TOP)
    marks = svg.y_marks(*y_ends, PLOT_HEIGHT)
    left = 12 + max(map(svg.text_width, marks.values()))
    right = width - RIGHT_MARGIN - max(svg.text_width(each.label) for each in series)
    x_ends = svg.padded(ends[0].timestamp(), ends[1].timestamp(), 0.02)
    x_axis = Axis(*x_ends, left, right)
    parts = [
        svg.draw_y_axis(y_axis, left, right, name, marks, width),
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
    """Yield names at the corners of a stepped line, the last first, where they have room."""
    rising = moments[-1].value >= moments[0].value
    offset = -7.0 if rising else 15.0  # above a rising line, below a falling one
    dots = [(x_axis.at(moment.x), y_axis.at(moment.value)) for moment in moments]
    taken = list[tuple[float, float, float, float]]()
    next_x = x_axis.end
    for n in reversed(range(len(moments))):
        x, y = dots[n]
        text = svg.fit_text(moments[n].name, MAX_NAME_WIDTH)
        length = svg.text_width(text)
        to_the_left = x - length >= x_axis.start
        start = x - length + 3 if to_the_left else x - 3
        box = (start - 4, y + offset - FONT_SIZE - 3, start + length + 4, y + offset + 4)
        others = [(*dot, *dot) for dot in dots[:n] + dots[n + 1 :]]
        is_free = not any(boxes_overlap(box, other) for other in taken + others)
        # A name to the right must end before the next step of the line.
        if is_free and (start + length <= next_x or start < x - 3):
            taken.append(box)
            yield svg.draw_text(start, y + offset, text, f"{moments[n].look} name".strip())
        next_x = x


def _draw_rules(rules: Sequence[Rule], x_axis: Axis, bottom: float, width: float) -> Iterator[str]:
    """Yield dashed lines, the last first, each with its text below if that has room."""
    free_until = width
    for time, text in sorted(rules, reverse=True):
        x, length = x_axis.at(time.timestamp()), svg.text_width(text)
        yield svg.draw_line(x, TOP, x, bottom, "rule", text)
        end = min(x + length / 2, free_until)
        if end - length >= 0:
            yield svg.draw_text(end, bottom + 2.2 * LINE, text, "axis-name", "end")
            free_until = end - length - 8


def time_marks(first: datetime, axis: Axis) -> dict[float, str]:
    """Return round times, in seconds, with their texts: as many as have room.

    They are in the time zone of `first`, the earliest time that is drawn.
    """
    unit, count, form = _time_step(first, axis)
    marks = dict[float, str]()
    for time in _round_times(first, unit, count):
        text, seconds = time.strftime(form), time.timestamp()
        if seconds > axis.high or axis.at(seconds) + svg.text_width(text) / 2 > axis.end + 6:
            return marks
        if seconds >= axis.low:
            marks[seconds] = text
    return marks


def _time_step(first: datetime, axis: Axis) -> tuple[timedelta, int, str]:
    """Return the unit, the count and the format of the shortest step whose texts have room.

    If none has room, it is the longest step.
    """
    span = timedelta(seconds=axis.high - axis.low)
    steps = [(unit, count, form) for unit, counts, form in TIME_STEPS for count in counts]
    for unit, count, form in steps:
        text_width = svg.text_width(first.strftime(form)) + 16
        if span / (count * unit) * text_width <= axis.end - axis.start:
            return unit, count, form
    return steps[-1]


def _round_times(first: datetime, unit: timedelta, count: int) -> Iterator[datetime]:
    """Yield times that are `count` units apart, without end; the first is before `first`.

    Weeks begin on Mondays.
    """
    time = first.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit < MONTH:
        if unit == DAY:
            time -= timedelta(days=(time.toordinal() - 1) % count)
        while True:
            yield time
            time += count * unit
    step = count * round(unit / MONTH)
    months = (12 * first.year + first.month - 1) // step * step
    while True:
        yield time.replace(year=months // 12, month=months % 12 + 1, day=1)
        months += step
