"""Discounted cumulative gain."""

from typing import Any

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, summed
from scorer.metrics.explain.tables import Listing, gains, ranked_table
from scorer.metrics.params import Cutoff, Discount, Gain, discounts, gained
from scorer.views.hits import Judged


def _explain(
    listing: Listing[Judged], value: float, *, k: int | None, gain: Any, discount: str
) -> Steps:
    hits = listing.view.hits if listing.view.hits.spread else listing.view.hits.top(k)
    columns = gains(hits, gain, discount, k)
    yield ranked_table(listing, hits, columns, k)
    yield summed("DCG", "sum of gain / discount", "{}", columns["contribution"], value)


@metric(
    "DCG",
    title="Discounted cumulative gain",
    source="Järvelin and Kekäläinen, ACM TOIS 20(4), 2002, doi:10.1145/582415.582418",
    range=(0, None),
    expected=True,
    mean_rank=True,
    explain=_explain,
)
def dcg(
    judged: Judged, *, k: Cutoff | None = None, gain: Gain = "linear", discount: Discount = "log2"
) -> Floats:
    """What a list's items are worth together, those further down less.

    An item at rank i adds its gain over log2(i + 1), as in trec_eval and ranx.
    The paper divides by log2(i) from rank 2 on: `discount=jarvelin`.

    Grades 3, 2 and none at ranks 1, 2 and 3:

    >>> judged = Judged.of((["a", "b", "x"], {"a": 3, "b": 2}))
    >>> dcg(judged).round(4)                            # 3 + 2 / log2(3)
    array([4.2619])
    >>> dcg(judged, gain="exp2", discount="jarvelin")   # 7 + 3 / 1
    array([10.])
    """
    hits = judged.hits
    return hits.total(hits.discounted(gained(hits.grade, gain), discounts(discount), k))
