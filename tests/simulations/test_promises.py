"""Each promise of the statistics by simulation, where the truth is known.

`make simulate` runs four times as many boards, `SIMULATE=20 make simulate` twenty times; all are
seeded. A bound is what is promised; what chance may add at so many boards stands beside it.
"""

import math
import os

import numpy as np
import pytest
from scipy import stats

from scorer.stats.bootstrap import interval_of, intervals, resampled_sums, resampled_weights
from scorer.stats.figures import pseudo_values
from scorer.stats.folds import fold_interval, paired_folds
from scorer.stats.paired import paired, paired_sums
from scorer.stats.power import detectable
from scorer.stats.tiers import rank_ranges, tiers

TIMES = int(os.environ.get("SIMULATE", "1"))


def boards(few):
    """Seeds of so many boards, times what is asked for."""
    return range(few * TIMES)


def at_most(found, times, rate):
    """Whether `found` of `times` is what a rate of at most this gives, but once in a thousand."""
    return stats.binom.sf(found - 1, times, rate) > 1e-3


def at_least(found, times, rate):
    return stats.binom.cdf(found, times, rate) > 1e-3


# Coverage


@pytest.mark.parametrize(
    ("lists", "rate"), [(2, 0.4), (3, 0.66), (5, 0.82), (10, 0.9), (20, 0.92), (60, 0.93)]
)
def test_intervals_cover_as_the_board_says(lists, rate):
    """Below 10 lists the level is nominal, from 10 on .9 or more."""
    values = np.random.default_rng(lists).beta(2, 3, (300 * TIMES, lists))
    made = intervals(values, draws=1000)
    held = sum(each.low <= 0.4 <= each.high for each in made)
    assert at_least(held, len(made), rate)
    if lists < 5:
        assert held / len(made) < 0.9


@pytest.mark.parametrize("same", [0.5, 1.0])
def test_intervals_of_clusters_cover(same):
    """Lists of one cluster of 10 have a part, or all, of what they are in common."""
    clusters = np.repeat(np.arange(40), 10)
    held = plain = 0
    for seed in boards(60):
        rng = np.random.default_rng(seed)
        shared = math.sqrt(same) * rng.normal(size=40)[clusters]
        values = shared + math.sqrt(1 - same) * rng.normal(size=400)
        (made,), (naive,) = (intervals(values, draws=500, clusters=c) for c in (clusters, None))
        held += made.low <= 0 <= made.high
        plain += naive.low <= 0 <= naive.high
    assert at_least(held, 60 * TIMES, 0.9)
    assert plain / (60 * TIMES) < 0.75


def roots(sums):
    return np.sqrt(sums[:, 0] / np.maximum(sums[:, 1], 1e-300))


def errors(rng, submissions, lists):
    """Squared errors with a mean of 1 in lists of different sizes and hardness."""
    count = rng.integers(1, 9, lists)
    part = rng.chisquare(count, (submissions, lists)) * rng.gamma(4, 0.25, lists)
    return np.stack([part, np.broadcast_to(count, part.shape)], axis=2).astype(float)


def test_intervals_of_a_pooled_root_cover():
    held = 0
    for seed in boards(150):
        sums = errors(np.random.default_rng(seed), 1, 60)
        made = interval_of(resampled_sums(sums, roots, draws=500)[0])
        held += made.low <= 1 <= made.high
    assert at_least(held, 150 * TIMES, 0.9)


def r2(rating, given, weights):
    mean = (weights * rating).sum() / weights.sum()
    spread = (weights * (rating - mean) ** 2).sum()
    return 1 - float((weights * (rating - given) ** 2).sum() / spread)


def auc(label, score, weights):
    """The weighted share of pairs in the right order."""
    order = np.argsort(score)
    label, weights = label[order], weights[order]
    below = np.cumsum(weights * (1 - label))
    positive = (weights * label).sum()
    return float((weights * label * below).sum() / positive / (weights.sum() - positive))


def test_intervals_of_weighted_figures_cover():
    """R2 and AUC over rows, worked out anew for each draw."""
    true = {"r2": 1 - 0.25 / 1.0, "auc": float(stats.norm.cdf(1 / math.sqrt(2)))}
    held = dict.fromkeys(true, 0)
    for seed in boards(60):
        rng = np.random.default_rng(seed)
        rating = rng.normal(size=120)
        given = rating + rng.normal(0, 0.5, 120)
        label = (rng.random(120) < 0.4).astype(float)
        score = rng.normal(size=120) + label
        figures = {
            "r2": lambda w, r=rating, g=given: r2(r, g, w),
            "auc": lambda w, y=label, s=score: auc(y, s, w),
        }
        for key, figure in figures.items():
            made = interval_of(resampled_weights([figure], 120, draws=300)[0])
            held[key] += made.low <= true[key] <= made.high
    for key, count in held.items():
        assert at_least(count, 60 * TIMES, 0.9), key


