"""Metrics of ranked lists that add up gains: DCG, ERR, RBP, Q-measure and kin.

The gain of an item comes from its grade. Metrics differ in how much less it counts further down,
and in what the best possible list gains.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats, Ints
from scorer.core.text import format_exact
from scorer.metrics.api import metric
from scorer.metrics.notation import NotationError
from scorer.metrics.parameters import (
    Cutoff,
    Discount,
    FromChallenge,
    Gain,
    Persistence,
    Relevant,
    cap_relevant,
    discount_function,
    gains_of,
)
from scorer.metrics.ratios import Ratio, Table, sum_of_rows
from scorer.views.ranked import Hits, Judged, ranked_hits

SMALLEST_WEIGHT = 1e-300  # a depth that weighs less counts as 0

HighestGrade = Annotated[
    Annotated[float, Field(ge=0)] | None,
    Field(description="The highest grade there is; by default the truth's."),
    FromChallenge(lambda constants: constants.max_grade),
]
Blend = Annotated[
    float, Field(ge=0, le=1e6, description="How much gains weigh beside counts; 0 or more.")
]


@metric(
    "CG",
    title="Cumulative gain",
    source="Järvelin and Kekäläinen, ACM TOIS 20(4), 2002, doi:10.1145/582415.582418",
    latex=r"\sum_{i=1}^{k} g_i",
    range=(0, None),
    ties=("expected",),
)
def cg(view: Judged, *, k: Cutoff | None = None) -> Ratio:
    """The sum of the returned items' grades; their order does not matter.

    Grades 3, 2 and none:

    >>> cg(judged_view((["a", "b", "x"], {"a": 3, "b": 2}))).values()  # 3 + 2
    array([5.])
    """
    gain = gains_of(view.hits.grade, "linear") * view.hits.in_top(k)
    return sum_of_rows(view.hits, {"gain": gain}, name="sum of gains")


@metric(
    "DCG",
    title="Discounted cumulative gain",
    source="Järvelin and Kekäläinen, ACM TOIS 20(4), 2002, doi:10.1145/582415.582418",
    latex=r"\sum_{i=1}^{k} \frac{g_i}{\log_2(i + 1)}",
    tools="ranx: dcg (its dcg_burges is gain=exp2); "
    "scikit-learn: dcg_score (it averages over the orders of tied items, as ties: expected)",
    range=(0, None),
    ties=("expected", "mean-rank"),
)
def dcg(
    view: Judged, *, k: Cutoff | None = None, gain: Gain = "linear", discount: Discount = "log2"
) -> Ratio:
    """What a list's items are worth together, those further down less.

    An item at rank i adds its gain over log2(i + 1), as in trec_eval and ranx. The paper divides by
    log2(i) from rank 2 on: `discount=jarvelin`.

    Grades 3, 2 and none at ranks 1, 2 and 3:

    >>> view = judged_view((["a", "b", "x"], {"a": 3, "b": 2}))
    >>> dcg(view).values().round(4)  # 3 + 2 / log2(3)
    array([4.2619])
    """
    return _dcg(view.hits, gain, discount, k, "sum of gain / discount")


@metric(
    "nDCG",
    title="Normalised discounted cumulative gain",
    source="Järvelin and Kekäläinen, ACM TOIS 20(4), 2002, doi:10.1145/582415.582418",
    latex=r"\frac{\sum_{i=1}^{k} \frac{g_i}{\log_2(i + 1)}}"
    r"{\sum_{i=1}^{k} \frac{g^*_i}{\log_2(i + 1)}}",
    tools="trec_eval: ndcg, ndcg_cut_10; ir_measures: nDCG; "
    "ranx: ndcg (its ndcg_burges is gain=exp2); "
    "scikit-learn: ndcg_score (it averages over the orders of tied items, as ties: expected); "
    "torchmetrics: RetrievalNormalizedDCG; Hivemall: ndcg (ideal=returned)",
    aliases=("ndcg_cut",),
    undefined="no judged item gains anything; with `ideal=reordered`, no returned one",
    ties=("expected", "mean-rank"),
)
def ndcg(
    view: Judged,
    *,
    k: Cutoff | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    ideal: Literal["judged", "uncut", "returned", "reordered"] = "judged",
) -> Ratio:
    """How near a list's gain, discounted by rank, comes to the best list's.

    An item at rank i adds its gain over log2(i + 1), as in trec_eval and ranx; the paper divides by
    log2(i) from rank 2 on (`discount=jarvelin`). The best list holds all judged items, best first,
    and is cut at k as well; `ideal=uncut` leaves it whole. Hivemall, given binary truth, takes the
    best min(n, k) (`returned`); some slides and libraries sort the returned items themselves
    (`reordered`), which never asks what was not found.

    Returned c, a, x; a is worth 3, b is worth 2, c nothing:

    >>> view = judged_view((["c", "a", "x"], {"a": 3, "b": 2, "c": 0}))
    >>> ndcg(view).values().round(4)  # (3 / log2(3)) / (3 + 2 / log2(3))
    array([0.4441])
    """
    best = view.hits if ideal == "reordered" else view.ideal
    # A gain that is no name is a table, which may give a low grade a high gain.
    if ideal == "reordered" or not isinstance(gain, str):
        best = _order_by_gain(best, gain)
    if ideal == "returned":
        best = best.where(best.rank <= view.returned[best.in_list])
    if ideal != "uncut":
        best = best.top(k)
    total = _dcg(view.hits, gain, discount, k, "DCG")
    return _over_best(total, _dcg(best, gain, discount, None, "DCG of the best"))


def _order_by_gain(hits: Hits, gain: str | Mapping[float, float]) -> Hits:
    """The same items, those with the highest gain at the first ranks of each list.

    `place`, the items' places in the truth, stays as it was.
    """
    order = np.lexsort((-gains_of(hits.grade, gain), hits.in_list))
    ordered = ranked_hits(hits.in_list[order], hits.grade[order], hits.lists)
    return replace(ordered, place=hits.place[order])


def _dcg(
    hits: Hits, gain: str | Mapping[float, float], discount: str, k: int | None, name: str
) -> Ratio:
    """The sum of the hits' gains, each divided by the discount of its rank, down to rank k."""
    gains, divisor = gains_of(hits.grade, gain), discount_function(discount)
    # Under `ties: expected` a tied item has no one divisor: its weight is a mean over ranks.
    if hits.spread:
        weight = hits.weight_at_rank(lambda rank: 1 / divisor(rank), k)
        columns = {"gain": gains, "weight": weight, "contribution": gains * weight}
    else:
        contribution = hits.discounted(gains, divisor, k)
        discounts = divisor(hits.position)
        columns = {"gain": gains, "discount": discounts, "contribution": contribution}
    return sum_of_rows(hits, columns, name=name)


