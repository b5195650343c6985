"""Discounted cumulative gain."""

from scorer.metrics.base import metric
from scorer.metrics.explain.tables import gains
from scorer.metrics.params import Cutoff, Discount, Gain, discounts, gained
from scorer.metrics.quotient import Quotient, total
from scorer.views.hits import Judged


@metric(
    "DCG",
    title="Discounted cumulative gain",
    source="Järvelin and Kekäläinen, ACM TOIS 20(4), 2002, doi:10.1145/582415.582418",
    elsewhere={
        "ranx": "dcg; its dcg_burges is gain=exp2",
        "scikit-learn": "dcg_score; it averages over the orders of tied items, as ties: expected",
    },
    formula=r"\sum_{i=1}^{$k} \frac{$gain}{$discount}",
    range=(0, None),
    expected=True,
    mean_rank=True,
)
def dcg(
    judged: Judged, *, k: Cutoff | None = None, gain: Gain = "linear", discount: Discount = "log2"
) -> Quotient:
    """What a list's items are worth together, those further down less.

    An item at rank i adds its gain over log2(i + 1), as in trec_eval and ranx.
    The paper divides by log2(i) from rank 2 on: `discount=jarvelin`.

    Grades 3, 2 and none at ranks 1, 2 and 3:

    >>> judged = Judged.of((["a", "b", "x"], {"a": 3, "b": 2}))
    >>> dcg(judged).values.round(4)                     # 3 + 2 / log2(3)
    array([4.2619])
    >>> dcg(judged, gain="exp2", discount="jarvelin").values   # 7 + 3 / 1
    array([10.])
    """
    hits = judged.hits
    shares = hits.discounted(gained(hits.grade, gain), discounts(discount), k)
    return total(hits, shares, "sum of gain / discount", lambda: gains(hits, gain, discount, k))
