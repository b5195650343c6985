"""Values by the time at which they came: dots, the best so far, a line of each team, deadlines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from scorer.core.text import printable
from scorer.metrics.api import Better
from scorer.reports.document import Table
from scorer.reports.pictures import draw
from scorer.reports.pictures.bars import scale_of
from scorer.reports.pictures.draw import LINE, SIZE, Axis, Canvas, Figure

TALL, EDGE, OWN = 190.0, 10.0, "you"  # of height; at the right; at the end of one's own line
NAMED = 160.0  # of width, the name at a dot
FAR = 3.0  # times the span of the dots, the longest axis that shows a deadline
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
MONTH = 30.4 * DAY  # about
# units, how many of them a step has, and how it is written
STEPS = (
    (MINUTE, (1, 2, 5, 10, 30), "%m-%d %H:%M"), (60 * MINUTE, (1, 2, 6, 12), "%m-%d %H:%M"),
    (DAY, (1, 2, 7, 14), "%Y-%m-%d"), (DAY, (7, 14), "%m-%d"), (MONTH, (1, 2, 3, 6), "%Y-%m"),
    (12 * MONTH, (1, 2, 5, 10, 20, 50, 100), "%Y"),
)  # fmt: skip


class Arrival(NamedTuple):
    """A value at a time, and whose it is."""

    time: datetime
    value: float
    team: str
    look: str  # the class of the team's marks

    @property
    def said(self) -> str:
        """In words."""
        return f"{printable(self.team)}: {self.value:.4f}"


def timeline(
    title: str, name: str, moments: Sequence[Arrival], better: Better,
    deadlines: Sequence[datetime], now: datetime, numbers: Table,
) -> Figure:  # fmt: skip
    """Moments in the order of their time; the lines, of the best so far, end at `now`."""
    in_time = sorted(moments, key=lambda moment: moment.time)
    first, last = in_time[0].time, in_time[-1].time
    span = max(last - first, timedelta(hours=1))
    shown = [time for time in deadlines if first <= time <= first + FAR * span]
    low, high = scale_of([(moment.value,) * 3 for moment in in_time], better)
    turns = "rises" if better == "higher" else "falls"
    caption = f"The line is the best so far, with names where it {turns}."
    if any(moment.value < low or moment.value > high for moment in in_time):
        caption += " What lies far behind stands at the edge."
    if shown:
        caption += " A broken line is a deadline."

    def drawn(wide: float) -> Canvas:
        on_up = draw.scale(low, high, 1.6 * LINE + TALL, 1.6 * LINE, 0.12)
        left = 12 + max(map(draw.length, draw.tick_texts(draw.ticks(on_up.low, on_up.high, 4))))
        ends = max([last, first + MINUTE, *shown]).timestamp()
        right = wide - EDGE - draw.length(OWN)
        on = draw.scale(first.timestamp(), ends, left, right, 0.02)
        until = on.at(min(max(now, last).timestamp(), ends))
        parts = [draw.up(on_up, left, on.end, name), *_time_axis(first, on, wide)]
        parts += _deadlines(shown, on, wide)
        parts += _best_lines(in_time, better, on, on_up, until)
        parts += [_moment_dot(moment, on, on_up) for moment in in_time]
        parts += _name_labels(_records(in_time, better), better, on, on_up)
        return Canvas(on_up.start + (3.0 if shown else 1.8) * LINE, "".join(parts))

    return Figure("timeline", title, caption, drawn, numbers)


def _records(moments: Sequence[Arrival], better: Better) -> list[Arrival]:
    """The moments that are better than all before them."""
    best = list[Arrival]()
    for moment in moments:
        if not best or (moment.value != best[-1].value
                        and (moment.value > best[-1].value) == (better == "higher")):  # fmt: skip
            best.append(moment)
    return best


def _moment_dot(moment: Arrival, on: Axis, on_up: Axis) -> str:
    x, y = on.at(moment.time.timestamp()), on_up.at(moment.value)
    return draw.dot(x, y, f"{moment.look} dot".strip(), moment.said, 3.0)


def _best_lines(
    moments: Sequence[Arrival], better: Better, on: Axis, on_up: Axis, until: float
) -> Iterator[str]:
    """The best so far of all, and of each team; a page shows somebody's own with its name."""

    def steps(best: Sequence[Arrival]) -> str:
        places = [(on.at(each.time.timestamp()), on_up.at(each.value)) for each in best]
        way = "M{} {}".format(*map(draw.place, places[0]))
        way += "".join(f"H{draw.place(x)}V{draw.place(y)}" for x, y in places[1:])
        return f"{way}H{draw.place(until)}"

    yield draw.path(steps(_records(moments, better)), "line")
    for look in sorted({moment.look for moment in moments if moment.look}):
        own = _records([moment for moment in moments if moment.look == look], better)
        yield draw.path(steps(own), f"{look} mine line")
        yield draw.words(until + 4, on_up.at(own[-1].value) + 4, OWN, f"{look} mine")