def _over_best(total: Ratio, best: Ratio) -> Ratio:
    """The total of each list over the best list's; both ratios have the denominator 1."""
    formula, terms = f"{total.formula} / {best.formula}", {**total.terms, **best.terms}
    return Ratio(total.numerator, best.numerator, formula, terms, total.table, best.table)


@metric(
    "RBP",
    title="Rank-biased precision",
    source="Moffat and Zobel, ACM TOIS 27(1), 2008, doi:10.1145/1416950.1416952",
    latex=r"(1 - p) \sum_{i=1}^{n} r_i \cdot p^{i-1}",
    tools="ir_measures: RBP (without rel it adds grades up); ranx: rbp (it adds grades up); "
    "lenskit: RBP (its p is .85 by default)",
    ties=("expected", "mean-rank"),
)
def rbp(view: Judged, *, p: Persistence, rel: Relevant = 1) -> Ratio:
    """The relevant items per item looked at, for a reader who goes on with chance p each time.

    (1 - p) times the sum of p^(i - 1) over the ranks i of relevant items. Tools differ in p, so it
    must be given: ir_measures takes .8, lenskit .85; the paper tries .5, .8 and .95. To add up
    grades, as some do, is the paper's formula for grades in 0 to 1, and exceeds 1 for others.

    Returned a, x, b; a and b are relevant:

    >>> rbp(judged_view((["a", "x", "b"], {"a": 1, "b": 1})), p=0.5).values()  # 1/2 * (1 + 1/4)
    array([0.625])
    """
    hits = view.hits.relevant(rel)
    weight = hits.weight_at_rank(lambda rank: p ** (rank - 1))
    total = hits.total(weight)
    terms = {"p": p, "sum of weights": total}
    table = Table(hits, {"weight": weight})
    return Ratio((1 - p) * total, 1, "(1 - p) × sum of weights", terms, table)


