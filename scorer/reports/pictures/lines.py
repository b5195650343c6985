"""Some named lines in one frame, told apart by colour and dashes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from scorer.reports.pictures import draw
from scorer.reports.pictures.draw import LINE, Axis, Canvas

LOOKS = ("line", "line other", "line soft", "line ink")  # no more lines can be told apart
TALL, SAMPLE = 210.0, 7.0  # of the frame; half the length of a line in the legend


class NamedLine(NamedTuple):
    """A line through points, and the points of it that have a dot, each with its words."""

    name: str
    points: Sequence[tuple[float, float]]
    dots: Sequence[tuple[float, float, str]] = ()


class Frame(NamedTuple):
    """What stands around lines: the axes with their ends, and dashed rules with their words."""

    across: str
    up: str
    ends: tuple[float, float, float, float]  # across, then up
    logarithms: bool = False  # whether both axes are of the logarithms of their numbers
    at: tuple[float, str] | None = None  # a rule up from there
    level: tuple[float, str] | None = None  # a rule across


def lines(named: Sequence[NamedLine], frame: Frame, wide: float) -> Canvas:
    """The lines, at most as many as there are looks, below their legend."""
    low, high, least, most = frame.ends
    texts = draw.tick_texts(draw.ticks(least, most, 8))
    up = draw.decades(least, most, TALL, LINE) if frame.logarithms else None
    left = 12 + max(map(draw.length, texts if up is None else up.values()), default=0.0)
    samples = [(partial(_sample, look=look), line.name)
               for look, line in zip(LOOKS, named, strict=False)]  # fmt: skip
    key = draw.legend(samples, left, 6, wide - left)
    top = key.tall + 1.7 * LINE
    on, on_up = Axis(low, high, left, wide - 10), Axis(least, most, top + TALL, top)
    marks = draw.decades(low, high, on.end - on.start) if frame.logarithms else None
    parts = [key.body, draw.up(on_up, left, on.end, frame.up, up)]
    parts.append(draw.across(on, top, top + TALL, frame.across, marks))
    parts += _dashed_rules(named, frame, on, on_up)
    for look, line in zip(LOOKS, named, strict=False):
        way = "L".join(f"{draw.place(on.at(x))} {draw.place(on_up.at(y))}" for x, y in line.points)
        parts.append(draw.path(f"M{way}", look, line.name))
        parts += [draw.dot(on.at(x), on_up.at(y), "dot", said, 3.0) for x, y, said in line.dots]
    return Canvas(top + TALL + 2.6 * LINE, "".join(parts))


def _sample(x: float, y: float, look: str) -> str:
    return draw.stroke(x - SAMPLE, y, x + SAMPLE, y, look)


def _dashed_rules(named: Sequence[NamedLine], frame: Frame, on: Axis, on_up: Axis) -> Iterator[str]:
    """The dashed rules, each with its words on the side that has more room."""
    if frame.at is not None:
        x, said = on.at(frame.at[0]), frame.at[1]
        right = x + 4 + draw.length(said) <= on.end
        yield draw.stroke(x, on_up.start, x, on_up.end, "rule")
        yield draw.words(x + (4 if right else -4), on_up.end + 11, said, "tick halo",
                         "start" if right else "end")  # fmt: skip
    if frame.level is not None:
        y, said = on_up.at(frame.level[0]), frame.level[1]
        yield draw.stroke(on.start, y, on.end, y, "rule")
        wide = draw.length(said)
        first, last = (
            min((abs(on_up.at(b) - y) for line in named for a, b in line.points
                 if low <= on.at(a) <= high), default=TALL)
            for low, high in ((on.start, on.start + wide), (on.end - wide, on.end))
        )  # fmt: skip
        before = first > last
        yield draw.words(on.start + 4 if before else on.end, y - 4, said, "tick halo",
                         "start" if before else "end")  # fmt: skip


def whole_numbers(low: int, high: int, many: int) -> list[int]:
    """At most so many whole numbers above 0, evenly by their logarithms.

    >>> whole_numbers(2, 100, 5)
    [2, 5, 14, 38, 100]
    """
    step = math.log10(high / low) / (many - 1)
    return sorted({round(low * 10 ** (step * n)) for n in range(many)})
