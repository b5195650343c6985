"""Metrics of subtopics: an item gains less if items above it have the same subtopics.

A subtopic without a relevant item does not count, and the others count alike. Most metrics are
divided by what a best list gains. That list is either k items that are relevant to every subtopic,
or the judged items in their best order, where each rank has the item that gains the most there.

A row of `Facets` is a pair of an item and a subtopic that the item is relevant to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Annotated

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats
from scorer.metrics.api import metric
from scorer.metrics.parameters import Cutoff, Persistence, Relevant
from scorer.metrics.ratios import Ratio, Table
from scorer.views.diverse import Diverse, Facets

DEFAULT_REDUNDANCY = 0.5
DEFAULT_PERSISTENCE = 0.5
ERR_SATISFIES = 0.5  # the chance that a relevant item satisfies the reader of ERR_IA
MAX_DEPTH = 1_000_000  # the highest k, since a best list has a weight for each of its ranks
Weight = Callable[[Floats], Floats]  # from ranks, which begin with 1, to their weights

Redundancy = Annotated[
    float,
    Field(ge=0, le=1, description="The share of gain a subtopic loses with each of its items."),
]
ShallowCutoff = Annotated[Cutoff, Field(le=MAX_DEPTH)]

# Formulas: the gain of a rank's subtopics, and the definitions of its letters
NEW_GAIN = r"\sum_{s=1}^{S} r_{i,s} (1 - \alpha)^{c_{i,s}}"
BEST_GAIN = r"\sum_{s=1}^{S} r^*_{i,s} (1 - \alpha)^{c^*_{i,s}}"
SEEN = r"\qquad c_{i,s} = \sum_{j=1}^{i-1} r_{j,s}"
BEST_SEEN = (
    r", \qquad c^*_{i,s} = \sum_{j=1}^{i-1} r^*_{j,s}, \qquad r^* = \text{as } r "
    r"\text{, of the judged items, each rank with what gains the most there}"
)
LOG_WEIGHT = r"\sum_{i=1}^{k} \frac{1}{\log_2(i + 1)}"

subtopic_metric = partial(metric, undefined="no subtopic has a relevant item")


def _log_weight(rank: Floats) -> Floats:
    """The weight of each rank in DCG."""
    weight: Floats = 1 / np.log2(rank + 1)
    return weight


def _reciprocal_weight(rank: Floats) -> Floats:
    """The weight of each rank in ERR."""
    return 1 / rank


def _weighted_gains(facets: Facets, alpha: float, weight: Weight) -> Floats:
    """The gain of each facet times the weight of its item's rank; shape (facets,)."""
    return facets.gain(alpha) * weight(facets.rank.astype(np.float64))


def _subtopic_ratio(
    view: Diverse, facets: Facets, gain: Floats, divisor: Floats, name: str
) -> Ratio:
    """The sum of the gains of each list over a divisor.

    Args:
        facets: The relevant subtopics of the hits that count.
        gain: The gain of each facet, shape (facets,).
        divisor: Shape (lists,).
        name: The word for the divisor in the formula.
    """
    judged = view.judged
    items = judged.ideal.rank.size  # of the truth
    subtopics = judged.of_hits(np.bincount(facets.item, minlength=items))
    hit_gain = judged.of_hits(np.bincount(facets.item, gain, minlength=items))
    table = Table(judged.hits, {"subtopics": subtopics, "gain": hit_gain})
    total = facets.total(gain)
    terms = {"sum of gains": total, name: divisor}
    return Ratio(total, divisor, f"sum of gains / {name}", terms, table)


def _over_highest_gain(view: Diverse, rel: float, k: int, alpha: float, weight: Weight) -> Ratio:
    """The gain of each list down to rank k over the gain of k items relevant to every subtopic."""
    facets = view.hit_facets(rel).top(k)
    # what each subtopic gains if all k items are relevant to it
    gains = (1 - alpha) ** np.arange(k, dtype=np.float64)
    highest = float((gains * weight(np.arange(1, k + 1, dtype=np.float64))).sum())
    gain = _weighted_gains(facets, alpha, weight)
    return _subtopic_ratio(
        view, facets, gain, view.subtopics(rel) * highest, "highest possible gain"
    )


def _over_best_order(
    view: Diverse, rel: float, k: int | None, alpha: float, weight: Weight
) -> Ratio:
    """The gain of each list down to rank k over the gain of the best order of its judged items."""
    facets, ideal = view.hit_facets(rel).top(k), view.best_order(rel, alpha, k)
    best = ideal.total(_weighted_gains(ideal, alpha, weight))
    gain = _weighted_gains(facets, alpha, weight)
    return _subtopic_ratio(view, facets, gain, best, "gain of the best order")