def _highest_grade(name: str, view: Judged, max_grade: float | None) -> float:
    """The given highest grade, else the truth's; `NotationError` if the truth has a higher one."""
    highest = float(view.ideal.grade.max(initial=0.0))
    if max_grade is None:
        return highest
    if max_grade < highest:
        given, of_truth = format_exact(max_grade), format_exact(highest)
        message = f"{name}: max_grade={given} is below a grade of the truth, {of_truth}"
        raise NotationError(message, "max_grade")
    return max_grade


@metric(
    "ERR",
    title="Expected reciprocal rank",
    source="Chapelle et al., CIKM 2009, doi:10.1145/1645953.1646033",
    latex=r"\sum_{i=1}^{k} \frac{q_i}{i} \prod_{j=1}^{i-1} (1 - q_j), \qquad q_i = "
    r"\frac{2^{g_i} - 1}{2^{g_{\max}}}",
    tools="ir_measures: ERR; gdeval: err@20 (its highest grade is always 4)",
)
def err(view: Judged, *, k: Cutoff | None = None, max_grade: HighestGrade = None) -> Ratio:
    """One over the rank at which a reader who goes down the list is satisfied, on average.

    An item of grade g satisfies with chance (2^g - 1) / 2^max_grade, and ends the reading.
    max_grade is the highest grade of the whole truth, of all lists.

    Grades 1, none and 2, chances 1/4, 0 and 3/4:

    >>> view = judged_view((["a", "x", "b"], {"a": 1, "b": 2}))
    >>> err(view).values()  # 1/4 + 3/4 * 3/4 / 3
    array([0.4375])
    """
    highest = _highest_grade("ERR", view, max_grade)
    return _err(view.hits.top(k), highest, "sum of still reading × satisfies / rank")


def _err(hits: Hits, max_grade: float, name: str) -> Ratio:
    """The sum over the hits of 1 / rank, times the chance that the reader ends there."""
    satisfies, reading = _reader_chances(hits, max_grade)
    contribution = satisfies * reading / hits.rank
    columns = {"satisfies": satisfies, "still reading": reading, "contribution": contribution}
    return sum_of_rows(hits, columns, name=name)


def _reader_chances(hits: Hits, max_grade: float) -> tuple[Floats, Floats]:
    """The chance that each hit satisfies the reader, and the chance that the reader comes to it."""
    grade = np.maximum(hits.grade, 0.0)
    # (2^grade - 1) / 2^max_grade, without 2^grade, which may be too large for a float
    satisfies = np.exp2(grade - max_grade) - np.exp2(-max_grade)
    return satisfies, hits.product(1 - satisfies)


@metric(
    "nERR",
    title="Normalised expected reciprocal rank",
    source="Sakai and Song, SIGIR 2011, doi:10.1145/2009916.2010055; as NTCIREVAL",
    latex=r"\frac{\sum_{i=1}^{k} \frac{q_i}{i} \prod_{j=1}^{i-1} (1 - q_j)}"
    r"{\sum_{i=1}^{k} \frac{q^*_i}{i} \prod_{j=1}^{i-1} (1 - q^*_j)}, "
    r"\qquad q_i = \frac{2^{g_i} - 1}{2^{g_{\max}}}, "
    r"\qquad q^*_i = \frac{2^{g^*_i} - 1}{2^{g_{\max}}}",
    tools="NTCIREVAL: nERR",
    undefined="no judged item has a grade above 0",
)
def nerr(view: Judged, *, k: Cutoff | None = None, max_grade: HighestGrade = None) -> Ratio:
    """`ERR` of a list over `ERR` of the best list there could be, both down to rank k.

    An item of grade g satisfies with chance (2^g - 1) / 2^max_grade, as in `ERR`; NTCIREVAL is
    given the gains and divides them by the highest plus 1, which is the same where they are
    2^g - 1. `NERR8` to `NERR11`, "nearly ERR", are something else, and so is `nERR_IA`, of
    subtopics.

    Returned x, a; a satisfies with chance 3/4:

    >>> nerr(judged_view((["x", "a"], {"a": 2}))).values()  # 3/4 / 2 over 3/4
    array([0.5])
    """
    highest = _highest_grade("nERR", view, max_grade)
    best = _err(view.ideal.top(k), highest, "ERR of the best")
    return _over_best(_err(view.hits.top(k), highest, "ERR"), best)


