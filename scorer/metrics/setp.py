"""Set precision."""

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula
from scorer.metrics.explain.tables import Listing, only_judged, ranked_table, relevant_items
from scorer.metrics.params import Pooling, Relevant
from scorer.metrics.statistic import Share
from scorer.views.hits import Judged
from scorer.views.pooled import Statistics, ratios


def _explain(
    listing: Listing[Judged],
    value: float,
    *,
    rel: float,
    relative: bool,
    judged_only: bool,
    average: str,
) -> Steps:
    listing = only_judged(listing, judged_only)
    hits, relevant, n = (
        listing.view.hits.relevant(rel),
        relevant_items(listing, rel),
        len(listing.names.returned),
    )
    counts = hits.within()
    symbols, most = ("min(n, R)", min(n, len(relevant.items))) if relative else ("n", n)
    yield relevant
    yield ranked_table(listing, hits, {"found": counts})
    yield formula("SetP", f"found / {symbols}", "{} / {}", counts.sum(), most, value=value)


@metric(
    "SetP",
    title="Set precision",
    source="Kent et al., American Documentation 6(2), 1955; as trec_eval's set_P",
    aliases=("set_P",),
    expected=True,
    statistic=Share(),
    explain=_explain,
)
def setp(
    judged: Judged,
    *,
    rel: Relevant = 1,
    relative: bool = False,
    judged_only: bool = False,
    average: Pooling = "lists",
) -> Floats | Statistics:
    """The share of all returned items that is relevant.

    Undefined, where trec_eval says 0, for a list that returned nothing.
    ir_measures' `relative=true` is SetRelP.

    Returned a, x, b; a and b are relevant:

    >>> setp(Judged.of((["a", "x", "b"], {"a": 1, "b": 1})))    # 2 / 3
    array([0.66666667])
    """
    if judged_only:
        judged = judged.only_judged()
    divisor = judged.returned.astype(np.float64)
    if relative:
        divisor = np.minimum(divisor, judged.ideal.count(rel))
    return ratios(judged.hits.count(rel), divisor, average)
