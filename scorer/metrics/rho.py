"""Spearman's rho."""

import numpy as np

from scorer.judged import Floats, Judged, ratio
from scorer.measures import metric


@metric(
    "Rho",
    title="Spearman's rho",
    source="Spearman, American Journal of Psychology 15(1), 1904, doi:10.2307/1412159",
    range=(-1, 1),
    aliases=("Spearman", "SpearmanRho"),
    expected=True,
)
def rho(judged: Judged) -> Floats:
    """The correlation of the items' ranks in the submission and in the truth, -1 to 1.

    Over the items that both rank, ranked anew among themselves. Tied items
    share their mean rank, as in scipy's spearmanr; items of equal score are
    tied, whatever rule for ties ranks them. Undefined where either ties all.

    The order b, a, c where the truth has a, b, c; ranks differ by 1, 1 and 0:

    >>> judged = Judged.of((["b", "a", "c"], {"a": 3, "b": 2, "c": 1}))
    >>> rho(judged)                                 # 1 - 6 * (1 + 1 + 0) / (3 * 8)
    array([0.5])
    """
    hits = judged.hits
    items = hits.total()[hits.in_list]
    # twice the mean rank's distance from the middle: whole numbers, so that sums are exact
    mine, best = (
        2 * low + tied - items for low, tied in map(hits.ordered, (hits.before, -hits.grade))
    )
    return ratio(
        hits.total(mine * best), np.sqrt(hits.total(mine * mine) * hits.total(best * best))
    )
