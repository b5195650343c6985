"""Cumulative gain."""

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, summed
from scorer.metrics.explain.tables import Listing, ranked_table
from scorer.metrics.params import Cutoff, gained
from scorer.views.hits import Judged


def _explain(listing: Listing[Judged], value: float, *, k: int | None) -> Steps:
    hits = listing.view.hits if listing.view.hits.spread else listing.view.hits.top(k)
    gain = gained(hits.grade, "linear") * hits.within(k)
    yield ranked_table(listing, hits, {"gain": gain, "running total": np.cumsum(gain)}, k)
    yield summed("CG", "sum of gains", "{}", gain, value)


@metric(
    "CG",
    title="Cumulative gain",
    source="Järvelin and Kekäläinen, ACM TOIS 20(4), 2002, doi:10.1145/582415.582418",
    range=(0, None),
    expected=True,
    explain=_explain,
)
def cg(judged: Judged, *, k: Cutoff | None = None) -> Floats:
    """The sum of the returned items' grades; their order does not matter.

    Grades 3, 2 and none:

    >>> cg(Judged.of((["a", "b", "x"], {"a": 3, "b": 2})))    # 3 + 2
    array([5.])
    """
    return judged.hits.total(gained(judged.hits.grade, "linear") * judged.hits.within(k))
