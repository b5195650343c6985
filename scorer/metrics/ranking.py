"""Metrics of ranked lists that count relevant items: precision, recall, reciprocal rank and kin.

Each metric computes all lists at once. `view.hits` has an element for each judged item that was
returned, ordered by list, then by rank. `view.ideal` has one for each judged item of the truth,
ordered by list, best grade first. `hits.spread` is true under `ties: expected`: a tied item then
has each rank of its tie group with equal chance.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats, Ints
from scorer.metrics.api import metric
from scorer.metrics.notation import NotationError
from scorer.metrics.parameters import (
    AfterAt,
    Beta,
    Cutoff,
    Relevant,
    cap_relevant,
)
from scorer.metrics.ratios import Ratio, Table, sum_of_rows
from scorer.views.ranked import Hits, Judged, steps

RecallDivisor = Literal["relevant", "capped"]
RecallLevel = Annotated[
    float,
    Field(ge=0, le=1, description="The share of the relevant items to reach, 0 to 1."),
    AfterAt(),
]


@metric(
    "P",
    title="Precision",
    source="Kent et al., American Documentation 6(2), 1955; as trec_eval's P",
    latex=r"\frac{h_k}{k}",
    tools="trec_eval: P_10; ir_measures: P; ranx: precision; torchmetrics: RetrievalPrecision; "
    "Hivemall: precision_at (denominator=returned)",
    aliases=("Precision", "precision_at"),
    undefined="with `denominator=returned`, nothing is returned",
    ties=("expected", "mean-rank"),
)
def p(
    view: Judged, *, k: Cutoff, rel: Relevant = 1, denominator: Literal["k", "returned"] = "k"
) -> Ratio:
    """The share of the first k ranks that holds a relevant item.

    A list shorter than k is divided by k all the same, as in trec_eval; `denominator=returned`
    divides by min(k, n).

    Returned a, x, b; a and b are relevant:

    >>> p(judged_view((["a", "x", "b"], {"a": 1, "b": 1})), k=5).values()  # 2 / 5
    array([0.4])
    """
    hits = view.hits.relevant(rel)
    columns = {"found": hits.in_top(k)}
    if denominator == "k":
        return sum_of_rows(hits, columns, k, "k", name="found")
    return sum_of_rows(hits, columns, np.minimum(view.returned, k), "min(k, n)", name="found")


@metric(
    "R",
    title="Recall",
    source="Kent et al., American Documentation 6(2), 1955; as trec_eval's recall",
    latex=r"\frac{h_k}{R}",
    tools="trec_eval: recall_10; ir_measures: R; ranx: recall; torchmetrics: RetrievalRecall; "
    "Hivemall: recall_at",
    aliases=("Recall", "recall_at"),
    undefined="nothing is relevant in the truth",
    ties=("expected", "mean-rank"),
)
def r(
    view: Judged, *, k: Cutoff, rel: Relevant = 1, denominator: RecallDivisor = "relevant"
) -> Ratio:
    """The share of the relevant items that is among the first k.

    It is divided by all R relevant items, as in trec_eval, so that it cannot reach 1 where R is
    above k; `denominator=capped` divides by min(R, k).

    Returned a, x; a, b and c are relevant:

    >>> r(judged_view((["a", "x"], {"a": 1, "b": 1, "c": 1})), k=2).values()  # 1 / 3
    array([0.33333333])
    """
    hits, relevant = view.hits.relevant(rel), view.ideal.count(rel)
    divisor, name = cap_relevant(relevant, k if denominator == "capped" else None)
    return sum_of_rows(hits, {"found": hits.in_top(k)}, divisor, name, name="found")


@metric(
    "Rprec",
    title="R-precision",
    source="Buckley and Voorhees, Retrieval System Evaluation, in TREC, 2005",
    latex=r"\frac{h_R}{R}",
    tools="trec_eval: Rprec; ir_measures: Rprec; ranx: r-precision; "
    "torchmetrics: RetrievalRPrecision",
    aliases=("RPrecision",),
    undefined="nothing is relevant in the truth",
    ties=("expected",),
)
def rprec(view: Judged, *, rel: Relevant = 1) -> Ratio:
    """The share of the first R ranks that holds a relevant item; R is how many there are.

    Precision and recall at rank R are the same number. As in trec_eval, a list shorter than R is
    divided by R all the same.

    Returned a, x, b; a and b are relevant, so that R is 2:

    >>> rprec(judged_view((["a", "x", "b"], {"a": 1, "b": 1}))).values()  # 1 / 2
    array([0.5])
    """
    hits, relevant = view.hits.relevant(rel), view.ideal.count(rel)
    is_in_top = hits.in_top(relevant[hits.in_list])
    return sum_of_rows(hits, {"found": is_in_top}, relevant, "R", name="found")


@metric(
    "F",
    title="F measure",
    source="van Rijsbergen, Information Retrieval, 1979, chapter 7",
    latex=r"\frac{(1 + \beta^2) h_k}{\beta^2 R + k}",
    tools="ranx: f1",
    aliases=("F1", "fmeasure", "f1score"),
    undefined="nothing is relevant in the truth",
    ties=("expected",),
)
def f(view: Judged, *, k: Cutoff, rel: Relevant = 1, beta: Beta = 1) -> Ratio:
    """Precision and recall at k in one number, their weighted harmonic mean.

    (1 + beta^2) P R / (beta^2 P + R), which is (1 + beta^2) c / (beta^2 R + k) for c relevant
    items found. beta is van Rijsbergen's: with beta=2 recall weighs twice as much. If pooled, what
    is returned where nothing is relevant counts as wrong.

    Returned a, x; a, b and c are relevant:

    >>> view = judged_view((["a", "x"], {"a": 1, "b": 1, "c": 1}))
    >>> f(view, k=2, beta=2).values().round(4)  # 5 * 1 / (4 * 3 + 2)
    array([0.3571])
    """
    hits = view.hits.relevant(rel)
    return f_ratio(hits, hits.in_top(k), view.ideal.count(rel), beta, k, "k")


def f_ratio(
    hits: Hits, found: Floats, relevant: Floats, beta: float, size: Ints | int, size_name: str
) -> Ratio:
    """The F measure of each list.

    Args:
        hits: The relevant items that were returned.
        found: 1 for each hit that counts, else 0, or the chance that it counts; shape (hits,).
        relevant: How many relevant items each list has.
        beta: How much recall weighs beside precision, as in `f`.
        size: How many items of each list are looked at.
        size_name: The word for the size in the formula.
    """
    count = hits.total(found)
    return Ratio(
        (1 + beta**2) * count,
        beta**2 * relevant + size,
        f"(1 + beta²) × found / (beta² × R + {size_name})",
        {"beta": beta, "found": count, "R": relevant, size_name: size},
        Table(hits, {"found": found}),
        defined=relevant > 0,
    )


@metric(
    "AP",
    title="Average precision",
    source="Harman, Information Processing and Management 28(4), 1992; as trec_eval's map",
    latex=r"\frac{\sum_{i=1}^{k} r_i \cdot \frac{h_i}{i}}{R}",
    tools="trec_eval: map, map_cut_10; ir_measures: AP; ranx: map; torchmetrics: RetrievalMAP; "
    "Hivemall: average_precision (denominator=hits); Kaggle: MAP@K (denominator=capped); "
    "lenskit: AP (without a cut-off denominator=returned)",
    aliases=("MAP", "map_cut", "average_precision"),
    undefined="nothing is relevant in the truth; with `denominator=hits`, nothing relevant is "
    "found, with `returned`, nothing is returned",
    ties=("expected",),
)
def ap(
    view: Judged,
    *,
    k: Cutoff | None = None,
    rel: Relevant = 1,
    denominator: Literal["relevant", "capped", "returned", "hits"] = "relevant",
) -> Ratio:
    """The precision at each relevant item's rank, averaged over the relevant items.

    Those that were not found, or stand below rank k, count as 0: the sum is divided by R, as in
    trec_eval and in Hivemall's documentation. Others divide by the most that could have been found:
    by min(R, k) (`denominator=capped`, as Kaggle's MAP@K does), or by min(R, n) (`returned`, as
    lenskit without a cut-off). Hivemall's code divides by the relevant items found (`hits`), which
    never asks what was missed.

    Returned a, x, b, y; a, b and c are relevant:

    >>> view = judged_view((["a", "x", "b", "y"], {"a": 1, "b": 1, "c": 1}))
    >>> ap(view).values().round(4)  # (1/1 + 2/3) / 3
    array([0.5556])
    """
    hits, relevant = view.hits.relevant(rel), view.ideal.count(rel)
    if hits.spread and denominator == "hits":  # the divisor, too, depends on the order of ties
        message = "AP(denominator=hits) has no closed form for ties: expected; the others have"
        raise NotationError(message, "denominator")
    divisor, name = cap_relevant(relevant, k if denominator == "capped" else None)
    if denominator == "returned":
        divisor, name = np.minimum(relevant, view.returned), "min(R, n)"
    elif denominator == "hits":
        divisor, name = hits.top(k).total(), "found"
    if not hits.spread:
        hits = hits.top(k)
        columns = {"found so far": hits.nth(), "precision": hits.nth() / hits.rank}
        return sum_of_rows(hits, columns, divisor, name, name="sum of precisions")
    total = _expected_precision_sum(hits, k)
    terms = {"sum of precisions": total, name: divisor}
    table = Table(hits, {"found": hits.in_top(k)})
    return Ratio(total, divisor, f"sum of precisions / {name}", terms, table)


def _expected_precision_sum(hits: Hits, k: int | None) -> Floats:
    """Each list's sum of precisions at its hits, as the mean over all orders of tied items.

    A group is the t items of a list that have the same score. A hit is at each place j of its group
    with equal probability. Each other hit of the group is then above it with probability
    (j - 1) / (t - 1) (McSherry and Najork, ECIR 2008).
    """
    groups, group_hits, hits_above = hits.groups()
    other_hits_per_place = (group_hits - 1) / np.maximum(groups.tied - 1, 1)
    sums = np.zeros(group_hits.shape)
    places = groups.tied if k is None else np.minimum(groups.tied, k - groups.tie_start)
    for place, at in steps(places):  # `at`: the numbers of the groups that have this place
        nth = hits_above[at] + 1 + (place - 1) * other_hits_per_place[at]
        sums[at] += group_hits[at] / groups.tied[at] * nth / (groups.tie_start[at] + place)
    return groups.total(sums)


@metric(
    "RR",
    title="Reciprocal rank",
    source="Kantor and Voorhees, Information Retrieval 2, 2000; as trec_eval's recip_rank",
    latex=r"\max_{1 \le i \le k} \frac{r_i}{i}",
    tools="trec_eval: recip_rank; ir_measures: RR; ranx: mrr; torchmetrics: RetrievalMRR; "
    "Hivemall: mrr; papers: mean reciprocal rank",
    aliases=("MRR", "recip_rank"),
    ties=("expected", "mean-rank"),
)
def rr(view: Judged, *, k: Cutoff | None = None, rel: Relevant = 1) -> Ratio:
    """How soon the first relevant item comes: one over its rank, 0 if none comes.

    Its mean over lists is MRR.

    Returned x, a, b; a and b are relevant:

    >>> rr(judged_view((["x", "a", "b"], {"a": 1, "b": 1}))).values()  # 1 / 2
    array([0.5])
    """
    hits = view.hits.relevant(rel)
    reciprocal = hits.first(lambda rank: 1 / rank, k)
    table = Table(hits, {"found": hits.in_top(k)})
    if hits.spread:
        formula = "mean of 1 / first relevant rank over all orders"
        return Ratio(reciprocal, 1, formula, table=table)
    with np.errstate(divide="ignore"):  # an item that is not found has an infinite rank
        terms = {"first relevant rank": 1 / reciprocal}
    return Ratio(reciprocal, 1, "1 / first relevant rank", terms, table)


@metric(
    "Success",
    title="Success, or hit rate",
    source="trec_eval's success",
    latex=r"[h_k \ge 1]",
    tools="trec_eval: success_10; ir_measures: Success; ranx: hit_rate; "
    "torchmetrics: RetrievalHitRate; knowledge graphs: Hits@k",
    aliases=("HitRate", "Hit", "HR"),
    ties=("expected", "mean-rank"),
)
def success(view: Judged, *, k: Cutoff, rel: Relevant = 1) -> Ratio:
    """Whether any relevant item is among the first k: 1 or 0.

    Recommendation calls its mean the hit rate, knowledge graphs Hits@k; the Open Graph Benchmark's
    Hits@k, against negatives, is `Hits`. Some call it recall at k; ours is `R`.

    Returned x, a; a is relevant:

    >>> view = judged_view((["x", "a"], {"a": 1}))
    >>> success(view, k=1).values(), success(view, k=2).values()
    (array([0.]), array([1.]))
    """
    hits = view.hits.relevant(rel)
    # under `ties: expected` it is a chance, whose sum may round to a little more than 1
    found = np.minimum(hits.first(np.ones_like, k), 1.0)
    formula = "chance that one is found" if hits.spread else "1 if one is found, else 0"
    return Ratio(found, 1, formula, table=Table(hits, {"found": hits.in_top(k)}))


@metric(
    "IPrec",
    title="Interpolated precision at a level of recall",
    source="Manning et al., Introduction to Information Retrieval, 2008, section 8.4",
    latex=r"\max_{1 \le i \le n} \frac{h_i}{i} [h_i \ge \lceil \rho R \rceil]",
    tools="trec_eval: iprec_at_recall_0.10 (it rounds how many items are needed otherwise); "
    "ir_measures: IPrec (as trec_eval)",
    aliases=("iprec_at_recall",),
    undefined="nothing is relevant in the truth",
)
def iprec(view: Judged, *, recall: RecallLevel, rel: Relevant = 1) -> Ratio:
    """The highest precision at any rank where that share of the relevant items is found.

    A rank qualifies when at least ceil(recall * R) relevant items have this rank or a better one,
    computed exactly; 0 if none qualifies. trec_eval asks for too few: version 9 takes recall * R +
    .9 without its fraction (1 of 21 items at a recall of .05, where 1.05 need 2), version 10 the
    nearest whole number.

    Returned a, x, b; a, b and c are relevant. Half of 3 needs 2 of them:

    >>> view = judged_view((["a", "x", "b"], {"a": 1, "b": 1, "c": 1}))
    >>> iprec(view, recall=0.5).values()  # 2 / 3
    array([0.66666667])
    """
    hits, relevant = view.hits.relevant(rel), view.ideal.count(rel)
    level = Fraction(str(recall))  # as written: .1 of 10 is 1, not a float's 1.0000000000000001
    counts, index = np.unique(relevant, return_inverse=True)  # fractions are slow: each count once
    needed = np.array([ceil(level * int(count)) for count in counts], dtype=np.int64)[index]
    precision = hits.nth() / hits.rank
    qualifies = hits.nth() >= needed[hits.in_list]
    highest = np.zeros(view.lists)
    np.maximum.at(highest, hits.in_list[qualifies], precision[qualifies])
    table = Table(hits, {"found so far": hits.nth(), "precision": precision})
    formula = "highest precision from where ⌈recall × R⌉ are found"
    return Ratio(highest, relevant > 0, formula, table=table)


@metric(
    "Hits",
    title="Hits at k, against negatives",
    source="Hu et al., Open Graph Benchmark, NeurIPS 2020, arXiv:2005.00687",
    latex=r"\frac{1}{R} \sum_{i=1}^{n} r_i [s_i > t], \qquad t = \text{score of the k-th best "
    r"negative item}",
    tools="Open Graph Benchmark: hits@50",
    undefined="no item of the truth is positive",
    ties=("mean-rank",),
)
def hits(view: Judged, *, k: Cutoff, rel: Relevant = 1) -> Ratio:
    """The share of the positive items that score higher than the k-th best negative.

    Positive items have a grade of `rel` or more, negative ones a grade from 0 to below it; unjudged
    items are neither. A positive with the very score of the k-th negative is no hit. With fewer
    than k negatives every positive that was returned is one, as in the Open Graph Benchmark, where
    all edges are one list (ogbl-ppa, ogbl-collab, ogbl-ddi). In knowledge graphs Hits@k is
    something else, whether the true entity is among the first k: that is `Success`, with `ties:
    mean-rank` for the realistic rank.

    Positives a, b, c and negatives x, y; the second best negative is y:

    >>> truth = {"a": 1, "b": 1, "c": 1, "x": 0, "y": 0}
    >>> view = judged_view((["a", "x", "b", "y", "c"], truth))
    >>> hits(view, k=2).values().round(6)  # a and b, of 3
    array([0.666667])
    """
    positive, relevant = view.hits.relevant(rel), view.ideal.count(rel)
    negative = view.hits.where((view.hits.grade >= 0) & (view.hits.grade < rel))
    kth = negative.where(negative.nth() == k)
    # how many items score above the k-th negative; with fewer negatives every positive counts
    before_kth = np.full(view.lists, np.inf)
    before_kth[kth.in_list] = kth.tie_start
    is_hit = positive.tie_start < before_kth[positive.in_list]
    return sum_of_rows(positive, {"hit": is_hit}, relevant, "R", name="hits")
