"""The greatest of many pairs' differences, without working out each of them.

Rounding keeps the order of numbers: what no difference of a group of pairs can exceed is not
exceeded by one that is worked out, either. So the result is that of all of them, to the bit.
"""

from __future__ import annotations

import numpy as np

from scorer.stats.family import pair_places
from scorer.stats.units import Floats

TOGETHER = 8  # others that are held against one by their bounds
OFTEN = 8  # groups that may have it in one of so many draws are worked out as a whole


class Greatest:
    """The greatest of |a - b| times a scale over all pairs, for each draw."""

    def __init__(self, rows: int, others: int | None, scale: Floats) -> None:
        """Lay out the scales.

        Of `rows` submissions, paired with `others`, or with each other; `scale`, (pairs,), is not
        negative, in the order of `pair_places`.
        """
        count = rows if others is None else others
        a, b = pair_places(rows, others)
        whole = np.zeros((rows, count))
        whole[a, b] = scale
        if others is None:
            whole[b, a] = scale
        self._one_group = others is None
        # Alike scales in a group make its bound a close one.
        order = np.argsort(whole.sum(axis=0), kind="stable")
        filled = np.concatenate([order, np.repeat(order[-1:], -count % TOGETHER)])
        self._groups = filled.reshape(-1, TOGETHER)
        self._rows = order if self._one_group else np.arange(rows)
        self._scale = whole[:, self._groups]
        self._most = self._scale.max(axis=2)[:, :, None]

    def __call__(self, first: Floats, second: Floats | None) -> Floats:
        """(draws,), of sums (rows, draws) and those (others, draws) that they are paired with."""
        others = (first if second is None else second)[self._groups]
        high, low = others.max(axis=1), others.min(axis=1)
        top = np.zeros(first.shape[1])
        many = top.size // OFTEN
        for place, n in enumerate(self._rows):
            start = place // TOGETHER if self._one_group else 0
            row = first[n]
            bound = high[start:] - row
            np.maximum(bound, row - low[start:], out=bound)
            bound *= self._most[n, start:]
            above = bound > top
            often = np.count_nonzero(above, axis=1) > many
            for whole in np.flatnonzero(often) + start:
                differences = np.abs(others[whole] - row)
                differences *= self._scale[n, whole][:, None]
                np.maximum(top, differences.max(axis=0), out=top)
            above[often] = False
            group, draw = np.nonzero(above)
            if draw.size:
                group += start
                differences = np.abs(others[group, :, draw] - row[draw, None])
                differences *= self._scale[n, group]
                np.maximum.at(top, draw, differences.max(axis=1))
        return top
