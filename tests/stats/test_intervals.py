"""Intervals of means and figures."""

import math

import numpy as np
import pytest
from scipy import special, stats

from scorer.stats.intervals import (
    Interval,
    Scale,
    beta,
    intervals,
    paired_shares,
    proportion,
    student,
)

UNIT = Scale((0.0, 1.0))


def sample(submissions, lists, seed=0):
    return np.random.default_rng(seed).beta(2, 3, (submissions, lists))


def ends(made):
    return np.array(made)


@pytest.mark.parametrize("freedom", [1, 1.5, 2, 7.3, 99, 1e5])
@pytest.mark.parametrize("share", [0.9, 0.975, 0.9995])
def test_students_quantile_is_scipys(freedom, share):
    assert student(share, freedom) == pytest.approx(special.stdtrit(freedom, share), rel=1e-8)


@pytest.mark.parametrize(("a", "b"), [(1, 20), (19, 2), (0.5, 3.2), (500, 3), (1e5, 2e4)])
@pytest.mark.parametrize("share", [0.025, 0.5, 0.975])
def test_the_beta_quantile_is_scipys(a, b, share):
    assert beta(share, a, b) == pytest.approx(special.betaincinv(a, b, share), rel=1e-9)


@pytest.mark.parametrize(("right", "rows"), [(0, 5), (1, 20), (17, 20), (20, 20), (400, 1000)])
def test_shares_have_the_exact_interval(right, rows):
    theirs = stats.binomtest(right, rows).proportion_ci(method="exact")
    values = np.repeat([1.0, 0.0], [right, rows - right])
    assert ends(intervals(values, scale=UNIT)[0]) == pytest.approx(tuple(theirs), abs=1e-9)
    doubled = Scale((0.0, 2.0))
    assert ends(intervals(2 * values, scale=doubled)[0]) == pytest.approx(2 * np.array(theirs))


def test_without_skew_an_interval_is_students():
    values = np.concatenate([np.arange(15.0), -np.arange(15.0)])
    theirs = stats.t.interval(0.95, 29, 0, values.std(ddof=1) / math.sqrt(30))
    assert ends(intervals(values)[0]) == pytest.approx(theirs, rel=1e-9)


def test_skew_moves_both_ends_towards_the_long_tail():
    values = np.random.default_rng(1).exponential(size=30)
    (made,) = intervals(values)
    error = values.std(ddof=1) / math.sqrt(30)
    low, high = stats.t.interval(0.95, 29, values.mean(), error)
    assert made.low > low
    assert made.high > high


def test_no_end_lies_beyond_a_bound():
    rng = np.random.default_rng(3)
    for lists in (5, 6, 20):
        values = 1 - rng.exponential(0.02, (50, lists)).clip(0, 1)
        for low, high in intervals(values, scale=UNIT):
            assert 0 <= low <= high <= 1
        for low, high in intervals(values, scale=Scale((0.0, 1.0), pooled=True, figure=True)):
            assert 0 <= low <= high <= 1


def test_what_is_perfect_has_an_interval_of_its_rarest_class():
    values = np.ones((2, 20))
    scale = Scale((0.0, 1.0), pooled=True, rarest_class=(20.0, 5.0), figure=True)
    lows = [each.low for each in intervals(values, scale=scale)]
    assert lows == pytest.approx([0.025 ** (1 / 20), 0.025 ** (1 / 5)])
    (of_chance,) = intervals(values[0], scale=Scale((-1.0, 1.0), pooled=True, figure=True))
    assert of_chance.low == pytest.approx(lows[0])  # 0, what chance gives, to 1


def test_a_pooled_share_has_as_many_trials_as_its_error_says():
    values = np.repeat([1.0, 0.0], [60, 40]) + 0.0
    (plain,) = intervals(values, scale=UNIT)
    (pooled,) = intervals(values, scale=Scale((0.0, 1.0), pooled=True, figure=True))
    assert ends(pooled) == pytest.approx(ends(plain), abs=0.003)
    spread = 0.6 + 2 * (values - 0.6)  # a quarter of the trials
    (wide,) = intervals(spread, scale=Scale((0.0, 1.0), pooled=True, figure=True))
    assert wide.high - wide.low == pytest.approx(2 * (plain.high - plain.low), rel=0.1)


