"""The mean rank."""

from scorer.core.arrays import Floats
from scorer.preferences.base import Order, aggregation, ordered, wins


@aggregation(
    "MeanRank",
    title="Mean rank",
    source="Friedman, JASA 32(200), 1937, doi:10.1080/01621459.1937.10503522",
    range=(None, -1),
)
def meanrank(preferences: Floats) -> Order:
    """The rank that one has in the mean over lists: the least is best.

    Equal ones share the mean of their ranks, 1, 2.5, 2.5, 4, so that its order is Borda's. Where
    the highest score is to be first, its negative stands for it.

    Two lists rank a above b above c, one ranks c above a and b, which tie:

    >>> import numpy as np
    >>> lists = np.array([[2, 2, 0], [1, 1, 0], [0, 0, 1]])     # a, b, c: higher is better
    >>> order = meanrank(np.sign(lists[:, None] - lists[None]))
    >>> -order.scores.round(4)     # (1 + 1 + 2.5) / 3, (2 + 2 + 2.5) / 3, (3 + 3 + 1) / 3
    array([1.5   , 2.1667, 2.3333])
    """
    won, (count, _, lists) = wins(preferences), preferences.shape
    return ordered(((won - won.T).sum(axis=1) / lists - (count + 1)) / 2)