@pytest.mark.parametrize("folds", [5, 10])
def test_intervals_over_folds_cover_the_mean_that_is_shown(folds):
    """Folds of different sizes, and trainings that share what they learnt from."""
    held = 0
    for seed in boards(400):
        rng = np.random.default_rng(seed)
        shared = rng.normal(0, math.sqrt(1 / (folds - 1)))
        low, high = fold_interval(3 + shared + rng.normal(size=folds))
        held += low <= 3 <= high
    assert at_least(held, 400 * TIMES, 0.93)


# False differences


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("adjust", ["max", "holm"])
def test_false_differences_are_as_rare_as_alpha(adjust, missing):
    wrong = 0
    for seed in boards(150):
        rng = np.random.default_rng(seed)
        values = rng.random(30) + rng.exponential(size=(6, 30))
        values[rng.random((6, 30)) < missing] = np.nan
        wrong += (paired(values, adjust=adjust, draws=500, seed=seed).p <= 0.05).any()
    assert at_most(wrong, 150 * TIMES, 0.05)


def test_false_differences_of_clusters_and_figures_are_as_rare():
    clusters = np.repeat(np.arange(30), 5)
    wrong = np.zeros(4, dtype=int)
    for seed in boards(150):
        rng = np.random.default_rng(seed)
        values = rng.normal(size=(4, 30))[:, clusters] + 0.3 * rng.normal(size=(4, 150))
        sums = errors(rng, 4, 30)
        found = np.ones((4, 30), dtype=bool)
        shared = rng.normal(0, math.sqrt(1 / 9), (4, 1))
        made = (
            paired(values, draws=300, clusters=clusters),
            paired_sums(sums, found, roots, draws=300),
            paired(values[:, ::5], draws=300, control=True),
            paired_folds(shared + rng.normal(size=(4, 10))),
        )
        wrong += [int((each.p <= 0.05).any()) for each in made]
    assert all(at_most(int(count), 150 * TIMES, 0.05) for count in wrong), wrong


def test_false_differences_of_pseudo_values_are_rare():
    """To the first order only, so a little above alpha is allowed for at 40 lists."""
    wrong = 0
    for seed in boards(150):
        values = pseudo_values(errors(np.random.default_rng(seed), 4, 40), roots)
        wrong += (paired(values, draws=300).p <= 0.05).any()
    assert at_most(wrong, 150 * TIMES, 0.07)


# Everything at once


def test_ranges_of_ranks_and_margins_hold_for_all_at_once():
    true = np.array([0.0, 0.0, 0.3, 0.5, 1.2])
    held = np.zeros(2, dtype=int)
    for seed in boards(100):
        rng = np.random.default_rng(seed)
        values = true[:, None] + rng.normal(size=(5, 40))
        values[rng.random((5, 40)) < 0.1] = np.nan
        made = paired(values, draws=500, seed=seed)
        better, ahead = (np.subtract.outer(true, true) < 0, np.subtract.outer(true, true) > 0)
        best, worst = 1 + better.sum(axis=1), 5 - ahead.sum(axis=1)
        spans = rank_ranges(made.p, made.lead)
        held[0] += all(
            low <= up and down <= high
            for (low, high), up, down in zip(spans, best, worst, strict=True)
        )
        off = np.abs(made.difference - np.subtract.outer(true, true))
        held[1] += (off <= made.margin)[np.triu_indices(5, 1)].all()
    assert all(at_least(int(count), 100 * TIMES, 0.95) for count in held), held


@pytest.mark.parametrize("wide", [1.0, 3.0])
def test_a_border_of_tiers_stands_between_those_that_differ(wide):
    """By `rule: all` no border parts two that do not differ; by `first` most boards have one."""
    wrong = {"all": 0, "first": 0}
    for seed in boards(60):
        rng = np.random.default_rng(seed)
        spread = np.linspace(1, wide, 8)[:, None]
        values = -np.linspace(0, 1.5, 8)[:, None] + spread * rng.normal(size=(8, 40))
        values = values[np.argsort(-values.mean(axis=1))]
        made = paired(values, draws=300, seed=seed)
        for rule in wrong:
            placed = np.array(tiers(made.p, made.lead, rule=rule))
            apart = placed[:, None] < placed
            wrong[rule] += bool((apart & (made.p > 0.05)).any())
    assert wrong["all"] == 0
    assert wrong["first"] / (60 * TIMES) > 0.3


@pytest.mark.parametrize(("submissions", "lists"), [(2, 12), (2, 50), (5, 50), (10, 50), (10, 200)])
def test_what_is_detectable_is_detected_four_times_in_five(submissions, lists):
    """Between two of so many, by the board's own test."""
    pairs = submissions * (submissions - 1) // 2
    shift, found, times = detectable(math.sqrt(2), lists, pairs=pairs), 0, 100 * TIMES
    for seed in boards(100):
        values = np.random.default_rng(seed).normal(size=(submissions, lists))
        values[0] += shift
        found += paired(values, draws=300, seed=seed).p[0, 1] <= 0.05
    assert at_least(found, times, 0.72)
    assert at_most(found, times, 0.9)
