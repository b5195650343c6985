"""PairedTests tests of whole-challenge figures."""

import math

import numpy as np
import pytest

from scorer.stats.jackknife import (
    degrees,
    fisher,
    pseudo_values,
    swapped_differences,
    weighted_pseudo_values,
)
from scorer.stats.paired import paired_tests


def roots(sums):
    return np.sqrt(sums[:, 0] / np.maximum(sums[:, 1], 1e-300))


def errors(submissions, lists, seed=0):
    """Squared errors and counts of ratings, (submissions, lists, 2)."""
    rng = np.random.default_rng(seed)
    count = rng.integers(1, 9, lists)
    hard = rng.gamma(2.0, 0.5, lists)
    own = rng.gamma(3.0, 1 / 3, (submissions, lists))
    part = hard * own * count
    return np.stack([part, np.broadcast_to(count, part.shape)], axis=2).astype(float)


def by_sums(sums, found=None, figure=roots, **options):
    """The test of a figure of sums, where everyone has all lists unless `found` says else."""

    def again(rows, common):
        return pseudo_values(sums[np.ix_(rows, common)], figure)

    found = np.ones(sums.shape[:2], dtype=bool) if found is None else found
    values = np.full(found.shape, np.nan)
    for row, common in enumerate(found):
        values[row, common] = again(np.array([row]), common)[0]

    def swap(one, others, common):
        return swapped_differences(sums[one, common], sums[np.ix_(others, common)], figure)

    return paired_tests(values, recompute=again, swap=swap, **{"draws": 500, **options})


def test_a_mean_as_a_figure_is_tested_as_a_mean():
    rng = np.random.default_rng(2)
    values = rng.normal(size=(4, 60)) + np.array([[0.0], [0.2], [0.5], [1.0]])
    sums = np.stack([values, np.ones_like(values)], axis=2)
    made, wanted = (
        by_sums(sums, draws=4000, figure=lambda sums: sums[:, 0] / sums[:, 1]),
        paired_tests(values, draws=4000),
    )
    for name in ("difference", "lead", "lists", "units"):
        assert getattr(made, name) == pytest.approx(getattr(wanted, name)), name
    for name in ("p", "deviation", "joint_margin"):
        assert getattr(made, name) == pytest.approx(getattr(wanted, name), nan_ok=True), name


@pytest.mark.slow("draws many boards", beyond=1)
@pytest.mark.parametrize("lists", [3, 6])
def test_few_lists_do_not_make_false_finds(lists):
    times = 300
    wrong = sum(
        (by_sums(errors(3, lists, seed), draws=300).p <= 0.05).any() for seed in range(times)
    )
    assert wrong / times < 0.1


def test_laws():
    sums = errors(4, 30)
    sums[3, :, 0] *= 4
    made = by_sums(sums)
    assert np.array_equal(made.p, made.p.T)
    assert np.array_equal(made.difference, -made.difference.T)
    assert (made.p[3, :3] < 0.05).all()
    order = [2, 0, 3, 1]
    again = by_sums(sums[order])
    assert np.array_equal(again.p, made.p[np.ix_(order, order)])
    same = by_sums(np.stack([sums[0], sums[0]]))
    assert same.p.tolist() == [[1, 1], [1, 1]]
    assert same.joint_margin[0, 1] == 0


def test_a_pair_is_tested_on_the_lists_that_both_have():
    sums, found = errors(4, 40), np.ones((4, 40), dtype=bool)
    found[2, :20] = False
    found[3, 1:] = False
    made = by_sums(sums, found)
    assert made.lists[0].tolist() == [0, 40, 20, 1]
    assert made.difference[0, 2] == by_sums(sums[[0, 2], 20:]).difference[0, 1]
    assert np.isnan(made.p[3, :3]).all()
    three = by_sums(sums[:3], found[:3])
    assert np.array_equal(three.p, made.p[:3, :3])


def test_a_figure_without_a_value_is_not_by_sums():
    sums = errors(3, 20)
    sums[1] = 0
    made = by_sums(sums, figure=lambda s: np.where(s[:, 1] > 0, s[:, 0], np.nan))
    assert np.isnan(made.p[1, [0, 2]]).all()
    assert not np.isnan(made.p[0, 2])


def test_a_family_of_one_against_the_others():
    sums = errors(4, 30)
    made = by_sums(sums, control=True)
    assert made.pairs == 3
    assert np.isnan(made.p[1, 2])
    assert (made.p[0, 1:] <= by_sums(sums).p[0, 1:]).all()


@pytest.mark.slow("draws many boards")
def test_margins_hold_for_all_pairs_at_once():
    """Roots of mean squared errors whose true values are known."""
    true = np.array([1.0, 1.2, 1.5])
    rng, held, times = np.random.default_rng(3), 0, 200
    for _ in range(times):
        squares = true[:, None] ** 2 * rng.chisquare(5, (3, 50)) / 5
        sums = np.stack([squares, np.ones_like(squares)], axis=2)
        made = by_sums(sums, draws=300)
        off = np.abs(made.difference - np.subtract.outer(true, true))
        held += (off <= made.joint_margin)[np.triu_indices(3, 1)].all()
    assert held / times >= 0.9
    assert math.isfinite(made.joint_margin[0, 1])


