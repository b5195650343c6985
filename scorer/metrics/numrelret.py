"""Number of relevant items returned."""

from scorer.metrics.base import metric
from scorer.metrics.params import Relevant
from scorer.metrics.quotient import Quotient, found
from scorer.views.hits import Judged


@metric(
    "NumRelRet",
    title="Number of relevant items returned",
    source="trec_eval's num_rel_ret",
    elsewhere={
        "trec_eval": "num_rel_ret",
        "ir_measures": "NumRet(rel=1)",
    },
    formula="h_n",
    aliases=("num_rel_ret",),
    range=(0, None),
    aggregate="sum",
    expected=True,
)
def numrelret(judged: Judged, *, rel: Relevant = 1) -> Quotient:
    """How many relevant items a list returned, at whatever rank.

    >>> numrelret(Judged.of((["a", "x"], {"a": 1, "b": 2, "c": 0}))).values
    array([1.])
    """
    return Quotient(
        judged.hits.count(rel), None, "found", found(judged.hits, rel), "{}", relevant=rel
    )