@metric(
    "iRBU",
    title="Intentwise rank-biased utility",
    source="Sakai and Zeng, SIGIR 2019, doi:10.1145/3331184.3331215; ACM TOIS 39(2), 2021",
    latex=r"\sum_{i=1}^{k} q_i \cdot p^i \prod_{j=1}^{i-1} (1 - q_j), \qquad q_i = "
    r"\frac{2^{g_i} - 1}{2^{g_{\max}}}",
)
def irbu(
    view: Judged, *, k: Cutoff | None = None, p: Persistence = 0.99, max_grade: HighestGrade = None
) -> Ratio:
    """The patience that a reader has left when satisfied: p^r at rank r, on average.

    The reader is the same as in `ERR`: an item of grade g satisfies with chance (2^g - 1) /
    2^max_grade and ends the reading. ERR values the end at rank r by 1/r, this by p^r. It is the
    part for one intent of rank-biased utility (Amigó et al., SIGIR 2018), without its cost of
    effort; NTCIR takes p = .99.

    Grades 1, none and 2, chances 1/4, 0 and 3/4:

    >>> view = judged_view((["a", "x", "b"], {"a": 1, "b": 2}))
    >>> irbu(view, p=0.5).values()  # 1/4 / 2 + 3/4 * 3/4 / 8
    array([0.1953125])
    """
    hits = view.hits.top(k)
    satisfies, reading = _reader_chances(hits, _highest_grade("iRBU", view, max_grade))
    utility = p ** hits.rank.astype(np.float64)
    columns = {
        "satisfies": satisfies,
        "still reading": reading,
        "utility": utility,
        "contribution": satisfies * reading * utility,
    }
    return sum_of_rows(hits, columns, name="sum of still reading × satisfies × p^rank")


@metric(
    "Q",
    title="Q-measure",
    source="Sakai, NTCIR-4, 2004; Sakai, Manabe and Koyama, ACM TALIP 4(2), 2005, "
    "doi:10.1145/1105696.1105699; cut as NTCIREVAL does",
    latex=r"\frac{1}{\min(R, k)} \sum_{i=1}^{k} r_i \cdot \frac{h_i + \beta \cdot G_i}"
    r"{i + \beta \cdot G^*_i}, "
    r"\qquad G_i = \sum_{j=1}^{i} r_j v_j, \qquad G^*_i = \sum_{j=1}^{\min(i, R)} v^*_j, "
    r"\qquad v_i = g_i, \qquad v^*_i = g^*_i",
    tools="NTCIREVAL: Q-measure",
    undefined="nothing is relevant in the truth",
)
def q(
    view: Judged,
    *,
    k: Cutoff | None = None,
    rel: Relevant = 1,
    gain: Gain = "linear",
    beta: Blend = 1,
    denominator: Literal["relevant", "capped"] = "capped",
) -> Ratio:
    """Average precision with gains: of each relevant item its blended ratio, over their number.

    At a relevant item's rank r the blended ratio is (C + beta G) / (r + beta G*): C relevant items
    and the gain G so far, and the gain G* of the best list at the same rank. With beta = 0 it is
    `AP`. Cut at k it is divided by min(R, k), as NTCIREVAL does; `denominator=relevant` divides by
    R.

    Returned b, x, a; a gains 2, b gains 1:

    >>> view = judged_view((["b", "x", "a"], {"a": 2, "b": 1}))
    >>> q(view).values().round(6)  # ((1 + 1) / (1 + 2) + (2 + 3) / (3 + 3)) / 2
    array([0.75])
    """
    ideal = _order_by_gain(view.ideal.relevant(rel), gain)
    hits = view.hits.relevant(rel).top(k)
    gains, best_gains = gains_of(hits.grade, gain), gains_of(ideal.grade, gain)
    relevant = ideal.total()
    gain_so_far = hits.sums(gains) + gains  # `sums` are of the hits above
    # The best list's gain down to the same rank, or down to its end.
    best_rank = np.minimum(hits.rank, relevant.astype(np.int64)[hits.in_list])
    best_item = ideal.starts()[hits.in_list] + best_rank - 1
    best_so_far = (ideal.sums(best_gains) + best_gains)[best_item]
    blended = (hits.nth() + beta * gain_so_far) / (hits.rank + beta * best_so_far)
    columns = {"gain so far": gain_so_far, "the best list's": best_so_far, "blended ratio": blended}
    divisor, name = cap_relevant(relevant, k if denominator == "capped" else None)
    return sum_of_rows(hits, columns, divisor, name)


