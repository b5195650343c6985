"""Pareto fronts: who dominates whom."""

from __future__ import annotations

import numpy as np

from scorer.stats.units import Floats, Mask


def dominates(axes: Floats) -> Mask:
    """Return whether the row dominates the column: nowhere worse, and somewhere better.

    `axes`, (submissions, axes), of each of which more is better, is complete.

    >>> dominates(np.array([[0.9, -3.0], [0.8, -3.0], [0.7, -1.0]])).astype(int).tolist()
    [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
    """
    nowhere_worse = np.ones((len(axes), len(axes)), dtype=bool)
    for axis in axes.T:
        nowhere_worse &= axis[:, None] >= axis
    return np.asarray(nowhere_worse & ~nowhere_worse.T)
