"""How often each submission takes each rank: dots, as large as the share."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from scorer.core.arrays import Floats
from scorer.reports.document import texts
from scorer.reports.pictures import draw
from scorer.reports.pictures.draw import LINE, Canvas, Figure

MOST, ROW, WIDEST = 15, 20.0, 44.0  # names and ranks; the height of a row, the width of a column
LEVEL = 0.95  # of the line through the ranks that a submission mostly takes


def blobs(title: str, caption: str, names: Sequence[str], shares: Floats) -> Figure | None:
    """A dot for each name and rank; None of fewer than two names.

    Args:
        title: of the picture.
        caption: what was drawn; how dots are read is added.
        names: in the order of the board.
        shares: (names, ranks), how often each takes each, of 1.
    """
    if len(names) < 2:
        return None
    shown = names[:MOST]
    caption += (
        f" The area of a dot goes by the share of draws with that rank, the line holds "
        f"{LEVEL:.0%} of them, and the tick is the median."
    )
    if len(names) > MOST:
        caption += f" The first {MOST} of {len(names):,} names and ranks."
    rows = [
        [name, *(f"{100 * share:.0f}" for share in row)]
        for name, row in zip(shown, shares[:MOST, :MOST].tolist(), strict=True)
    ]
    head = ["name", *(f"{n:,}" for n in range(1, len(shown) + 1))]
    numbers = texts(f"{title}, in per cent", head, rows)
    return Figure("blobs", title, caption, lambda wide: _blobs(shown, shares, wide), numbers)


def _blobs(names: Sequence[str], shares: Floats, wide: float) -> Canvas:
    called = draw.names_width(names, wide * 0.34)
    left, top = called + 8, 2.1 * LINE
    step = min((wide - left - 4) / len(names), WIDEST)
    largest, every = min(step, ROW) / 2 - 0.5, max(1, round(0.5 + 18 / step))
    across = [left + step * (n + 0.5) for n in range(len(names))]
    most = float(shares[: len(names), : len(names)].max()) or 1.0
    parts = [draw.words(left, LINE - 4, "rank", "axis-name")]
    parts += [
        draw.words(x, top - 5, f"{n}", "tick", "middle")
        for n, x in enumerate(across, start=1)
        if n == 1 or n % every == 0
    ]
    for row, name in enumerate(names):
        y = top + ROW * (row + 0.5)
        parts.append(draw.words(0, y + 4, draw.fitted(name, called + 1)))
        low, middle, high = _quantiles(shares[row], len(names))
        parts.append(draw.stroke(across[low], y, across[high], y, "axis"))
        for n, share in enumerate(shares[row, : len(names)].tolist()):
            if share >= 0.005:
                said = f"{name}, rank {n + 1}: {100 * share:.0f} %"
                parts.append(draw.dot(across[n], y, "dot", said, largest * math.sqrt(share / most)))
        parts.append(draw.stroke(across[middle], y - 5, across[middle], y + 5, "median"))
    return Canvas(top + ROW * len(names) + LINE / 2, "".join(parts))


def _quantiles(row: Floats, most: int) -> tuple[int, int, int]:
    """The columns of the low end, the median and the high end of the ranks, at most the last."""
    whole = np.cumsum(row)
    ends = (whole[-1] * share for share in ((1 - LEVEL) / 2, 0.5, (1 + LEVEL) / 2))
    low, middle, high = (min(int(np.searchsorted(whole, end - 1e-9)), most - 1) for end in ends)
    return low, middle, high
