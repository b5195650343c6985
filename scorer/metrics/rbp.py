"""Rank-biased precision."""

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula
from scorer.metrics.explain.tables import Listing, ranked_table
from scorer.metrics.params import Persistence, Relevant
from scorer.views.hits import Judged


def _explain(listing: Listing[Judged], value: float, *, p: float, rel: float) -> Steps:
    hits = listing.view.hits.relevant(rel)
    weight = hits.at(lambda rank: p ** (rank - 1))
    yield ranked_table(listing, hits, {"weight": weight, "running total": np.cumsum(weight)})
    symbols, numbers = "(1 - p) × sum of p^(rank - 1)", "(1 - {}) × {}"
    yield formula("RBP", symbols, numbers, p, weight.sum(), value=value)


@metric(
    "RBP",
    title="Rank-biased precision",
    source="Moffat and Zobel, ACM TOIS 27(1), 2008, doi:10.1145/1416950.1416952",
    expected=True,
    mean_rank=True,
    explain=_explain,
)
def rbp(judged: Judged, *, p: Persistence, rel: Relevant = 1) -> Floats:
    """The relevant items per item looked at, for a reader who goes on with chance p each time.

    (1 - p) times the sum of p^(i - 1) over the ranks i of relevant items. Tools
    differ in p, so it must be given: ir_measures takes .8, lenskit .85; the
    paper tries .5, .8 and .95. Some, such as ranx, and ir_measures without a
    `rel`, add up grades instead of counting relevant items; that is the
    formula for grades in 0 to 1 and exceeds 1 for others.

    Returned a, x, b; a and b are relevant:

    >>> judged = Judged.of((["a", "x", "b"], {"a": 1, "b": 1}))
    >>> rbp(judged, p=0.5)                          # 1/2 * (1 + 1/4)
    array([0.625])
    """
    hits = judged.hits.relevant(rel)
    return (1 - p) * hits.total(hits.at(lambda rank: p ** (rank - 1)))
