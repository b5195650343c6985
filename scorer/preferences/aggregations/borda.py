"""Borda's count."""

from scorer.core.arrays import Floats
from scorer.preferences.base import Order, aggregation, ordered, wins


@aggregation(
    "Borda",
    title="Borda count",
    source="Dwork, Kumar, Naor and Sivakumar, WWW 2001, doi:10.1145/371920.372165",
    range=(0, None),
)
def borda(preferences: Floats) -> Order:
    """How many submissions one ranks above, in the mean over lists; a tie counts half.

    A list ranks the submissions by the sum of their preferences in it, and
    equal sums tie. The paper counts so; pref_eval counts one more for each
    list, does not share the points of a tie but gives the more to the name that
    is later in the alphabet, and orders equal counts so too.

    Two lists rank a above b above c, one ranks c above a and b, which tie:

    >>> import numpy as np
    >>> lists = np.array([[2, 2, 0], [1, 1, 0], [0, 0, 1]])     # a, b, c: higher is better
    >>> order = borda(np.sign(lists[:, None] - lists[None]))
    >>> order.scores.round(4)          # (2 + 2 + 1/2) / 3, (1 + 1 + 1/2) / 3, (0 + 0 + 2) / 3
    array([1.5   , 0.8333, 0.6667])
    >>> order.groups
    ((0,), (1,), (2,))
    """
    won, (count, _, lists) = wins(preferences), preferences.shape
    return ordered(((count - 1) + (won - won.T).sum(axis=1) / lists) / 2)