class GeometricWeights:
    """Sums, over depths d, of weights p^(d - 1), and of shares p^(d - 1) / d.

    They are for overlaps of two lists. An item at rank a of one list and at rank b of the other is
    common to both from depth max(a, b) on. It adds its share to the overlap at each of these
    depths, so that a sum over depths can be computed as a sum over common items.

    Args:
        p: The persistence, above 0 and below 1.
        deepest: The last depth of all sums.
    """

    def __init__(self, p: float, deepest: int) -> None:
        self._last = min(deepest, int(np.log(SMALLEST_WEIGHT) / np.log(p)) + 1)
        depth = np.arange(1, self._last + 1, dtype=np.float64)
        weight = p ** (depth - 1)
        # The sum down to each depth. The first element is the sum down to depth 0.
        self._weight_sums = np.concatenate([[0.0], np.cumsum(weight)])
        self._share_sums = np.concatenate([[0.0], np.cumsum(weight / depth)])

    def sum_weights(self, start: Ints, end: Ints) -> Floats:
        """The sum of p^(d - 1) over the depths d from start to end."""
        return self._between(self._weight_sums, start, end)

    def sum_shares(self, start: Ints, end: Ints) -> Floats:
        """The sum of p^(d - 1) / d over the depths d from start to end."""
        return self._between(self._share_sums, start, end)

    def _between(self, sums: Floats, start: Ints, end: Ints) -> Floats:
        last = np.minimum(end, self._last)
        return np.where(start <= end, sums[last] - sums[np.minimum(start - 1, self._last)], 0.0)


@metric(
    "Compat",
    title="Compatibility",
    source="Clarke, Vtyurina and Smucker, ACM TOIS 39(3), 2021, doi:10.1145/3451161",
    latex=r"\frac{\sum_{d=1}^{D} p^{d-1} \frac{X_d}{d}}"
    r"{\sum_{d=1}^{D} p^{d-1} \frac{\min(d, T)}{d}}, "
    r"\qquad X_d = \text{items among the first } d \text{ of list and ideal}, "
    r"\qquad T = \text{items with a grade above 0}, \qquad D = \max(n, T)",
    tools="ir_measures: Compat (items that were not returned have the score 0)",
    undefined="no judged item has a grade above 0",
)
def compat(view: Judged, *, p: Persistence = 0.95, normalize: bool = True) -> Ratio:
    """How much a list overlaps with the most similar ideal list, depth by depth.

    The rank-biased overlap of the list with an ideal one: the items with a grade above 0, best
    first, equal grades in the order in which they were returned. Depth d weighs p^(d - 1), and
    `normalize` divides by the overlap of the ideal with itself, since both are finite. Items that
    were not returned follow returned ones of equal grade; in ir_measures they stand before returned
    ones with a score below 0.

    Returned b, a; a is better; depth 1 shares none, depth 2 both:

    >>> view = judged_view((["b", "a"], {"a": 2, "b": 1}))
    >>> compat(view, p=0.5).values().round(6)  # (0 + 1/2 * 2/2) / (1 + 1/2)
    array([0.333333])
    """
    hits, ideal = (each.where(each.grade > 0) for each in (view.hits, view.ideal))
    depth = np.maximum(view.returned, ideal.total().astype(np.int64))
    ideal_rank = _rank_in_nearest_ideal(hits, ideal)
    sums = GeometricWeights(p, int(depth.max(initial=1)))
    share = sums.sum_shares(np.maximum(hits.rank, ideal_rank), depth[hits.in_list])
    columns = {"rank in the ideal": ideal_rank, "contribution": share}
    if normalize:
        most = ideal.total(sums.sum_shares(ideal.nth(), depth[ideal.in_list]))
        return sum_of_rows(hits, columns, most, "overlap of the ideal with itself")
    weights = np.where(ideal.total() > 0, sums.sum_weights(np.ones_like(depth), depth), 0.0)
    return sum_of_rows(hits, columns, weights, "weights")


