"""Judged."""

import numpy as np

from scorer.metrics.base import metric
from scorer.metrics.params import Cutoff, Pooling
from scorer.metrics.quotient import Quotient
from scorer.metrics.statistic import Share
from scorer.views.hits import Judged as View


@metric(
    "Judged",
    title="Share of judged items",
    source="ir_measures' Judged, after OpenNIR",
    elsewhere={
        "ir_measures": "Judged",
    },
    formula=r"\frac{\sum_{i=1}^{$k} a_i}{\min($k, n)}, \qquad a_i = [\text{the item at rank } i "
    r"\text{ is judged}]",
    undefined="nothing is returned",
    expected=True,
    statistic=Share(),
)
def judged(judged: View, *, k: Cutoff, average: Pooling = "lists") -> Quotient:
    """The share of the first k ranks that the truth says anything about.

    Where it is low, other metrics say little. Any grade counts, also 0 and
    below. A list shorter than k is divided by its length, as in ir_measures;
    undefined for an empty one.

    Returned a, x, b; the truth knows a and b:

    >>> judged(View.of((["a", "x", "b"], {"a": 1, "b": 0})), k=10).values    # 2 / 3
    array([0.66666667])
    """
    hits, most = judged.hits, np.minimum(judged.returned, k)
    within = hits.within(k)
    return Quotient(
        hits.total(within), most, "judged / min(k, n)", lambda: (hits, {"judged": within})
    )
