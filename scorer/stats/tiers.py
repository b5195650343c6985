"""Tiers of standings, and ranges of ranks."""

from __future__ import annotations

import numpy as np

from scorer.stats.units import Floats


def tiers(p: Floats, lead: Floats, alpha: float = 0.05) -> list[int]:
    """The tier of each standing, from 1.

    Between two tiers everything above is significantly better than everything below (WMT's
    clusters: Bojar et al., "Findings of the 2013 Workshop on Statistical Machine Translation",
    section 3). So two of different tiers always differ; two of one tier may.

    Args:
        p: (standings, standings), corrected, in the order of the board: best first. NaN, as
            where a pair has no lists in common, is not significant.
        lead: The same shape, above 0 where the row is better than the column.

    >>> p = np.array([[1, 0.3, 0.01], [0.3, 1, 0.2], [0.01, 0.2, 1]])
    >>> lead = np.array([[0, 1, 1], [-1, 0, 1], [-1, -1, 0]])
    >>> tiers(p, lead)
    [1, 1, 1]
    """
    better = (p <= alpha) & (lead > 0)
    placed: list[int] = []
    # no border stands between two of which the upper is not significantly better
    reach = 0
    for standing in range(len(p)):
        border = standing > reach
        placed.append(placed[-1] + border if placed else 1)
        below = np.flatnonzero(~better[standing, standing + 1 :])
        reach = max(reach, standing, standing + 1 + int(below[-1]) if below.size else standing)
    return placed


def rank_ranges(p: Floats, lead: Floats, alpha: float = 0.05) -> list[tuple[int, int]]:
    """The best and the worst rank each submission could truly have.

    From 1 + the number significantly better to n - the number significantly worse. As p is
    corrected for all pairs, all ranges hold at once with a probability of 1 - alpha (Mogstad,
    Romano, Shaikh & Wilhelm, "Inference for ranks", Review of Economic Studies 91, 2024). Both are
    of shape (submissions, submissions); p is corrected, significant if <= alpha, NaN is not. `lead`
    is above 0 where the row is better than the column.

    >>> p = np.array([[1, 0.3, 0.01], [0.3, 1, 0.2], [0.01, 0.2, 1]])
    >>> rank_ranges(p, np.subtract.outer([0.9, 0.8, 0.6], [0.9, 0.8, 0.6]))
    [(1, 2), (1, 3), (2, 3)]
    """
    behind = ((p <= alpha) & (lead < 0)).sum(axis=1)
    ahead = ((p <= alpha) & (lead > 0)).sum(axis=1)
    return list(zip((1 + behind).tolist(), (len(p) - ahead).tolist(), strict=True))
