"""Number of returned items."""

import numpy as np

from scorer.metrics.base import metric
from scorer.metrics.params import Relevant
from scorer.metrics.quotient import Quotient, found
from scorer.views.hits import Judged


@metric(
    "NumRet",
    title="Number of returned items",
    source="trec_eval's num_ret",
    elsewhere={
        "trec_eval": "num_ret",
        "ir_measures": "NumRet",
    },
    formula=lambda params: "n" if params["rel"] is None else "h_n",
    aliases=("num_ret",),
    range=(0, None),
    aggregate="sum",
    expected=True,
)
def numret(judged: Judged, *, rel: Relevant | None = None) -> Quotient:
    """How many items a list returned; with `rel`, those of at least that grade.

    `NumRet(rel=1)` is NumRelRet, as in ir_measures.

    >>> judged = Judged.of((["a", "x"], {"a": 1}))
    >>> numret(judged).values, numret(judged, rel=1).values
    (array([2.]), array([1.]))
    """
    if rel is not None:
        return Quotient(judged.hits.count(rel), None, "found", found(judged.hits, rel), "{}")
    count = judged.returned.astype(np.float64)
    return Quotient(count, None, "n", lambda: (judged.hits, {}), "{}")