@subtopic_metric(
    "alpha_DCG",
    title="Alpha discounted cumulative gain",
    source="Clarke et al., SIGIR 2008, doi:10.1145/1390334.1390446; scaled as TREC's ndeval",
    latex=rf"\frac{{{LOG_WEIGHT} {NEW_GAIN}}}{{S {LOG_WEIGHT} (1 - \alpha)^{{i-1}}}}, {SEEN}",
    tools="ndeval: alpha-DCG@10 (at k = 1 not divided); ir_measures: alpha_DCG",
    aliases=("α_DCG",),
    range=(0, None),
)
def alpha_dcg(
    view: Diverse,
    *,
    k: ShallowCutoff,
    alpha: Redundancy = DEFAULT_REDUNDANCY,
    rel: Relevant = 1,
    normalize: bool = True,
) -> Ratio:
    """The discounted gain of new subtopics, over the gain of items relevant to every subtopic.

    A subtopic that an item is relevant to gains (1 - alpha)^c, where c items above have the same
    subtopic; the item's gains are divided by log2(rank + 1). The sum is divided by what k items
    that are relevant to all subtopics would gain, as in ndeval and ir_measures
    ("collection-independent"); the paper does not (`normalize=false`). ndeval forgets the division
    at k = 1, so that its alpha-DCG@1 can exceed 1. A subtopic counts if it has a relevant item.

    a is relevant to subtopics 1 and 2, b to 1; returned b, a:

    >>> view = diverse_view((["b", "a"], {"a": {"1": 1, "2": 1}, "b": {"1": 1}}))
    >>> alpha_dcg(view, k=2, normalize=False).values().round(6)  # 1 + (1/2 + 1) / log2(3)
    array([1.946395])
    >>> alpha_dcg(view, k=2).values().round(6)  # over 2 * (1 + 1/2 / log2(3))
    array([0.739812])
    """
    if normalize:
        return _over_highest_gain(view, rel, k, alpha, _log_weight)
    facets = view.hit_facets(rel).top(k)
    gain = _weighted_gains(facets, alpha, _log_weight)
    # divided by 1, or by 0 in a list where no subtopic counts, which then has no value
    has_subtopic = view.subtopics(rel) > 0
    return _subtopic_ratio(view, facets, gain, has_subtopic.astype(float), "1")


@subtopic_metric(
    "alpha_nDCG",
    title="Alpha normalised discounted cumulative gain",
    source="Clarke et al., SIGIR 2008, doi:10.1145/1390334.1390446; as TREC's ndeval",
    latex=rf"\frac{{{LOG_WEIGHT} {NEW_GAIN}}}{{{LOG_WEIGHT} {BEST_GAIN}}}, {SEEN}{BEST_SEEN}",
    tools="ndeval: alpha-nDCG@10; ir_measures: alpha_nDCG",
    aliases=("α_nDCG",),
    range=(0, None),
)
def alpha_ndcg(
    view: Diverse,
    *,
    k: ShallowCutoff,
    alpha: Redundancy = DEFAULT_REDUNDANCY,
    rel: Relevant = 1,
) -> Ratio:
    """The discounted gain of new subtopics, over the gain of the best order of the judged items.

    The gains are as in `alpha_DCG`. The best order has at each rank the item that gains the most
    there; ties go by item id downwards, as in ndeval and ir_measures. To find the very best order
    is NP-hard, so that a list may exceed 1.

    a is relevant to subtopics 1 and 2, b to 1; returned b, a:

    >>> view = diverse_view((["b", "a"], {"a": {"1": 1, "2": 1}, "b": {"1": 1}}))
    >>> alpha_ndcg(view, k=2).values().round(6)  # (1 + 1.5 / log2(3)) / (2 + 0.5 / log2(3))
    array([0.840606])
    """
    return _over_best_order(view, rel, k, alpha, _log_weight)


@subtopic_metric(
    "ERR_IA",
    title="Intent-aware expected reciprocal rank",
    source="Chapelle et al., Information Retrieval 14(6), 2011; as TREC's ndeval",
    latex=r"\frac{\sum_{i=1}^{k} \frac{1}{i} \sum_{s=1}^{S} r_{i,s} "
    r"\left(\frac{1}{2}\right)^{c_{i,s}}}{S \sum_{i=1}^{k} \frac{1}{i} "
    r"\left(\frac{1}{2}\right)^{i-1}}, " + SEEN,
    tools="ndeval: ERR-IA@10 (at k = 1 not divided); ir_measures: ERR_IA",
)
def err_ia(view: Diverse, *, k: ShallowCutoff, rel: Relevant = 1) -> Ratio:
    """Expected reciprocal rank over subtopics, as a share of the highest possible.

    For each subtopic a reader is satisfied by a relevant item with chance 1/2, as in `ERR` of two
    grades, and ends; subtopics count alike. The sum is divided by what k items that are relevant to
    all subtopics would have, as in ndeval and ir_measures; ndeval forgets that division at k = 1,
    so that its ERR-IA@1 is this value times the number of subtopics.

    a is relevant to subtopics 1 and 2, b to 1; returned b, a:

    >>> view = diverse_view((["b", "a"], {"a": {"1": 1, "2": 1}, "b": {"1": 1}}))
    >>> err_ia(view, k=2).values()  # (1 + (1/2 + 1) / 2) / (2 * (1 + 1/4))
    array([0.7])
    """
    return _over_highest_gain(view, rel, k, ERR_SATISFIES, _reciprocal_weight)


