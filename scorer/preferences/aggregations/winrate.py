"""The mean win rate."""

from scorer.core.arrays import Floats
from scorer.preferences.base import Order, aggregation, ordered, wins


@aggregation(
    "WinRate",
    title="Mean win rate",
    source="Liang and others, Holistic Evaluation of Language Models, TMLR 2023, "
    "doi:10.48550/arXiv.2211.09110",
)
def winrate(preferences: Floats) -> Order:
    """The share of the other submissions that one ranks above, in the mean over lists.

    A tie counts half: it is Borda's count over the number of the others, from 0 to 1.

    Two lists rank a above b above c, one ranks c above a and b, which tie:

    >>> import numpy as np
    >>> lists = np.array([[2, 2, 0], [1, 1, 0], [0, 0, 1]])     # a, b, c: higher is better
    >>> winrate(np.sign(lists[:, None] - lists[None])).scores.round(4)       # Borda's over 2
    array([0.75  , 0.4167, 0.3333])
    """
    won, (count, _, lists) = wins(preferences), preferences.shape
    return ordered((1 + (won - won.T).sum(axis=1) / lists / max(1, count - 1)) / 2)
