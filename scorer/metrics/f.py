"""F measure."""

from typing import Annotated

from pydantic import Field

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula
from scorer.metrics.explain.tables import (
    Listing,
    nothing_relevant,
    only_judged,
    ranked_table,
    relevant_items,
)
from scorer.metrics.params import Cutoff, Pooling, Relevant
from scorer.metrics.statistic import Share
from scorer.views.hits import Judged
from scorer.views.pooled import Statistics, ratios


def _explain(
    listing: Listing[Judged],
    value: float,
    *,
    k: int,
    rel: float,
    beta: float,
    judged_only: bool,
    average: str,
) -> Steps:
    listing = only_judged(listing, judged_only)
    hits, relevant = listing.view.hits.relevant(rel), relevant_items(listing, rel)
    counts, most = hits.within(k), len(relevant.items)
    yield relevant
    yield ranked_table(listing, hits, {"found": counts}, k)
    if not most:
        yield nothing_relevant("F")
        return
    symbols, numbers = "(1 + beta²) found / (beta² R + k)", "(1 + {}²) × {} / ({}² × {} + {})"
    yield formula("F", symbols, numbers, beta, counts.sum(), beta, most, k, value=value)


@metric(
    "F",
    title="F measure",
    source="van Rijsbergen, Information Retrieval, 1979, chapter 7",
    aliases=("F1", "fmeasure", "f1score"),
    expected=True,
    statistic=Share(),
    explain=_explain,
)
def f(
    judged: Judged,
    *,
    k: Cutoff,
    rel: Relevant = 1,
    beta: Annotated[float, Field(gt=0, description="How much recall weighs; above 0.")] = 1,
    judged_only: bool = False,
    average: Pooling = "lists",
) -> Floats | Statistics:
    """Precision and recall at k in one number, their weighted harmonic mean.

    (1 + beta^2) P R / (beta^2 P + R), which is (1 + beta^2) c / (beta^2 R + k)
    for c relevant items found. beta is van Rijsbergen's: with beta=2 recall
    weighs twice as much. The parameter of trec_eval's set_F is beta squared:
    its set_F.4 is our beta=2.

    Returned a, x; a, b and c are relevant, so that P@2 is 1/2 and R@2 is 1/3:

    >>> judged = Judged.of((["a", "x"], {"a": 1, "b": 1, "c": 1}))
    >>> f(judged, k=2)                              # 2 * 1 / (3 + 2)
    array([0.4])
    >>> f(judged, k=2, beta=2).round(4)             # 5 * 1 / (4 * 3 + 2)
    array([0.3571])
    """
    if judged_only:
        judged = judged.only_judged()
    hits = judged.hits.relevant(rel)
    relevant = judged.ideal.count(rel)
    # if pooled, what is returned where nothing is relevant counts as wrong
    counts = (relevant > 0) | (average == "pooled")
    return ratios(
        (1 + beta**2) * hits.total(hits.within(k)), (beta**2 * relevant + k) * counts, average
    )