def _rank_in_nearest_ideal(hits: Hits, ideal: Hits) -> Ints:
    """The rank of each hit in the ideal order that is nearest to the order of its list.

    Of items with equal grades those that were returned come first, in the order of the list.
    """
    # For each item of the truth, how many items of its list have a higher grade; also for hits.
    better_items, _ = ideal.rank_by(-ideal.grade)
    better_hits, _ = hits.rank_by(-hits.grade)
    nth_by_grade = np.empty_like(hits.rank)
    nth_by_grade[np.lexsort((-hits.grade, hits.in_list))] = hits.nth()
    nth_of_its_grade = nth_by_grade - better_hits
    item = ideal.starts()[hits.in_list] + hits.place - 1
    rank: Ints = better_items[item] + nth_of_its_grade
    return rank


@metric(
    "RBO",
    title="Rank-biased overlap",
    source="Webber, Moffat and Zobel, ACM TOIS 28(4), 2010, doi:10.1145/1852102.1852106",
    latex=r"\frac{1 - p}{p} \left(\sum_{d=1}^{l} \frac{X_d}{d} \cdot p^d "
    r"+ \sum_{d=s+1}^{l} \frac{X_s (d - s)}{\max(s, 1) d} \cdot p^d\right) "
    r"+ \left(\frac{X_l - X_s}{l} + \frac{X_s}{\max(s, 1)}\right) \cdot p^l"
    r", \qquad X_d = \text{items among the first } d \text{ of list and truth}, "
    r"\qquad s = \text{length of the shorter}, \qquad l = \text{length of the longer}",
    undefined="the truth ranks nothing",
)
def rbo(
    view: Judged, *, p: Persistence = 0.9, tail: Literal["extrapolated", "zero"] = "extrapolated"
) -> Ratio:
    """How much a list overlaps with the truth's ranking, depth by depth, the top counting most.

    The share of common items among the first d weighs (1 - p) p^(d - 1). Lists end, and what
    follows is extrapolated from the overlap at their ends (equation 32, RBO_ext, lists of unequal
    length as well); `tail=zero` adds nothing, so that the value is a lower bound. The truth's
    ranking is its items with a grade of 0 or more, best first, equal grades in the order of its
    file. Unlike `Compat`, an item counts by its rank and not by its grade.

    Returned b, a; the truth ranks a, b; depth 1 shares none, depth 2 both:

    >>> view = judged_view((["b", "a"], {"a": 2, "b": 1}))
    >>> rbo(view, p=0.5).values()  # 1/2 * (0 + 1/2 * 2/2) + (1/2)^2 * 2/2
    array([0.5])
    """
    hits, ideal = (each.where(each.grade >= 0) for each in (view.hits, view.ideal))
    size, returned = ideal.total().astype(np.int64), view.returned
    short, long = np.minimum(size, returned), np.maximum(size, returned)
    sums = GeometricWeights(p, int(long.max(initial=1)))
    depth = np.maximum(hits.rank, hits.place)  # the depth from which on both have the item
    share = sums.sum_shares(depth, long[hits.in_list])
    terms = {"seen": (1 - p) * hits.total(share)}
    if tail == "extrapolated":
        common = hits.total(depth <= short[hits.in_list])  # items, down to the end of the shorter
        divisor = np.maximum(short, 1)
        # the sum of p^(d - 1) (d - s) / d over the depths d from s + 1 to l
        beyond = sums.sum_weights(short + 1, long) - short * sums.sum_shares(short + 1, long)
        terms["beyond the shorter"] = (1 - p) * common / divisor * beyond
        last_overlap = (hits.total() - common) / np.maximum(long, 1) + common / divisor
        terms["below both"] = last_overlap * p ** long.astype(float)
    value = np.sum(list(terms.values()), axis=0)
    table = Table(hits, {"rank in the truth": hits.place, "contribution": (1 - p) * share})
    return Ratio(value, size > 0, " + ".join(terms), terms, table)  # undefined if size is 0
