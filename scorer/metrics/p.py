"""Precision."""

from typing import Literal

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula
from scorer.metrics.explain.tables import Listing, only_judged, ranked_table
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
    hits = listing.view.hits.relevant(rel)
    counts, n = hits.within(k), len(listing.names.returned)
    yield ranked_table(listing, hits, {"found": counts}, k)
    symbols, depth = ("min(k, n)", min(k, n)) if denominator == "returned" else ("k", k)
    yield formula("P", f"found / {symbols}", "{} / {}", counts.sum(), depth, value=value)


@metric(
    "P",
    title="Precision",
    source="Kent et al., American Documentation 6(2), 1955; as trec_eval's P",
    aliases=("Precision", "precision_at"),
    expected=True,
    mean_rank=True,
    statistic=Share(),
    explain=_explain,
)
def p(
    judged: Judged,
    *,
    k: Cutoff,
    rel: Relevant = 1,
    denominator: Literal["k", "returned"] = "k",
    judged_only: bool = False,
    average: Pooling = "lists",
) -> Floats | Statistics:
    """The share of the first k ranks that holds a relevant item.

    A list shorter than k is divided by k all the same, as trec_eval does.
    Hivemall's code divides by what was returned: `denominator=returned`, min(k, n).

    Returned a, x, b; a and b are relevant:

    >>> judged = Judged.of((["a", "x", "b"], {"a": 1, "b": 1}))
    >>> p(judged, k=5)                              # 2 / 5
    array([0.4])
    >>> p(judged, k=5, denominator="returned")      # 2 / 3
    array([0.66666667])
    """
    if judged_only:
        judged = judged.only_judged()
    hits = judged.hits.relevant(rel)
    depth = np.minimum(judged.returned, k) if denominator == "returned" else k
    return ratios(hits.total(hits.within(k)), depth, average)
