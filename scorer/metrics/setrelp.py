"""Relative set precision."""

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
    listing: Listing[Judged], value: float, *, rel: float, judged_only: bool, average: str
) -> Steps:
    listing = only_judged(listing, judged_only)
    hits, relevant, n = (
        listing.view.hits.relevant(rel),
        relevant_items(listing, rel),
        len(listing.names.returned),
    )
    counts, most = hits.within(), min(n, len(relevant.items))
    yield relevant
    yield ranked_table(listing, hits, {"found": counts})
    yield formula("SetRelP", "found / min(n, R)", "{} / {}", counts.sum(), most, value=value)


@metric(
    "SetRelP",
    title="Relative set precision",
    source="trec_eval's set_relative_P",
    aliases=("set_relative_P",),
    expected=True,
    statistic=Share(),
    explain=_explain,
)
def setrelp(
    judged: Judged, *, rel: Relevant = 1, judged_only: bool = False, average: Pooling = "lists"
) -> Floats | Statistics:
    """The relevant items returned, over the most that a list of that length could hold.

    That is min(n, R); undefined, where trec_eval says 0, if it is 0.

    Returned a, x, y; a and b are relevant:

    >>> setrelp(Judged.of((["a", "x", "y"], {"a": 1, "b": 1})))    # 1 / min(3, 2)
    array([0.5])
    """
    if judged_only:
        judged = judged.only_judged()
    relevant_count = judged.ideal.count(rel)
    return ratios(judged.hits.count(rel), np.minimum(judged.returned, relevant_count), average)
