"""Differences of two submissions, list by list, sorted: bars from a line at 0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from scorer.reports.document import Table
from scorer.reports.pictures import draw
from scorer.reports.pictures.draw import LINE, Canvas, Figure

TALL, WIDEST = 130.0, 26.0


class SortedBar(NamedTuple):
    """A difference."""

    name: str
    value: float
    text: str  # the value


def differences(
    title: str, caption: str, name: str, entries: Sequence[SortedBar], numbers: Table
) -> Figure:
    """A bar for each entry, as exact as its text; `name` is of the values."""
    values = [float(entry.text) for entry in entries]
    return Figure("differences", title, caption,
                  lambda wide: _sorted(entries, values, name, wide), numbers)  # fmt: skip


def _sorted(
    entries: Sequence[SortedBar], values: Sequence[float], name: str, wide: float
) -> Canvas:
    top = 1.6 * LINE
    on = draw.scale(min(*values, 0.0), max(*values, 0.0), top + TALL, top)
    texts = draw.tick_texts(draw.ticks(on.low, on.high, 4))
    left = 14 + max(map(draw.length, texts))
    step = min((wide - left) / len(values), WIDEST)
    zero = on.at(0.0)
    parts = [draw.up(on, left, left + step * len(values), name)]
    for n, (entry, value) in enumerate(zip(entries, values, strict=True)):
        if value:
            y, look = on.at(value), "fill" if value > 0 else "fill other"
            parts.append(draw.box(left + n * step + 0.5, min(y, zero), max(step - 1, 0.5),
                                  abs(y - zero), look, f"{entry.name}: {entry.text}"))  # fmt: skip
    parts.append(draw.stroke(left, zero, left + step * len(values), zero, "axis"))
    return Canvas(top + TALL + LINE / 2, "".join(parts))
