"""Number of relevant items."""

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula
from scorer.metrics.explain.tables import Listing, relevant_items
from scorer.metrics.params import Relevant
from scorer.views.hits import Judged


def _explain(listing: Listing[Judged], value: float, *, rel: float) -> Steps:
    relevant = relevant_items(listing, rel)
    yield relevant
    yield formula("NumRel", "R", "{}", len(relevant.items), value=value)


@metric(
    "NumRel",
    title="Number of relevant items",
    source="trec_eval's num_rel",
    aliases=("num_rel",),
    range=(0, None),
    aggregate="sum",
    expected=True,
    explain=_explain,
)
def numrel(judged: Judged, *, rel: Relevant = 1) -> Floats:
    """How many relevant items the truth has for a list, returned or not.

    >>> numrel(Judged.of((["a", "x"], {"a": 1, "b": 2, "c": 0})))
    array([2.])
    """
    return judged.ideal.count(rel)
