"""Enough."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from scorer import Cutoff, Judged, Ratio, Relevant, Table, metric

Wanted = Annotated[int, Field(ge=1, description="The number of relevant items that are enough.")]


@metric(
    "Enough",
    title="Enough relevant items",
    source="this example",
    latex=r"\frac{\min(h_k, w)}{w}, \qquad w = \text{wanted}",
)
def enough(view: Judged, *, k: Cutoff, wanted: Wanted = 2, rel: Relevant = 1) -> Ratio:
    """The relevant items among the first k, over the number that is enough; at most 1.

    Returned a, x, b; a and b are relevant, and two are enough:

    >>> from scorer.testing import judged_view
    >>> view = judged_view((["a", "x", "b"], {"a": 1, "b": 1}))
    >>> enough(view, k=2).values(), enough(view, k=3).values()
    (array([0.5]), array([1.]))
    """
    hits = view.hits.relevant(rel)
    in_top = hits.in_top(k)
    found = np.minimum(hits.total(in_top), wanted)
    formula = "min(found, wanted) / wanted"
    terms = {"min(found, wanted)": found, "wanted": wanted}
    return Ratio(found, wanted, formula, terms, Table(hits, {"found": in_top}))
