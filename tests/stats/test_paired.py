"""PairedTests tests, held to scipy where both apply and to simulation where truth is known."""

import numpy as np
import pytest
from samples import sample, within
from scipy import stats

from scorer.stats.paired import paired_tests, sign_patterns
from scorer.stats.pairs import holm
from scorer.stats.power import detectable

TESTS = ["permutation", "wilcoxon", "t"]


@pytest.mark.parametrize("lists", [2, 3, 6, 10])
def test_exact_permutation_is_scipys(lists):
    first, second = sample(2, lists, seed=lists)
    theirs = stats.permutation_test(
        (first, second),
        lambda x, y, axis: (x - y).mean(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    ).pvalue
    assert paired_tests(np.stack([first, second])).p[0, 1] == pytest.approx(theirs)


def test_sampled_permutation_is_near_the_exact():
    values = sample(2, 16, seed=3)
    exact = paired_tests(values, draws=2**16).p[0, 1]
    assert paired_tests(values, draws=2**16 - 1).p[0, 1] == pytest.approx(exact, abs=0.006)


def least_t(differences):
    """|t|, or what Hall's cubic leaves of it where the mean lies towards the short tail."""
    n = differences.size
    t = stats.ttest_1samp(differences, 0).statistic
    skew = stats.skew(differences) * ((n - 1) / n) ** 1.5
    at = t / np.sqrt(n)
    cubic = at + skew * at**2 / 3 + skew**2 * at**3 / 27 + skew / (6 * n)
    return min(abs(t), max(abs(cubic) * np.sqrt(n), abs(t) / 1.5571)) if skew * t < 0 else abs(t)


@pytest.mark.slow("draws many boards", beyond=1)
@pytest.mark.parametrize("lists", [5, 40])
def test_permutation_is_the_plain_one(lists):
    """Each draw's t by scipy, for each pair by itself, with the same signs."""
    values = sample(4, lists) + np.random.default_rng(1).normal(0, 0.01, (4, lists))
    first, second = np.triu_indices(4, 1)
    differences = values[first] - values[second]
    signs = np.concatenate(list(sign_patterns(lists, 600, 1)))
    drawn = np.abs([stats.ttest_1samp(differences * row, 0, axis=1).statistic for row in signs])
    observed = np.array([least_t(row) for row in differences]) * (1 - 1e-9)
    if lists == 5:  # all patterns: p is exact for symmetric differences
        observed = np.abs(stats.ttest_1samp(differences, 0, axis=1).statistic) * (1 - 1e-9)
    reached = (drawn.max(axis=1, keepdims=True) >= observed).sum(axis=0)
    p = reached / 32 if lists == 5 else (reached + 1) / 601
    made = paired_tests(values, draws=600)
    assert made.p[first, second] == pytest.approx(p)


@pytest.mark.parametrize("lists", [4, 20, 80])
@pytest.mark.parametrize(("test", "theirs"), [("wilcoxon", stats.wilcoxon), ("t", stats.ttest_rel)])
def test_other_tests_are_scipys(test, theirs, lists):
    values = np.random.default_rng(lists).normal(size=(4, lists)) + np.arange(4)[:, None] / 4
    first, second = np.triu_indices(4, 1)
    plain = [theirs(values[a], values[b]).pvalue for a, b in zip(first, second, strict=True)]
    made = paired_tests(values, test=test)
    assert made.p[first, second] == pytest.approx(plain_holm(plain), rel=1e-8)


def test_wilcoxon_sees_ties_through_float_noise():
    first, second = np.array([0.8, 0.4, 0.3, 0.9, 0.2]), np.array([0.6, 0.2, 0.1, 0.2, 0.5])
    whole = stats.wilcoxon(np.round((first - second) * 10)).pvalue
    assert paired_tests(np.stack([first, second]), test="wilcoxon").p[0, 1] == pytest.approx(whole)


def plain_holm(p):
    """Holm as he writes it: reject the smallest while p (m - i) <= alpha, for the least alpha."""
    return [min(1, max(q * sum(other >= q for other in p) for q in p if q <= mine)) for mine in p]


@pytest.mark.parametrize("seed", range(5))
def test_holm(seed):
    p = np.random.default_rng(seed).random(12) ** 3
    assert holm(p) == pytest.approx(plain_holm(p))


@pytest.mark.parametrize("test", TESTS)
def test_paired_laws(test):
    values = sample(6, 30)
    options = {"test": test, "draws": 1000}
    made = paired_tests(values, **options)
    assert np.array_equal(made.p, paired_tests(values, **options).p)
    assert np.array_equal(made.p, made.p.T)
    assert (np.diag(made.p) == 1).all()
    assert ((made.p > 0) & (made.p <= 1)).all()
    assert made.p[0, 5] < 0.05
    assert np.array_equal(made.difference, -made.difference.T)
    assert made.difference[0, 5] == pytest.approx(values[0].mean() - values[5].mean())
    order = [3, 5, 0, 1, 4, 2]
    assert paired_tests(values[order], **options).p == pytest.approx(made.p[np.ix_(order, order)])
    assert paired_tests(values + 7, **options).p == pytest.approx(made.p)
    assert paired_tests(-3 * values, **options).p == pytest.approx(made.p)
    hardness = np.random.default_rng(2).random(30)
    assert paired_tests(values + hardness, **options).p == pytest.approx(made.p)


def test_ties_of_draws_survive_a_high_level():
    values = np.round(sample(3, 40) * 4) / 4  # so coarse that many draws tie with what was seen
    high = np.random.default_rng(4).integers(0, 2**24, 40) + values
    assert np.array_equal(paired_tests(high).p, paired_tests(values).p)


def test_seed_matters_little_but_matters():
    values = sample(4, 30)
    one, two = paired_tests(values, seed=1).p, paired_tests(values, seed=2).p
    assert not np.array_equal(one, two)
    assert one == pytest.approx(two, abs=0.03)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("lists", [0, 1, 2, 3, 5, 12, 14, 60])
def test_all_tied_is_never_significant(test, lists):
    row = np.random.default_rng(lists).random(lists)
    made = paired_tests(np.stack([row, row, row]), test=test, draws=200)
    # of fewer than two lists nothing can be said, and 1 would say something
    wanted = np.where(np.eye(3, dtype=bool) | (lists > 1), 1.0, np.nan)
    assert np.array_equal(made.p, wanted, equal_nan=True)
    # The order of a sum is no difference, even where it falls the same way everywhere.
    noisy = paired_tests(np.stack([row, row * (1 + 2e-16) + 1e-16]), test=test, draws=200)
    assert np.array_equal(noisy.p, wanted[:2, :2], equal_nan=True)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("lists", [1, 2, 3, 8, 30])
def test_few_lists_and_constant_differences_do_not_warn(test, lists):
    row = np.linspace(0, 1, lists)
    made = paired_tests(np.stack([row, row, row + 0.5]), test=test)
    if lists == 1:
        assert np.isnan(made.p[np.triu_indices(3, 1)]).all()
        return
    assert made.p[0, 1] == 1
    assert made.p[0, 2] == pytest.approx(made.p[1, 2])
    if lists == 30:
        assert made.p[0, 2] < 0.01


@pytest.mark.parametrize("size", [1, 1e-4, 1e-8, 1e-11])
def test_exact_p_counts_what_was_seen(size):
    rng = np.random.default_rng(9)
    for lists in range(2, 12):
        values = rng.random(lists) + size * rng.random((3, lists)) * [[0], [0], [1]]
        values[1] += size
        assert paired_tests(values).p.min() >= 2.0 ** (1 - lists)


@pytest.mark.parametrize("test", TESTS)
def test_one_submission_has_no_rival(test):
    made = paired_tests(np.ones((1, 5)), test=test)
    assert made.p.tolist() == [[1]]
    assert made.difference.tolist() == [[0]]


def test_false_finds_are_rare_beside_true_ones():
    """One submission is far better; the five others are equal."""
    rng = np.random.default_rng(6)
    times, wrong, found = 300, 0, 0
    for seed in range(times):
        values = rng.normal(size=(6, 25))
        values[0] += 2
        p = paired_tests(values, draws=500, seed=seed).p
        wrong += (p[1:, 1:] <= 0.05).any()
        found += (p[0, 1:] <= 0.05).all()
    assert wrong / times < 0.09
    assert found / times > 0.9


@pytest.mark.slow("simulates", beyond=1)
@pytest.mark.parametrize("test", ["permutation", "wilcoxon", "t"])
def test_power_is_as_detectable_says(test):
    """A difference of just the detectable size is found four times in five."""
    rng = np.random.default_rng(8)
    lists, times = 30, 250
    shift = detectable(1.0, lists)
    found = 0
    for seed in range(times):
        values = np.stack([rng.normal(shift, 1, lists), np.zeros(lists)])
        found += paired_tests(values, test=test, draws=500, seed=seed).p[0, 1] <= 0.05
    assert found / times == pytest.approx(0.8 if test != "wilcoxon" else 0.78, abs=0.08)


@pytest.mark.parametrize(("lists", "draws"), [(0, 1), (3, 8), (10, 1024), (13, 10_000)])
def test_signs_are_all_there_are_when_they_fit(lists, draws):
    signs = np.concatenate(list(sign_patterns(lists, draws, 1)))
    assert len(signs) == 2**lists
    assert len(np.unique(signs, axis=0)) == 2**lists
    assert set(np.unique(signs)) <= {-1.0, 1.0}


@pytest.mark.parametrize(("lists", "draws"), [(3, 7), (64, 3000), (70, 3000)])
def test_signs_are_even_and_unlike(lists, draws):
    signs = np.concatenate(list(sign_patterns(lists, draws, 1)))
    assert signs.shape == (draws, lists)
    assert set(np.unique(signs)) == {-1.0, 1.0}
    if draws > 1000:
        together = signs.T @ signs / draws
        assert np.abs(together - np.eye(lists)).max() < 0.1
        assert np.abs(signs.mean(axis=0)).max() < 0.1


def test_infinite_values_are_refused():
    with pytest.raises(ValueError, match="finite"):
        paired_tests(np.array([[1, np.inf], [1, 2]]))


def test_blocks_do_not_show(monkeypatch):
    values = sample(4, 100)
    whole = paired_tests(values, draws=300)
    monkeypatch.setattr("scorer.stats.paired.SIGNS_AT_ONCE", 1)
    monkeypatch.setattr("scorer.stats.paired.PAIRS_AT_ONCE", 2)
    assert np.array_equal(paired_tests(values, draws=300).p, whole.p)


def test_many_lists_are_flipped_in_blocks():
    values = np.random.default_rng(5).random((2, 60_000))
    shifted = np.vstack([values[0], values[0] + 0.001, values[1]])
    p = paired_tests(shifted, draws=500).p
    assert p[0, 1] < 0.01
    assert p[0, 2] > 0.05


# Lists that not all have


def holes(values, *missing):
    """The values without some lists of some rows."""
    values = values.copy()
    for row, lists in missing:
        values[row, lists] = np.nan
    return values


@pytest.mark.parametrize("test", TESTS)
def test_one_with_a_single_list_changes_nobody_elses_test(test):
    values = sample(4, 40)
    single = holes(sample(1, 40, seed=9), (0, slice(1, None)))
    alone, beside = (
        paired_tests(each, test=test, draws=500) for each in (values, np.vstack([values, single]))
    )
    for name in ("p", "difference", "lead", "lists", "units", "deviation", "joint_margin"):
        one, other = getattr(alone, name), getattr(beside, name)[:4, :4]
        assert one == pytest.approx(other, rel=1e-12, nan_ok=True), name
    assert np.isnan(beside.p[4, :4]).all()
    assert beside.difference[4, :4] == pytest.approx(single[0, 0] - values[:, 0])
    assert (beside.lists[4, :4] == 1).all()
    assert not beside.lead[4].any()
    assert beside.pairs == alone.pairs == 6


@pytest.mark.parametrize("test", TESTS)
def test_a_pair_is_tested_on_the_lists_that_both_have(test):
    values = holes(sample(2, 40), (0, slice(0, 8)), (1, slice(5, 12)))
    made = paired_tests(values, test=test, draws=500)
    both = values[:, 12:]
    wanted = paired_tests(both, test=test, draws=500)
    assert made.lists[0, 1] == 28
    assert made.difference[0, 1] == wanted.difference[0, 1]
    assert made.p[0, 1] == pytest.approx(wanted.p[0, 1], abs=0.03)  # other signs are drawn
    assert made.deviation[0, 1] == pytest.approx(wanted.deviation[0, 1])


def test_a_pair_of_two_lists_among_many():
    """Its |S| / sqrt(Q) is sqrt(2) at most, whose square is above 2 by rounding."""
    values = holes(sample(2, 18), (1, slice(2, None)))
    values[1, :2] = values[0, :2] - 0.125
    made = paired_tests(values, draws=200)
    assert made.lists[0, 1] == 2
    assert made.p[0, 1] == pytest.approx(0.5, abs=0.1)


def test_easy_lists_do_not_win():
    """One that answers the easy lists only, and is worse on each of them."""
    rng = np.random.default_rng(3)
    values = np.linspace(0.2, 0.9, 60) + rng.normal(0, 0.02, (3, 60)) + [[0], [-0.1], [-0.2]]
    values[2, :40] = np.nan
    made = paired_tests(values)
    assert np.nanmean(values[2]) > np.nanmean(values[0])
    assert made.lead.tolist() == [[0, 1, 1], [-1, 0, 1], [-1, -1, 0]]
    assert (made.p[np.triu_indices(3, 1)] < 0.01).all()
    assert made.lists.tolist() == [[0, 60, 20], [60, 0, 20], [20, 20, 0]]


@pytest.mark.parametrize("few", [3, 5, 6, 7])
def test_a_pair_of_few_lists_does_not_outweigh_the_others(few):
    """Its signs agree in one draw of 2**(few - 1), which would have the greatest t of all."""
    values = sample(3, 40)
    alone = paired_tests(values).p
    beside = paired_tests(
        np.vstack([values, holes(sample(1, 40, seed=2), (0, slice(few, None)))])
    ).p
    for a, b in ((0, 1), (0, 2), (1, 2)):
        if alone[a, b] < 2.0 ** (1 - few) / 2:
            assert beside[a, b] < 3 * alone[a, b] + 0.002
    assert (beside[3, :3] >= 2.0 ** (1 - few)).all()


def test_pairs_of_different_lists_have_their_own_t_test_with_holms_adjustment():
    """Student's p by scipy of each pair, no less than signs of its lists can show."""
    values = holes(sample(4, 30), (1, slice(0, 9)), (3, slice(20, 24)))
    first, second = np.triu_indices(4, 1)
    plain = []
    for a, b in zip(first, second, strict=True):
        row = (values[a] - values[b])[~np.isnan(values[a] - values[b])]
        plain.append(max(2 * stats.t.sf(least_t(row), row.size - 1), 2.0 ** (1 - row.size)))
    made = paired_tests(values, draws=600)
    assert made.p[first, second] == pytest.approx(plain_holm(plain))
    assert (made.test, made.adjust, made.draws) == ("skew-corrected t", "holm", 0)


@pytest.mark.slow("simulates")
def test_false_finds_are_rare_where_lists_are_missing():
    rng = np.random.default_rng(12)
    times, wrong = 300, 0
    for seed in range(times):
        values = rng.random(25) + rng.normal(size=(5, 25))
        values[rng.random((5, 25)) < [[0], [0.1], [0.3], [0.7], [0]]] = np.nan
        wrong += (paired_tests(values, draws=500, seed=seed).p <= 0.05).any()
    assert wrong / times < 0.085


@pytest.mark.slow("draws many boards")
def test_false_finds_are_rare_where_differences_are_skew():
    """Ten submissions of equal mean: five constant, five exponential; signs alone find .13."""
    times, wrong = 200, 0
    for seed in range(times):
        rng = np.random.default_rng(seed)
        values = 1 + 0.01 * rng.normal(size=(10, 20))
        values[::2] = rng.exponential(size=(5, 20))
        wrong += (paired_tests(values, draws=300, seed=seed).p <= 0.05).any()
    assert within(wrong, times, 0.07)


def test_an_interval_holds_0_where_no_difference_is_found():
    held = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        values = np.stack([np.full(20, 0.5), rng.exponential(size=20), rng.exponential(size=20)])
        made = paired_tests(values, draws=300, seed=seed, own_level=0.95)
        size = np.abs(made.difference)
        apart = ~np.eye(3, dtype=bool)
        assert ((made.p <= 0.05) == (size > made.joint_margin))[apart].all()
        held += (made.p <= 0.05)[apart].any()
    assert 0 < held < 60


# Intervals of all differences at once


@pytest.mark.parametrize("lists", [6, 9, 40])
@pytest.mark.parametrize("holed", [False, True])
def test_a_margin_leaves_out_0_where_the_test_finds_a_difference(lists, holed):
    for seed in range(6):
        values = sample(5, lists, seed)
        if holed:
            values[2, :2] = np.nan
        made = paired_tests(values, draws=999, seed=seed)
        a, b = np.triu_indices(5, 1)
        p, margin, apart = (m[a, b] for m in (made.p, made.joint_margin, np.abs(made.difference)))
        known = ~np.isnan(margin)
        if holed:  # Holm's adjustment finds more than Bonferroni's intervals
            assert (p[known][apart[known] > margin[known]] <= 0.05).all()
        else:
            assert np.array_equal(apart[known] > margin[known], p[known] <= 0.05)
        assert (p[~known] > 0.05).all()


@pytest.mark.slow("simulates", beyond=1)
@pytest.mark.parametrize("test", TESTS)
def test_margins_hold_for_all_pairs_at_once(test):
    rng = np.random.default_rng(4)
    true = np.array([0.0, 0.3, 0.5, 1.0])
    times, held = 200, 0
    for seed in range(times):
        values = true[:, None] + rng.normal(size=(4, 30))
        made = paired_tests(values, test=test, draws=500, seed=seed)
        off = np.abs(made.difference - np.subtract.outer(true, true)) <= made.joint_margin
        held += off[np.triu_indices(4, 1)].all()
    assert held / times > 0.9


# Families


def test_pairs_with_a_control_are_a_family_of_their_own():
    values = sample(5, 30, seed=2)
    made, every = paired_tests(values, draws=999, control=True), paired_tests(values, draws=999)
    assert made.pairs == 4
    assert np.isnan(made.p[1:, 1:][~np.eye(4, dtype=bool)]).all()
    assert (made.p[0, 1:] <= every.p[0, 1:] + 1e-12).all()
    assert np.array_equal(made.difference[0], every.difference[0])
    two = paired_tests(values[:2], draws=999)
    assert paired_tests(values[:2], draws=999, control=True).p.tolist() == two.p.tolist()


@pytest.mark.slow("draws many boards")
def test_false_finds_against_a_control_are_rare():
    rng = np.random.default_rng(5)
    times, wrong = 400, 0
    for seed in range(times):
        made = paired_tests(rng.normal(size=(6, 20)), draws=500, seed=seed, control=True)
        wrong += (made.p[0, 1:] <= 0.05).any()
    assert within(wrong, times, 0.05)


# Wilcoxon


def test_wilcoxons_direction_comes_from_its_ranks():
    """A few large gains make the mean higher; most lists are lost."""
    gains = np.concatenate([np.full(44, -1.0), np.full(6, 12.0)]) + np.arange(50) / 1000
    made = paired_tests(np.stack([gains, np.zeros(50)]), test="wilcoxon")
    assert made.difference[0, 1] > 0
    assert made.lead[0, 1] == -1
    assert made.p[0, 1] < 0.01
    assert paired_tests(np.stack([gains, np.zeros(50)]), test="t").lead[0, 1] == 1


# Clusters


@pytest.mark.slow("simulates")
@pytest.mark.parametrize("test", TESTS)
def test_clusters_are_tested_as_their_sums(test):
    values, clusters = sample(4, 40), np.random.default_rng(1).permutation(np.arange(40) // 4)
    sums = np.stack([values[:, clusters == n].sum(axis=1) for n in range(10)], axis=1)
    made = paired_tests(values, test=test, clusters=clusters)
    wanted = paired_tests(sums, test=test)
    assert made.p == pytest.approx(wanted.p)
    assert made.difference == pytest.approx(wanted.difference / 4)
    assert made.joint_margin == pytest.approx(wanted.joint_margin / 4, nan_ok=True)
    assert (made.units[~np.eye(4, dtype=bool)] == 10).all()
    assert (made.lists[~np.eye(4, dtype=bool)] == 40).all()


def test_one_cluster_says_nothing():
    made = paired_tests(sample(2, 40), clusters=np.zeros(40, dtype=np.int64))
    assert np.isnan(made.p[0, 1])
