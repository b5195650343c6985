"""Accuracy of pairs and ties, with the ties that serve a submission best."""

from __future__ import annotations

from typing import Any

import numpy as np

from scorer.core.arrays import Floats, starts
from scorer.metrics.acceq import ScoredPairs, pairs_of_truth
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula, grid
from scorer.metrics.explain.tables import Listing
from scorer.metrics.params import Pooling
from scorer.metrics.statistic import Weighted
from scorer.views.pooled import Statistics
from scorer.views.scored import Scored


def _best(statistics: Statistics, weights: Floats, *, average: str, **_: Any) -> float:
    """The highest share of right pairs, over every epsilon."""
    apart, ordered, tied, pairs = statistics.rows.T
    of_list = np.bincount(statistics.in_list, pairs, minlength=weights.size)
    share = weights / np.maximum(of_list, 1) if average == "lists" else weights
    whole = float((share * of_list).sum())
    if not whole:
        return float("nan")
    weight = share[statistics.in_list]
    by = np.argsort(apart, kind="stable")
    gain = np.append(0.0, np.cumsum((weight * (tied - ordered))[by]))
    # an epsilon ties all pairs that are that far apart; it is 0 at least
    ends = np.flatnonzero(np.append(starts(apart[by]), True) & (np.append(apart[by], np.inf) > 0))
    return float(((weight * ordered).sum() + gain[ends].max()) / whole)


def _explain(listing: Listing[Scored], value: float, **_: Any) -> Steps:
    pairs = ScoredPairs.of(listing.view)
    by = np.argsort(pairs.apart, kind="stable")
    columns = {"scores apart": pairs.apart, "in the truth's order": pairs.ordered}
    columns |= {"tied in the truth": pairs.tied}
    yield grid("Pairs", {heading: cells[by] for heading, cells in columns.items()})
    whole = pairs_of_truth(listing.view)[0]
    symbols = "share of right pairs, those up to epsilon apart tied; epsilon is the best"
    right = value * whole if whole else 0.0
    yield formula("AccEqCalibrated", symbols, "{} / {}", right, whole, value=value)


@metric(
    "AccEqCalibrated",
    title="Accuracy of pairs and ties, ties calibrated",
    source="Deutsch, Foster and Freitag, EMNLP 2023, arXiv:2305.14324",
    formula=lambda params: (
        r"\max_{\epsilon \in E} \frac{1}{L} \sum_{l=1}^{L} A_{l,\epsilon}, \qquad "
        r"A_{l,\epsilon} = \text{AccEq of list } l \text{ with } \epsilon"
        if params["average"] == "lists"
        else r"\max_{\epsilon \in E} A_{\epsilon}, \qquad A_{\epsilon} = "
        r"\text{AccEq of all lists' pairs with } \epsilon"
    ),
    undefined="no list has two items",
    aliases=("acc_eq_star",),
    aggregate="pooled",
    columns=("score",),
    judged=2,
    explain=_explain,
    statistic=Weighted(_best),
)
def acceqcalibrated(scored: Scored, *, average: Pooling = "lists") -> Statistics:
    """`AccEq` with the epsilon that is best for the submission over all lists.

    Metrics hardly ever score two items alike, while people do; tied are here the items whose scores
    are at most epsilon apart. `average=lists` is the mean of the lists' shares, as WMT's, with
    one epsilon for all; `pooled` the share of all pairs.

    Where b and c tie, 0.1 apart, and a is 0.6 above b, an epsilon from 0.1 is best:

    >>> scored = Scored.of_scores(({"a": 0.9, "b": 0.3, "c": 0.2}, {"a": 2, "b": 1, "c": 1}))
    >>> acceqcalibrated.__scorer__.statistic.figure(acceqcalibrated(scored), average="lists")
    1.0
    """
    found, whole = ScoredPairs.of(scored), pairs_of_truth(scored)
    rows = np.column_stack([found.apart, found.ordered, found.tied, np.zeros(found.apart.size)])
    # a row of its own for how many pairs a list has; it is tied by every epsilon, and gains nothing
    sizes = np.column_stack([np.zeros((scored.lists, 3)), whole])
    in_list = np.append(np.arange(scored.lists, dtype=np.int64), found.in_list)
    by = np.argsort(in_list, kind="stable")
    return Statistics(in_list[by], np.concatenate([sizes, rows])[by], scored.lists)
