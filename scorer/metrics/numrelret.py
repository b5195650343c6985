"""Number of relevant items returned."""

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula
from scorer.metrics.explain.tables import Listing, ranked_table, relevant_items
from scorer.metrics.params import Relevant
from scorer.views.hits import Judged


def _explain(listing: Listing[Judged], value: float, *, rel: float) -> Steps:
    hits = listing.view.hits.relevant(rel)
    yield relevant_items(listing, rel)
    yield ranked_table(listing, hits, {"found": hits.within()})
    yield formula("NumRelRet", "found", "{}", hits.rank.size, value=value)


@metric(
    "NumRelRet",
    title="Number of relevant items returned",
    source="trec_eval's num_rel_ret",
    aliases=("num_rel_ret",),
    range=(0, None),
    aggregate="sum",
    expected=True,
    explain=_explain,
)
def numrelret(judged: Judged, *, rel: Relevant = 1) -> Floats:
    """How many relevant items a list returned, at whatever rank.

    >>> numrelret(Judged.of((["a", "x"], {"a": 1, "b": 2, "c": 0})))
    array([1.])
    """
    return judged.hits.count(rel)
