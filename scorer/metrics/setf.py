"""Set F measure."""

from typing import Annotated

from pydantic import Field

from scorer.metrics.base import metric
from scorer.metrics.params import EmptySet, Pooling, Relevant
from scorer.metrics.quotient import NOTHING_RELEVANT, Quotient, found, or_one
from scorer.metrics.statistic import Share
from scorer.views.hits import Judged


@metric(
    "SetF",
    title="Set F measure",
    source="van Rijsbergen, Information Retrieval, 1979, chapter 7",
    elsewhere={
        "trec_eval": "set_F; its parameter is beta squared",
        "ir_measures": "SetF; its beta is beta squared",
    },
    formula=lambda params: (
        r"\frac{(1 + $beta^2) h_n}{$beta^2 R + n}"
        if params["empty"] == "skip"
        else r"\frac{(1 + $beta^2) h_n + e}{$beta^2 R + n + e}, \qquad e = [R + n = 0]"
    ),
    undefined="with `empty=skip`, nothing is relevant in the truth",
    aliases=("set_F",),
    expected=True,
    statistic=Share(),
)
def setf(
    judged: Judged,
    *,
    rel: Relevant = 1,
    beta: Annotated[float, Field(gt=0, description="How much recall weighs; above 0.")] = 1,
    judged_only: bool = False,
    average: Pooling = "lists",
    empty: EmptySet = "skip",
) -> Quotient:
    """Precision and recall of all that was returned, their weighted harmonic mean.

    (1 + beta^2) P R / (beta^2 P + R), which is (1 + beta^2) c / (beta^2 R + n)
    for c relevant items among n returned. beta is van Rijsbergen's; the
    parameter of trec_eval's set_F, and with it ir_measures' `beta`, is beta
    squared: their set_F.4 is our beta=2. A list without a relevant item has no
    value; with `empty=one` it has 1 where nothing was returned, 0 elsewhere.

    Returned a, x; a, b and c are relevant:

    >>> judged = Judged.of((["a", "x"], {"a": 1, "b": 1, "c": 1}))
    >>> setf(judged).values                         # 2 * 1 / (3 + 2)
    array([0.4])
    >>> setf(judged, beta=2).values.round(4)        # 5 * 1 / (4 * 3 + 2)
    array([0.3571])
    """
    if judged_only:
        judged = judged.only_judged()
    count, relevant = judged.hits.count(rel), judged.ideal.count(rel)
    part, whole = (1 + beta**2) * count, beta**2 * relevant + judged.returned
    if average != "pooled":  # where what is returned and nothing relevant counts as wrong
        part, whole = or_one(part, whole, relevant, empty)
    terms = (beta, count, beta, relevant, judged.returned)
    counted = empty == "skip"  # else 1 may stand for no items of none
    return Quotient(
        part,
        whole,
        "(1 + beta²) found / (beta² R + n)",
        found(judged.hits, rel),
        "(1 + {}²) × {} / ({}² × {} + {})" if counted else "{} / {}",
        terms if counted else None,
        relevant=rel,
        undefined=NOTHING_RELEVANT,
    )
