"""Each promise of the statistics by simulation, where the truth is known.

`make simulate` runs four times as many boards, `SIMULATE=20 make simulate` twenty times; all are
seeded. A bound is what is promised; what chance may add at so many boards stands beside it.
"""

import math
import os
from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from simulations.systems import board

from scorer.stats.aggregate import median
from scorer.stats.intervals import Scale, intervals
from scorer.stats.jackknife import pseudo_values, swapped_differences, weighted_pseudo_values
from scorer.stats.paired import paired_tests
from scorer.stats.power import detectable
from scorer.stats.ranks import rank_ranges, tiers
from scorer.stats.repeats import fold_interval, paired_folds

pytestmark = pytest.mark.slow("a simulation")

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


@pytest.mark.parametrize(("lists", "rate"), [(5, 0.93), (10, 0.93), (20, 0.93), (60, 0.93)])
def test_intervals_cover_as_the_board_says(lists, rate):
    """Of values that are not very skew; of those the level is nominal below 10 lists."""
    values = np.random.default_rng(lists).beta(2, 3, (300 * TIMES, lists))
    made = intervals(values)
    held = sum(each.low <= 0.4 <= each.high for each in made)
    assert at_least(held, len(made), rate)


@pytest.mark.parametrize("same", [0.5, 1.0])
def test_intervals_of_clusters_cover(same):
    """Lists of one cluster of 10 have a part, or all, of what they are in common."""
    clusters = np.repeat(np.arange(40), 10)
    held = plain = 0
    for seed in boards(60):
        rng = np.random.default_rng(seed)
        shared = math.sqrt(same) * rng.normal(size=40)[clusters]
        values = shared + math.sqrt(1 - same) * rng.normal(size=400)
        (made,), (naive,) = (intervals(values, clusters=c) for c in (clusters, None))
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
        (made,) = intervals(pseudo_values(sums, roots))
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
            scale = Scale((0, 1), pooled=True) if key == "auc" else Scale((None, 1))
            (made,) = intervals(weighted_pseudo_values([figure], 120, None), scale=scale)
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
def test_false_differences_are_as_rare_as_alpha(missing):
    wrong = 0
    for seed in boards(150):
        rng = np.random.default_rng(seed)
        values = rng.random(30) + rng.exponential(size=(6, 30))
        values[rng.random((6, 30)) < missing] = np.nan
        wrong += (paired_tests(values, draws=500, seed=seed).p <= 0.05).any()
    assert at_most(wrong, 150 * TIMES, 0.05)


def test_false_differences_of_clusters_and_figures_are_as_rare():
    clusters = np.repeat(np.arange(30), 5)
    wrong = np.zeros(4, dtype=int)
    for seed in boards(150):
        rng = np.random.default_rng(seed)
        values = rng.normal(size=(4, 30))[:, clusters] + 0.3 * rng.normal(size=(4, 150))
        sums = errors(rng, 4, 30)
        shared = rng.normal(0, math.sqrt(1 / 9), (4, 1))
        made = (
            paired_tests(values, draws=300, clusters=clusters),
            paired_tests(pseudo_values(sums, roots), draws=300, swap=by(sums)),
            paired_tests(values[:, ::5], draws=300, control=True),
            paired_folds(shared + rng.normal(size=(4, 10))),
        )
        wrong += [int((each.p <= 0.05).any()) for each in made]
    assert all(at_most(int(count), 150 * TIMES, 0.05) for count in wrong), wrong


def by(sums):
    """The differences of roots that are equal."""
    return lambda one, others, common: swapped_differences(
        sums[one, common], sums[np.ix_(others, common)], roots
    )


def test_false_differences_of_pseudo_values_are_rare():
    """Of 40 lists with heavy weights; each root's own spread would give .08."""
    wrong = 0
    for seed in boards(150):
        sums = errors(np.random.default_rng(seed), 4, 40)
        values = pseudo_values(sums, roots)
        wrong += (paired_tests(values, draws=300, swap=by(sums)).p <= 0.05).any()
    assert at_most(wrong, 150 * TIMES, 0.05)


