"""Two submissions, list by list: the values of one against those of the other."""

from __future__ import annotations

import numpy as np

from scorer.core.arrays import Floats
from scorer.core.text import printable
from scorer.reports.document import texts
from scorer.reports.pictures.curve import Square, curve, padded
from scorer.reports.pictures.differences import ListPair
from scorer.reports.pictures.draw import Figure

ROWS = 2_000  # lists that are shown


def head_to_head(pair: ListPair, values: tuple[Floats, Floats], precision: int) -> Figure | None:
    """A dot for each of the lists that both have; None where there are fewer than two.

    Args:
        pair: the submissions, the first of which goes up.
        values: of each, shape (lists,), NaN where one does not count.
        precision: decimals that are shown.
    """
    both = np.flatnonzero(~np.isnan(values[0]) & ~np.isnan(values[1]))
    if both.size < 2:
        return None
    y, x = (np.round(each[both[:ROWS]], precision) for each in values)
    low, high = padded(float(min(x.min(), y.min())), float(max(x.max(), y.max())))
    above, below = int((y > x).sum()), int((y < x).sum())
    first, second = (printable(name, 40) for name in pair.names)
    caption = (
        f"A dot is one of the {pair.units}. Above the dashed line {first} has more ({above:,}), "
        f"below it {second} ({below:,}); {x.size - above - below:,} are equal; "
        f"{pair.better} is better."
    )
    points = list(zip(x.tolist(), y.tolist(), strict=True))
    caption += " A larger dot is several of them." * (len(set(points)) < len(points))
    caption += f" The first {ROWS:,} of {both.size:,}." * (both.size > ROWS)
    shown = zip(both[:ROWS].tolist(), y.tolist(), x.tolist(), strict=True)
    rows = [[pair.lists[n], f"{a:.{precision}f}", f"{b:.{precision}f}"] for n, a, b in shown]
    title = f"{pair.measure} of {first} and {second}"
    axes = f"{pair.measure} of {second}", f"{pair.measure} of {first}"
    square = Square(points, axes, (low, high, low, high), False, ((low, low), (high, high)))
    numbers = texts(title, [pair.units, first, second], rows)
    return curve("head-to-head", title, caption, square, numbers)
