"""Rank-biased precision."""

import numpy as np

from scorer.metrics.base import metric
from scorer.metrics.params import Persistence, Relevant
from scorer.metrics.quotient import Quotient
from scorer.views.hits import Judged


@metric(
    "RBP",
    title="Rank-biased precision",
    source="Moffat and Zobel, ACM TOIS 27(1), 2008, doi:10.1145/1416950.1416952",
    elsewhere={
        "ir_measures": "RBP; without rel it adds grades up",
        "ranx": "rbp; it adds grades up",
        "lenskit": "RBP; its p is .85 by default",
    },
    formula=r"(1 - $p) \sum_{i=1}^{n} r_i \cdot $p^{i-1}",
    expected=True,
    mean_rank=True,
)
def rbp(judged: Judged, *, p: Persistence, rel: Relevant = 1) -> Quotient:
    """The relevant items per item looked at, for a reader who goes on with chance p each time.

    (1 - p) times the sum of p^(i - 1) over the ranks i of relevant items. Tools
    differ in p, so it must be given: ir_measures takes .8, lenskit .85; the
    paper tries .5, .8 and .95. Some, such as ranx, and ir_measures without a
    `rel`, add up grades instead of counting relevant items; that is the
    formula for grades in 0 to 1 and exceeds 1 for others.

    Returned a, x, b; a and b are relevant:

    >>> judged = Judged.of((["a", "x", "b"], {"a": 1, "b": 1}))
    >>> rbp(judged, p=0.5).values                   # 1/2 * (1 + 1/4)
    array([0.625])
    """
    hits = judged.hits.relevant(rel)
    weight = hits.at(lambda rank: p ** (rank - 1))
    weights = hits.total(weight)
    return Quotient(
        (1 - p) * weights,
        None,
        "(1 - p) × sum of p^(rank - 1)",
        lambda: (hits, {"weight": weight, "running total": np.cumsum(weight)}),
        "(1 - {}) × {}",
        (p, weights),
    )
