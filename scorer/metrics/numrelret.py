"""Number of relevant items returned."""

from scorer.judged import Floats, Judged
from scorer.listing import Listing, down, sought
from scorer.measures import metric
from scorer.params import Relevant
from scorer.working import Steps, formula


def _explain(one: Listing[Judged], value: float, *, rel: float) -> Steps:
    found = one.view.hits.relevant(rel)
    yield sought(one, rel)
    yield down(one, found, {"found": found.within()})
    yield formula("NumRelRet", "found", "{}", found.rank.size, value=value)


@metric(
    "NumRelRet",
    title="Number of relevant items returned",
    source="trec_eval's num_rel_ret",
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
