"""Number of relevant items returned."""

from scorer.judged import Floats, Judged
from scorer.measures import metric
from scorer.params import Relevant


@metric(
    "NumRelRet",
    title="Number of relevant items returned",
    source="trec_eval's num_rel_ret",
    range=(0, None),
    aggregate="sum",
    expected=True,
)
def numrelret(judged: Judged, *, rel: Relevant = 1) -> Floats:
    """How many relevant items a list returned, at whatever rank.

    >>> numrelret(Judged.of((["a", "x"], {"a": 1, "b": 2, "c": 0})))
    array([1.])
    """
    return judged.hits.relevant(rel).total()
