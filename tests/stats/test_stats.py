"""Statistics, held to scipy where both apply and to simulation where truth is known."""

import math

import numpy as np
import pytest
from scipy import stats

from scorer.stats.bootstrap import Interval, _resamples, intervals
from scorer.stats.paired import _signs, holm, paired
from scorer.stats.power import detectable, deviation, effect_size
from scorer.stats.tiers import rank_ranges, tiers

TESTS = [("permutation", "max"), ("permutation", "holm"), ("wilcoxon", "holm"), ("t", "holm")]


def sample(submissions, lists, seed=0):
    """Values in steps of .05 with easy and hard lists, better submissions first."""
    rng = np.random.default_rng(seed)
    hardness = rng.uniform(0.2, 0.8, lists)
    level = np.linspace(0.15, 0, submissions)[:, None]
    return np.round(np.clip(hardness + level + rng.normal(0, 0.2, (submissions, lists)), 0, 1), 2)


def ends(made):
    return np.array([(interval.low, interval.high) for interval in made])


def within(found, times, rate):
    """Whether `found` of `times` is what a true `rate` gives, but once in ten thousand."""
    return stats.binomtest(int(found), times, rate).pvalue > 1e-4


# Intervals


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


def test_weighted_interval_is_scipys():
    rng = np.random.default_rng(3)
    values, weights = rng.exponential(size=25), rng.integers(1, 9, 25).astype(float)
    theirs = stats.bootstrap(
        (values, weights),
        lambda x, w, axis: (x * w).sum(axis=axis) / w.sum(axis=axis),
        paired=True,
        n_resamples=2000,
        rng=5,
    ).confidence_interval
    (made,) = intervals(values, draws=2000, seed=5, weights=weights)
    assert (made.low, made.high) == pytest.approx(tuple(theirs), rel=1e-9)


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
    equal = np.full(40, 2.0)
    assert ends(intervals(values, draws=500, weights=equal)) == pytest.approx(made, rel=1e-12)


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


@pytest.mark.parametrize("weights", [[1, 0, 1], [1, -1, 1], [1, np.inf, 1], [1, np.nan, 1]])
def test_weights_are_positive(weights):
    with pytest.raises(ValueError, match="positive"):
        intervals(np.ones(3), weights=np.array(weights))


def test_infinite_values_are_refused():
    with pytest.raises(ValueError, match="infinite"):
        intervals(np.array([1, np.inf]))
    for bad in (np.inf, np.nan):
        with pytest.raises(ValueError, match="finite"):
            paired(np.array([[1, bad], [1, 2]]))


def test_blocks_do_not_show(monkeypatch):
    values = sample(4, 100)
    whole = intervals(values, draws=300), paired(values, draws=300)
    monkeypatch.setattr("scorer.stats.paired.BLOCK", 1)
    monkeypatch.setattr("scorer.stats.paired.SIGNS", 1)
    monkeypatch.setattr("scorer.stats.paired.OTHERS", 2)
    assert ends(intervals(values, draws=300)) == pytest.approx(ends(whole[0]), rel=1e-12)
    assert np.array_equal(paired(values, draws=300).p, whole[1].p)


def test_each_resample_has_as_many_lists():
    drawn = np.concatenate(list(_resamples(30, 4000, 1)))
    assert drawn.shape == (4000, 30)
    assert np.bincount(drawn.ravel(), minlength=30) / 4000 == pytest.approx(np.ones(30), abs=0.08)


@pytest.mark.parametrize("weights", [None, np.arange(1.0, 61.0)])
def test_looking_values_up_is_counting_lists(monkeypatch, weights):
    values = sample(7, 60)
    counted = ends(intervals(values, draws=500, weights=weights))
    monkeypatch.setattr("scorer.stats.paired.FEW", 10)
    looked_up = ends(intervals(values, draws=500, weights=weights))
    assert looked_up == pytest.approx(counted, rel=1e-12)


def test_intervals_of_many_rows_are_those_of_each(monkeypatch):
    values = sample(7, 60) - 0.5
    values[2, 5] = np.nan
    together = ends(intervals(values, draws=500))
    monkeypatch.setattr("scorer.stats.paired.DRAWN", 1000)
    assert ends(intervals(values, draws=500)) == pytest.approx(together, rel=1e-12)


# Paired tests


