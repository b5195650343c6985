"""Tiers of standings, and ranges of ranks."""

from __future__ import annotations

from typing import Literal

from scorer.stats.paired import Floats


def tiers(p: Floats, alpha: float = 0.05) -> list[int]:
    """The tier of each standing, from 1: standings that cannot be told apart from its head.

    A tier opens with the best standing not yet placed and takes those after it until the first
    that differs significantly (p <= alpha) from the tier's head. Two of one tier may still
    differ from each other; `rank_ranges` says more.

    Args:
        p: (standings, standings), corrected, in the order of the board: best first.
        alpha: The chance of any false difference that is accepted.

    >>> import numpy as np
    >>> tiers(np.array([[1, 0.3, 0.01], [0.3, 1, 0.2], [0.01, 0.2, 1]]))
    [1, 1, 2]
    """
    placed: list[int] = []
    head, tier = 0, 1
    for standing in range(len(p)):
        if p[head, standing] <= alpha and standing != head:
            head, tier = standing, tier + 1
        placed.append(tier)
    return placed


def rank_ranges(
    difference: Floats,
    p: Floats,
    alpha: float = 0.05,
    better: Literal["higher", "lower"] = "higher",
) -> list[tuple[int, int]]:
    """The best and the worst rank each submission could truly have.

    From 1 + the number significantly better to n - the number significantly worse.

    Args:
        difference: (submissions, submissions), mean of the row less mean of the column.
        p: The same shape, corrected; significant is p <= alpha.
        alpha: The chance of any false difference that is accepted.
        better: Whether higher or lower means are better.

    >>> import numpy as np
    >>> p = np.array([[1, 0.3, 0.01], [0.3, 1, 0.2], [0.01, 0.2, 1]])
    >>> rank_ranges(np.subtract.outer([0.9, 0.8, 0.6], [0.9, 0.8, 0.6]), p)
    [(1, 2), (1, 3), (2, 3)]
    """
    lead = difference if better == "higher" else -difference
    behind = ((p <= alpha) & (lead < 0)).sum(axis=1)
    ahead = ((p <= alpha) & (lead > 0)).sum(axis=1)
    return list(zip((1 + behind).tolist(), (len(p) - ahead).tolist(), strict=True))
