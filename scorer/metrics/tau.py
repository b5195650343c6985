"""Kendall's tau."""

import numpy as np

from scorer.judged import Floats, Judged, ratio
from scorer.measures import metric


@metric(
    "Tau",
    title="Kendall's tau-b",
    source="Kendall, Biometrika 33(3), 1945, doi:10.1093/biomet/33.3.239",
    range=(-1, 1),
    aliases=("Kendall", "KendallTau"),
    expected=True,
)
def tau(judged: Judged) -> Floats:
    """How many more pairs of items are in the truth's order than against it, in -1 to 1.

    Over the items that both rank. tau-b: pairs tied in the submission or in
    the truth are neither, and the divisor is the geometric mean of the pairs
    that each does not tie, as in scipy's kendalltau. Items of equal score are
    tied, whatever rule for ties ranks them. Undefined where either ties all.

    The order b, a, c where the truth has a first and ties the others:

    >>> judged = Judged.of((["b", "a", "c"], {"a": 2, "b": 1, "c": 1}))
    >>> tau(judged)                                 # (1 - 1) / sqrt(3 * 2)
    array([0.])
    """
    hits = judged.hits
    mine, mine_tied = hits.ordered(hits.before)
    best, best_tied = hits.ordered(-hits.grade)
    _, both_tied = hits.ordered(mine * (best.max(initial=0) + 1) + best)
    items = hits.total()
    pairs = items * (items - 1) / 2
    ties, best_ties, both_ties = (hits.total(t - 1) / 2 for t in (mine_tied, best_tied, both_tied))
    # tied items worst first, so that none of them agrees with another
    agreed = hits.total(hits.earlier(best[np.lexsort((-best, mine, hits.in_list))]))
    against = pairs - ties - best_ties + both_ties - agreed
    return ratio(agreed - against, np.sqrt((pairs - ties) * (pairs - best_ties)))
