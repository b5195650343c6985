"""Metrics of the C/W/L framework: the gain that a reader expects per item looked at.

A reader who has looked at rank i goes on to rank i + 1 with chance C(i). The weight of rank i is
the product of the chances above it; a value is the mean of the gains by these weights (Moffat et
al., ACM TOIS 35(3), 2017, doi:10.1145/3052768). A grade gains its share of the highest grade, 0 to
1, and an unjudged item gains 0.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from pydantic import Field, Strict

from scorer.core.arrays import Floats, ends
from scorer.metrics.api import metric
from scorer.metrics.parameters import Cutoff, FromChallenge, Persistence
from scorer.metrics.ratios import Ratio, sum_of_rows
from scorer.views.ranked import Hits, Judged

DEFAULT_DEPTH = 1000  # ranks, as many as cwl_eval looks at
MAX_DEPTH = 1_000_000  # the highest depth, since each rank has a weight in memory
GOAL_ROUNDING = 1e-9  # so that three gains of 1/3 reach a goal of 1, although their sum is rounded

Highest = Annotated[
    float | None,
    Field(description="The grade from which on all gain 1; by default the highest of the truth."),
    FromChallenge(lambda constants: constants.max_grade),
]
Lowest = Annotated[float, Field(ge=0, description="The grade up to which all gain 0.")]
Goal = Annotated[
    float, Field(ge=0.5, le=MAX_DEPTH, description="How much gain the reader is after.")
]
Depth = Annotated[
    int,
    Strict(),
    Field(ge=1, le=MAX_DEPTH, description="How many ranks a reader can look at, returned or not."),
]

NEARLY_ERR = "Azzopardi, Mackenzie and Moffat, ICTIR 2021, doi:10.1145/3471158.3472239"

# The definition of a gain in formulas, and of the mean of gains by weights
GAIN = r"\qquad u_i = \frac{\min(\max(g_i, g_{\min}), g_{\max}) - g_{\min}}{g_{\max} - g_{\min}}"
TO_K = r"\frac{\sum_{i=1}^{k} w_i u_i}{\sum_{i=1}^{k} w_i}, \qquad w_i = "
TO_DEPTH = r"\frac{\sum_{i=1}^{D} w_i u_i}{\sum_{i=1}^{D} w_i}, \qquad w_i = "


def _gains(
    view: Judged, max_grade: float | None, min_grade: float, depth: int | None = None
) -> tuple[Hits, Floats]:
    """The hits down to a depth, and the gain of each, 0 to 1.

    `max_grade` gains 1; by default it is the highest grade of this truth. `min_grade` gains 0. If
    `max_grade` is not above `min_grade`, all hits gain 0.
    """
    hits = view.hits.top(depth)
    highest = float(view.ideal.grade.max(initial=0.0)) if max_grade is None else max_grade
    if highest <= min_grade:
        return hits, np.zeros_like(hits.grade)
    return hits, (np.clip(hits.grade, min_grade, highest) - min_grade) / (highest - min_grade)


def _mean_gain(hits: Hits, gain: Floats, weight: Floats, total_weight: Floats) -> Ratio:
    """The weighted mean of the gains of each list.

    `gain` and `weight` are of the hits, shape (hits,). `total_weight` is the sum of the weights of
    all ranks of a list, hit or not, shape (lists,).
    """
    columns = {"gain": gain, "weight": weight, "gain × weight": weight * gain}
    name = "sum of gain × weight"
    return sum_of_rows(hits, columns, total_weight, "weights of all ranks", name=name)


def _mean_by_rank_weights(
    view: Judged, max_grade: float | None, min_grade: float, weights: Floats
) -> Ratio:
    """The mean of the gains, where rank i weighs `weights[i - 1]` in every list."""
    hits, gain = _gains(view, max_grade, min_grade, weights.size)
    # added up rank by rank, as gains are, so that a list whose every rank gains 1 has exactly 1
    total_weight = np.full(hits.lists, np.cumsum(weights)[-1])
    return _mean_gain(hits, gain, weights[hits.rank - 1], total_weight)


def _mean_until_satisfied(
    view: Judged, max_grade: float | None, min_grade: float, weights: Floats
) -> Ratio:
    """The mean of the gains for a reader whom gains satisfy.

    After a rank the reader stops with a chance that is the gain there. Rank i weighs
    `weights[i - 1]` times the chance that no rank above has satisfied the reader.
    """
    hits, gain = _gains(view, max_grade, min_grade, weights.size)
    sums = np.concatenate([[0.0], np.cumsum(weights)])  # of the weights down to each rank
    reading = hits.product(1 - gain)  # the chance that no hit above has satisfied
    # That chance changes at hits only. It is the same for a hit and the ranks between it and the
    # hit above, so that these ranks are weighed together.
    rank_above = np.where(hits.nth() == 1, 0, np.roll(hits.rank, 1))  # of the hit above, or 0
    total_weight = hits.total(reading * (sums[hits.rank] - sums[rank_above]))
    below = reading * (1 - gain) * (sums[-1] - sums[hits.rank])
    total_weight += hits.total(np.where(ends(hits.in_list), below, 0.0))  # below the last hit
    total_weight[hits.total() == 0] = sums[-1]
    return _mean_gain(hits, gain, weights[hits.rank - 1] * reading, total_weight)


@metric(
    "SDCG",
    title="Scaled discounted cumulative gain",
    source="Azzopardi, Thomas and Moffat, SIGIR 2019, doi:10.1145/3331184.3331398; as cwl_eval's",
    latex=TO_K + r"\frac{1}{\log_2(i + 1)}, " + GAIN,
    tools="ir_measures: SDCG",
)
def sdcg(view: Judged, *, k: Depth, max_grade: Highest = None, min_grade: Lowest = 0) -> Ratio:
    """How near a list's discounted gain comes to the gain of k items of the highest grade.

    The gain at rank i, 0 to 1, is divided by log2(i + 1), and the sum by the same sum of k full
    gains: `nDCG` as if at least k items of the highest grade were there, so that 1 is out of reach
    where there are fewer.

    Returned x, a; a has the highest grade:

    >>> view = judged_view((["x", "a"], {"a": 2}))
    >>> sdcg(view, k=2).values().round(6)  # 1/log2(3) / (1 + 1/log2(3))
    array([0.386853])
    """
    return _mean_by_rank_weights(view, max_grade, min_grade, 1 / np.log2(np.arange(2, k + 2)))


def _inverse_squares(goal: float, depth: int) -> Floats:
    """The weight of each rank for a reader who is after `goal` and goes on as in `INSQ`."""
    weights: Floats = (2 * goal / (np.arange(1, depth + 1, dtype=np.float64) + 2 * goal - 1)) ** 2
    return weights


@metric(
    "INSQ",
    title="Inverse squares",
    source="Moffat, Scholer and Thomas, ADCS 2012, doi:10.1145/2407085.2407092",
    latex=TO_DEPTH + r"\left(\frac{2 \cdot T}{i + 2 \cdot T - 1}\right)^2, " + GAIN,
    tools="ir_measures: INSQ",
)
def insq(
    view: Judged,
    *,
    T: Goal = 1,
    max_grade: Highest = None,
    min_grade: Lowest = 0,
    depth: Depth = DEFAULT_DEPTH,
) -> Ratio:
    """The gain per item looked at, for a reader who goes on the more surely the further down.

    From rank i the reader goes on with chance ((i + 2T - 1) / (i + 2T))^2, so that rank i weighs
    (2T / (i + 2T - 1))^2. The paper's ranks are endless; cwl_eval and ir_measures weigh 1,000, as
    the default `depth` does: the difference is below .2 % with T = 1.

    T = 1 and two ranks weigh 1 and 4/9; returned x, a:

    >>> view = judged_view((["x", "a"], {"a": 1}))
    >>> insq(view, depth=2).values().round(6)  # 4/9 / (1 + 4/9)
    array([0.307692])
    """
    return _mean_by_rank_weights(view, max_grade, min_grade, _inverse_squares(T, depth))


@metric(
    "INST",
    title="Inverse squares, adaptive",
    source="Moffat, Bailey, Scholer and Thomas, ADCS 2015, doi:10.1145/2838931.2838938",
    latex=TO_DEPTH
    + r"\prod_{j=1}^{i-1} \left(\frac{j + 2 \cdot T - U_j - 1}{j + 2 \cdot T - U_j}\right)^2, "
    + r"\qquad U_j = \sum_{l=1}^{j} u_l, "
    + GAIN,
    tools="ir_measures: INST",
)
def inst(
    view: Judged,
    *,
    T: Goal = 1,
    max_grade: Highest = None,
    min_grade: Lowest = 0,
    depth: Depth = DEFAULT_DEPTH,
) -> Ratio:
    """The gain per item looked at, for a reader who is after T and loses interest as it is found.

    With G gained down to rank i the reader goes on with chance ((i + 2T - G - 1) / (i + 2T - G))^2;
    `INSQ` is the same with G = 0 throughout, and has the same default `depth`. T is .5 or more:
    below it a chance could exceed 1.

    T = 1, two ranks, returned a, x; the reader goes on with chance (1/2)^2:

    >>> view = judged_view((["a", "x"], {"a": 1}))
    >>> inst(view, depth=2).values()  # 1 / (1 + 1/4)
    array([0.8])
    """
    hits, gain = _gains(view, max_grade, min_grade, depth)
    first, last = hits.nth() == 1, ends(hits.in_list)
    rank = hits.rank.astype(np.float64)
    # 2T - G, where G is what was gained before a hit, or with it
    before = 2 * T - hits.sums(gain)
    after = before - gain
    # G is the same from one hit to the next. The chances of the ranks from r to s - 1 then multiply
    # to ((r + 2T - G - 1) / (s + 2T - G - 1))^2, so that no rank between two hits is looked at.
    # `rank_above` is the rank of the hit above. For the first hit it is rank 1, which weighs 1.
    rank_above = np.where(first, 1.0, np.roll(rank, 1))
    step = ((rank_above + before - 1) / (rank + before - 1)) ** 2
    # the product of the steps of a list down to each hit
    weight = hits.product(np.roll(step, -1)) * step[hits.starts()[hits.in_list]]
    # Rank r after a hit weighs scale / (r + after - 1)^2, down to the next hit or to `depth`.
    scale = weight * (rank + after - 1) ** 2
    until = np.where(last, float(depth), np.roll(rank, -1))
    total_weight = hits.total(scale * _inverse_square_sum(rank, until, after))
    to_first_hit = (2 * T) ** 2 * _inverse_square_sum(np.zeros_like(rank), rank, before)
    total_weight += hits.total(np.where(first, to_first_hit, 0.0))
    without_hits = (2 * T) ** 2 * _inverse_square_sum(0.0, float(depth), 2.0 * T)
    total_weight[hits.total() == 0] = without_hits
    return _mean_gain(hits, gain, weight, total_weight)


def _inverse_square_sum(start: Any, end: Any, shift: Any) -> Any:
    """The sum of 1 / (r + shift - 1)^2 over the ranks r from start + 1 to end."""
    from scipy.special import zeta

    # zeta(2, x) is the sum of 1 / (x + n)^2 over n = 0, 1, 2, and so on
    return zeta(2, start + shift) - zeta(2, end + shift)


@metric(
    "BPM",
    title="Bejeweled player model",
    source="Zhang et al., SIGIR 2017, doi:10.1145/3077136.3080841; its static form",
    latex=r"\frac{1}{K} \sum_{i=1}^{K} u_i, \qquad K = 1 + \sum_{i=1}^{k - 1} [\sum_{j=1}^{i} "
    r"u_j < T], " + GAIN,
    tools="ir_measures: BPM (sums of thirds may miss a T that they reach)",
)
def bpm(
    view: Judged, *, k: Cutoff, T: Goal = 1, max_grade: Highest = None, min_grade: Lowest = 0
) -> Ratio:
    """The gain per item looked at, for a reader who stops with T gained or after k items.

    The reader stops at the first rank where the gains reach T, else at rank k, returned or not. A
    better item moved up can lower the value: the reader who stops earlier misses what follows. The
    paper's dynamic form, in which gains move T and k, is not there, as in ir_measures.

    Returned a, b, x; a gains 1/2, b gains 1; the reader wants 1:

    >>> view = judged_view((["a", "b", "x"], {"a": 1, "b": 2}))
    >>> bpm(view, k=10).values()  # (1/2 + 1) / 2
    array([0.75])
    """
    hits, gain = _gains(view, max_grade, min_grade, k)
    goal = T - GOAL_ROUNDING
    is_looked_at = hits.sums(gain) < goal
    hits, gain = hits.where(is_looked_at), gain[is_looked_at]
    stopping = hits.where(hits.sums(gain) + gain >= goal)  # at most one a list
    last = np.full(hits.lists, float(k))
    last[stopping.in_list] = stopping.rank
    return sum_of_rows(hits, {"gain": gain}, last, "last rank", name="sum of gains")


@metric(
    "NERR8",
    title="Nearly expected reciprocal rank, equation 8",
    source=NEARLY_ERR,
    latex=TO_K + r"\prod_{j=1}^{i-1} (1 - u_j), " + GAIN,
    tools="ir_measures: NERR8",
)
def nerr8(view: Judged, *, k: Depth, max_grade: Highest = None, min_grade: Lowest = 0) -> Ratio:
    """The gain per item looked at, for a reader whom gains satisfy, down to rank k.

    From rank i the reader goes on with chance 1 - gain, and nowhere beyond k. It is ERR's reader in
    a C/W/L measure, which ERR itself is not (equation 8). As in ir_measures, whose `max_rel` is
    max_grade, a grade gains its share of max_grade, 0 to 1, not (2^grade - 1) / 2^max_grade as in
    `ERR`. What NTCIR calls nERR, `ERR` over the best list's, is `nERR`.

    Returned a, x; a gains 1/2:

    >>> view = judged_view((["a", "x"], {"a": 1, "b": 2}))
    >>> nerr8(view, k=2).values().round(6)  # 1/2 / (1 + 1/2)
    array([0.333333])
    """
    return _mean_until_satisfied(view, max_grade, min_grade, np.ones(k))


@metric(
    "NERR9",
    title="Nearly expected reciprocal rank, equation 9",
    source=NEARLY_ERR,
    latex=TO_K + r"\frac{1}{i} \prod_{j=1}^{i-1} (1 - u_j), " + GAIN,
    tools="ir_measures: NERR9",
)
def nerr9(view: Judged, *, k: Depth, max_grade: Highest = None, min_grade: Lowest = 0) -> Ratio:
    """The gain per item looked at, where gains satisfy and the way down tires, to rank k.

    From rank i the reader goes on with chance i / (i + 1) times 1 - gain, and nowhere beyond k
    (equation 9).

    Returned a, x; a gains 1/2, and rank 2 is looked at with chance 1/2 of 1/2:

    >>> view = judged_view((["a", "x"], {"a": 1, "b": 2}))
    >>> nerr9(view, k=2).values()  # 1/2 / (1 + 1/4)
    array([0.4])
    """
    return _mean_until_satisfied(view, max_grade, min_grade, 1 / np.arange(1, k + 1))


@metric(
    "NERR10",
    title="Nearly expected reciprocal rank, equation 10",
    source=NEARLY_ERR,
    latex=TO_DEPTH + r"p^{i-1} \prod_{j=1}^{i-1} (1 - u_j), " + GAIN,
    tools="ir_measures: NERR10",
)
def nerr10(
    view: Judged,
    *,
    p: Persistence = 0.9,
    max_grade: Highest = None,
    min_grade: Lowest = 0,
    depth: Depth = DEFAULT_DEPTH,
) -> Ratio:
    """The gain per item looked at, where gains satisfy a reader who else goes on with chance p.

    From rank i the reader goes on with chance p times 1 - gain (equation 10). The defaults of
    `depth` and p are cwl_eval's.

    Returned a, x; a gains 1/2, and rank 2 is looked at with chance .9 of 1/2:

    >>> view = judged_view((["a", "x"], {"a": 1, "b": 2}))
    >>> nerr10(view, depth=2).values().round(6)  # 1/2 / (1 + .45)
    array([0.344828])
    """
    weights = p ** np.arange(depth, dtype=np.float64)
    return _mean_until_satisfied(view, max_grade, min_grade, weights)


@metric(
    "NERR11",
    title="Nearly expected reciprocal rank, equation 11",
    source=NEARLY_ERR,
    latex=TO_DEPTH
    + r"\left(\frac{2 \cdot T}{i + 2 \cdot T - 1}\right)^2 \prod_{j=1}^{i-1} (1 - u_j), "
    + GAIN,
    tools="ir_measures: NERR11",
)
def nerr11(
    view: Judged,
    *,
    T: Goal = 1,
    max_grade: Highest = None,
    min_grade: Lowest = 0,
    depth: Depth = DEFAULT_DEPTH,
) -> Ratio:
    """The gain per item looked at, where gains satisfy the reader of `INSQ`.

    From rank i the reader goes on with chance ((i + 2T - 1) / (i + 2T))^2 times 1 - gain (equation
    11). The default `depth` is cwl_eval's.

    T = 1; returned a, x; a gains 1/2, and rank 2 is looked at with chance 4/9 of 1/2:

    >>> view = judged_view((["a", "x"], {"a": 1, "b": 2}))
    >>> nerr11(view, depth=2).values().round(6)  # 1/2 / (1 + 2/9)
    array([0.409091])
    """
    return _mean_until_satisfied(view, max_grade, min_grade, _inverse_squares(T, depth))
