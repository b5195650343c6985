"""AP correlation."""

from typing import Literal

import numpy as np

from scorer.judged import Floats, Judged, ratio
from scorer.measures import metric


@metric(
    "TauAP",
    title="AP correlation",
    source="Yilmaz, Aslam and Robertson, SIGIR 2008, doi:10.1145/1390334.1390435",
    range=(-1, 1),
    strict_order=True,
)
def tauap(judged: Judged, *, over: Literal["submission", "truth"] = "submission") -> Floats:
    """How well the order agrees with the truth's, mistakes at the top weighing more; -1 to 1.

    For each item but the first, the share of the items above it that the truth
    puts above it too; the mean of these shares, times 2, less 1. Only items
    that both rank are looked at, and fewer than two of them are undefined. It
    is not symmetric: `over=truth` goes down the truth's order instead and asks
    the submission. The truth must be an order: equal grades in a list are a fault of it.

    The order b, a, c, d where the truth has a, b, c, d; above a is b, wrongly:

    >>> judged = Judged.of((["b", "a", "c", "d"], {"a": 5, "b": 4, "c": 3, "d": 2}))
    >>> tauap(judged).round(4)                      # 2/3 * (0/1 + 2/2 + 3/3) - 1
    array([0.3333])
    """
    hits = judged.hits
    place, rank = hits.ordered(hits.place)[0], hits.nth() - 1
    agreed = hits.earlier(place)
    if over == "truth":
        agreed = hits.earlier(rank[np.lexsort((place, hits.in_list))])
    shares = agreed / np.maximum(rank, 1)  # 0 for the first: nothing is above it
    return 2 * ratio(hits.total(shares), hits.total() - 1) - 1
