"""Judged."""

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula
from scorer.metrics.explain.tables import Listing, ranked_table
from scorer.metrics.params import Cutoff, Pooling
from scorer.metrics.statistic import Share
from scorer.views.hits import Judged as View
from scorer.views.pooled import Statistics, ratios


def _explain(listing: Listing[View], value: float, *, k: int, average: str) -> Steps:
    counts, n = listing.view.hits.within(k), len(listing.names.returned)
    yield ranked_table(listing, listing.view.hits, {"judged": counts}, k)
    most = min(k, n)
    yield formula("Judged", "judged / min(k, n)", "{} / {}", counts.sum(), most, value=value)


@metric(
    "Judged",
    title="Share of judged items",
    source="ir_measures' Judged, after OpenNIR",
    expected=True,
    statistic=Share(),
    explain=_explain,
)
def judged(judged: View, *, k: Cutoff, average: Pooling = "lists") -> Floats | Statistics:
    """The share of the first k ranks that the truth says anything about.

    Where it is low, other metrics say little. Any grade counts, also 0 and
    below. A list shorter than k is divided by its length, as in ir_measures;
    undefined for an empty one.

    Returned a, x, b; the truth knows a and b:

    >>> judged(View.of((["a", "x", "b"], {"a": 1, "b": 0})), k=10)    # 2 / 3
    array([0.66666667])
    """
    return ratios(judged.hits.total(judged.hits.within(k)), np.minimum(judged.returned, k), average)
