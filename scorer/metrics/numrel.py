"""Number of relevant items."""

from scorer.judged import Floats, Judged
from scorer.measures import metric
from scorer.params import Relevant


@metric(
    "NumRel",
    title="Number of relevant items",
    source="trec_eval's num_rel",
    range=(0, None),
    aggregate="sum",
    expected=True,
)
def numrel(judged: Judged, *, rel: Relevant = 1) -> Floats:
    """How many relevant items the truth has for a list, returned or not.

    >>> numrel(Judged.of((["a", "x"], {"a": 1, "b": 2, "c": 0})))
    array([2.])
    """
    return judged.ideal.relevant(rel).total()
