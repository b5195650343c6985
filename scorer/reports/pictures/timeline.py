"""Values as they came: dots over time, and the best so far as a line of steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from scorer.reports.document import Table
from scorer.reports.pictures import draw
from scorer.reports.pictures.draw import LINE, Axis, Canvas, Figure

TALL = 190.0
DAY = timedelta(days=1)


class Arrival(NamedTuple):
    """A value at a time."""

    time: datetime
    value: float
    look: str  # a class of its dot
    title: str


def timeline(
    title: str, caption: str, name: str, moments: Sequence[Arrival], best: Sequence[float],
    numbers: Table,
) -> Figure:  # fmt: skip
    """Moments by time, and beside each the best value so far; `name` is of the values."""

    def drawn(wide: float) -> Canvas:
        return _timeline(name, moments, best, wide)

    return Figure("timeline", title, caption, drawn, numbers)


def _timeline(name: str, moments: Sequence[Arrival], best: Sequence[float], wide: float) -> Canvas:
    top = 1.6 * LINE
    values = [moment.value for moment in moments]
    on_up = draw.scale(min(values), max(values), top + TALL, top)
    texts = draw.tick_texts(draw.ticks(on_up.low, on_up.high, 4))
    left = 12 + max(map(draw.length, texts))
    stamps = [moment.time.timestamp() for moment in moments]
    on = draw.scale(stamps[0], stamps[-1], left, wide - 10, 0.02)
    places = [on.at(stamp) for stamp in stamps]
    way = f"M{draw.place(places[0])} {draw.place(on_up.at(best[0]))}" + "".join(
        f"H{draw.place(x)}V{draw.place(on_up.at(value))}"
        for x, value in zip(places[1:], best[1:], strict=True)
    )
    parts = [draw.up(on_up, left, on.end, name), *_days(moments, on, top)]
    parts.append(draw.path(way, "line"))
    parts += [
        draw.dot(x, on_up.at(moment.value), f"{moment.look} dot".strip(), moment.title, 3.0)
        for x, moment in zip(places, moments, strict=True)
    ]
    return Canvas(top + TALL + 1.8 * LINE, "".join(parts))


def _days(moments: Sequence[Arrival], on: Axis, top: float) -> Iterator[str]:
    """The axis: midnights, a round number of days apart, or hours within two days."""
    first, last = moments[0].time, moments[-1].time
    span = last - first
    room = (on.end - on.start) / 84
    steps = [timedelta(minutes=n) for n in (1, 5, 15, 30)]
    steps += [timedelta(hours=n) for n in (1, 2, 6, 12)]
    steps += [DAY * n for n in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)]
    step = next((step for step in steps if span / step <= room), steps[-1])
    at = first.replace(hour=0, minute=0, second=0, microsecond=0)
    form = "%Y-%m-%d" if step >= DAY else "%m-%d %H:%M"
    bottom = top + TALL
    while at <= last:
        if at >= first:
            x = on.at(at.timestamp())
            yield draw.stroke(x, top, x, bottom, "grid")
            half = draw.length(at.strftime(form)) / 2
            middle = min(max(x, half), on.end + 10 - half)
            yield draw.words(middle, bottom + LINE, at.strftime(form), "tick", "middle")
        at += step
    yield draw.stroke(on.start, bottom, on.end, bottom, "axis")
