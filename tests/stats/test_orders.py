"""Orders held against each other, wins of pairs, and parts of the lists."""

import numpy as np
import pytest

from scorer.stats.ranks import agreement, kendall_tau, majorities, parts, ranks_of

NAN = np.nan


@pytest.mark.parametrize(
    ("values", "better", "ranks"),
    [
        ([0.5, 0.9, 0.5, 0.1], "higher", [2, 1, 2, 4]),
        ([0.5, 0.9, 0.5, 0.1], "lower", [2, 4, 2, 1]),
        ([NAN, 0.0, NAN], "higher", [2, 1, 2]),
        ([NAN, -1.0, np.inf], "lower", [2, 1, 2]),
        ([NAN, -np.inf, np.inf], "higher", [2, 2, 1]),
        ([], "higher", []),
    ],
)
def test_equal_values_share_a_rank_and_none_is_last(values, better, ranks):
    assert ranks_of(np.array(values), better).tolist() == ranks


@pytest.mark.slow("imports scipy.stats")
def test_tau_is_that_of_scipy():
    from scipy.stats import kendalltau

    rng = np.random.default_rng(3)
    for count in (2, 9, 130):
        one, other = rng.integers(0, 6, (2, count))
        expected = np.nan_to_num(kendalltau(one, other).statistic)
        assert kendall_tau(one, other) == pytest.approx(expected, abs=1e-12)


def test_tau_of_orders_without_any_difference_is_none():
    assert kendall_tau(np.ones(3), np.array([1, 2, 3])) == 0.0


def test_pairs_are_compared_in_the_lists_that_both_have():
    values = np.array([[1.0, 2.0, NAN], [1.0, 1.0, 5.0], [NAN, NAN, 4.0]])
    assert majorities(values).tolist() == [1.5, 1.0, 0.5]  # no list of the first and the last


def test_the_one_that_beats_each_by_a_majority_is_first_whatever_its_mean():
    values = np.array([[2.0, 2.0, 0.0], [1.0, 1.0, 9.0], [0.0, 0.0, 1.0]])
    assert majorities(values).tolist() == [2.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("lists", "unit", "share", "sizes"),
    [
        (40, None, 0.1, {4}),
        (3, None, 0.1, {1}),  # at least one
        (2, None, 0.9, {1}),  # not all
        (6, [0, 0, 1, 1, 2, 2], 0.5, {2, 4}),
    ],
)
def test_parts_are_of_whole_units(lists, unit, share, sizes):
    codes = None if unit is None else np.array(unit)
    masks = parts(lists, codes, share, 8, seed=1)
    assert masks.shape == (8, lists)
    assert set(masks.sum(axis=1).tolist()) <= sizes
    assert np.array_equal(masks, parts(lists, codes, share, 8, seed=1))
    assert not np.array_equal(masks, parts(lists, codes, share, 8, seed=2)) or lists < 4
    if codes is not None:
        assert all(len(set(mask[codes == code])) == 1 for mask in masks for code in range(3))


def test_one_unit_has_no_parts():
    assert parts(5, np.zeros(5, dtype=int), 0.5, 3, seed=1).shape == (0, 5)


def test_agreement_of_halves_is_stepped_up_to_the_whole():
    rng = np.random.default_rng(1)
    true = rng.normal(size=(4000, 1))
    first, second = (true + rng.normal(size=(4000, 5)) for _ in range(2))
    correlation, reliability = agreement(first, second)
    assert correlation == pytest.approx(0.5, abs=0.05)  # true variance of half of all
    assert reliability == pytest.approx(2 / 3, abs=0.05)
    assert np.isnan(agreement(np.ones((3, 2)), np.ones((3, 2)))).all()