# Everything at once


def test_ranges_of_ranks_and_margins_hold_for_all_at_once():
    true = np.array([0.0, 0.0, 0.3, 0.5, 1.2])
    held = np.zeros(2, dtype=int)
    for seed in boards(100):
        rng = np.random.default_rng(seed)
        values = true[:, None] + rng.normal(size=(5, 40))
        values[rng.random((5, 40)) < 0.1] = np.nan
        made = paired_tests(values, draws=500, seed=seed)
        better, ahead = (np.subtract.outer(true, true) < 0, np.subtract.outer(true, true) > 0)
        best, worst = 1 + better.sum(axis=1), 5 - ahead.sum(axis=1)
        spans = rank_ranges(made.p, made.lead)
        held[0] += all(
            low <= up and down <= high
            for (low, high), up, down in zip(spans, best, worst, strict=True)
        )
        off = np.abs(made.difference - np.subtract.outer(true, true))
        held[1] += (off <= made.joint_margin)[np.triu_indices(5, 1)].all()
    assert all(at_least(int(count), 100 * TIMES, 0.95) for count in held), held


@pytest.mark.parametrize("wide", [1.0, 3.0])
def test_a_border_of_tiers_stands_between_those_that_differ(wide):
    for seed in boards(60):
        rng = np.random.default_rng(seed)
        spread = np.linspace(1, wide, 8)[:, None]
        values = -np.linspace(0, 1.5, 8)[:, None] + spread * rng.normal(size=(8, 40))
        values = values[np.argsort(-values.mean(axis=1))]
        made = paired_tests(values, draws=300, seed=seed)
        placed = np.array(tiers(made.p, made.lead))
        assert (made.p[placed[:, None] < placed] <= 0.05).all()


@pytest.mark.parametrize(("submissions", "lists"), [(2, 12), (2, 50), (5, 50), (10, 50), (10, 200)])
def test_what_is_detectable_is_detected_four_times_in_five(submissions, lists):
    """Between two of so many, by the board's own test."""
    pairs = submissions * (submissions - 1) // 2
    shift, found, times = detectable(math.sqrt(2), lists, pairs=pairs), 0, 100 * TIMES
    for seed in boards(100):
        values = np.random.default_rng(seed).normal(size=(submissions, lists))
        values[0] += shift
        found += paired_tests(values, draws=300, seed=seed).p[0, 1] <= 0.05
    assert at_least(found, times, 0.72)
    assert at_most(found, times, 0.9)


# Pooled ratios, groups and formulas


def hits(rng, submissions, lists, low=0.2, high=0.8):
    """Found and wanted items of lists of different sizes and hardness: a ratio of means."""
    wanted = rng.integers(1, 20, lists)
    hard = rng.beta(4, 4, lists) * (high - low) + low
    found = rng.binomial(wanted, hard, (submissions, lists))
    return np.stack([found, np.broadcast_to(wanted, found.shape)], axis=2).astype(float)


FORMULA = "2*pooled*plain / (pooled + plain)"
MIXED = [
    {"id": "mixed", "score": FORMULA, "better": "higher", "primary": True},
    "pooled",
    "plain",
]


def pooled_and_plain(sums):
    """The same hits as a ratio of sums, and as values of lists."""
    found, wanted = sums[:, :, 0], sums[:, :, 1]
    return {"pooled": (found, wanted), "plain": found / wanted}


def held_in(report, true):
    """In how many intervals of a board a value lies."""
    return sum(row.interval[0] <= true <= row.interval[1] for row in report.leaderboard)


