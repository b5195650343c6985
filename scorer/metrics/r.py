"""Recall."""

from typing import Literal

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula
from scorer.metrics.explain.tables import Listing, only_judged, ranked_table, relevant_items
from scorer.metrics.params import Cutoff, Pooling, Relevant
from scorer.metrics.statistic import Share
from scorer.views.hits import Judged
from scorer.views.pooled import Statistics, ratios


def _explain(
    listing: Listing[Judged],
    value: float,
    *,
    k: int,
    rel: float,
    denominator: str,
    judged_only: bool,
    average: str,
) -> Steps:
    listing = only_judged(listing, judged_only)
    hits, relevant = listing.view.hits.relevant(rel), relevant_items(listing, rel)
    counts, depth = hits.within(k), len(relevant.items)
    yield relevant
    yield ranked_table(listing, hits, {"found": counts}, k)
    symbols, depth = ("min(R, k)", min(depth, k)) if denominator == "capped" else ("R", depth)
    yield formula("R", f"found / {symbols}", "{} / {}", counts.sum(), depth, value=value)


@metric(
    "R",
    title="Recall",
    source="Kent et al., American Documentation 6(2), 1955; as trec_eval's recall",
    aliases=("Recall", "recall_at"),
    expected=True,
    mean_rank=True,
    statistic=Share(),
    explain=_explain,
)
def r(
    judged: Judged,
    *,
    k: Cutoff,
    rel: Relevant = 1,
    denominator: Literal["relevant", "capped"] = "relevant",
    judged_only: bool = False,
    average: Pooling = "lists",
) -> Floats | Statistics:
    """The share of the relevant items that stands at the first k ranks.

    Divided by all relevant items, as trec_eval does, so that a list with more
    than k of them cannot reach 1; `denominator=capped` divides by min(R, k).

    Returned a, x; a, b and c are relevant:

    >>> judged = Judged.of((["a", "x"], {"a": 1, "b": 1, "c": 1}))
    >>> r(judged, k=2)                              # 1 / 3
    array([0.33333333])
    >>> r(judged, k=2, denominator="capped")        # 1 / 2
    array([0.5])
    """
    if judged_only:
        judged = judged.only_judged()
    hits = judged.hits.relevant(rel)
    relevant = judged.ideal.count(rel)
    return ratios(
        hits.total(hits.within(k)),
        np.minimum(relevant, k) if denominator == "capped" else relevant,
        average,
    )
