"""Number of returned items."""

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula
from scorer.metrics.explain.tables import Listing, ranked_table
from scorer.metrics.params import Relevant
from scorer.views.hits import Judged


def _explain(listing: Listing[Judged], value: float, *, rel: float | None) -> Steps:
    hits = listing.view.hits if rel is None else listing.view.hits.relevant(rel)
    yield ranked_table(listing, hits, {} if rel is None else {"found": hits.within()})
    symbols, count = (
        ("n", len(listing.names.returned)) if rel is None else ("found", hits.rank.size)
    )
    yield formula("NumRet", symbols, "{}", count, value=value)


@metric(
    "NumRet",
    title="Number of returned items",
    source="trec_eval's num_ret",
    aliases=("num_ret",),
    range=(0, None),
    aggregate="sum",
    expected=True,
    explain=_explain,
)
def numret(judged: Judged, *, rel: Relevant | None = None) -> Floats:
    """How many items a list returned; with `rel`, those of at least that grade.

    `NumRet(rel=1)` is NumRelRet, as in ir_measures.

    >>> judged = Judged.of((["a", "x"], {"a": 1}))
    >>> numret(judged), numret(judged, rel=1)
    (array([2.]), array([1.]))
    """
    if rel is not None:
        return judged.hits.count(rel)
    return judged.returned.astype(np.float64)
