"""What RBO and Compat share: how far two rankings agree, counted by their common items."""

from __future__ import annotations

import numpy as np

from scorer.core.arrays import Floats, Ints

SMALLEST = 1e-300  # weights below are 0 beside any other


class Agreement:
    """Sums over depths of weights that shrink by p from each depth to the next.

    An item at rank a of one list and b of the other is common to both from depth max(a, b) on, so
    that a sum over depths is a sum over common items. `p` is the weight of a depth over the weight
    of the depth before; `deepest` is the last depth.
    """

    def __init__(self, p: float, deepest: int) -> None:
        far = int(np.log(SMALLEST) / np.log(p)) + 1
        self._far = min(deepest, far)
        depth = np.arange(1, self._far + 1, dtype=np.float64)
        weight = p ** (depth - 1)
        self._weights = np.concatenate([[0.0], np.cumsum(weight)])
        self._shares = np.concatenate([[0.0], np.cumsum(weight / depth)])

    def weights(self, start: Ints, end: Ints) -> Floats:
        """The sum of p^(d - 1) over the depths d from start to end."""
        return self._between(self._weights, start, end)

    def shares(self, start: Ints, end: Ints) -> Floats:
        """The sum of p^(d - 1) / d over the depths d from start to end."""
        return self._between(self._shares, start, end)

    def _between(self, sums: Floats, start: Ints, end: Ints) -> Floats:
        last = np.minimum(end, self._far)
        return np.where(start <= end, sums[last] - sums[np.minimum(start - 1, self._far)], 0.0)
