"""Set average precision."""

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula
from scorer.metrics.explain.tables import Listing, only_judged, ranked_table, relevant_items
from scorer.metrics.params import Relevant
from scorer.views.hits import Judged, ratio


def _explain(listing: Listing[Judged], value: float, *, rel: float, judged_only: bool) -> Steps:
    listing = only_judged(listing, judged_only)
    hits, relevant, n = (
        listing.view.hits.relevant(rel),
        relevant_items(listing, rel),
        len(listing.names.returned),
    )
    counts = hits.within()
    yield relevant
    yield ranked_table(listing, hits, {"found": counts})
    count, most = counts.sum(), len(relevant.items)
    symbols, numbers = "found / n × found / R", "{} / {} × {} / {}"
    yield formula("SetAP", symbols, numbers, count, n, count, most, value=value)


@metric(
    "SetAP",
    title="Set average precision",
    source="trec_eval's set_map",
    aliases=("set_map",),
    expected=True,
    explain=_explain,
)
def setap(judged: Judged, *, rel: Relevant = 1, judged_only: bool = False) -> Floats:
    """Precision times recall of all that was returned: average precision without ranks.

    Undefined, where trec_eval says 0, for a list that returned nothing.

    Returned a, x; a, b and c are relevant:

    >>> judged = Judged.of((["a", "x"], {"a": 1, "b": 1, "c": 1}))
    >>> setap(judged).round(4)                      # 1/2 * 1/3, as 1 * 1 / (2 * 3)
    array([0.1667])
    """
    if judged_only:
        judged = judged.only_judged()
    hit_count = judged.hits.count(rel)
    relevant_count = judged.ideal.count(rel)
    return ratio(hit_count * hit_count, judged.returned * relevant_count)