@pytest.mark.parametrize(
    ("values", "interval"),
    [
        ([0.1] * 7, Interval(0.1, 0.1)),  # though .1 * 7 / 7 is not .1
        ([0.0] * 5, Interval(0.0, 0.0)),
    ],
)
def test_interval_without_spread_is_a_point(values, interval):
    assert intervals(np.array(values)) == [interval]
    assert intervals(np.vstack([values, np.arange(len(values))]))[0] == interval


@pytest.mark.parametrize(
    "values", [[], [0.3], [np.nan, 0.2], [0.1, 0.2, 0.4, 0.3], [0.5] * 4, [0, 1, np.nan, 1, 1]]
)
def test_of_fewer_than_five_lists_there_is_no_interval(values):
    for scale in (Scale(), UNIT):
        (made,) = intervals(np.array([values]), scale=scale)
        assert math.isnan(made.low)
        assert math.isnan(made.high)
    assert intervals(np.empty((0, 4))) == []


def test_interval_moves_and_grows_with_the_values():
    values = sample(3, 40)
    made = ends(intervals(values))
    assert ends(intervals(values + 5)) == pytest.approx(made + 5, abs=1e-9)
    assert ends(intervals(values * 3)) == pytest.approx(made * 3, abs=1e-9)
    alone = np.arange(40)
    assert ends(intervals(values, clusters=alone)) == pytest.approx(made, rel=1e-12)


def test_interval_leaves_out_nan():
    values = sample(3, 40)
    values[1, [3, 5]] = np.nan
    values[2] = np.nan
    made = intervals(values)
    assert made[0] == intervals(values[:1])[0]
    assert made[1] == intervals(values[1][~np.isnan(values[1])])[0]
    assert math.isnan(made[2].high)


def test_infinite_values_are_refused():
    with pytest.raises(ValueError, match="infinite"):
        intervals(np.array([1, np.inf]))


def test_interval_is_the_same_to_the_bit_whoever_stands_beside():
    values = sample(7, 60)
    values[6, 5] = np.nan
    together = intervals(values)
    assert [intervals(row)[0] for row in values] == together
    order = [3, 6, 1, 0, 5, 2, 4]
    assert intervals(values[order]) == [together[n] for n in order]


def test_clusters_of_one_value_are_as_many_lists():
    values = sample(1, 12)[0]
    (alone,) = intervals(values)
    (together,) = intervals(np.repeat(values, 5), clusters=np.repeat(np.arange(12), 5))
    assert ends(together) == pytest.approx(ends(alone))
    (naive,) = intervals(np.repeat(values, 5))
    assert naive.high - naive.low < 0.6 * (alone.high - alone.low)


def test_names_of_clusters_do_not_matter():
    values, clusters = sample(3, 40), np.arange(40) // 4
    assert intervals(values, clusters=clusters) == intervals(values, clusters=7 * clusters + 3)


@pytest.mark.parametrize("clusters", [1, 4])
def test_of_few_clusters_there_is_no_interval(clusters):
    (made,) = intervals(sample(1, 20), clusters=np.arange(20) % clusters)
    assert math.isnan(made.low)


@pytest.mark.parametrize(("gains", "losses", "lists"), [(10, 2, 50), (0, 6, 100), (3, 3, 20)])
def test_paired_shares_have_the_score_interval(gains, losses, lists):
    """At both ends the score test of Tango says 1.96."""
    for end in paired_shares(gains, losses, lists, 0.95):
        # the likelihood of gains, losses and ties with a difference of `end`, maximised by a search
        rare = np.linspace(1e-9, (1 - abs(end)) / 2, 400_001)
        gain, loss = rare + max(end, 0), rare + max(-end, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            likelihood = (special.xlogy(gains, gain) + special.xlogy(losses, loss)
                          + special.xlogy(lists - gains - losses, 1 - gain - loss))  # fmt: skip
        best = int(np.nanargmax(likelihood))
        variance = (gain[best] + loss[best] - end**2) / lists
        z = ((gains - losses) / lists - end) / math.sqrt(variance)
        assert abs(z) == pytest.approx(1.96, abs=0.01)


def test_shares_without_a_difference_have_one_that_shrinks_with_the_lists():
    widths = [np.ptp(paired_shares(0, 0, lists, 0.95)) for lists in (10, 100, 1000)]
    assert widths == sorted(widths, reverse=True)
    assert proportion(0.5, 10, 0.95).low < 0.2
