"""Jaccard coefficient of sets."""

from scorer.metrics.base import metric
from scorer.metrics.params import EmptySet, Pooling, Relevant
from scorer.metrics.quotient import NOTHING_RELEVANT, Quotient, found, or_one
from scorer.metrics.statistic import Share
from scorer.metrics.thresholds import Thresholds, above
from scorer.views.hits import Judged


@metric(
    "SetJaccard",
    title="Jaccard coefficient of sets",
    source="Jaccard, New Phytologist 11(2), 1912",
    formula=lambda params: (
        r"\frac{h_n}{R + n - h_n}"
        if params["empty"] == "skip"
        else r"\frac{h_n + e}{R + n - h_n + e}, \qquad e = [R + n = 0]"
    ),
    undefined="with `empty=skip`, nothing is relevant in the truth",
    statistic=Share(),
)
def setjaccard(
    judged: Judged,
    *,
    rel: Relevant = 1,
    average: Pooling = "lists",
    empty: EmptySet = "skip",
    thresholds: Thresholds | None = None,
) -> Quotient:
    """The relevant items that were returned, over all that are relevant or returned.

    A list without a relevant item has no value; with `empty=one` it has 1 where nothing was
    returned, as in rules that ask for empty answers, and 0 elsewhere. Then lists without rows in
    the truth stand in the public `lists`. With `thresholds` a list has the share of them that
    its value is above, as with `IoU` of masks.

    Returned a, x; a, b and c are relevant:

    >>> setjaccard(Judged.of((["a", "x"], {"a": 1, "b": 1, "c": 1}))).values      # 1 / 4
    array([0.25])
    """
    count, relevant = judged.hits.count(rel), judged.ideal.count(rel)
    either = relevant + judged.returned - count
    if average != "pooled":
        count, either = or_one(count, either, relevant, empty)
    quotient = Quotient(
        count, either, "found / (R + n - found)", found(judged.hits, rel), relevant=rel,
        undefined=NOTHING_RELEVANT,
    )  # fmt: skip
    return quotient if thresholds is None else above(quotient, thresholds, average)