def _name_labels(best: Sequence[Arrival], better: Better, on: Axis, on_up: Axis) -> Iterator[str]:
    """Names at the best so far, from the latest back, where they have room."""
    away, taken = (-7.0 if better == "higher" else 15.0), list[tuple[float, float, float]]()
    spots = [(on.at(each.time.timestamp()), on_up.at(each.value)) for each in best]
    rises = on.end  # the line, next
    for (x, y), moment in zip(reversed(spots), reversed(best), strict=True):
        text = draw.fitted(moment.team, NAMED)
        long = draw.length(text)
        start = x - long + 3 if x - long >= on.start else x - 3
        box = (start, start + long, y + away)
        on_dots = any(box[0] - 4 < at < box[1] + 4 and box[2] - SIZE - 3 < up < box[2] + 4
                      for at, up in spots if (at, up) != (x, y))  # fmt: skip
        beside = any(box[0] < other[1] + 6 and other[0] < box[1] + 6
                     and abs(box[2] - other[2]) < SIZE + 2 for other in taken)  # fmt: skip
        if (box[1] <= rises or start < x - 3) and not on_dots and not beside:
            taken.append(box)
            yield draw.words(start, box[2], text, f"{moment.look} name".strip())
        rises = x


def _deadlines(deadlines: Sequence[datetime], on: Axis, wide: float) -> Iterator[str]:
    """A broken line at each, with its time below where that has room."""
    top, bottom, free = 1.6 * LINE, 1.6 * LINE + TALL, wide
    for time in sorted(deadlines, reverse=True):
        x, text = on.at(time.timestamp()), f"closes {time:%Y-%m-%d %H:%M}"
        yield draw.stroke(x, top, x, bottom, "rule", text)
        ends = min(x + draw.length(text) / 2, free)
        if ends - draw.length(text) >= 0:
            yield draw.words(ends, bottom + 2.2 * LINE, text, "axis-name", "end")
            free = ends - draw.length(text) - 8


def _time_axis(first: datetime, on: Axis, wide: float) -> Iterator[str]:
    """The axis: round times, as many as have room for their texts."""
    top, bottom = 1.6 * LINE, 1.6 * LINE + TALL
    span = timedelta(seconds=on.high - on.low)
    unit, many, form = next(
        (unit, many, form)
        for unit, numbers, form in STEPS
        for many in numbers
        if span / (many * unit) * (draw.length(first.strftime(form)) + 16) <= on.end - on.start
        or many * unit > 90 * 12 * MONTH
    )
    for time in _round_times(first, unit, many):
        if time.timestamp() > on.high:
            break
        if time.timestamp() < on.low:
            continue
        x, text = on.at(time.timestamp()), time.strftime(form)
        yield draw.stroke(x, top, x, bottom, "grid")
        half = draw.length(text) / 2
        if half <= x <= wide - half:
            yield draw.words(x, bottom + LINE, text, "tick", "middle")
    yield draw.stroke(on.start, bottom, on.end, bottom, "axis")


def _round_times(first: datetime, unit: timedelta, many: int) -> Iterator[datetime]:
    """Times that are so many units apart, from one before `first` on: weeks begin on Mondays."""
    midnight = first.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit < MONTH:
        if unit == DAY:
            midnight -= timedelta(days=(midnight.toordinal() - 1) % many)
        at = midnight
        while True:
            yield at
            at += many * unit
    months = many * round(unit / MONTH)
    at_month = (12 * first.year + first.month - 1) // months * months
    while True:
        yield midnight.replace(year=at_month // 12, month=at_month % 12 + 1, day=1)
        at_month += months
