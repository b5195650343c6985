"""Metrics of lists as sets: the returned items against the relevant ones, whatever the order."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from scorer.core.arrays import Floats, Ints
from scorer.metrics.api import metric
from scorer.metrics.parameters import Beta, EmptySet, Relevant, Thresholds
from scorer.metrics.ranking import f_ratio
from scorer.metrics.ratios import Ratio, Table
from scorer.views.ranked import Judged


@metric(
    "SetP",
    title="Set precision",
    source="Kent et al., American Documentation 6(2), 1955; as trec_eval's set_P",
    latex=r"\frac{h_n}{n}",
    tools="trec_eval: set_P (0 for a list that returned nothing); ir_measures: SetP",
    aliases=("set_P",),
    undefined="nothing is returned; with `relative`, nothing is relevant either",
    ties=("expected",),
)
def setp(view: Judged, *, rel: Relevant = 1, relative: bool = False) -> Ratio:
    """The share of all returned items that is relevant.

    `relative=true`, a parameter of ir_measures, is `SetRelP`.

    Returned a, x, b; a and b are relevant:

    >>> setp(judged_view((["a", "x", "b"], {"a": 1, "b": 1}))).values()  # 2 / 3
    array([0.66666667])
    """
    if relative:
        most = np.minimum(view.returned, view.ideal.count(rel))
        return _found_over(view, rel, most, "min(n, R)")
    return _found_over(view, rel, view.returned, "n")


@metric(
    "SetRelP",
    title="Relative set precision",
    source="trec_eval's set_relative_P",
    latex=r"\frac{h_n}{\min(n, R)}",
    tools="trec_eval: set_relative_P (0 for a list that returned nothing); "
    "ir_measures: SetP(relative=True)",
    aliases=("set_relative_P",),
    undefined="nothing is returned, or nothing is relevant in the truth",
    ties=("expected",),
)
def setrelp(view: Judged, *, rel: Relevant = 1) -> Ratio:
    """The relevant items returned, over the most that a list of that length could hold, min(n, R).

    Returned a, x, y; a and b are relevant:

    >>> setrelp(judged_view((["a", "x", "y"], {"a": 1, "b": 1}))).values()  # 1 / min(3, 2)
    array([0.5])
    """
    return setp(view, rel=rel, relative=True)


@metric(
    "SetR",
    title="Set recall",
    source="Kent et al., American Documentation 6(2), 1955; as trec_eval's set_recall",
    latex=r"\frac{h_n}{R}",
    tools="trec_eval: set_recall; ir_measures: SetR",
    aliases=("set_recall",),
    undefined="nothing is relevant in the truth",
    ties=("expected",),
)
def setr(view: Judged, *, rel: Relevant = 1) -> Ratio:
    """The share of the relevant items that was returned, at whatever rank.

    Returned a, x; a, b and c are relevant:

    >>> setr(judged_view((["a", "x"], {"a": 1, "b": 1, "c": 1}))).values()  # 1 / 3
    array([0.33333333])
    """
    return _found_over(view, rel, view.ideal.count(rel), "R")


def _found_over(view: Judged, rel: float, divisor: Floats | Ints, name: str) -> Ratio:
    """The relevant items that each list returned, over `divisor`, which is called `name`."""
    count, table = _found(view, rel)
    return Ratio(count, divisor, f"found / {name}", {"found": count, name: divisor}, table)


def _found(view: Judged, rel: float) -> tuple[Floats, Table]:
    """How many relevant items each list returned, and the table of them."""
    hits = view.hits.relevant(rel)
    return hits.total(), Table(hits, {"found": np.ones(hits.rank.size)})


@metric(
    "SetF",
    title="Set F measure",
    source="van Rijsbergen, Information Retrieval, 1979, chapter 7",
    latex=r"\frac{(1 + \beta^2) h_n}{\beta^2 R + n}",
    tools="trec_eval: set_F (its parameter is beta squared); "
    "ir_measures: SetF (its beta is beta squared)",
    aliases=("set_F",),
    undefined="with `empty=skip`, nothing is relevant in the truth",
    ties=("expected",),
)
def setf(view: Judged, *, rel: Relevant = 1, beta: Beta = 1, empty: EmptySet = "skip") -> Ratio:
    """Precision and recall of all that was returned, their weighted harmonic mean.

    (1 + beta^2) P R / (beta^2 P + R), which is (1 + beta^2) c / (beta^2 R + n) for c relevant items
    among n returned. beta is van Rijsbergen's: trec_eval's set_F.4 is our beta=2. A list without a
    relevant item has no value; with `empty=one` it has 1 where nothing was returned, 0 elsewhere.
    If pooled, items returned where nothing is relevant count as wrong.

    Returned a, x; a, b and c are relevant:

    >>> setf(judged_view((["a", "x"], {"a": 1, "b": 1, "c": 1}))).values()  # 2 * 1 / (3 + 2)
    array([0.4])
    """
    hits = view.hits.relevant(rel)
    found = np.ones(hits.rank.size)
    ratio = f_ratio(hits, found, view.ideal.count(rel), beta, view.returned, "n")
    return ratio if empty == "skip" else replace(ratio, defined=None, empty=1.0)


@metric(
    "SetJaccard",
    title="Jaccard coefficient of sets",
    source="Jaccard, New Phytologist 11(2), 1912",
    latex=r"\frac{h_n}{R + n - h_n}",
    undefined="with `empty=skip`, nothing is relevant in the truth",
)
def setjaccard(
    view: Judged,
    *,
    rel: Relevant = 1,
    empty: EmptySet = "skip",
    thresholds: Thresholds | None = None,
) -> Ratio:
    """The relevant items that were returned, over all that are relevant or returned.

    A list without a relevant item has no value; with `empty=one` it has 1 where nothing was
    returned, as in rules that ask for empty answers, and 0 elsewhere. Then the public `lists` names
    the lists without rows in the truth. With `thresholds` the value is the share of them that the
    coefficient is above, as with `IoU` of masks.

    Returned a, x; a, b and c are relevant:

    >>> setjaccard(judged_view((["a", "x"], {"a": 1, "b": 1, "c": 1}))).values()  # 1 / 4
    array([0.25])
    """
    (count, table), relevant = _found(view, rel), view.ideal.count(rel)
    ratio = Ratio(
        count,
        relevant + view.returned - count,
        "found / (R + n - found)",
        {"found": count, "R": relevant, "n": view.returned},
        table,
        defined=relevant > 0 if empty == "skip" else None,
        empty=1.0,
    )
    return ratio if thresholds is None else ratio.share_above(thresholds)


@metric(
    "SetAP",
    title="Set average precision",
    source="trec_eval's set_map",
    latex=r"\frac{h_n}{n} \cdot \frac{h_n}{R}",
    tools="trec_eval: set_map (0 for a list that returned nothing); ir_measures: SetAP",
    aliases=("set_map",),
    undefined="nothing is returned, or nothing is relevant in the truth",
    ties=("expected",),
)
def setap(view: Judged, *, rel: Relevant = 1) -> Ratio:
    """Precision times recall of all that was returned: average precision without ranks.

    Returned a, x; a and b are relevant:

    >>> setap(judged_view((["a", "x"], {"a": 1, "b": 1}))).values()  # 1/2 * 1/2
    array([0.25])
    """
    (count, table), relevant = _found(view, rel), view.ideal.count(rel)
    terms = {"found": count, "n": view.returned, "R": relevant}
    formula = "found / n × found / R"
    return Ratio(count * count, view.returned * relevant, formula, terms, table)


count_metric = partial(
    metric, range=(0, None), aggregate="sum", pooling="never", ties=("expected",)
)


@count_metric(
    "NumQ",
    title="Number of lists",
    source="trec_eval's num_q",
    latex="1",
    tools="trec_eval: num_q (without -c of the lists that were answered); ir_measures: NumQ",
    aliases=("num_q",),
)
def numq(view: Judged) -> Ratio:
    """How many lists the truth has, answered or not: 1 for each.

    >>> numq(judged_view((["a"], {"a": 1}), ([], {"b": 1}))).values()
    array([1., 1.])
    """
    return Ratio(np.ones(view.lists), 1, "1")


@count_metric(
    "NumRel",
    title="Number of relevant items",
    source="trec_eval's num_rel",
    latex="R",
    tools="trec_eval: num_rel; ir_measures: NumRel",
    aliases=("num_rel",),
)
def numrel(view: Judged, *, rel: Relevant = 1) -> Ratio:
    """How many relevant items the truth has for a list, returned or not.

    >>> numrel(judged_view((["a", "x"], {"a": 1, "b": 2, "c": 0}))).values()
    array([2.])
    """
    relevant = view.ideal.count(rel)
    return Ratio(relevant, 1, "R", {"R": relevant})


@count_metric(
    "NumRet",
    title="Number of returned items",
    source="trec_eval's num_ret",
    latex="n",
    tools="trec_eval: num_ret; ir_measures: NumRet",
    aliases=("num_ret",),
)
def numret(view: Judged, *, rel: Relevant | None = None) -> Ratio:
    """How many items a list returned; with `rel`, how many of at least that grade.

    `NumRet(rel=1)` is NumRelRet, as in ir_measures.

    >>> view = judged_view((["a", "x"], {"a": 1}))
    >>> numret(view).values(), numret(view, rel=1).values()
    (array([2.]), array([1.]))
    """
    if rel is not None:
        return numrelret(view, rel=rel)
    return Ratio(view.returned, 1, "n", {"n": view.returned})


@count_metric(
    "NumRelRet",
    title="Number of relevant items returned",
    source="trec_eval's num_rel_ret",
    latex="h_n",
    tools="trec_eval: num_rel_ret; ir_measures: NumRet(rel=1)",
    aliases=("num_rel_ret",),
)
def numrelret(view: Judged, *, rel: Relevant = 1) -> Ratio:
    """How many relevant items a list returned, at whatever rank.

    >>> numrelret(judged_view((["a", "x"], {"a": 1, "b": 2, "c": 0}))).values()
    array([1.])
    """
    count, table = _found(view, rel)
    return Ratio(count, 1, "found", {"found": count}, table)
