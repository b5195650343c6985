"""Sums of ranks."""

import numpy as np

from scorer.core.arrays import Floats
from scorer.preferences.base import NOISE, Order, aggregation, ordered, totals


@aggregation(
    "RankSum",
    title="Sum of ranks",
    source="Friedman, JASA 32(200), 1937, doi:10.1080/01621459.1937.10503522",
    range=(None, -1),
)
def ranksum(preferences: Floats) -> Order:
    """The ranks that one has, added up: the least sum is best. Its score is the negative sum.

    Equal ones share the best of their ranks: 1, 2, 2, 4. Without ties it is the order of Borda.

    Two lists rank a above b above c, one ranks c above a and b, which tie:

    >>> import numpy as np
    >>> lists = np.array([[2, 2, 0], [1, 1, 0], [0, 0, 1]])     # a, b, c: higher is better
    >>> order = ranksum(np.sign(lists[:, None] - lists[None]))
    >>> -order.scores                   # 1 + 1 + 2, 2 + 2 + 2, 3 + 3 + 1
    array([4., 6., 7.])
    """
    return ordered(-ranks(preferences).sum(axis=1).astype(np.float64))


def ranks(preferences: Floats) -> Floats:
    """The rank of each submission in each list, from 1; equal ones share the best."""
    sums = totals(preferences)
    above = sums[:, None, :] < sums[None, :, :] - NOISE * len(sums)
    rank: Floats = 1.0 + above.sum(axis=1, dtype=np.float64)
    return rank
