"""Metrics of orders: correlations of rankings, preferences between items, pairs of scores."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from functools import partial
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats, Ints, Mask, starts
from scorer.metrics.api import metric
from scorer.metrics.parameters import Needs
from scorer.metrics.ratios import Figure, Ratio, Table, divide
from scorer.metrics.steps import MAX_ITEMS, OneList, Sentence, Steps, equation, grid, sum_equation
from scorer.views.preferences import PairMatrices, Preferred, closed
from scorer.views.ranked import Hits, Judged
from scorer.views.recommendations import Scored
from scorer.views.texts import Texts

RankDivisor = Annotated[
    Literal["linear", "exp", "log", "ap"],
    Field(description="What an item at truth rank R is divided by: R, 2^R, log2(1 + R), or R - 1."),
]
OpenPair = Annotated[
    Annotated[float, Field(ge=0, le=1)] | Literal["likelihood"],
    Field(
        description="What a pair counts that truth or submission does not order: 0 to 1, or "
        "likelihood, for each pair its own."
    ),
    Needs(lambda unknown, _: ("likelihood",) if unknown == "likelihood" else ()),
]
Epsilon = Annotated[
    float, Field(ge=0, description="Scores that differ by no more than this are tied.")
]


@metric(
    "Tau",
    title="Kendall's tau-b",
    source="Kendall, Biometrika 33(3), 1945, doi:10.1093/biomet/33.3.239",
    latex=r"\frac{C - D}{\sqrt{(P - T) (P - T^*)}}, \qquad P = \text{pairs of items that both "
    r"rank}, \qquad C = \text{pairs in one order in both}, \qquad D = \text{pairs in "
    r"opposite orders}, \qquad T = \text{pairs tied in the list}, \qquad T^* = \text{pairs "
    r"tied in the truth}",
    tools="scipy: kendalltau",
    aliases=("Kendall", "KendallTau"),
    range=(-1, 1),
    undefined="all items that both rank are tied in the list, or in the truth",
    ties=("expected",),
    truth_order="weak",
)
def tau(view: Judged) -> Ratio:
    """How many more pairs of items are in the truth's order than against it, in -1 to 1.

    Over the items that both rank. tau-b: pairs tied in the submission or in the truth are neither,
    and the divisor is the geometric mean of the pairs that each does not tie, as in scipy's
    kendalltau. Items of equal score are tied, whatever rule for ties ranks them. `average=pooled`
    divides the sum of all lists' differences by the sum of their divisors, so that long lists count
    more, as in Kaggle's AI4Code. A truth without grades is an order, best first, where all measures
    compare orders, as Tau, TauAP and Rho do.

    The order b, a, c where the truth has a first and ties the others:

    >>> view = judged_view((["b", "a", "c"], {"a": 2, "b": 1, "c": 1}))
    >>> tau(view).values()  # (1 - 1) / sqrt(3 * 2)
    array([0.])
    """
    hits = view.hits
    place, tied = hits.rank_by(hits.tie_start)
    ideal, ideal_tied = hits.rank_by(-hits.grade)
    _, both_tied = hits.rank_by(place * (ideal.max(initial=0) + 1) + ideal)
    pairs = _pair_count(hits)
    ties, ideal_ties, both_ties = (hits.total(t - 1) / 2 for t in (tied, ideal_tied, both_tied))
    # tied items worst first, so that none of them agrees with another
    agreeing = hits.total(hits.concordant_above(ideal[np.lexsort((-ideal, place, hits.in_list))]))
    against = pairs - ties - ideal_ties + both_ties - agreeing
    untied, ideal_untied = pairs - ties, pairs - ideal_ties
    formula = "(agreeing - against) / sqrt(untied × untied in the truth)"
    terms = {"agreeing": agreeing, "against": against}
    terms |= {"untied": untied, "untied in the truth": ideal_untied}
    return Ratio(agreeing - against, np.sqrt(untied * ideal_untied), formula, terms)


def _pair_count(hits: Hits) -> Floats:
    """How many pairs of hits each list has."""
    items = hits.total()
    return items * (items - 1) / 2


@metric(
    "TauAP",
    title="AP correlation",
    source="Yilmaz, Aslam and Robertson, SIGIR 2008, doi:10.1145/1390334.1390435",
    latex=r"\frac{2}{m - 1} \sum_{i=2}^{m} \frac{c_i}{i - 1} - 1, "
    r"\qquad m = \text{items that both rank}, \qquad c_i = \text{items above the } i"
    r"\text{-th of the list that are above it in the other, too}",
    tools="papers: tau_ap",
    range=(-1, 1),
    undefined="fewer than two items are ranked by both",
    truth_order="strict",
)
def tauap(view: Judged, *, over: Literal["submission", "truth"] = "submission") -> Ratio:
    """How well the order agrees with the truth's, mistakes at the top weighing more; -1 to 1.

    For each item but the first, the share of the items above it that the truth puts above it too;
    the mean of these shares, times 2, less 1. Only items that both rank count. It is not symmetric:
    `over=truth` goes down the truth's order instead and asks the submission. The truth must be an
    order: equal grades in a list are a fault of it.

    The order b, a, c, d where the truth has a, b, c, d; above a is b, wrongly:

    >>> view = judged_view((["b", "a", "c", "d"], {"a": 5, "b": 4, "c": 3, "d": 2}))
    >>> tauap(view).values().round(4)  # 2/3 * (0/1 + 2/2 + 3/3) - 1
    array([0.3333])
    """
    hits = view.hits
    place, above = hits.rank_by(hits.place)[0], hits.nth() - 1
    if over == "truth":  # where the submission puts the items, in the truth's order
        place = above[np.lexsort((place, hits.in_list))]
    share = hits.concordant_above(place) / np.maximum(
        above, 1
    )  # 0 for the first: nothing is above it
    total, items = hits.total(share), hits.total()
    terms = {"N": items, "sum of shares": total}
    # in the truth's order, the shares are not of the list's rows
    table = None if over == "truth" else Table(hits, {"above it": above, "share": share})
    formula = "2 / (N - 1) × sum of shares - 1"
    return Ratio(total, items - 1, formula, terms, table, transform=_to_correlation)


def _to_correlation(share: Floats) -> Floats:
    """A share from 0 to 1 as a number from -1 to 1."""
    return 2 * share - 1


@metric(
    "Rho",
    title="Spearman's rho",
    source="Spearman, American Journal of Psychology 15(1), 1904, doi:10.2307/1412159",
    latex=r"\frac{\sum_{i=1}^{m} (a_i - \bar{a}) (b_i - \bar{a})}{\sqrt{\sum_{i=1}^{m} (a_i - "
    r"\bar{a})^2 \cdot \sum_{i=1}^{m} (b_i - \bar{a})^2}}, \qquad \bar{a} = \frac{m + "
    r"1}{2}, \qquad a_i = \text{rank of the item in the list}, \qquad b_i = \text{rank of "
    r"the item in the truth}, \qquad m = \text{items that both rank}",
    tools="scipy: spearmanr",
    aliases=("Spearman", "SpearmanRho"),
    range=(-1, 1),
    undefined="all items that both rank are tied in the list, or in the truth",
    ties=("expected",),
    truth_order="weak",
)
def rho(view: Judged) -> Ratio:
    """The correlation of the items' ranks in the submission and in the truth, -1 to 1.

    Over the items that both rank, ranked anew among themselves. Tied items share their mean rank,
    as in scipy's spearmanr; items of equal score are tied, whatever rule for ties ranks them.

    The order b, a, c where the truth has a, b, c; ranks differ by 1, 1 and 0:

    >>> view = judged_view((["b", "a", "c"], {"a": 3, "b": 2, "c": 1}))
    >>> rho(view).values()  # 1 - 6 * (1 + 1 + 0) / (3 * 8)
    array([0.5])
    """
    hits = view.hits
    items = hits.total()[hits.in_list]
    # twice each mean rank's distance from the middle: whole numbers, so that sums are exact
    submitted, ideal = (
        2 * lower + tied - items for lower, tied in map(hits.rank_by, (hits.tie_start, -hits.grade))
    )
    products, squares, ideal_squares = map(hits.total, (submitted * ideal, submitted**2, ideal**2))
    columns = {"d": submitted / 2, "d in the truth": ideal / 2, "product": submitted * ideal / 4}
    terms = {"sum of products": products / 4}
    terms |= {"d²": squares / 4, "d² in the truth": ideal_squares / 4}
    formula = "sum of products / sqrt(d² × d² in the truth)"
    divisor = np.sqrt(squares * ideal_squares)
    return Ratio(products, divisor, formula, terms, Table(hits, columns))


def _explain_edrc(
    one: OneList, *, discount: RankDivisor, closure: bool, unknown: OpenPair
) -> Steps:
    """What each item expects of those that are not below it, and the discounted mean."""
    blocks = [pairs for _, pairs in one.view.squares()]
    if not blocks:
        yield Sentence("There are no two items to compare.")
        return
    names, rank = one.names.truth, blocks[0].rank[0]
    expected, rivals = (part[0] for part in _expected_pairs(blocks[0], closure, unknown))
    counts, divisor = (rivals * expected).sum(axis=1), _truth_discount(rank, discount)
    counted = np.flatnonzero(rank > 1)
    yield Sentence("W(v): the items that are not below v. Items of rank R = 1 are not counted.")
    for v in counted[:MAX_ITEMS].tolist():
        rows = np.flatnonzero(rivals[v])[:MAX_ITEMS]
        symbols = " + ".join(f"EP({names[v]}, {names[w]})" for w in rows)
        yield sum_equation(f"C({names[v]})", symbols, "{}", expected[v, rows], counts[v])
    size, shares = rivals.sum(axis=1), np.where(rank > 1, counts / divisor, np.nan)
    columns = {"W(v)": size, "C(v)": counts, "D(v)": divisor, "C(v) / D(v)": shares}
    shown = {name: np.where(rank > 1, column, np.nan) for name, column in columns.items()}
    yield grid("The items v", {"v": names, "R(v)": rank} | shown)
    weights, total = (size / divisor)[counted], float(shares[counted].sum())
    yield sum_equation("Z", "sum of |W(v)| / D(v)", "{}", weights, weights.sum())
    symbols, numbers = "2 / Z × sum of C(v) / D(v) - 1", "2 / {} × {} - 1"
    value = float(edrc(one.view, discount=discount, closure=closure, unknown=unknown)[0])
    yield equation("EDRC", symbols, numbers, weights.sum(), total, value=value)


@metric(
    "EDRC",
    title="Expected discounted rank correlation",
    source="Ackerman and Chen, 2011, https://ceur-ws.org/Vol-811/paper11.pdf",
    latex=r"\frac{2 \sum_{v} \sum_{w} \frac{x_{v,w}}{D_v}}{\sum_{v} \sum_{w} \frac{1}{D_v}} - 1, "
    r"\qquad D_v = R_v, \qquad R_v = \text{truth rank of item } v \text{, 2 or more}, "
    r"\qquad w = \text{the other items that are not below } v, "
    r"\qquad x_{v,w} = \text{1 where both prefer } w \text{, 0 where they disagree, else } 0.5",
    range=(-1, 1),
    undefined="the truth prefers nothing",
    ties=("expected",),
    explain=_explain_edrc,
)
def edrc(
    view: Preferred,
    *,
    discount: RankDivisor = "linear",
    closure: bool = True,
    unknown: OpenPair = 0.5,
) -> Floats:
    """How far the submission prefers what the truth prefers, its best items counting most.

    An item's truth rank R is the length of the longest chain of preferences down to it, from an
    item that nothing is preferred to (rank 1). For each item v of rank 2 or more, the items w that
    are not below it count 1 where truth and submission prefer w to v, 0 where they disagree,
    `unknown` where one of them prefers neither; v's share of them is discounted by R. 1 is the
    truth's own order, -1 its reverse; where the truth leaves pairs open, 1 cannot be reached.

    The truth is closed transitively, and so is a submission of pairs (`closure=false` takes it as
    it is; the paper does not say). Of equal grades, of equal scores, and of an item that is not
    returned, neither item is preferred.

    The paper's Table 1 as printed. Its 5/29 has 3 for item E, which takes B > E in the truth:

    >>> stated = "C>A C>B C>D A>E B>E D>E"
    >>> view = preferred_view(
    ...     ("A>C A>D A>E C>D B>D", stated), ("A>C A>D A>E C>D B>D B>E", stated)
    ... )
    >>> edrc(view).round(4)  # 2 / (29/6) * (1/2 + 2.5/3 + 2.5/2) - 1, and 3/2 for E
    array([0.069 , 0.1724])
    """

    def correlation(pairs: PairMatrices) -> Floats:
        expected, rivals = _expected_pairs(pairs, closure, unknown)
        share = (1 / _truth_discount(pairs.rank, discount))[:, :, None] * rivals
        share[pairs.rank == 1] = 0
        return 2 * divide((share * expected).sum(axis=(1, 2)), share.sum(axis=(1, 2))) - 1

    return view.values(correlation)


def _expected_pairs(
    pairs: PairMatrices, closure: bool, unknown: float | str
) -> tuple[Floats, Mask]:
    """What [list, v, w] counts as, and whether w is among the items that count for v."""
    stated = closed(pairs.submission) if closure else pairs.submission
    against = stated.swapaxes(1, 2)
    if unknown == "likelihood":
        assert pairs.likely is not None
        expected = np.where(against, 1 - pairs.likely, pairs.likely)
    else:
        expected = np.full(stated.shape, unknown)
    expected[pairs.truth & stated] = 1
    expected[pairs.truth & against] = 0
    return expected, ~(pairs.truth.swapaxes(1, 2) | np.eye(stated.shape[1], dtype=bool))


def _truth_discount(rank: Ints, discount: str) -> Floats:
    """What an item is divided by, from its rank in the truth; items of rank 1 are not counted."""
    ranks = np.maximum(rank, 2).astype(np.float64)
    discounts: dict[str, Floats] = {
        "linear": ranks,
        "exp": np.exp2(ranks),
        "log": np.log2(1 + ranks),
        "ap": ranks - 1,
    }
    return discounts[discount]


class ScoredPairs(NamedTuple):
    """Every two judged items of a list that the submission scores; shape (pairs,) each."""

    in_list: Ints
    difference: Floats  # between their scores, without its sign
    ordered: Mask  # whether the truth has them in the order of their scores, and not tied
    tied: Mask  # whether the truth ties them


def _scored_pairs(view: Scored) -> ScoredPairs:
    """The pairs of all lists."""
    judged = view.where(~np.isnan(view.grade))
    rows = [np.stack(pair) for pair in judged.pairs()]
    one, other = np.concatenate([np.empty((2, 0), dtype=np.int64), *rows], axis=1)
    scored, true = (each[one] - each[other] for each in (judged.score, judged.grade))
    return ScoredPairs(judged.in_list[one], np.abs(scored), scored * true > 0, true == 0)


@metric(
    "AccEq",
    title="Accuracy of pairs and ties",
    source="Deutsch, Foster and Freitag, EMNLP 2023, arXiv:2305.14324",
    latex=r"\frac{\sum_{i=1}^{m} \sum_{j=i+1}^{m} a_{i,j}}{\frac{m (m - 1)}{2}}, \qquad "
    r"a_{i,j} = [\lvert s_i - s_j \rvert \le \epsilon \wedge g_i = g_j] + [\lvert s_i "
    r"- s_j \rvert > \epsilon \wedge (s_i - s_j) (g_i - g_j) > 0], \qquad m = "
    r"\text{judged items}",
    tools="WMT: acc_eq",
    aliases=("acc_eq",),
    undefined="the truth has fewer than two items",
    truth_order="weak",
    columns=("score",),
)
def acceq(view: Scored, *, epsilon: Epsilon = 0) -> Ratio:
    """The share of the pairs of items that scores order, or tie, as the truth does.

    A list is a segment, its items are systems, grades what people gave them: WMT's measure of
    metrics. Pairs with an item that the submission leaves out are wrong. `AccEqCalibrated` chooses
    epsilon; `PairwiseAccuracy` is of systems' means.

    The truth has b and c tied, the scores have b before c:

    >>> view = scored_view(({"a": 0.9, "b": 0.3, "c": 0.2}, {"a": 2, "b": 1, "c": 1}))
    >>> acceq(view).values().round(4)  # ab and ac, of ab, ac and bc
    array([0.6667])
    """
    pairs = _scored_pairs(view)
    is_right = np.where(pairs.difference <= epsilon, pairs.tied, pairs.ordered)
    right = np.bincount(pairs.in_list, is_right, minlength=view.lists).astype(np.float64)
    count = _pair_count(view.judged.ideal)
    return Ratio(right, count, "right pairs / pairs", {"right pairs": right, "pairs": count})


@metric(
    "AccEqCalibrated",
    title="Accuracy of pairs and ties, ties calibrated",
    source="Deutsch, Foster and Freitag, EMNLP 2023, arXiv:2305.14324",
    latex=r"\max_{\epsilon \in E} \frac{1}{L} \sum_{l=1}^{L} A_{l,\epsilon}, \qquad "
    r"A_{l,\epsilon} = \text{AccEq of list } l \text{ with } \epsilon",
    aliases=("acc_eq_star",),
    undefined="no list has two items",
    truth_order="weak",
    columns=("score",),
)
def acceqcalibrated(view: Scored, *, average: Literal["lists", "pooled"] = "lists") -> Figure:
    """`AccEq` with the epsilon that is best for the submission over all lists.

    Metrics hardly ever score two items alike, while people do; items whose scores are at most
    epsilon apart are tied here. `average=lists` is the mean of the lists' shares with one epsilon
    for all, as in WMT; `pooled` is the share of all pairs.

    Where b and c tie, 0.1 apart, and a is 0.6 above b, an epsilon from 0.1 is best:

    >>> view = scored_view(({"a": 0.9, "b": 0.3, "c": 0.2}, {"a": 2, "b": 1, "c": 1}))
    >>> acceqcalibrated(view).pooled()
    1.0
    """
    pairs, count = _scored_pairs(view), _pair_count(view.judged.ideal)
    # A list that has pairs has a row of its own, too, since some of them may not be scored.
    lists = np.flatnonzero(count)
    in_list, zeros = np.append(lists, pairs.in_list), np.zeros(lists.size)
    columns = {
        "difference": np.append(zeros, pairs.difference),
        "ordered": np.append(zeros, pairs.ordered),
        "tied": np.append(zeros, pairs.tied),
        "list_pairs": count[in_list],
        "is_pair": np.append(zeros, np.ones(pairs.in_list.size)),
    }
    function = partial(_calibrated_accuracy, of_lists=average == "lists")
    formula = "share of right pairs, those up to epsilon apart tied; epsilon is the best"
    figure = Figure(function, columns, in_list, formula=formula)
    return figure.subset_rows(np.argsort(columns["difference"], kind="stable"))


def _calibrated_accuracy(columns: Mapping[str, Floats], weight: Floats, *, of_lists: bool) -> float:
    """The highest share of right pairs over every epsilon; rows are ordered by difference."""
    share = weight / columns["list_pairs"] if of_lists else weight
    pairs = (share * columns["list_pairs"])[columns["is_pair"] == 0].sum()
    if not pairs:
        return float("nan")
    difference, ordered, tied = (columns[name] for name in ("difference", "ordered", "tied"))
    gain = np.append(0.0, np.cumsum(share * (tied - ordered)))
    # an epsilon ties all pairs that are that far apart; it is 0 at least
    ends = np.flatnonzero(np.append(starts(difference), True) & (np.append(difference, np.inf) > 0))
    return float(((share * ordered).sum() + gain[ends].max()) / pairs)


@metric(
    "PairwiseAccuracy",
    title="Pairwise accuracy of metrics, by systems",
    source="Kocmi et al., WMT 2021, arXiv:2107.10821",
    latex=r"\frac{a}{P}, \qquad P = \text{pairs of systems of a group}, \qquad a = "
    r"\text{pairs whose mean scores differ in the direction of their mean grades, or "
    r"are equal as these}",
    undefined="no group has two systems",
    truth_order="weak",
    columns=("score",),
)
def pairwiseaccuracy(view: Texts) -> Figure:
    """The share of the pairs of systems that mean scores order as the truth's mean grades do.

    A list is a segment, its items are systems, grades what people gave them, as in `AccEq`; the
    means are over the lists of a group, such as a language pair (in `lists`), and the pairs of all
    groups make one share. A system without a score for one of its segments is in no right pair.
    Equal means agree with equal means alone.

    The truth ties a, b and c, the scores tie a and b alone:

    >>> view = texts_view(({"a": 0.5, "b": 0.5, "c": 0.2}, ["a", "b", "c"]))
    >>> round(pairwiseaccuracy(view).pooled(), 4)  # ab, of ab, ac and bc
    0.3333
    """
    keys = zip(view.in_list.tolist(), view.text, strict=True)
    scores = dict(zip(keys, view.score.tolist(), strict=True))
    groups = view.extras.list.get("group", np.full(view.lists, ""))
    pairs = list(zip(view.truth_list.tolist(), view.truth_text, strict=True))
    columns = {
        "group": _number(str(groups[n]) for n, _ in pairs),
        "system": _number((str(groups[n]), name) for n, name in pairs),
        "grade": view.grade,
        "score": np.array([scores.get(pair, np.nan) for pair in pairs], dtype=np.float64),
    }
    return Figure(
        _pairs_in_order, columns, view.truth_list, smooth=False, formula="right pairs / pairs"
    )


def _number(names: Iterable[Hashable]) -> Ints:
    """Number the distinct names from 0, in the order of their first places."""
    numbers = dict[Hashable, int]()
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)


def _pairs_in_order(columns: Mapping[str, Any], weight: Floats) -> float:
    """The share of right pairs of systems, by their means over lists."""
    _, first, system = np.unique(columns["system"], return_index=True, return_inverse=True)
    total = np.bincount(system, weight)
    grade, score = (np.bincount(system, weight * columns[n]) / total for n in ("grade", "score"))
    group = columns["group"][first]
    right = count = 0
    for each in np.unique(group):
        one, other = np.triu_indices(int((group == each).sum()), 1)
        signs = [np.sign(m[one] - m[other]) for m in (grade[group == each], score[group == each])]
        right += int(np.equal(*signs).sum())
        count += one.size
    return right / count if count else float("nan")
