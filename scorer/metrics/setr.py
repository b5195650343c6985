"""Set recall."""

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula
from scorer.metrics.explain.tables import Listing, ranked_table, relevant_items
from scorer.metrics.params import Pooling, Relevant
from scorer.metrics.statistic import Share
from scorer.views.hits import Judged
from scorer.views.pooled import Statistics, ratios


def _explain(listing: Listing[Judged], value: float, *, rel: float, average: str) -> Steps:
    hits, relevant = listing.view.hits.relevant(rel), relevant_items(listing, rel)
    counts = hits.within()
    yield relevant
    yield ranked_table(listing, hits, {"found": counts})
    yield formula("SetR", "found / R", "{} / {}", counts.sum(), len(relevant.items), value=value)


@metric(
    "SetR",
    title="Set recall",
    source="Kent et al., American Documentation 6(2), 1955; as trec_eval's set_recall",
    aliases=("set_recall",),
    expected=True,
    statistic=Share(),
    explain=_explain,
)
def setr(judged: Judged, *, rel: Relevant = 1, average: Pooling = "lists") -> Floats | Statistics:
    """The share of the relevant items that was returned, at whatever rank.

    Returned a, x; a, b and c are relevant:

    >>> setr(Judged.of((["a", "x"], {"a": 1, "b": 1, "c": 1})))    # 1 / 3
    array([0.33333333])
    """
    return ratios(judged.hits.count(rel), judged.ideal.count(rel), average)
