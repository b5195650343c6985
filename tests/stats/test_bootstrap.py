"""Intervals, held to scipy where both apply and to simulation where truth is known."""

import math

import numpy as np
import pytest
from samples import ends, sample, within
from scipy import stats

from scorer.stats import bootstrap
from scorer.stats.bootstrap import (
    Interval,
    _resamples,
    interval_of,
    intervals,
    resampled_sums,
    resampled_weights,
)


@pytest.mark.parametrize("lists", [2, 3, 10, 40, 333])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_interval_is_scipys(lists, level):
    values = np.random.default_rng(lists).exponential(size=(3, lists))
    values = np.round(values * 256) / 256  # exact sums: scipy does not see ties through float noise
    made = intervals(values, level, draws=2000, seed=7)
    for row, interval in zip(values, made, strict=True):
        theirs = stats.bootstrap(
            (row,), np.mean, n_resamples=2000, confidence_level=level, method="BCa", rng=7
        ).confidence_interval
        assert (interval.low, interval.high) == pytest.approx(tuple(theirs), rel=1e-9)


def test_interval_of_coarse_values_is_scipys():
    row = np.random.default_rng(1).binomial(5, 0.3, 30) / 8  # sums are exact, so ties tie
    theirs = stats.bootstrap((row,), np.mean, n_resamples=3000, method="BCa", rng=1)
    assert ends(intervals(row, draws=3000)) == pytest.approx(np.array([theirs.confidence_interval]))


@pytest.mark.parametrize("draw", ["normal", "exponential", "uniform"])
def test_interval_covers_the_true_mean(draw):
    rng = np.random.default_rng(11)
    mean = {"normal": 0, "exponential": 1, "uniform": 0.5}[draw]
    low, high = ends(intervals(getattr(rng, draw)(size=(400, 60)), draws=2000)).T
    covered = ((low <= mean) & (mean <= high)).sum()
    # BCa of 60 skewed values is known to fall short by a point or so.
    assert within(covered, 400, 0.94)


def test_interval_is_one_submissions_own():
    values = sample(5, 50)
    together = ends(intervals(values, draws=500))
    assert ends(intervals(values[3], draws=500))[0] == pytest.approx(together[3], rel=1e-12)
    order = [4, 2, 0, 1, 3]
    assert ends(intervals(values[order], draws=500)) == pytest.approx(together[order], rel=1e-12)


def test_interval_moves_and_grows_with_the_values():
    values = sample(3, 40)
    made = ends(intervals(values, draws=500))
    assert ends(intervals(values + 5, draws=500)) == pytest.approx(made + 5, abs=1e-9)
    assert ends(intervals(values * 3, draws=500)) == pytest.approx(made * 3, abs=1e-9)
    alone = np.arange(40)
    assert ends(intervals(values, draws=500, clusters=alone)) == pytest.approx(made, rel=1e-12)


def test_interval_leaves_out_nan():
    values = sample(3, 40)
    values[1, [3, 5]] = np.nan
    values[2] = np.nan
    made = intervals(values, draws=500)
    kept = values[1][~np.isnan(values[1])]
    assert made[0] == intervals(values[:1], draws=500)[0]
    assert made[1] == intervals(kept, draws=500)[0]
    assert math.isnan(made[2].low)
    assert math.isnan(made[2].high)


@pytest.mark.parametrize(
    ("values", "interval"),
    [
        ([[0.3]], Interval(0.3, 0.3)),
        ([[0.1] * 7], Interval(0.1, 0.1)),  # though .1 * 7 / 7 is not .1
        ([[0.0] * 5], Interval(0.0, 0.0)),
    ],
)
def test_interval_without_spread_is_a_point(values, interval):
    assert intervals(np.array(values)) == [interval]
    beside = np.vstack([values[0], np.arange(len(values[0]))])
    assert intervals(beside)[0] == interval


def test_interval_of_nothing():
    assert intervals(np.empty((0, 4))) == []
    assert math.isnan(intervals(np.empty((1, 0)))[0].low)


def test_interval_holds_the_mean_when_one_list_differs():
    (made,) = intervals(np.eye(1, 200), draws=2000)
    assert made.low <= 1 / 200 <= made.high


def test_each_resample_has_as_many_lists():
    drawn = np.concatenate(list(_resamples(30, 4000, 1)))
    assert drawn.shape == (4000, 30)
    assert np.bincount(drawn.ravel(), minlength=30) / 4000 == pytest.approx(np.ones(30), abs=0.08)


def test_intervals_of_many_rows_are_those_of_each(monkeypatch):
    values = sample(7, 60) - 0.5
    values[2, 5] = np.nan
    together = ends(intervals(values, draws=500))
    monkeypatch.setattr("scorer.stats.bootstrap.DRAWN", 1000)
    assert ends(intervals(values, draws=500)) == pytest.approx(together, rel=1e-12)


def test_infinite_values_are_refused():
    with pytest.raises(ValueError, match="infinite"):
        intervals(np.array([1, np.inf]))


def test_many_lists_are_drawn_in_blocks():
    """An interval of very many lists is the normal one, to a few per cent, and cheap."""
    values = np.random.default_rng(5).random((2, 60_000))
    for row, interval in zip(values, intervals(values), strict=True):
        error = row.std(ddof=1) / np.sqrt(row.size)
        assert interval.low == pytest.approx(row.mean() - 1.96 * error, abs=0.15 * error)
        assert interval.high == pytest.approx(row.mean() + 1.96 * error, abs=0.15 * error)


def test_blocks_do_not_show(monkeypatch):
    values = sample(4, 100)
    whole = intervals(values, draws=300)
    monkeypatch.setattr("scorer.stats.bootstrap.BLOCK", 1)
    assert ends(intervals(values, draws=300)) == pytest.approx(ends(whole), rel=1e-12)


