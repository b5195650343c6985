"""Normalised discounted cumulative gain."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.tables import gains
from scorer.metrics.params import Cutoff, Discount, Gain, Pooling, discounts, gained
from scorer.metrics.quotient import Quotient, Table
from scorer.metrics.statistic import Share
from scorer.views.hits import Hits, Judged, ranked_hits


def _formula(params: Mapping[str, Any]) -> str:
    """The formula; the best list goes down to rank k, or to the last of its items."""
    last = {"judged": "$last", "uncut": "J", "reordered": "$k", "returned": r"\min($k, n)"}
    best = "$reordered" if params["ideal"] == "reordered" else "$best"
    return (
        r"\frac{\sum_{i=1}^{$k} \frac{$gain}{$discount}}"
        rf"{{\sum_{{i=1}}^{{{last[params['ideal']]}}} \frac{{{best}}}{{$discount}}}}"
    )


@metric(
    "nDCG",
    title="Normalised discounted cumulative gain",
    source="Järvelin and Kekäläinen, ACM TOIS 20(4), 2002, doi:10.1145/582415.582418",
    elsewhere={
        "trec_eval": "ndcg, ndcg_cut_10",
        "ir_measures": "nDCG",
        "ranx": "ndcg; its ndcg_burges is gain=exp2",
        "scikit-learn": "ndcg_score; it averages over the orders of tied items, as ties: expected",
        "torchmetrics": "RetrievalNormalizedDCG",
        "Hivemall": "ndcg; ideal=returned",
    },
    formula=_formula,
    undefined="no judged item gains anything; with `ideal=reordered`, no returned one",
    aliases=("ndcg_cut",),
    expected=True,
    mean_rank=True,
    peers={
        "dcg": {"log2": {"gain": "linear"}, "exp-log2": {"gain": "exp2"}},
        "gains": {"*": "gain"},
    },
    statistic=Share(),
)
def ndcg(
    judged: Judged,
    *,
    k: Cutoff | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    ideal: Literal["judged", "uncut", "returned", "reordered"] = "judged",
    judged_only: bool = False,
    average: Pooling = "lists",
) -> Quotient:
    """How near a list's gain, discounted by rank, comes to the best list's.

    An item at rank i adds its gain over log2(i + 1), as in trec_eval and ranx;
    the paper divides by log2(i) from rank 2 on (`discount=jarvelin`). The best
    list holds all judged items, best first, and is cut at k as well;
    `ideal=uncut` leaves it whole. Hivemall, given binary truth, takes the best
    min(n, k) (`returned`); some slides and libraries sort the returned items
    themselves (`reordered`), which never asks what was not found.

    Returned c, a, x; a is worth 3, b is worth 2, c nothing:

    >>> judged = Judged.of((["c", "a", "x"], {"a": 3, "b": 2, "c": 0}))
    >>> ndcg(judged).values.round(4)          # (3 / log2(3)) / (3 + 2 / log2(3))
    array([0.4441])
    >>> ndcg(judged, k=1).values
    array([0.])
    """
    if judged_only:
        judged = judged.only_judged()
    ordered, depth = _ideal_order(judged, k, gain, ideal)

    def total(hits: Hits, depth: Floats | int | None) -> Floats:
        return hits.total(hits.discounted(gained(hits.grade, gain), discounts(discount), depth))

    def best() -> Table:
        counted = ordered.where(ordered.within(depth) > 0)
        return counted, gains(counted, gain, discount, None)

    hits = judged.hits
    return Quotient(
        total(hits, k),
        total(ordered, depth),
        "DCG / DCG of the best",
        lambda: (hits, gains(hits, gain, discount, k)),
        ideal=best,
    )


def _ideal_order(
    judged: Judged, k: int | None, gain: Any, ideal: str
) -> tuple[Hits, Floats | int | None]:
    """The best lists, and the rank down to which they count: one for all items, or one an item."""
    hits: Hits = judged.ideal
    depth: Floats | int | None = None if ideal == "uncut" else k
    if ideal == "returned":
        depth = np.minimum(np.inf if k is None else k, judged.returned)[hits.in_list]
    elif ideal == "reordered":
        hits = judged.hits
    if ideal == "reordered" or not isinstance(gain, str):  # a table may turn the order of grades
        order = np.lexsort((-gained(hits.grade, gain), hits.in_list))
        ordered = ranked_hits(hits.in_list[order], hits.grade[order], hits.lists)
        hits = replace(ordered, place=hits.place[order])
    return hits, depth
