"""Two submissions, list by list: the values of one against those of the other."""

from __future__ import annotations

import numpy as np

from scorer.core.arrays import Floats
from scorer.core.text import printable
from scorer.reports.document import texts
from scorer.reports.pictures.curve import Square, curve
from scorer.reports.pictures.draw import Figure

ROWS = 2_000  # lists that are shown


def duel(
    names: tuple[str, str], values: tuple[Floats, Floats], lists: tuple[str, ...], measure: str,
    units: str, precision: int,
) -> Figure | None:  # fmt: skip
    """A dot for each of the lists that both have; None where there are fewer than two.

    Args:
        names: of the submissions, across and up.
        values: of each, shape (lists,), NaN where one does not count.
        lists: their names.
        measure: the measure's name.
        units: the challenge's word for lists.
        precision: decimals that are shown.
    """
    both = np.flatnonzero(~np.isnan(values[0]) & ~np.isnan(values[1]))
    if both.size < 2:
        return None
    x, y = (np.round(each[both[:ROWS]], precision) for each in values)
    low, high = float(min(x.min(), y.min())), float(max(x.max(), y.max()))
    high = max(high, low + 1e-9)
    above, below = int((y > x).sum()), int((y < x).sum())
    one, other = (printable(name, 40) for name in names)
    caption = (
        f"A dot is one of the {units}. Above the dashed line {other} has more ({above:,}), "
        f"below it {one} ({below:,}); {x.size - above - below:,} are equal."
    )
    caption += f" The first {ROWS:,} of {both.size:,}." * (both.size > ROWS)
    shown = zip(both[:ROWS].tolist(), x.tolist(), y.tolist(), strict=True)
    rows = [[lists[n], f"{a:.{precision}f}", f"{b:.{precision}f}"] for n, a, b in shown]
    title = f"{measure} of {one} and {other}"
    axes = f"{measure} of {one}", f"{measure} of {other}"
    points = list(zip(x.tolist(), y.tolist(), strict=True))
    square = Square(points, axes, (low, high, low, high), False, ((low, low), (high, high)))
    return curve("duel", title, caption, square, texts(title, [units, one, other], rows))
