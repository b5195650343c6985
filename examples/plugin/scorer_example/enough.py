"""Enough."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from scorer import Cutoff, Floats, Judged, Relevant, metric
from scorer.metrics.explain.steps import Steps, formula
from scorer.metrics.explain.tables import Listing, ranked_table

Wanted = Annotated[int, Field(ge=1, description="The number of relevant items that are enough.")]


def _explain(listing: Listing[Judged], value: float, *, k: int, wanted: int, rel: float) -> Steps:
    hits = listing.view.hits.relevant(rel)
    yield ranked_table(listing, hits, {"relevant": hits.within(k)}, k)
    yield formula("Enough", "found / wanted", "{} / {}", round(value * wanted), wanted, value=value)


@metric(
    "Enough",
    title="Enough relevant items",
    source="this example",
    explain=_explain,
    formula=r"\frac{\min(h_{$k}, $wanted)}{$wanted}",
)
def enough(judged: Judged, *, k: Cutoff, wanted: Wanted = 2, rel: Relevant = 1) -> Floats:
    """The relevant items among the first k, over the number that is enough; at most 1.

    Returned a, x, b; a and b are relevant, and two are enough:

    >>> from scorer import Judged
    >>> judged = Judged.of((["a", "x", "b"], {"a": 1, "b": 1}))
    >>> enough(judged, k=2), enough(judged, k=3)
    (array([0.5]), array([1.]))
    """
    hits = judged.hits.relevant(rel)
    return np.minimum(hits.total(hits.within(k)), wanted) / wanted