@pytest.mark.parametrize("lists", [30, 200])
def test_intervals_of_a_pooled_ratio_cover(lists, tmp_path):
    truth = hits(np.random.default_rng(0), 1, 400_000)[0].sum(axis=0)
    sums = hits_of_boards(lists, 300 * TIMES)
    values = {"pooled": (sums[:, :, 0], sums[:, :, 1])}
    report = board(tmp_path, values, ["pooled"], {"tiers": False})
    assert at_least(held_in(report, truth[0] / truth[1]), len(sums), 0.92)


def hits_of_boards(lists, times):
    return np.concatenate([hits(np.random.default_rng(1 + n), 1, lists) for n in range(times)])


def test_intervals_of_a_formula_cover(tmp_path):
    """The harmonic mean of a pooled ratio and of a mean, of the same lists."""
    rng = np.random.default_rng(0)
    many = hits(rng, 1, 400_000)[0]
    pooled, plain = many[:, 0].sum() / many[:, 1].sum(), (many[:, 0] / many[:, 1]).mean()
    truth = 2 * pooled * plain / (pooled + plain)
    sums = hits_of_boards(60, 300 * TIMES)
    report = board(tmp_path, pooled_and_plain(sums), MIXED, {"tiers": False})
    assert at_least(held_in(report, truth), len(sums), 0.92)


def test_intervals_of_a_mean_of_groups_cover(tmp_path):
    """Three groups of 40, 15 and 10 lists, of which one is much harder."""
    sizes, ranges = (40, 15, 10), ((0.6, 1.0), (0.0, 0.4), (0.3, 0.7))
    many = [hits(np.random.default_rng(n), 1, 200_000, *ends)[0] for n, ends in enumerate(ranges)]
    truth = np.mean([each[:, 0].sum() / each[:, 1].sum() for each in many])
    sums = np.concatenate(
        [
            np.concatenate(
                [hits(rng, 1, size, *ends) for size, ends in zip(sizes, ranges, strict=True)],
                axis=1,
            )
            for rng in map(np.random.default_rng, boards(300))
        ]
    )
    values = {"pooled": (sums[:, :, 0], sums[:, :, 1])}
    metrics = [{"metric": "pooled", "average": "group"}]
    groups = np.repeat(np.arange(3), sizes)
    report = board(tmp_path, values, metrics, {"tiers": False}, groups)
    assert report.mean("s0") == pytest.approx(
        np.mean([sums[0, groups == g, 0].sum() / sums[0, groups == g, 1].sum() for g in range(3)])
    )
    assert at_least(held_in(report, truth), 300 * TIMES, 0.9)


def test_false_finds_of_a_formula_are_as_rare_as_alpha(tmp_path):
    """Three submissions that are alike: any find is false."""
    wrong = 0
    for seed in boards(150):
        sums = hits(np.random.default_rng(seed), 3, 40)
        rules = {"draws": 300, "seed": seed + 1, "intervals": False}
        report = board(tmp_path, pooled_and_plain(sums), MIXED, rules)
        pairs = combinations(("s0", "s1", "s2"), 2)
        wrong += any(report.p(one, other) <= 0.05 for one, other in pairs)
    assert at_most(wrong, 150 * TIMES, 0.05)


def test_false_finds_of_medians_are_as_rare_as_alpha():
    """A median does not feel one list left out: larger steps say what each list adds."""
    wrong = plain = 0
    for seed in boards(100):
        rng = np.random.default_rng(seed)
        values = rng.beta(2, 2, (2, 61)) + rng.normal(0, 0.2, 61)
        figures = [lambda w, row=row: median(row, w) for row in values]
        smooth, stepped = (
            weighted_pseudo_values(figures, 61, None, smooth=each) for each in (True, False)
        )
        plain += paired_tests(smooth, draws=300, seed=seed).p[0, 1] <= 0.05
        wrong += paired_tests(stepped, draws=300, seed=seed).p[0, 1] <= 0.05
    assert at_most(wrong, 100 * TIMES, 0.05)
    assert plain > wrong  # what leaving out lists would say
