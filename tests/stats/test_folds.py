"""Means over folds: the corrected resampled t-test."""

import math

import numpy as np
import pytest
from scipy import stats

from scorer.stats.repeats import fold_error, fold_interval, paired_folds


def test_the_error_is_nadeau_and_bengios():
    row = np.array([0.1, 0.3, 0.2, 0.4, 0.6])
    wanted = math.sqrt((1 / 5 + 1 / 4) * row.var(ddof=1))  # test and training sets 1 to 4
    assert fold_error(row) == pytest.approx(wanted)
    low, high = fold_interval(row)
    assert (low + high) / 2 == pytest.approx(row.mean())
    assert high - row.mean() == pytest.approx(stats.t.ppf(0.975, 4) * wanted)
    assert fold_interval(row[:4]) is None  # as of lists
    assert fold_interval(np.append(np.nan, row)) == fold_interval(row)


def test_the_test_is_about_the_mean_of_the_folds():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(4, 10)) + np.array([[0.0], [0.1], [1.0], [3.0]])
    made = paired_folds(values)
    means = values.mean(axis=1)
    assert made.difference == pytest.approx(np.subtract.outer(means, means))
    plain = []
    for a, b in zip(*np.triu_indices(4, 1), strict=True):
        row = values[a] - values[b]
        plain.append(2 * stats.t.sf(abs(row.mean()) / fold_error(row), 9))
    holm = [min(1, max(q * sum(o >= q for o in plain) for q in plain if q <= p)) for p in plain]
    assert made.p[np.triu_indices(4, 1)] == pytest.approx(holm)
    assert (made.lists[~np.eye(4, dtype=bool)] == 10).all()
    assert np.array_equal(np.sign(made.difference), made.lead)


def test_folds_without_a_value_are_left_out_of_the_pair():
    values = np.random.default_rng(1).normal(size=(3, 6))
    values[1, 2] = np.nan
    values[2, 1:] = np.nan
    made = paired_folds(values)
    kept = [0, 1, 3, 4, 5]
    assert made.p[0, 1] == pytest.approx(paired_folds(values[:2, kept]).p[0, 1])
    assert np.isnan(made.p[2, :2]).all()
    assert paired_folds(values[:1]).p.tolist() == [[1]]


def test_equal_folds_do_not_differ_and_do_not_warn():
    row = np.array([0.1, 0.2, 0.3, 0.1, 0.2])
    made = paired_folds(np.stack([row, row, row + 1]))
    assert made.p[0, 1] == 1
    assert made.p[0, 2] == 0
    assert made.joint_margin[0, 2] == 0


@pytest.mark.slow("simulates")
def test_false_finds_are_rare_though_folds_share_their_training():
    """Each fold's difference has a part of its own and one of the training that others share."""
    rng, wrong, times, folds = np.random.default_rng(2), 0, 2000, 10
    for _ in range(times):
        own = rng.normal(0, 1, folds)
        shared = rng.normal(0, math.sqrt(1 / (folds - 1)))
        wrong += paired_folds(np.stack([own + shared, np.zeros(folds)])).p[0, 1] <= 0.05
    assert wrong / times < 0.07
