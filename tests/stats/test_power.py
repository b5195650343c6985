"""Sizes of effects, and what lists can show."""

import math

import numpy as np
import pytest
from samples import sample
from scipy import stats
from tables import rows

from scorer.stats.paired import paired_tests
from scorer.stats.power import (
    detectable,
    deviation,
    effect_size,
    fewest_lists,
    least_p,
    lists_needed,
)


@pytest.mark.parametrize(("differences", "size"), rows(__file__, "effect_size"))
def test_effect_size(differences, size):
    assert effect_size(np.array(differences, dtype=float)) == pytest.approx(size, nan_ok=True)


def test_effect_size_is_t_over_root_n():
    first, second = sample(2, 50)
    t = stats.ttest_rel(first, second).statistic
    assert effect_size(first - second) == pytest.approx(t / math.sqrt(50))


def test_deviation_is_the_pairs_root_mean_square():
    values = sample(5, 20)
    pairs = [(values[a] - values[b]).var(ddof=1) for a in range(5) for b in range(a)]
    assert deviation(values) == pytest.approx(math.sqrt(np.mean(pairs)))
    assert math.isnan(deviation(values[:1]))
    assert math.isnan(deviation(values[:, :1]))


@pytest.mark.parametrize("lists", [2, 3, 10, 50, 2000, 100_000])
@pytest.mark.parametrize(("alpha", "power"), [(0.05, 0.8), (0.01, 0.9)])
def test_detectable_has_the_power_of_the_noncentral_t(lists, alpha, power):
    shift = detectable(0.3, lists, alpha, power)
    critical = stats.t.ppf(1 - alpha / 2, lists - 1)
    beyond = stats.nct.sf(critical, lists - 1, shift / 0.3 * math.sqrt(lists))
    assert beyond == pytest.approx(power, abs=1e-5)


@pytest.mark.parametrize("lists", [2, 3, 4, 11])
@pytest.mark.parametrize("pairs", [100, 12_246, 12_720, 499_500])
def test_detectable_of_very_many_pairs_has_the_power_of_the_noncentral_t(lists, pairs):
    """With 2 lists scipy's inverse is wrong by percents, and from 12,246 pairs on without end."""
    shift = detectable(1.0, lists, pairs=pairs) * math.sqrt(lists)
    critical = stats.t.isf(0.05 / pairs / 2, lists - 1)
    normal = stats.norm.rvs(size=400_000, random_state=1)
    spread = np.sqrt(stats.chi2.rvs(lists - 1, size=400_000, random_state=2) / (lists - 1))
    assert (normal + shift > critical * spread).mean() == pytest.approx(0.8, abs=0.003)


def test_a_difference_that_no_number_of_lists_shows():
    assert lists_needed(1.0, 1e-3, pairs=499_500) == pytest.approx(38_050_000, rel=0.01)
    assert lists_needed(1.0, 1e-12) is None


def test_detectable():
    # Cohen 1988: d = .5 at alpha .05 (two-sided) and power .8 takes 34 pairs.
    assert detectable(1.0, 34) < 0.5 < detectable(1.0, 33)
    assert detectable(2.0, 50) == pytest.approx(2 * detectable(1.0, 50))
    assert math.isnan(detectable(1.0, 1))
    assert detectable(0.0, 50) == 0


# What a test can find at all


@pytest.mark.parametrize(
    ("units", "test", "least"),
    [(5, "permutation", 0.0625), (6, "permutation", 0.03125), (60, "permutation", 1 / 10_001),
     (1, "permutation", 1.0), (0, "permutation", 1.0), (5, "skew-corrected t", 0.0625),
     (60, "skew-corrected t", 2.0**-59), (3, "t", 0.0), (1, "corrected t", 1.0)],
)  # fmt: skip
def test_the_least_p_is_what_the_test_gives_at_best(units, test, least):
    draws = 10_000 if test == "permutation" else 0
    assert least_p(test, units, draws) == pytest.approx(least)
    if units > 1 and test == "permutation":
        values = np.stack([np.zeros(units), np.arange(units) + 100.0])
        assert paired_tests(values).p[0, 1] >= least


@pytest.mark.parametrize("alpha", [0.05, 0.01, 0.1])
def test_with_fewer_lists_nothing_can_be_found(alpha):
    fewest = fewest_lists("permutation", alpha)
    assert least_p("permutation", fewest, 10**9) <= alpha
    assert least_p("permutation", fewest - 1, 10**9) > alpha


@pytest.mark.parametrize("pairs", [1, 10, 435])
@pytest.mark.parametrize("difference", [0.02, 0.3, 2.0, 50.0])
def test_the_lists_needed_show_the_difference_and_one_less_does_not(pairs, difference):
    lists = lists_needed(1.0, difference, pairs=pairs)
    assert detectable(1.0, lists, pairs=pairs) <= difference
    assert lists == 2 or detectable(1.0, lists - 1, pairs=pairs) > difference


@pytest.mark.slow("draws many boards", beyond=1)
@pytest.mark.parametrize(("submissions", "lists"), [(2, 30), (5, 30), (10, 60)])
def test_power_of_the_boards_own_test(submissions, lists):
    """The detectable difference between two of them is found four times in five or a bit more."""
    pairs = submissions * (submissions - 1) // 2
    rng = np.random.default_rng(submissions)
    shift, found, times = detectable(math.sqrt(2), lists, pairs=pairs), 0, 200
    for seed in range(times):
        values = rng.normal(size=(submissions, lists))
        values[0] += shift
        found += paired_tests(values, draws=500, seed=seed).p[0, 1] <= 0.05
    assert 0.72 < found / times < 0.92