@subtopic_metric(
    "nERR_IA",
    title="Normalised intent-aware expected reciprocal rank",
    source="Clarke et al., WSDM 2011, doi:10.1145/1935826.1935847; as TREC's ndeval",
    latex=r"\frac{\sum_{i=1}^{k} \frac{1}{i} \sum_{s=1}^{S} r_{i,s} "
    r"\left(\frac{1}{2}\right)^{c_{i,s}}}{\sum_{i=1}^{k} \frac{1}{i} \sum_{s=1}^{S} "
    r"r^*_{i,s} \left(\frac{1}{2}\right)^{c^*_{i,s}}}, " + SEEN + BEST_SEEN,
    tools="ndeval: nERR-IA@10; ir_measures: nERR_IA",
    range=(0, None),
)
def nerr_ia(view: Diverse, *, k: ShallowCutoff, rel: Relevant = 1) -> Ratio:
    """Expected reciprocal rank over subtopics, as a share of the best order's.

    The sum of `ERR_IA` is divided by the same sum of the best order, which is found as in
    `alpha_nDCG`, as in ndeval and ir_measures; a list may exceed 1. Without subtopics it is `nERR`
    of two grades.

    a is relevant to subtopics 1 and 2, b to 1; returned b, a:

    >>> view = diverse_view((["b", "a"], {"a": {"1": 1, "2": 1}, "b": {"1": 1}}))
    >>> nerr_ia(view, k=2).values().round(6)  # (1 + 1.5 / 2) / (2 + 0.5 / 2)
    array([0.777778])
    """
    return _over_best_order(view, rel, k, ERR_SATISFIES, _reciprocal_weight)


@subtopic_metric(
    "AP_IA",
    title="Intent-aware average precision",
    source="Agrawal et al., WSDM 2009, doi:10.1145/1498759.1498766; as TREC's ndeval",
    latex=r"\frac{1}{S} \sum_{s=1}^{S} \frac{1}{R_s} \sum_{i=1}^{n} \frac{r_{i,s}}{i} "
    r"\sum_{j=1}^{i} r_{j,s}",
    tools="ndeval: MAP-IA; ir_measures: AP_IA",
    aliases=("MAP_IA",),
)
def ap_ia(view: Diverse, *, rel: Relevant = 1) -> Ratio:
    """The mean over subtopics of the average precision for each.

    A subtopic without a relevant item does not count; the others count alike, where the paper
    weighs them by how likely they are meant.

    a is relevant to subtopics 1 and 2, b to 1; returned b, a:

    >>> view = diverse_view((["b", "a"], {"a": {"1": 1, "2": 1}, "b": {"1": 1}}))
    >>> ap_ia(view).values()  # ((1/1 + 2/2) / 2 + 1/2) / 2
    array([0.75])
    """
    facets = view.hit_facets(rel)
    judged_keys = np.sort(view.judged_facets(rel).key)
    first, end = (np.searchsorted(judged_keys, facets.key, side) for side in ("left", "right"))
    relevant = end - first  # items of the truth, for each facet's subtopic
    gain = (facets.repeats_above() + 1) / facets.rank / relevant
    return _subtopic_ratio(view, facets, gain, view.subtopics(rel), "subtopics")


@subtopic_metric(
    "P_IA",
    title="Intent-aware precision",
    source="Agrawal et al., WSDM 2009, doi:10.1145/1498759.1498766; as TREC's ndeval",
    latex=r"\frac{1}{k S} \sum_{i=1}^{k} \sum_{s=1}^{S} r_{i,s}",
    tools="ndeval: P-IA@10; ir_measures: P_IA",
)
def p_ia(view: Diverse, *, k: Cutoff, rel: Relevant = 1) -> Ratio:
    """The mean over subtopics of the precision for each at rank k.

    A subtopic without a relevant item does not count; the others count alike.

    a is relevant to subtopics 1 and 2, b to 1; returned b, a:

    >>> view = diverse_view((["b", "a"], {"a": {"1": 1, "2": 1}, "b": {"1": 1}}))
    >>> p_ia(view, k=2).values()  # (2/2 + 1/2) / 2
    array([0.75])
    """
    facets = view.hit_facets(rel).top(k)
    gain = np.ones(facets.rank.size)
    return _subtopic_ratio(view, facets, gain, k * view.subtopics(rel), "(k × subtopics)")


