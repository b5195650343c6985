"""Set F measure."""

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
from scorer.metrics.params import Pooling, Relevant
from scorer.metrics.statistic import Share
from scorer.views.hits import Judged
from scorer.views.pooled import Statistics, ratios


def _explain(
    listing: Listing[Judged],
    value: float,
    *,
    rel: float,
    beta: float,
    judged_only: bool,
    average: str,
) -> Steps:
    listing = only_judged(listing, judged_only)
    hits, relevant = listing.view.hits.relevant(rel), relevant_items(listing, rel)
    counts, most, n = hits.within(), len(relevant.items), len(listing.names.returned)
    yield relevant
    yield ranked_table(listing, hits, {"found": counts})
    if not most:
        yield nothing_relevant("SetF")
        return
    symbols, numbers = "(1 + beta²) found / (beta² R + n)", "(1 + {}²) × {} / ({}² × {} + {})"
    yield formula("SetF", symbols, numbers, beta, counts.sum(), beta, most, n, value=value)


@metric(
    "SetF",
    title="Set F measure",
    source="van Rijsbergen, Information Retrieval, 1979, chapter 7",
    aliases=("set_F",),
    expected=True,
    statistic=Share(),
    explain=_explain,
)
def setf(
    judged: Judged,
    *,
    rel: Relevant = 1,
    beta: Annotated[float, Field(gt=0, description="How much recall weighs; above 0.")] = 1,
    judged_only: bool = False,
    average: Pooling = "lists",
) -> Floats | Statistics:
    """Precision and recall of all that was returned, their weighted harmonic mean.

    (1 + beta^2) P R / (beta^2 P + R), which is (1 + beta^2) c / (beta^2 R + n)
    for c relevant items among n returned. beta is van Rijsbergen's; the
    parameter of trec_eval's set_F, and with it ir_measures' `beta`, is beta
    squared: their set_F.4 is our beta=2.

    Returned a, x; a, b and c are relevant:

    >>> judged = Judged.of((["a", "x"], {"a": 1, "b": 1, "c": 1}))
    >>> setf(judged)                                # 2 * 1 / (3 + 2)
    array([0.4])
    >>> setf(judged, beta=2).round(4)               # 5 * 1 / (4 * 3 + 2)
    array([0.3571])
    """
    if judged_only:
        judged = judged.only_judged()
    hit_count = judged.hits.count(rel)
    relevant_count = judged.ideal.count(rel)
    # if pooled, what is returned where nothing is relevant counts as wrong
    counts = (relevant_count > 0) | (average == "pooled")
    return ratios(
        (1 + beta**2) * hit_count, (beta**2 * relevant_count + judged.returned) * counts, average
    )
