"""Differences of two submissions, list by list, sorted: bars from a line at 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from scorer.core.arrays import Floats
from scorer.core.text import printable
from scorer.reports.comparison.cells import signed
from scorer.reports.document import cut, texts
from scorer.reports.pictures import draw
from scorer.reports.pictures.draw import LINE, Canvas, Figure

TALL, WIDEST = 130.0, 26.0


class ListPair(NamedTuple):
    """Two submissions by one measure, the first less the second."""

    names: tuple[str, str]
    lists: Sequence[str]  # their names
    measure: str
    unit: str  # the challenge's word for a list
    units: str  # and for lists
    better: str  # higher or lower


class SortedBar(NamedTuple):
    """A difference."""

    name: str
    value: float
    text: str  # the value


@dataclass(frozen=True, slots=True)
class ListBar:
    """One list's difference, or the mean of some neighbours' among the sorted ones."""

    lists: tuple[str, ...]
    value: float

    @property
    def name(self) -> str:
        """The lists it stands for, the first few of them."""
        names = ", ".join(printable(name, 30) for name in self.lists[:3])
        return f"{names} and {len(self.lists) - 3:,} more" if len(self.lists) > 3 else names


def bars(lists: Sequence[str], differences: Floats, at_most: int) -> list[ListBar]:
    """The differences of lists, if any, as bars, greatest first; many lists share them evenly."""
    defined = np.flatnonzero(~np.isnan(differences))
    order = defined[np.argsort(-differences[defined], kind="stable")]
    groups = np.array_split(order, min(at_most, order.size)) if order.size else []
    return [
        ListBar(tuple(lists[n] for n in group), float(differences[group].mean()))
        for group in groups
    ]


def shared(drawn: Sequence[ListBar], units: str = "lists") -> str:
    """The rule by which lists share bars; empty where none do."""
    sizes = sorted({len(bar.lists) for bar in drawn})
    if not sizes or sizes[-1] == 1:
        return ""
    counts = " or ".join(f"{size:,}" for size in sizes)
    return f"each bar is the mean of {counts} consecutive {units}"


def sorted_differences(
    pair: ListPair, values: Floats, precision: int, at_most: int
) -> tuple[Figure, list[SortedBar]] | None:
    """A bar for each list, or for neighbours of many, and the bars; None where there are none.

    Args:
        pair: the submissions.
        values: their differences, shape (lists,), NaN where one does not count.
        precision: decimals that are shown.
        at_most: bars.
    """
    drawn = bars(pair.lists, values, at_most)
    if not drawn:
        return None
    first, second = map(cut, pair.names)
    rule = shared(drawn, pair.units)
    name = f"{pair.measure}, {pair.unit} by {pair.unit}, {first} minus {second}, greatest first"
    name += f"; {rule}" if rule else ""
    entries = [
        SortedBar(printable(bar.lists[0], 18) + " .." * (len(bar.lists) > 1), bar.value,
            signed(bar.value, precision))
        for bar in drawn
    ]  # fmt: skip
    rows = [[bar.name, f"{len(bar.lists):,}", signed(bar.value, precision)] for bar in drawn]
    numbers = texts(name, [pair.units, "how many", "difference"], rows)
    caption = (
        f"Above 0, {first} has more; below, in the other colour, {second}; {pair.better} is better."
    )

    def drawn_bars(wide: float) -> Canvas:
        return _sorted(entries, f"difference in {pair.measure}", wide)

    return Figure("differences", f"{name}.", caption, drawn_bars, numbers), entries


def _sorted(entries: Sequence[SortedBar], name: str, wide: float) -> Canvas:
    """A bar for each entry, as exact as its text; `name` is of the values."""
    values = [float(entry.text) for entry in entries]
    top = 1.6 * LINE
    on = draw.scale(min(*values, 0.0), max(*values, 0.0), top + TALL, top)
    marks = draw.ticks(on.low, on.high, 5)
    texts = draw.tick_texts(marks)
    left = 14 + max(map(draw.length, texts))
    step = min((wide - left) / len(values), WIDEST)
    zero = on.at(0.0)
    parts = [
        draw.up(on, left, left + step * len(values), name, dict(zip(marks, texts, strict=True)))
    ]
    for n, (entry, value) in enumerate(zip(entries, values, strict=True)):
        if value:
            y, look = on.at(value), "fill" if value > 0 else "fill other"
            parts.append(draw.box(left + n * step + 0.5, min(y, zero), max(step - 1, 0.5),
                                  abs(y - zero), look, f"{entry.name}: {entry.text}"))  # fmt: skip
    parts.append(draw.stroke(left, zero, left + step * len(values), zero, "axis"))
    return Canvas(top + TALL + LINE / 2, "".join(parts))
