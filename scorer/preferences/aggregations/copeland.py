"""Copeland's method."""

from scorer.core.arrays import Floats
from scorer.preferences.base import Order, aggregation, majority, ordered


@aggregation(
    "Copeland",
    title="Copeland's method",
    source="Saari and Merlin, The Copeland method, Economic Theory 8, 1996, doi:10.1007/BF01212012",
    range=(0, None),
)
def copeland(preferences: Floats) -> Order:
    """How many submissions one beats, each by a majority of the lists; a draw counts half.

    It beats another when more lists rank it above than below. A list ranks the
    submissions by the sum of their preferences in it, and equal sums tie. One
    that beats every other is first. Others count a win as 1, a defeat as -1 and
    a draw as 0, which gives the same order. pref_eval does not have it.

    Two lists rank a above b above c, one ranks c above a and b, which tie:

    >>> import numpy as np
    >>> lists = np.array([[2, 2, 0], [1, 1, 0], [0, 0, 1]])     # a, b, c: higher is better
    >>> copeland(np.sign(lists[:, None] - lists[None]))         # a beats b and c, b beats c
    Order(groups=((0,), (1,), (2,)), scores=array([2., 1., 0.]))
    """
    beats = majority(preferences).astype(float)
    return ordered(((len(beats) - 1) + (beats - beats.T).sum(axis=1)) / 2)
