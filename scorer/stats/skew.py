"""Student's t of values that are skew."""

from __future__ import annotations

import math

import numpy as np

from scorer.stats.units import Floats

STEEP = 0.8  # skew times the limit, above which ends are far apart and cover no more
MOST = (
    3 / STEEP * (1 - math.cbrt(1 - STEEP))
)  # by which a |t| shrinks at most: where it is so steep


def unskewed(t: Floats, skew: Floats, count: int) -> Floats:
    """What t would be of values that are not skew, no nearer to 0 than |t| / 1.56.

    Hall, "On the removal of skewness by transformation", J. Royal Statistical Society B 54,
    1992: monotone, so that it is undone by the ends of `intervals`.

    >>> unskewed(np.array([-3.0, 3.0]), np.array([1.0, 1.0]), 20).round(2)
    array([-2.34,  3.76])
    """
    at = t / math.sqrt(count)
    moved = at + skew * at**2 / 3 + skew**2 * at**3 / 27 + skew / (6 * count)
    moved = np.sign(t) * np.maximum(np.sign(t) * moved, np.abs(at) / MOST)
    return np.asarray(moved * math.sqrt(count))
