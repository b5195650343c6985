"""Inferred average precision."""

import numpy as np

from scorer.core.arrays import Floats, Ints
from scorer.metrics.base import metric
from scorer.metrics.params import Relevant
from scorer.metrics.quotient import Quotient, Table
from scorer.views.hits import Hits, Judged

EPSILON = 0.00001  # trec_eval's


@metric(
    "InfAP",
    title="Inferred average precision",
    source="Yilmaz and Aslam, CIKM 2006, doi:10.1145/1183614.1183633; as trec_eval's infAP",
    elsewhere={
        "trec_eval": "infAP",
        "ir_measures": "infAP",
    },
    formula=r"\frac{1}{R} \sum_{i=1}^{n} \frac{r_i}{i} \left(1 + d_i \frac{h_{i-1} + \epsilon}{a_i "
    r"+ 2 \epsilon}\right), \qquad \epsilon = 10^{-5}, \qquad d_i = \text{pooled items "
    r"above rank } i, \qquad a_i = \text{judged items above rank } i",
    undefined="nothing is relevant in the truth",
)
def infap(judged: Judged, *, rel: Relevant = 1) -> Quotient:
    """Average precision, estimated where only a sample of the pool was judged.

    A grade below 0, by convention -1, means pooled but not judged: such items
    are taken to be relevant as often as the judged ones above the same rank.
    Items without any grade were not pooled and are not relevant. The sum is
    divided by the relevant items known. Smoothed as in trec_eval, by .00001.

    Returned a, u, n, b; a and b are relevant, u pooled but not judged, n not relevant.
    At rank 4 all 3 items above are pooled, and 1 of the 2 judged is relevant:

    >>> judged = Judged.of((["a", "u", "n", "b"], {"a": 1, "b": 1, "u": -1, "n": 0}))
    >>> infap(judged).values.round(4)               # (1 + (1/4 + 3/4 * 3/3 * 1/2)) / 2
    array([0.8125])
    """
    hits, pooled, sampled, inferred = _inferred(judged.hits, rel)

    def table() -> Table:
        above = {"pooled above": pooled, "judged above": sampled, "relevant above": hits.nth() - 1}
        return hits, above | {"precision": inferred, "running total": np.cumsum(inferred)}

    return Quotient(hits.total(inferred), judged.ideal.count(rel), "sum / R", table, relevant=rel)


def _inferred(hits: Hits, rel: float) -> tuple[Hits, Ints, Ints, Floats]:
    """The relevant hits, how many items above each are pooled and judged, and its precision."""
    relevant, judged = hits.relevant(rel), hits.relevant(0)
    above = relevant.rank - 1.0
    pooled = hits.nth()[hits.grade >= rel] - 1
    sampled = judged.nth()[judged.grade >= rel] - 1
    share = (relevant.nth() - 1 + EPSILON) / (sampled + 2 * EPSILON)
    inferred = 1 / relevant.rank + above / relevant.rank * (pooled / np.maximum(above, 1)) * share
    return relevant, pooled, sampled, inferred
