"""The greatest of many pairs' differences, of which few are worked out exactly.

Numbers of single precision, which take half the time, tell which draws a submission's pairs may
raise; these are worked out in double precision. So the result is that of all pairs, to the bit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scorer.stats.family import pair_places
from scorer.stats.units import Floats

DRAWS = 1024  # at a time, for their numbers to stay near the processor
SLACK = 2.0**-20  # more than what single precision takes from numbers of at most 1


class Greatest:
    """The greatest of |a - b| times a scale over all pairs, for each draw."""

    def __init__(self, rows: int, others: int | None, scale: Floats) -> None:
        """Lay out the scales.

        Of `rows` submissions, paired with `others`, or with each other; `scale`, (pairs,), is not
        negative, in the order of `pair_places`.
        """
        a, b = pair_places(rows, others)
        whole = np.zeros((rows, rows if others is None else others))
        whole[a, b] = scale
        self._order, self._one_group = np.arange(rows), others is None
        if others is None:
            whole[b, a] = scale
            # a great one, once found, spares working out most of the others
            self._order = np.argsort(-whole.sum(axis=0), kind="stable")
            whole = whole[np.ix_(self._order, self._order)]
        self._scale, self._largest = whole, float(whole.max(initial=0)) or 1.0
        self._near = (whole / self._largest).astype(np.float32)
        self._slack = SLACK * whole.max(axis=1, initial=0) / self._largest

    def __call__(self, first: Floats, second: Floats | None) -> Floats:
        """(draws,), of sums (rows, draws) and those (others, draws) that they are paired with."""
        first = first[self._order]
        others = first if second is None else second
        parts = range(0, first.shape[1], DRAWS)
        each = [self._greatest(first[:, n : n + DRAWS], others[:, n : n + DRAWS]) for n in parts]
        return np.concatenate([np.empty(0), *each])

    def _greatest(self, first: Floats, others: Floats) -> Floats:
        unit = float(max(np.abs(first).max(), np.abs(others).max())) or 1.0
        near, near_others = _single(first / unit), _single(others / unit)
        one, all_others = np.ascontiguousarray(first.T), np.ascontiguousarray(others.T)
        room, top = np.empty_like(near_others), np.zeros(first.shape[1])
        for n, row in enumerate(near):
            rest = slice(n + 1 if self._one_group else 0, None)
            apart = np.subtract(near_others[rest], row, out=room[rest])
            np.abs(apart, out=apart)
            apart *= self._near[n, rest, None]
            bound = apart.max(axis=0, initial=0) + self._slack[n]
            draw = np.flatnonzero(bound > top / (unit * self._largest))
            exact = np.abs(all_others[draw, rest] - one[draw, n, None]) * self._scale[n, rest]
            top[draw] = np.maximum(top[draw], exact.max(axis=1, initial=0))
        return top


def _single(values: Floats) -> NDArray[np.float32]:
    return np.ascontiguousarray(values, dtype=np.float32)
