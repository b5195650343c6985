"""Number of relevant items."""

from scorer.metrics.base import metric
from scorer.metrics.params import Relevant
from scorer.metrics.quotient import Quotient
from scorer.views.hits import Judged


@metric(
    "NumRel",
    title="Number of relevant items",
    source="trec_eval's num_rel",
    elsewhere={
        "trec_eval": "num_rel",
        "ir_measures": "NumRel",
    },
    formula="R",
    aliases=("num_rel",),
    range=(0, None),
    aggregate="sum",
    expected=True,
)
def numrel(judged: Judged, *, rel: Relevant = 1) -> Quotient:
    """How many relevant items the truth has for a list, returned or not.

    >>> numrel(Judged.of((["a", "x"], {"a": 1, "b": 2, "c": 0}))).values
    array([2.])
    """
    return Quotient(judged.ideal.count(rel), None, "R", numbers="{}", relevant=rel)
