"""How far orders by several measures agree, and how many pairs a measure separates."""

from __future__ import annotations

import numpy as np

from scorer.stats.units import Floats, Ints


def separated(p: Floats, alpha: float) -> tuple[int, int]:
    """How many pairs of submissions a test separates at `alpha`, and of how many.

    Their share is the discriminative power of a measure (Sakai, "Evaluating evaluation metrics
    based on the bootstrap", SIGIR 2006). `p` is (submissions, submissions), symmetric; NaN is no
    pair.

    >>> separated(np.array([[1, 0.01, 0.2], [0.01, 1, np.nan], [0.2, np.nan, 1]]), 0.05)
    (1, 2)
    """
    pairs = p[np.triu_indices(len(p), 1)]
    return int((pairs <= alpha).sum()), int((~np.isnan(pairs)).sum())


def ap_correlation(one: Ints, other: Ints) -> float:
    """AP correlation of two orders, in which disagreement at the top weighs more.

    The symmetric form of Yilmaz, Aslam and Robertson (SIGIR 2008): the mean of going down either.
    Ones that share a rank in the order that one goes down are not above each other; where they
    share it in the other order alone, they are half rightly above. Both are ranks,
    (submissions,), 1 the best. NaN where an order has all on one rank.

    >>> round(ap_correlation(np.array([1, 2, 3, 4]), np.array([2, 1, 3, 4])), 4)
    0.3333
    """
    return (_down(one, other) + _down(other, one)) / 2


def _down(order: Ints, other: Ints) -> float:
    """The correlation of going down one order."""
    above = order < order[:, None]  # (of whom, who)
    rightly = (other < other[:, None]) + (other == other[:, None]) / 2
    below = above.any(axis=1)
    if not below.any():
        return np.nan
    shares = (rightly * above)[below].sum(axis=1) / above[below].sum(axis=1)
    return float(2 * shares.mean() - 1)
