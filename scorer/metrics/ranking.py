"""Metrics of ranked lists that count relevant items: precision, recall, reciprocal rank and kin.

Each metric computes all lists at once. `view.hits` has an element for each judged item that was
returned, ordered by list, then by rank. `view.ideal` has one for each judged item of the truth,
ordered by list, best grade first. `hits.spread` is true under `ties: expected`: a tied item then
has each rank of its tie group with equal chance.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, Strict

from scorer.core.arrays import Floats, Ints, ends, starts
from scorer.core.errors import ChallengeError, SubmissionRejected
from scorer.core.problems import Problem
from scorer.core.text import quoted
from scorer.metrics.api import metric
from scorer.metrics.notation import NotationError
from scorer.metrics.parameters import (
    AfterAt,
    Beta,
    CatalogueSize,
    Cutoff,
    Cutoffs,
    ItemColumn,
    Needs,
    Relevant,
    cap_relevant,
)
from scorer.metrics.ratios import Ratio, Table, divide, sum_of_rows
from scorer.metrics.steps import NamedItems, OneList, Sentence, Steps, equation, ranked_table
from scorer.views.columns import Column
from scorer.views.ranked import Hits, Judged, steps
from scorer.views.recommendations import Scored

INFAP_SMOOTHING = 0.00001  # trec_eval's

RecallDivisor = Literal["relevant", "capped"]
RecallLevel = Annotated[
    float,
    Field(ge=0, le=1, description="The share of the relevant items to reach, 0 to 1."),
    AfterAt(),
]
ComparedPairs = Annotated[
    Literal["recommended", "all"],
    Needs(
        lambda pairs, params: ("items",) if pairs == "all" and params["catalogue"] is None else ()
    ),
]
Credit = Annotated[float, Field(ge=0, le=1, description="What each class that is found adds.")]
PageSize = Annotated[int, Strict(), Field(ge=1, description="How many items a page shows.")]
WithoutHit = Annotated[
    float, Field(ge=0, description="The value of a list in which nothing relevant comes.")
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
    "Bpref",
    title="Binary preference",
    source="Buckley and Voorhees, SIGIR 2004, doi:10.1145/1008992.1009000; as trec_eval's bpref",
    latex=r"\frac{1}{R} \sum_{i=1}^{n} r_i \left(1 - \frac{\min(b_i, R)}{\max(1, \min(N, "
    r"R))}\right), \qquad b_i = \text{judged irrelevant items above rank } i",
    tools="trec_eval: bpref; ir_measures: Bpref; ranx: bpref",
    undefined="nothing is relevant in the truth",
)
def bpref(view: Judged, *, rel: Relevant = 1) -> Ratio:
    """How seldom items judged irrelevant stand above relevant ones; unjudged ones do not count.

    Each relevant item found adds 1 - min(b, R) / min(N, R), where b of the list's N irrelevant
    items stand above it; the sum is divided by R. So does trec_eval since version 8; the paper has
    R in the place of min(N, R). Items with a grade below 0 are unjudged.

    Returned n, a, x, b; a and b are relevant, n and m judged irrelevant:

    >>> view = judged_view((["n", "a", "x", "b"], {"a": 1, "b": 1, "n": 0, "m": 0}))
    >>> bpref(view).values()  # (1 - 1/2 + 1 - 1/2) / 2
    array([0.5])
    """
    judged = view.hits.relevant(0)  # with a grade of 0 or more
    hits, relevant = judged.relevant(rel), view.ideal.count(rel)
    irrelevant = view.ideal.count(0) - relevant
    nth_judged = judged.nth()[judged.grade >= rel]
    above = nth_judged - hits.nth()
    divisor = np.maximum(np.minimum(relevant, irrelevant), 1)  # not 0 / 0 where all are relevant
    share = 1 - np.minimum(above, relevant[hits.in_list]) / divisor[hits.in_list]
    columns = {"irrelevant above": above, "1 - min(b, R) / min(N, R)": share}
    return sum_of_rows(hits, columns, relevant, "R")


@metric(
    "InfAP",
    title="Inferred average precision",
    source="Yilmaz and Aslam, CIKM 2006, doi:10.1145/1183614.1183633; as trec_eval's infAP",
    latex=r"\frac{1}{R} \sum_{i=1}^{n} \frac{r_i}{i} \left(1 + d_i \frac{h_{i-1} + \epsilon}{a_i "
    r"+ 2 \epsilon}\right), \qquad \epsilon = 10^{-5}, \qquad d_i = \text{pooled items "
    r"above rank } i, \qquad a_i = \text{judged items above rank } i",
    tools="trec_eval: infAP; ir_measures: infAP",
    undefined="nothing is relevant in the truth",
)
def infap(view: Judged, *, rel: Relevant = 1) -> Ratio:
    """Average precision, estimated where only a sample of the pool was judged.

    A grade below 0, by convention -1, means pooled but not judged: such items are taken to be
    relevant as often as the judged ones above the same rank, a share that is smoothed by .00001 as
    in trec_eval. Items without any grade were not pooled and are not relevant. The sum is divided
    by the known relevant items.

    Returned a, u, n, b; a and b are relevant, u pooled but not judged, n not relevant.
    At rank 4 all 3 items above are pooled, and 1 of the 2 judged is relevant:

    >>> view = judged_view((["a", "u", "n", "b"], {"a": 1, "b": 1, "u": -1, "n": 0}))
    >>> infap(view).values().round(4)  # (1 + (1/4 + 3/4 * 3/3 * 1/2)) / 2
    array([0.8125])
    """
    pooled, judged = view.hits, view.hits.relevant(0)  # with any grade; with a grade of 0 or more
    hits, relevant = view.hits.relevant(rel), view.ideal.count(rel)
    above = hits.rank - 1.0
    pooled_above = pooled.nth()[pooled.grade >= rel] - 1
    judged_above = judged.nth()[judged.grade >= rel] - 1
    relevant_above = hits.nth() - 1
    share = (relevant_above + INFAP_SMOOTHING) / (judged_above + 2 * INFAP_SMOOTHING)
    pooled_share = pooled_above / np.maximum(above, 1)
    precision = 1 / hits.rank + above / hits.rank * pooled_share * share
    columns = {
        "pooled above": pooled_above,
        "judged above": judged_above,
        "relevant above": relevant_above,
        "precision": precision,
    }
    return sum_of_rows(hits, columns, relevant, "R")


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


def _explain_marp(one: OneList, *, cutoffs: Cutoffs, at_cutoff: Literal["include", "cut"]) -> Steps:
    """The sets at each cut-off, their R-precisions, and the mean of these."""
    hits, ideal = one.view.hits.relevant(0), one.view.ideal.relevant(0)
    size, numbers = ideal.rank.size, list[float]()
    yield Sentence(f"The truth has m = {size:,} items.")
    for z in cutoffs:
        depth = min(size, z)
        best = _best_hits(ideal, ideal, z, at_cutoff)
        found = _best_hits(hits, ideal, z, at_cutoff)
        found = found.where(found.in_top(z) > 0)
        yield NamedItems(f"relevant, z = {z}", one.name_items(best))
        if best.rank.size > depth:
            grade = f"Item {depth:,} of the truth has grade {best.grade[-1]:g}"
            yield Sentence(f"{grade}, so that all {best.rank.size:,} down to it are relevant.")
        if hits.spread:  # all tied items that can be among the first z
            last = int((one.names.tie_start < z).sum())
            yield NamedItems(f"retrieved, z = {z}", one.names.returned[:last])
            yield ranked_table(one, found, {"both": found.in_top(z)}, z)
        else:
            yield NamedItems(f"retrieved, z = {z}", one.names.returned[:z])
            yield NamedItems(f"both, z = {z}", one.name_items(found))
        count = float(found.in_top(z).sum())
        share = count / depth if depth else np.nan
        yield equation(f"Rp@{z}", "|both| / min(m, z)", "{} / {}", count, depth, value=share)
        numbers += [count, depth]
    fractions = " + ".join(["{} / {}"] * len(cutoffs))
    ratio = marp(one.view, cutoffs=cutoffs, at_cutoff=at_cutoff)
    filled = f"({fractions}) / {len(cutoffs)}"
    yield equation("AvgRp", ratio.formula, filled, *numbers, value=ratio.values()[0])


@metric(
    "MARp",
    title="Mean average R-precision",
    source="ECML PKDD 2011 VideoLectures.Net challenge, evaluation metrics example",
    latex=r"\frac{1}{\lvert Z \rvert} \sum_{z \in Z} \frac{u_z}{\min(J, z)}, \qquad Z = "
    r"\mathrm{cutoffs}, \qquad u_z = \text{items among the } z \text{ best of the truth and at the "
    r"first } z \text{ ranks}",
    undefined="the truth judges no item 0 or better",
    ties=("expected",),
    explain=_explain_marp,
)
def marp(
    view: Judged, *, cutoffs: Cutoffs, at_cutoff: Literal["include", "cut"] = "include"
) -> Ratio:
    """How many of a list's best items are at its first ranks, averaged over several depths.

    At depth z the relevant items are the z best of the truth, together with those that have the
    same grade as the last of them (`at_cutoff=include`, as in the challenge). `at_cutoff=cut` takes
    exactly the first z, equal grades in the order of the truth file. The hits are divided by
    min(m, z), where m is how many items the truth has (one with a grade below 0 is never relevant).
    The challenge's first example divides by what was retrieved, which would reward short lists; its
    second example and its text, by min(m, z).

    The challenge's second example, list 2: truth 1 to 7; depths 5 and 10:

    >>> truth = {str(n): 51.0 - n for n in range(1, 8)}
    >>> view = judged_view(("23 2 3 20 10 6 7 8 21 22".split(), truth))
    >>> marp(view, cutoffs=(5, 10)).values().round(4)  # (2/5 + 4/7) / 2
    array([0.4857])
    """
    hits, ideal = view.hits.relevant(0), view.ideal.relevant(0)
    terms: dict[str, Floats] = {}
    for z in cutoffs:
        best = _best_hits(hits, ideal, z, at_cutoff)
        terms[f"Rp@{z}"] = divide(best.total(best.in_top(z)), np.minimum(ideal.total(), z))
    formula = f"({' + '.join(terms)}) / {len(cutoffs)}"
    return Ratio(np.sum(list(terms.values()), axis=0), len(cutoffs), formula, terms)


def _best_hits(hits: Hits, ideal: Hits, z: int, at_cutoff: str) -> Hits:
    """The hits that are among the z best items of the truth.

    With `at_cutoff="include"` items of the same grade as the last of these z are among them, too.
    """
    if at_cutoff == "cut":
        return hits.where(hits.place <= z)
    last = ideal.where(ideal.place == np.minimum(ideal.total(), z)[ideal.in_list])
    lowest_grade = last.total(last.grade)  # the grade itself: a list has one last item
    return hits.where(hits.grade >= lowest_grade[hits.in_list])


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
    "Judged",
    title="Share of judged items",
    source="ir_measures' Judged, after OpenNIR",
    latex=r"\frac{\sum_{i=1}^{k} a_i}{\min(k, n)}, \qquad a_i = [\text{the item at rank } i "
    r"\text{ is judged}]",
    tools="ir_measures: Judged",
    undefined="nothing is returned",
    ties=("expected",),
)
def judged(view: Judged, *, k: Cutoff) -> Ratio:
    """The share of the first k ranks that the truth says anything about.

    Where it is low, other metrics say little. Any grade counts, also 0 and below. A list shorter
    than k is divided by its length.

    Returned a, x, b; the truth knows a and b:

    >>> judged(judged_view((["a", "x", "b"], {"a": 1, "b": 0})), k=10).values()  # 2 / 3
    array([0.66666667])
    """
    columns, depth = {"judged": view.hits.in_top(k)}, np.minimum(view.returned, k)
    return sum_of_rows(view.hits, columns, depth, "min(k, n)", name="judged")


@metric(
    "Clicks",
    title="Clicks until something relevant is seen",
    source="Chen et al., RecSys Challenge 2018, RecSys 2018, doi:10.1145/3240323.3240342",
    latex=r"[h_n \ge 1] \left\lfloor \frac{f - 1}{b} \right\rfloor + [h_n = 0] \cdot m, "
    r"\qquad f = \text{rank of the first relevant item}",
    range=(0, None),
    better="lower",
    ties=("expected",),
)
def clicks(
    view: Judged, *, page: PageSize = 10, none: WithoutHit = 51.0, rel: Relevant = 1
) -> Ratio:
    """How often the reader asks for the next page before the first relevant item is seen.

    floor((first relevant rank - 1) / page), and `none` where nothing relevant was returned: 51
    after the 50 pages of the RecSys Challenge 2018, whose lists have 500 tracks.

    The first relevant item at rank 3, of pages of two; and none:

    >>> view = judged_view((["x", "y", "a"], {"a": 1}), (["x"], {"a": 1}))
    >>> clicks(view, page=2).values()
    array([ 1., 51.])
    """
    hits = view.hits.relevant(rel)
    # counted down from `none`, since `first` gives 0 to a list without a hit
    saved = hits.first(lambda rank: none - np.floor((rank - 1) / page))
    table = Table(hits, {"relevant": np.ones(hits.rank.size)})
    formula = "none - clicks saved"
    return Ratio(none - saved, 1, formula, {"none": none, "clicks saved": saved}, table)


@metric(
    "ClassRprec",
    title="R-precision with credit for the right class",
    source="Chen et al., RecSys Challenge 2018, RecSys 2018, doi:10.1145/3240323.3240342",
    latex=r"\frac{h_R + c \cdot u}{R}, \qquad u = \text{classes of relevant items "
    r"among those of the first } R \text{ items}",
    range=(0, None),
    undefined="nothing is relevant in the truth",
)
def classrprec(
    view: Scored, *, group: ItemColumn = "group", credit: Credit = 0.25, rel: Relevant = 1
) -> Ratio:
    """R-precision that gives a part for each class of the relevant items that is found.

    Of the first R items, where R are relevant, each relevant one counts 1. Each class of relevant
    items that is among the classes of these R items counts `credit`, once: the artists of tracks in
    the RecSys Challenge 2018. A relevant item finds its class, too, so that the best value is above
    1.

    Tracks a and b by one artist are relevant; a is returned, and c of the same artist:

    >>> item = {"group": {"a": "one", "b": "one", "c": "one"}}
    >>> view = scored_view(({"a": 2, "c": 1}, {"a": 1, "b": 1}), item=item)
    >>> classrprec(view).values()  # (1 + 0.25 * 1) / 2
    array([0.625])
    """
    ideal = view.judged.ideal
    is_relevant, relevant = ideal.grade >= rel, ideal.count(rel)
    top = view.where(view.rank <= relevant[view.in_list])
    found = top.total(top.grade >= rel)
    wanted = _classes_by_list(
        ideal.in_list[is_relevant], view.judged.extras.item[group][is_relevant], group
    )
    both = wanted & _classes_by_list(top.in_list, top.extras.item[group], group)
    in_list = np.array([number for number, _ in both], dtype=np.int64)
    classes = np.bincount(in_list, minlength=view.lists).astype(float)
    return Ratio(
        found + credit * classes,
        relevant,
        "(found + credit × classes) / R",
        {"found": found, "credit": credit, "classes": classes, "R": relevant},
        Table(view, {"relevant": (view.grade >= rel).astype(float)}),
    )


def _classes_by_list(in_list: Ints, classes: Column, column: str) -> set[tuple[int, str]]:
    """The pairs of a list's number and the class of one of its items; '' is no class."""
    if classes.dtype != object:
        raise ChallengeError(
            f"ClassRprec: {column} of items must be text; write items: "
            f"{{columns: {{extra: {{{column}: text}}}}}}"
        )
    pairs = zip(in_list.tolist(), classes, strict=True)
    return {(number, name) for number, name in pairs if name}


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