# Pseudo-values


def test_pseudo_values_of_a_mean_are_its_values():
    values = np.random.default_rng(1).normal(size=(3, 20))
    sums = np.stack([values, np.ones_like(values)], axis=2)
    figure = lambda sums: sums[:, 0] / sums[:, 1]  # noqa: E731
    assert pseudo_values(sums, figure) == pytest.approx(values)


def test_pseudo_values_have_the_figure_as_their_mean():
    sums = errors(3, 30)
    assert pseudo_values(sums, roots).mean(axis=1) == pytest.approx(roots(sums.sum(axis=1)))


def test_weights_give_the_same_pseudo_values():
    sums = errors(3, 30)
    figures = [lambda w, row=row: float(roots((w @ row)[None])[0]) for row in sums]
    made = weighted_pseudo_values(figures, 30, None)
    assert made == pytest.approx(pseudo_values(sums, roots))


@pytest.mark.parametrize(("lists", "together"), [(30, 3), (1000, 5)])
def test_pseudo_values_of_clusters_have_the_figures_spread(lists, together):
    sums, clusters = errors(2, lists), np.arange(lists) // together
    figures = [lambda w, row=row: float(roots((w @ row)[None])[0]) for row in sums]
    made = weighted_pseudo_values(figures, lists, clusters)
    assert made.mean(axis=1) == pytest.approx(roots(sums.sum(axis=1)))
    tested = paired_tests(made, clusters=clusters)
    wanted = paired_tests(pseudo_values(sums, roots), clusters=clusters)
    assert tested.difference == pytest.approx(wanted.difference)
    error, known = (m.deviation[0, 1] / math.sqrt(m.units[0, 1]) for m in (tested, wanted))
    assert error == pytest.approx(known, rel=0.15)


def test_a_figure_without_a_value_has_no_pseudo_values():
    sums = np.zeros((2, 5, 2))
    sums[0] = 1
    made = pseudo_values(sums, lambda s: np.where(s[:, 1] > 0, s[:, 0], np.nan))
    assert np.isnan(made[1]).all()
    assert not np.isnan(made[0]).any()


def test_lists_of_fixed_groups_say_how_far_their_own_means_vary():
    """The standard error of a mean of three groups' means, from each group's own variance."""
    rng, codes = np.random.default_rng(2), np.repeat([0, 1, 2], [3, 10, 40])
    values = rng.normal(size=codes.size) * np.array([5.0, 1.0, 2.0])[codes]
    sums = np.zeros((1, codes.size, 6))
    sums[0, np.arange(codes.size), 2 * codes] = values
    sums[0, np.arange(codes.size), 2 * codes + 1] = 1

    def mean_of_means(sums):
        return (sums[:, ::2] / sums[:, 1::2]).mean(axis=1)

    (made,) = pseudo_values(sums, mean_of_means, codes)
    own = [values[codes == n] for n in range(3)]
    assert made.mean() == pytest.approx(np.mean([each.mean() for each in own]))
    assert made.var(ddof=1) / made.size == pytest.approx(
        sum(each.var(ddof=1) / each.size for each in own) / 9
    )
    codes[:3] = [3, 4, 5]
    assert np.isnan(pseudo_values(sums, mean_of_means, codes)).all()


# Figures that are equal


def test_swapped_lists_of_means_are_their_differences():
    rng = np.random.default_rng(3)
    values = rng.normal(size=(4, 12))
    sums = np.stack([values, np.ones_like(values)], axis=2)
    made = swapped_differences(sums[0], sums[1:], lambda each: each[:, 0] / each[:, 1])
    assert made == pytest.approx(values[0] - values[1:])


def test_an_exchange_is_counted_by_hand():
    sums = errors(2, 5, seed=2)
    (made,) = swapped_differences(sums[0], sums[1:], roots)
    totals = sums.sum(axis=1)
    for at in range(5):
        swap = (sums[0, at] - sums[1, at]) / 2
        up, down = (roots((totals.mean(axis=0) + side * swap)[None])[0] for side in (1, -1))
        others = [
            roots((totals.mean(axis=0) + side * (sums[0, n] - sums[1, n]) / 2)[None])[0]
            for n in range(5)
            for side in (1, -1)
        ]
        mean = np.mean(np.array(others[::2]) - np.array(others[1::2]))
        difference = np.subtract(*roots(totals))
        assert made[at] == pytest.approx(difference + 5 * (up - down - mean))


def test_correlations_are_alike_on_fishers_scale():
    assert fisher(np.array([0.0, 0.5, -1.0, 1.0])) == pytest.approx(
        [0, np.log(3) / 2, -7.25, 7.25], abs=0.01
    )


def test_degrees_of_a_figure_without_a_value_are_endless():
    assert degrees(np.empty(0), np.empty(0, dtype=np.int64)) == math.inf
