"""Set recall."""

from scorer.metrics.base import metric
from scorer.metrics.params import Pooling, Relevant
from scorer.metrics.quotient import Quotient, found
from scorer.metrics.statistic import Share
from scorer.views.hits import Judged


@metric(
    "SetR",
    title="Set recall",
    source="Kent et al., American Documentation 6(2), 1955; as trec_eval's set_recall",
    elsewhere={
        "trec_eval": "set_recall",
        "ir_measures": "SetR",
    },
    formula=r"\frac{h_n}{R}",
    undefined="nothing is relevant in the truth",
    aliases=("set_recall",),
    expected=True,
    statistic=Share(),
)
def setr(judged: Judged, *, rel: Relevant = 1, average: Pooling = "lists") -> Quotient:
    """The share of the relevant items that was returned, at whatever rank.

    Returned a, x; a, b and c are relevant:

    >>> setr(Judged.of((["a", "x"], {"a": 1, "b": 1, "c": 1}))).values    # 1 / 3
    array([0.33333333])
    """
    count, relevant = judged.hits.count(rel), judged.ideal.count(rel)
    return Quotient(count, relevant, "found / R", found(judged.hits, rel), relevant=rel)