@pytest.mark.parametrize("lists", [2, 3, 6, 10])
@pytest.mark.parametrize("adjust", ["max", "holm"])
def test_exact_permutation_is_scipys(lists, adjust):
    first, second = sample(2, lists, seed=lists)
    theirs = stats.permutation_test(
        (first, second),
        lambda x, y, axis: (x - y).mean(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    ).pvalue
    assert paired(np.stack([first, second]), adjust=adjust).p[0, 1] == pytest.approx(theirs)


def test_sampled_permutation_is_near_the_exact():
    values = sample(2, 16, seed=3)
    exact = paired(values, draws=2**16).p[0, 1]
    assert paired(values, draws=2**16 - 1).p[0, 1] == pytest.approx(exact, abs=0.006)


@pytest.mark.parametrize("lists", [5, 40])
@pytest.mark.parametrize("adjust", ["max", "holm"])
def test_permutation_is_the_plain_one(lists, adjust):
    """Each draw's t by scipy, for each pair by itself, with the same signs."""
    values = sample(4, lists) + np.random.default_rng(1).normal(0, 0.01, (4, lists))
    first, second = np.triu_indices(4, 1)
    differences = values[first] - values[second]
    signs = np.concatenate(list(_signs(lists, 600, 1)))
    drawn = np.abs([stats.ttest_1samp(differences * row, 0, axis=1).statistic for row in signs])
    observed = np.abs(stats.ttest_1samp(differences, 0, axis=1).statistic) * (1 - 1e-9)
    referred = drawn.max(axis=1, keepdims=True) if adjust == "max" else drawn
    reached = (referred >= observed).sum(axis=0)
    p = reached / 32 if lists == 5 else (reached + 1) / 601
    p = p if adjust == "max" else plain_holm(p)
    made = paired(values, adjust=adjust, draws=600)
    assert made.p[first, second] == pytest.approx(p)


@pytest.mark.parametrize("lists", [4, 20, 80])
@pytest.mark.parametrize(("test", "theirs"), [("wilcoxon", stats.wilcoxon), ("t", stats.ttest_rel)])
def test_other_tests_are_scipys(test, theirs, lists):
    values = np.random.default_rng(lists).normal(size=(4, lists)) + np.arange(4)[:, None] / 4
    first, second = np.triu_indices(4, 1)
    plain = [theirs(values[a], values[b]).pvalue for a, b in zip(first, second, strict=True)]
    made = paired(values, test=test)
    assert made.p[first, second] == pytest.approx(plain_holm(plain), rel=1e-8)


def test_wilcoxon_sees_ties_through_float_noise():
    first, second = np.array([0.8, 0.4, 0.3, 0.9, 0.2]), np.array([0.6, 0.2, 0.1, 0.2, 0.5])
    whole = stats.wilcoxon(np.round((first - second) * 10)).pvalue
    assert paired(np.stack([first, second]), test="wilcoxon").p[0, 1] == pytest.approx(whole)


def plain_holm(p):
    """Holm as he writes it: reject the smallest while p (m - i) <= alpha, for the least alpha."""
    return [min(1, max(q * sum(other >= q for other in p) for q in p if q <= mine)) for mine in p]


@pytest.mark.parametrize("seed", range(5))
def test_holm(seed):
    p = np.random.default_rng(seed).random(12) ** 3
    assert holm(p) == pytest.approx(plain_holm(p))


@pytest.mark.parametrize(("test", "adjust"), TESTS)
def test_paired_laws(test, adjust):
    values = sample(6, 30)
    options = {"test": test, "adjust": adjust, "draws": 1000}
    made = paired(values, **options)
    assert np.array_equal(made.p, paired(values, **options).p)
    assert np.array_equal(made.p, made.p.T)
    assert (np.diag(made.p) == 1).all()
    assert ((made.p > 0) & (made.p <= 1)).all()
    assert made.p[0, 5] < 0.05
    assert np.array_equal(made.difference, -made.difference.T)
    assert made.difference[0, 5] == pytest.approx(values[0].mean() - values[5].mean())
    order = [3, 5, 0, 1, 4, 2]
    assert paired(values[order], **options).p == pytest.approx(made.p[np.ix_(order, order)])
    assert paired(values + 7, **options).p == pytest.approx(made.p)
    assert paired(-3 * values, **options).p == pytest.approx(made.p)
    hardness = np.random.default_rng(2).random(30)
    assert paired(values + hardness, **options).p == pytest.approx(made.p)


@pytest.mark.parametrize("adjust", ["max", "holm"])
def test_ties_of_draws_survive_a_high_level(adjust):
    values = np.round(sample(3, 40) * 4) / 4  # so coarse that many draws tie with what was seen
    high = np.random.default_rng(4).integers(0, 2**24, 40) + values
    assert np.array_equal(paired(high, adjust=adjust).p, paired(values, adjust=adjust).p)


def test_seed_matters_little_but_matters():
    values = sample(4, 30)
    one, two = paired(values, seed=1).p, paired(values, seed=2).p
    assert not np.array_equal(one, two)
    assert one == pytest.approx(two, abs=0.03)


@pytest.mark.parametrize(("test", "adjust"), TESTS)
@pytest.mark.parametrize("lists", [0, 1, 2, 3, 5, 12, 14, 60])
def test_all_tied_is_never_significant(test, adjust, lists):
    row = np.random.default_rng(lists).random(lists)
    made = paired(np.stack([row, row, row]), test=test, adjust=adjust, draws=200)
    assert (made.p == 1).all()
    # The order of a sum is no difference, even where it falls the same way everywhere.
    noisy = paired(np.stack([row, row * (1 + 2e-16) + 1e-16]), test=test, adjust=adjust, draws=200)
    assert (noisy.p == 1).all()


@pytest.mark.parametrize(("test", "adjust"), TESTS)
@pytest.mark.parametrize("lists", [1, 2, 3, 8, 30])
def test_few_lists_and_constant_differences_do_not_warn(test, adjust, lists):
    row = np.linspace(0, 1, lists)
    made = paired(np.stack([row, row, row + 0.5]), test=test, adjust=adjust)
    assert made.p[0, 1] == 1
    assert made.p[0, 2] == pytest.approx(made.p[1, 2])
    if lists == 1:
        assert made.p[0, 2] == 1
    if lists == 30:
        assert made.p[0, 2] < 0.01


@pytest.mark.parametrize("adjust", ["max", "holm"])
@pytest.mark.parametrize("size", [1, 1e-4, 1e-8, 1e-11])
def test_exact_p_counts_what_was_seen(adjust, size):
    rng = np.random.default_rng(9)
    for lists in range(1, 12):
        values = rng.random(lists) + size * rng.random((3, lists)) * [[0], [0], [1]]
        values[1] += size
        assert paired(values, adjust=adjust).p.min() >= 2.0 ** (1 - lists)


@pytest.mark.parametrize(("test", "adjust"), TESTS)
def test_one_submission_has_no_rival(test, adjust):
    made = paired(np.ones((1, 5)), test=test, adjust=adjust)
    assert made.p.tolist() == [[1]]
    assert made.difference.tolist() == [[0]]


@pytest.mark.parametrize("adjust", ["max", "holm"])
def test_false_finds_are_as_rare_as_alpha(adjust):
    """Six equal submissions: any significant pair is a false one."""
    rng = np.random.default_rng(5)
    times, wrong = 400, 0
    for seed in range(times):
        values = rng.random(25) + rng.exponential(size=(6, 25))
        made = paired(values, adjust=adjust, draws=1000, seed=seed)
        wrong += (made.p <= 0.05).any()
    if adjust == "max":
        assert within(wrong, times, 0.05)
    assert wrong / times < 0.085


def test_false_finds_are_rare_beside_true_ones():
    """One submission is far better; the five others are equal."""
    rng = np.random.default_rng(6)
    times, wrong, found = 300, 0, 0
    for seed in range(times):
        values = rng.normal(size=(6, 25))
        values[0] += 2
        p = paired(values, draws=500, seed=seed).p
        wrong += (p[1:, 1:] <= 0.05).any()
        found += (p[0, 1:] <= 0.05).all()
    assert wrong / times < 0.09
    assert found / times > 0.9


@pytest.mark.parametrize("test", ["permutation", "wilcoxon", "t"])
def test_power_is_as_detectable_says(test):
    """A difference of just the detectable size is found four times in five."""
    rng = np.random.default_rng(8)
    lists, times = 30, 250
    shift = detectable(1.0, lists)
    found = 0
    for seed in range(times):
        values = np.stack([rng.normal(shift, 1, lists), np.zeros(lists)])
        found += paired(values, test=test, draws=500, seed=seed).p[0, 1] <= 0.05
    assert found / times == pytest.approx(0.8 if test != "wilcoxon" else 0.78, abs=0.08)


@pytest.mark.parametrize(("lists", "draws"), [(0, 1), (3, 8), (10, 1024), (13, 10_000)])
def test_signs_are_all_there_are_when_they_fit(lists, draws):
    signs = np.concatenate(list(_signs(lists, draws, 1)))
    assert len(signs) == 2**lists
    assert len(np.unique(signs, axis=0)) == 2**lists
    assert set(np.unique(signs)) <= {-1.0, 1.0}


@pytest.mark.parametrize(("lists", "draws"), [(3, 7), (64, 3000), (70, 3000)])
def test_signs_are_even_and_unlike(lists, draws):
    signs = np.concatenate(list(_signs(lists, draws, 1)))
    assert signs.shape == (draws, lists)
    assert set(np.unique(signs)) == {-1.0, 1.0}
    if draws > 1000:
        together = signs.T @ signs / draws
        assert np.abs(together - np.eye(lists)).max() < 0.1
        assert np.abs(signs.mean(axis=0)).max() < 0.1


# Tiers and ranks


def symmetric(count, significant):
    p = np.ones((count, count))
    for a, b in significant:
        p[a, b] = p[b, a] = 0.01
    return p


@pytest.mark.parametrize(
    ("count", "significant", "placed"),
    [
        (0, [], []),
        (1, [], [1]),
        (3, [], [1, 1, 1]),
        (3, [(0, 1), (0, 2), (1, 2)], [1, 2, 3]),
        (4, [(0, 2), (0, 3)], [1, 1, 2, 2]),
        (4, [(0, 2)], [1, 1, 2, 2]),  # the last is not the head's, though it does not differ
        (4, [(1, 2), (1, 3)], [1, 1, 1, 1]),  # only the head counts
        (5, [(0, 1), (1, 4)], [1, 2, 2, 2, 3]),
    ],
)
def test_tiers(count, significant, placed):
    assert tiers(symmetric(count, significant)) == placed


def test_alpha_itself_is_significant():
    p = np.array([[1, 0.05], [0.05, 1]])
    assert tiers(p, 0.05) == [1, 2]
    assert tiers(p, 0.049) == [1, 1]
    assert rank_ranges(np.array([[0, 1], [-1, 0]]), p, 0.05) == [(1, 1), (2, 2)]


def test_rank_ranges():
    means = np.array([0.9, 0.8, 0.7, 0.1])
    p = symmetric(4, [(0, 2), (0, 3), (1, 3), (2, 3)])
    difference = np.subtract.outer(means, means)
    assert rank_ranges(difference, p) == [(1, 2), (1, 3), (2, 3), (4, 4)]
    assert rank_ranges(-difference, p, better="lower") == [(1, 2), (1, 3), (2, 3), (4, 4)]
    assert rank_ranges(difference, p, better="lower") == [(3, 4), (2, 4), (2, 3), (1, 1)]
    assert rank_ranges(difference, p, alpha=0.001) == [(1, 4)] * 4


def test_rank_ranges_hold_the_rank():
    values = sample(8, 60)
    values = values[np.argsort(-values.mean(axis=1))]
    made = paired(values, draws=1000)
    for rank, (best, worst) in enumerate(rank_ranges(made.difference, made.p), start=1):
        assert best <= rank <= worst


# Sizes


@pytest.mark.parametrize(
    ("differences", "size"),
    [
        ([1, 2, 3], 2.0),
        ([-1, -2, -3], -2.0),
        ([1, np.nan, 2, 3], 2.0),
        ([0, 0, 0], 0.0),
        ([1, -1], 0.0),
        ([0.5, 0.5], np.nan),
        ([0.8 - 0.6, 0.4 - 0.2], np.nan),
        ([1], np.nan),
        ([0], np.nan),
        ([], np.nan),
    ],
)
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


def test_detectable():
    # Cohen 1988: d = .5 at alpha .05 (two-sided) and power .8 takes 34 pairs.
    assert detectable(1.0, 34) < 0.5 < detectable(1.0, 33)
    assert detectable(2.0, 50) == pytest.approx(2 * detectable(1.0, 50))
    assert math.isnan(detectable(1.0, 1))
    assert detectable(0.0, 50) == 0


def test_many_lists_are_drawn_in_blocks():
    """An interval of very many lists is the normal one, to a few per cent, and cheap."""
    values = np.random.default_rng(5).random((2, 60_000))
    for row, interval in zip(values, intervals(values), strict=True):
        error = row.std(ddof=1) / np.sqrt(row.size)
        assert interval.low == pytest.approx(row.mean() - 1.96 * error, abs=0.15 * error)
        assert interval.high == pytest.approx(row.mean() + 1.96 * error, abs=0.15 * error)
    shifted = np.vstack([values[0], values[0] + 0.001, values[1]])
    p = paired(shifted, draws=500).p
    assert p[0, 1] < 0.01
    assert p[0, 2] > 0.05
