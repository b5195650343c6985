"""Metrics of how well an order or scores separate relevant items from others."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

import numpy as np

from scorer.core.arrays import Floats, ends, starts
from scorer.core.errors import SubmissionRejected
from scorer.core.problems import Problem
from scorer.core.text import quoted
from scorer.metrics.api import metric
from scorer.metrics.notation import NotationError
from scorer.metrics.parameters import (
    CatalogueSize,
    Cutoff,
    Needs,
    Relevant,
)
from scorer.metrics.ratios import Ratio, Table, divide, sum_of_rows
from scorer.views.ranked import Judged
from scorer.views.recommendations import Scored

ComparedPairs = Annotated[
    Literal["recommended", "all"],
    Needs(
        lambda pairs, params: ("items",) if pairs == "all" and params["catalogue"] is None else ()
    ),
]


@metric(
    "AUC",
    title="Area under the ROC curve",
    source="Apache Hivemall's auc for ranked lists",
    latex=r"\frac{\frac{e}{2} + \sum_{i=1}^{\min(k, n)} (1 - r_i) h_i}{e + h_k (k - h_k)}, "
    r"\qquad e = [h_k (k - h_k) = 0]",
    tools="Hivemall: auc; scikit-learn: roc_auc_score (with pairs=all)",
    undefined="with `pairs=all`, nothing is relevant, or everything",
    ties=("expected",),
)
def auc(
    view: Judged,
    *,
    k: Cutoff | None = None,
    rel: Relevant = 1,
    pairs: ComparedPairs = "recommended",
    catalogue: CatalogueSize = None,
) -> Ratio:
    """The share of pairs of a relevant and another item in which the relevant one is ranked higher.

    By default the AUC of the returned items, which is Hivemall's and not the textbook's: pairs
    within the first k ranks, over TP (k - TP) where TP of them are relevant, and .5 where that is
    0. It never asks what was not found, and counts the ranks that a short list leaves empty.
    `pairs=all` is the textbook's and scikit-learn's: all pairs of the catalogue, over
    R (catalogue - R). All that is not at the first k ranks is tied below them, and ties count half.
    It needs the challenge's `items`, or `catalogue`, the number of items. A list with unknown items
    can have more than catalogue - R items that are not relevant; their number then takes its place.

    Returned a, x, b, y; a, b and c are relevant:

    >>> view = judged_view((["a", "x", "b", "y"], {"a": 1, "b": 1, "c": 1}))
    >>> auc(view, k=4).values()  # a over x and y, b over y: 3 / (2 * 2)
    array([0.75])
    >>> auc(view, pairs="all", catalogue=6).values()  # c over z, tied, half: (3 + 2 + .5) / (3 * 3)
    array([0.61111111])
    """
    if pairs == "all":
        return _auc_of_catalogue(view, k, rel, catalogue)
    if view.hits.spread:
        message = "AUC(pairs=recommended) has no closed form for ties: expected; it can be all"
        raise NotationError(message, "pairs")
    hits = view.hits.relevant(rel).top(k)
    found = hits.total()
    depth = view.returned if k is None else k
    irrelevant = np.minimum(view.returned, depth) - found
    irrelevant_above = hits.rank - hits.nth()
    below = irrelevant[hits.in_list] - irrelevant_above
    total = hits.total(below)
    return Ratio(
        total,
        found * (depth - found),
        "pairs / (TP × (depth - TP))",
        {"pairs": total, "TP": found, "depth": depth},
        Table(hits, {"others below": below}),
        empty=0.5,
    )


def _auc_of_catalogue(view: Judged, k: int | None, rel: float, catalogue: int | None) -> Ratio:
    """The AUC over all pairs of a relevant and another item of the catalogue.

    It is 1/2, plus half of the share of pairs in the right order, less half of the share of pairs
    in the wrong order. Items that are not in the top k are tied below it.
    """
    if catalogue is None:
        message = "AUC(pairs=all) needs to know the catalogue: the challenge must declare `items`"
        raise NotationError(message, "catalogue")
    hits, relevant = view.hits.relevant(rel), view.ideal.count(rel)
    if (relevant > catalogue).any():
        raise NotationError(f"AUC: catalogue={catalogue} is fewer than there are", "catalogue")
    if (too_long := view.returned > catalogue).any():
        at = int(np.argmax(too_long))
        name, size = view.names[at], view.returned[at]
        message = f"{quoted(name)} has {size:,} items, and there are {catalogue:,}"
        raise SubmissionRejected(problems=[Problem("S402", message, list=name)])
    if not hits.spread:  # every item stands alone
        hits = replace(hits, tie_start=hits.rank - 1, tied=np.ones_like(hits.rank))
    # A list with unknown items may have more. To refuse it would reveal how many are relevant.
    others = np.maximum(catalogue - relevant, view.returned - hits.total())
    depth = view.returned if k is None else np.minimum(view.returned, k)
    groups, group_hits, hits_above = hits.groups()  # the tie groups that hold a relevant item
    in_list, is_in_top = groups.in_list, groups.in_top(k)
    others_in_top = depth - groups.total(group_hits * is_in_top)
    others_above = groups.tie_start - hits_above
    others_below = others[in_list] - others_above - (groups.tied - group_hits)
    # A group below the top is tied with all items there, so that only the top is above it.
    begins_in_top = groups.tie_start <= depth[in_list]
    others_above = np.where(begins_in_top, others_above, others_in_top[in_list])
    # pairs in the right order less pairs in the wrong one: of a hit, then of all relevant items
    surplus = is_in_top * others_below - others_above
    wrong_of_missed = (relevant - hits.total()) * others_in_top
    gained = groups.total(group_hits * surplus) - wrong_of_missed
    value = 0.5 + divide(gained, 2 * relevant * others)
    return Ratio(
        np.nan_to_num(value),
        (~np.isnan(value)).astype(float),
        "1/2 + gained / (2 × R × others)",
        {"gained": gained, "R": relevant, "others": others},
        Table(hits, {"relevant": hits.in_top(k)}),
    )


@metric(
    "LRAP",
    title="Label ranking average precision",
    source="Tsoumakas, Katakis and Vlahavas, 2010; scikit-learn, "
    "label_ranking_average_precision_score; DCASE 2019 task 2 (lwlrap)",
    latex=r"\frac{\sum_{i=1}^{n} r_i \frac{\sum_{j=1}^{n} r_j [s_j \ge s_i]}{\sum_{j=1}^{n} "
    r"[s_j \ge s_i]}}{R}",
    tools="scikit-learn: label_ranking_average_precision_score (1 where nothing is relevant); "
    "DCASE: lwlrap (average=pooled)",
    aliases=("LWLRAP",),
    undefined="nothing is relevant in the truth",
)
def lrap(view: Scored, *, rel: Relevant = 1) -> Ratio:
    """The mean, over relevant items, of the share of relevant ones that score as much or more.

    All items with an equal score have the last of their ranks, whatever `ties` says, so that equal
    scores never gain; a relevant item that is not returned counts as 0. `average=pooled` takes the
    relevant items of all lists together: DCASE's label-weighted average.

    Relevant a at rank 1, b tied with x and y at rank 4:

    >>> scores = {"a": 0.9, "b": 0.5, "x": 0.5, "y": 0.5}
    >>> lrap(scored_view((scores, {"a": 1, "b": 1}))).values()  # (1/1 + 2/4) / 2
    array([0.75])
    """
    columns = {"score": view.score, "precision": _tied_precision(view, rel)}
    return sum_of_rows(view, columns, view.judged.ideal.count(rel), "R")


def _tied_precision(view: Scored, rel: float) -> Floats:
    """For each returned item the share of relevant ones among those that score as much or more.

    It is 0 for items that are not relevant. The result has the shape (items,).
    """
    is_relevant = view.grade >= rel
    # in a submission without scores the negative rank stands for the score
    score = np.where(np.isnan(view.score), -view.rank, view.score)
    order = np.lexsort((-score, view.in_list))
    in_list, score = view.in_list[order], score[order]
    tie_group = np.cumsum(starts(in_list, score)) - 1
    first_of_list = np.searchsorted(in_list, in_list)
    end_of_tie = np.flatnonzero(ends(in_list, score))[tie_group] + 1
    relevant_before = np.append(0, np.cumsum(is_relevant[order]))
    relevant = relevant_before[end_of_tie] - relevant_before[first_of_list]
    precision = relevant / (end_of_tie - first_of_list)
    values = np.zeros(order.size)
    values[order] = np.where(is_relevant[order], precision, 0.0)
    return values
