"""Recall."""

from typing import Literal

import numpy as np

from scorer.metrics.base import metric
from scorer.metrics.params import Cutoff, Pooling, Relevant
from scorer.metrics.quotient import Quotient
from scorer.metrics.statistic import Share
from scorer.views.hits import Judged


@metric(
    "R",
    title="Recall",
    source="Kent et al., American Documentation 6(2), 1955; as trec_eval's recall",
    elsewhere={
        "trec_eval": "recall_10",
        "ir_measures": "R",
        "ranx": "recall",
        "torchmetrics": "RetrievalRecall",
        "Hivemall": "recall_at",
    },
    formula=lambda params: (
        r"\frac{h_{$k}}{R}"
        if params["denominator"] == "relevant"
        else r"\frac{h_{$k}}{\min(R, $k)}"
    ),
    undefined="nothing is relevant in the truth",
    aliases=("Recall", "recall_at"),
    expected=True,
    mean_rank=True,
    statistic=Share(),
)
def r(
    judged: Judged,
    *,
    k: Cutoff,
    rel: Relevant = 1,
    denominator: Literal["relevant", "capped"] = "relevant",
    judged_only: bool = False,
    average: Pooling = "lists",
) -> Quotient:
    """The share of the relevant items that stands at the first k ranks.

    Divided by all relevant items, as trec_eval does, so that a list with more
    than k of them cannot reach 1; `denominator=capped` divides by min(R, k).

    Returned a, x; a, b and c are relevant:

    >>> judged = Judged.of((["a", "x"], {"a": 1, "b": 1, "c": 1}))
    >>> r(judged, k=2).values                       # 1 / 3
    array([0.33333333])
    >>> r(judged, k=2, denominator="capped").values # 1 / 2
    array([0.5])
    """
    if judged_only:
        judged = judged.only_judged()
    hits = judged.hits.relevant(rel)
    relevant = judged.ideal.count(rel)
    found = hits.within(k)
    symbols, whole = "R", relevant
    if denominator == "capped":
        symbols, whole = "min(R, k)", np.minimum(relevant, k)
    return Quotient(
        hits.total(found), whole, f"found / {symbols}", lambda: (hits, {"found": found}),
        relevant=rel,
    )  # fmt: skip