@subtopic_metric(
    "NRBP",
    title="Novelty- and rank-biased precision",
    source="Clarke et al., ICTIR 2009, doi:10.1007/978-3-642-04417-5_17; as TREC's ndeval",
    latex=r"\frac{1 - (1 - \alpha) \cdot \beta}{S} \sum_{i=1}^{n} \beta^{i-1} "
    rf"{NEW_GAIN}, {SEEN}",
    tools="ndeval: NRBP; ir_measures: NRBP",
)
def nrbp(
    view: Diverse,
    *,
    alpha: Redundancy = DEFAULT_REDUNDANCY,
    beta: Persistence = DEFAULT_PERSISTENCE,
    rel: Relevant = 1,
) -> Ratio:
    """The gain of new subtopics for a reader who goes on with chance beta each time.

    The gain of rank i, as in `alpha_DCG`, weighs beta^(i - 1). The sum is multiplied by
    1 - (1 - alpha) beta and divided by the number of subtopics, so that a list whose every item is
    relevant to all of them comes to 1.

    a is relevant to subtopics 1 and 2, b to 1; returned b, a:

    >>> view = diverse_view((["b", "a"], {"a": {"1": 1, "2": 1}, "b": {"1": 1}}))
    >>> nrbp(view).values()  # 3/4 * (1 + 1.5 / 2) / 2
    array([0.65625])
    """
    facets = view.hit_facets(rel)
    gain = _weighted_gains(facets, alpha, lambda rank: beta ** (rank - 1))
    ratio = _subtopic_ratio(view, facets, gain, view.subtopics(rel), "subtopics")
    factor = 1 - (1 - alpha) * beta
    return replace(
        ratio,
        numerator=facets.total(gain) * factor,
        formula=f"(1 - (1 - alpha) × beta) × {ratio.formula}",
        terms={**ratio.terms, "alpha": alpha, "beta": beta},
    )


@subtopic_metric(
    "nNRBP",
    title="Normalised novelty- and rank-biased precision",
    source="Clarke et al., ICTIR 2009, doi:10.1007/978-3-642-04417-5_17; as TREC's ndeval",
    latex=rf"\frac{{\sum_{{i=1}}^{{n}} \beta^{{i-1}} {NEW_GAIN}}}"
    rf"{{\sum_{{i=1}}^{{J}} \beta^{{i-1}} {BEST_GAIN}}}, {SEEN}{BEST_SEEN}",
    tools="ndeval: nNRBP; ir_measures: nNRBP",
    range=(0, None),
)
def nnrbp(
    view: Diverse,
    *,
    alpha: Redundancy = DEFAULT_REDUNDANCY,
    beta: Persistence = DEFAULT_PERSISTENCE,
    rel: Relevant = 1,
) -> Ratio:
    """`NRBP` of a list over `NRBP` of the best order of the judged items, as in `alpha_nDCG`.

    a is relevant to subtopics 1 and 2, b to 1; returned b, a:

    >>> view = diverse_view((["b", "a"], {"a": {"1": 1, "2": 1}, "b": {"1": 1}}))
    >>> nnrbp(view).values().round(6)  # (1 + 1.5 / 2) / (2 + 0.5 / 2)
    array([0.777778])
    """
    return _over_best_order(view, rel, None, alpha, lambda rank: beta ** (rank - 1))


@subtopic_metric(
    "StRecall",
    title="Subtopic recall",
    source="Zhai, Cohen and Lafferty, SIGIR 2003, doi:10.1145/860435.860440; as TREC's ndeval",
    latex=r"\frac{1}{S} \sum_{s=1}^{S} [\sum_{i=1}^{k} r_{i,s} \ge 1]",
    tools="ndeval: strec@10; ir_measures: StRecall",
    aliases=("strec",),
)
def strecall(view: Diverse, *, k: Cutoff | None = None, rel: Relevant = 1) -> Ratio:
    """The share of the subtopics that a relevant item among the first k covers.

    A subtopic without a relevant item does not count.

    a is relevant to subtopics 1 and 2, b to 1; returned b, a:

    >>> view = diverse_view((["b", "a"], {"a": {"1": 1, "2": 1}, "b": {"1": 1}}))
    >>> strecall(view, k=1).values()  # 1 of 2
    array([0.5])
    """
    facets = view.hit_facets(rel).top(k)
    is_first = (facets.repeats_above() == 0).astype(np.float64)
    return _subtopic_ratio(view, facets, is_first, view.subtopics(rel), "subtopics")
