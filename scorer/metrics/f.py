"""F measure."""

from typing import Annotated

from pydantic import Field

from scorer.metrics.base import metric
from scorer.metrics.params import Cutoff, Pooling, Relevant
from scorer.metrics.quotient import NOTHING_RELEVANT, Quotient
from scorer.metrics.statistic import Share
from scorer.views.hits import Judged


@metric(
    "F",
    title="F measure",
    source="van Rijsbergen, Information Retrieval, 1979, chapter 7",
    elsewhere={
        "ranx": "f1",
    },
    formula=r"\frac{(1 + $beta^2) h_{$k}}{$beta^2 R + $k}",
    undefined="nothing is relevant in the truth",
    aliases=("F1", "fmeasure", "f1score"),
    expected=True,
    statistic=Share(),
)
def f(
    judged: Judged,
    *,
    k: Cutoff,
    rel: Relevant = 1,
    beta: Annotated[float, Field(gt=0, description="How much recall weighs; above 0.")] = 1,
    judged_only: bool = False,
    average: Pooling = "lists",
) -> Quotient:
    """Precision and recall at k in one number, their weighted harmonic mean.

    (1 + beta^2) P R / (beta^2 P + R), which is (1 + beta^2) c / (beta^2 R + k)
    for c relevant items found. beta is van Rijsbergen's: with beta=2 recall
    weighs twice as much. The parameter of trec_eval's set_F is beta squared:
    its set_F.4 is our beta=2.

    Returned a, x; a, b and c are relevant, so that P@2 is 1/2 and R@2 is 1/3:

    >>> judged = Judged.of((["a", "x"], {"a": 1, "b": 1, "c": 1}))
    >>> f(judged, k=2).values                       # 2 * 1 / (3 + 2)
    array([0.4])
    >>> f(judged, k=2, beta=2).values.round(4)      # 5 * 1 / (4 * 3 + 2)
    array([0.3571])
    """
    if judged_only:
        judged = judged.only_judged()
    hits = judged.hits.relevant(rel)
    relevant = judged.ideal.count(rel)
    # if pooled, what is returned where nothing is relevant counts as wrong
    counts = (relevant > 0) | (average == "pooled")
    found = hits.within(k)
    count = hits.total(found)
    return Quotient(
        (1 + beta**2) * count,
        (beta**2 * relevant + k) * counts,
        "(1 + beta²) found / (beta² R + k)",
        lambda: (hits, {"found": found}),
        "(1 + {}²) × {} / ({}² × {} + {})",
        (beta, count, beta, relevant, k),
        relevant=rel,
        undefined=NOTHING_RELEVANT,
    )