def test_interval_is_the_same_to_the_bit_whoever_stands_beside():
    values = sample(7, 60)
    values[6, 5] = np.nan
    together = intervals(values, draws=500)
    assert [intervals(row, draws=500)[0] for row in values] == together
    order = [3, 6, 1, 0, 5, 2, 4]
    assert intervals(values[order], draws=500) == [together[n] for n in order]


# Clusters


def test_an_interval_of_clusters_is_scipys_of_their_weighted_means():
    rng = np.random.default_rng(3)
    values, weights = rng.exponential(size=25), rng.integers(1, 9, 25)
    theirs = stats.bootstrap(
        (values, weights.astype(float)),
        lambda x, w, axis: (x * w).sum(axis=axis) / w.sum(axis=axis),
        paired=True,
        n_resamples=2000,
        rng=5,
    ).confidence_interval
    (made,) = intervals(
        np.repeat(values, weights), draws=2000, seed=5, clusters=np.repeat(np.arange(25), weights)
    )
    assert (made.low, made.high) == pytest.approx(tuple(theirs), rel=1e-9)


def test_names_of_clusters_do_not_matter():
    values, clusters = sample(3, 40), np.arange(40) // 4
    made = intervals(values, draws=500, clusters=clusters)
    assert made == intervals(values, draws=500, clusters=7 * clusters + 3)
    assert ends(made) != pytest.approx(ends(intervals(values, draws=500)), rel=0.01)


def test_of_one_cluster_nothing_is_known():
    (made,) = intervals(sample(1, 20), clusters=np.zeros(20, dtype=np.int64))
    assert math.isnan(made.low)
    assert math.isnan(made.high)


# Figures


def shares(sums):
    return np.where(sums[:, 1] > 0, sums[:, 0] / np.maximum(sums[:, 1], 1e-300), np.nan)


def figure_sums(lists, seed=0, submissions=2):
    rng = np.random.default_rng(seed)
    count = rng.integers(1, 9, lists)
    part = rng.gamma(2.0, 1.0, (submissions, lists)) * count
    return np.stack([part, np.broadcast_to(count, part.shape)], axis=2).astype(float)


def test_the_interval_of_a_ratio_of_sums_is_scipys():
    sums = figure_sums(30)
    for each, row in zip(resampled_sums(sums, shares, draws=2000, seed=4), sums, strict=True):
        theirs = stats.bootstrap(
            tuple(row.T),
            lambda x, w, axis: x.sum(axis=axis) / w.sum(axis=axis),
            paired=True,
            n_resamples=2000,
            rng=4,
        ).confidence_interval
        made = interval_of(each)
        assert (made.low, made.high) == pytest.approx(tuple(theirs), rel=1e-9)
        assert each.value == pytest.approx(row[:, 0].sum() / row[:, 1].sum())


@pytest.mark.parametrize("clusters", [None, np.arange(30) // 3])
def test_weights_say_what_sums_say(clusters):
    sums = figure_sums(30)
    by_sums = resampled_sums(sums, shares, draws=300, clusters=clusters)
    figures = [lambda w, row=row: float((w @ row)[0] / (w @ row)[1]) for row in sums]
    by_weights = resampled_weights(figures, 30, draws=300, clusters=clusters)
    for one, other in zip(by_sums, by_weights, strict=True):
        assert one.drawn == pytest.approx(other.drawn)
        assert one.without == pytest.approx(other.without)
        assert one.units == other.units == (30 if clusters is None else 10)
        assert ends([interval_of(one)]) == pytest.approx(ends([interval_of(other)]))


def undefined(sums):
    return np.full(len(sums), np.nan)


def test_a_figure_without_a_value_has_no_interval():
    (nothing,) = resampled_sums(np.zeros((1, 20, 2)), undefined)
    assert math.isnan(interval_of(nothing).low)
    (one,) = resampled_sums(figure_sums(1, submissions=1), shares, draws=50)
    assert math.isnan(interval_of(one).low)
    (none,) = resampled_sums(np.zeros((1, 0, 2)), undefined)
    assert math.isnan(interval_of(none).low)


@pytest.mark.parametrize("seed", [1, 2])
def test_the_interval_of_a_ratio_covers_it(seed):
    """Ratings of lists of different sizes: the true share is 2."""
    made = [
        interval_of(resampled_sums(figure_sums(60, 1000 * seed + n, 1), shares, draws=500)[0])
        for n in range(200)
    ]
    covered = sum(each.low <= 2 <= each.high for each in made)
    assert covered / 200 >= 0.9


def test_intervals_that_were_worked_out_are_not_drawn_again(monkeypatch):
    values = np.random.default_rng(11).normal(size=(3, 40))
    monkeypatch.setattr(bootstrap, "KEPT", 10)
    first = intervals(values, draws=200)
    new = np.vstack([values, np.random.default_rng(12).normal(size=(1, 40))])
    alone = intervals(new[3], draws=200)
    monkeypatch.setattr(bootstrap, "_bca_of_means", None)
    assert intervals(new, draws=200) == [*first, *alone]


@pytest.mark.parametrize(
    "other",
    [{"level": 0.9}, {"draws": 201}, {"seed": 2}, {"clusters": np.arange(40) // 2}],
    ids=lambda other: next(iter(other)),
)
def test_intervals_depend_on_all_that_is_asked_for(other, monkeypatch):
    monkeypatch.setattr(bootstrap, "KEPT", 10)
    values = np.random.default_rng(13).normal(size=40)
    asked = {"level": 0.95, "draws": 200, "seed": 1}
    assert intervals(values, **asked) != intervals(values, **{**asked, **other})
