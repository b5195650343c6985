"""The greatest of many pairs' differences, of which few are worked out exactly.

Numbers of single precision, which take half the time, tell which submissions may have it in a
draw; their pairs are worked out in double precision. So the result is that of all, to the bit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scorer.stats.family import pair_places
from scorer.stats.units import Floats

DRAWS = 1024  # at a time, for their numbers to stay near the processor
ROOM = 1_000_000  # differences that are worked out exactly at a time: 8 MB
SLACK = 2.0**-20  # more than what single precision takes from numbers of at most 1


class Greatest:
    """The greatest of |a - b| times a scale over all pairs, for each draw."""

    def __init__(self, rows: int, others: int | None, scale: Floats) -> None:
        """Lay out the scales.

        Of `rows` submissions, paired with `others`, or with each other; `scale`, (pairs,), is not
        negative, in the order of `pair_places`.
        """
        self._one_group = others is None
        self._scale = np.zeros((rows, rows if others is None else others))
        self._scale[pair_places(rows, others)] = scale
        shares = self._scale / (float(scale.max(initial=0)) or 1.0)
        self._near = _single(shares)[:, :, None]
        self._slack = SLACK * shares.max(axis=1, initial=0)[:, None]

    def __call__(self, first: Floats, second: Floats | None) -> Floats:
        """(draws,), of sums (rows, draws) and those (others, draws) that they are paired with."""
        others = first if second is None else second
        parts = range(0, first.shape[1], DRAWS)
        each = [self._greatest(first[:, n : n + DRAWS], others[:, n : n + DRAWS]) for n in parts]
        return np.concatenate([np.empty(0), *each])

    def _greatest(self, first: Floats, others: Floats) -> Floats:
        unit = float(max(np.abs(first).max(), np.abs(others).max())) or 1.0
        near, near_others = _single(first / unit), _single(others / unit)
        room, most = np.empty_like(near_others), np.zeros_like(near)
        for n, row in enumerate(near):
            rest = slice(n + 1 if self._one_group else 0, None)
            apart = np.subtract(near_others[rest], row, out=room[rest])
            np.abs(apart, out=apart)
            apart *= self._near[n, rest]
            apart.max(axis=0, initial=0, out=most[n])
        least = (most - self._slack).max(axis=0)
        draws, rows = np.nonzero((most + self._slack >= least).T)
        top, one, all_others = np.zeros(first.shape[1]), first.T, np.ascontiguousarray(others.T)
        for part in np.array_split(np.arange(draws.size), draws.size * len(others) // ROOM + 1):
            draw, row = draws[part], rows[part]
            exact = np.abs(all_others[draw] - one[draw, row, None])
            exact *= self._scale[row]
            np.maximum.at(top, draw, exact.max(axis=1, initial=0))
        return top


def _single(values: Floats) -> NDArray[np.float32]:
    return np.ascontiguousarray(values, dtype=np.float32)
