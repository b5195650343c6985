"""Precision."""

from typing import Literal

import numpy as np

from scorer.metrics.base import metric
from scorer.metrics.params import Cutoff, Pooling, Relevant
from scorer.metrics.quotient import Quotient
from scorer.metrics.statistic import Share
from scorer.views.hits import Judged


@metric(
    "P",
    title="Precision",
    source="Kent et al., American Documentation 6(2), 1955; as trec_eval's P",
    elsewhere={
        "trec_eval": "P_10",
        "ir_measures": "P",
        "ranx": "precision",
        "torchmetrics": "RetrievalPrecision",
        "Hivemall": "precision_at; denominator=returned",
    },
    formula=lambda params: (
        r"\frac{h_{$k}}{$k}" if params["denominator"] == "k" else r"\frac{h_{$k}}{\min($k, n)}"
    ),
    undefined="with `denominator=returned`, nothing is returned",
    aliases=("Precision", "precision_at"),
    expected=True,
    mean_rank=True,
    statistic=Share(),
)
def p(
    judged: Judged,
    *,
    k: Cutoff,
    rel: Relevant = 1,
    denominator: Literal["k", "returned"] = "k",
    judged_only: bool = False,
    average: Pooling = "lists",
) -> Quotient:
    """The share of the first k ranks that holds a relevant item.

    A list shorter than k is divided by k all the same, as trec_eval does.
    Hivemall's code divides by what was returned: `denominator=returned`, min(k, n).

    Returned a, x, b; a and b are relevant:

    >>> judged = Judged.of((["a", "x", "b"], {"a": 1, "b": 1}))
    >>> p(judged, k=5).values                       # 2 / 5
    array([0.4])
    >>> p(judged, k=5, denominator="returned").values      # 2 / 3
    array([0.66666667])
    """
    if judged_only:
        judged = judged.only_judged()
    hits = judged.hits.relevant(rel)
    found = hits.within(k)
    of_returned = denominator == "returned"
    return Quotient(
        hits.total(found),
        np.minimum(judged.returned, k) if of_returned else k,
        "found / min(k, n)" if of_returned else "found / k",
        lambda: (hits, {"found": found}),
    )
