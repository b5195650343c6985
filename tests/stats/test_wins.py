"""How many of the others one is above."""

import numpy as np
import pytest
from scipy.stats import rankdata

from scorer.preferences.aggregations import aggregations
from scorer.preferences.base import order_submissions
from scorer.stats.ranks import win_rates

NAN = np.nan


def test_equal_ones_half_and_nothing_below_all():
    values = np.array([[3.0, 1.0, NAN], [1.0, 1.0, NAN], [1.0, NAN, NAN]])
    rates = win_rates(values, np.ones(3, dtype=bool))
    assert rates[:, :2].T.tolist() == [[1, 0.25, 0.25], [0.75, 0.75, 0]]
    assert np.isnan(rates[:, 2]).all()  # nobody has it


def test_a_baseline_is_held_against_the_ranked_alone():
    values = np.array([[3.0], [1.0], [2.0]])
    with_baseline = win_rates(values, np.array([True, True, False]))
    assert with_baseline.ravel().tolist() == [1, 0, 0.5]


def test_one_alone_has_no_rate():
    assert np.isnan(win_rates(np.ones((1, 4)), np.ones(1, dtype=bool))).all()


def test_sums_in_another_order_are_equal():
    values = np.array([[0.1 + 0.2 + 0.3], [0.3 + 0.2 + 0.1]])
    assert values[0, 0] != values[1, 0]
    assert win_rates(values, np.ones(2, dtype=bool)).tolist() == [[0.5], [0.5]]


def test_they_are_mean_ranks_and_the_aggregations():
    rng = np.random.default_rng(1)
    values = rng.integers(0, 4, (6, 30)).astype(float)
    rates = win_rates(values, np.ones(6, dtype=bool)).mean(axis=1)
    ranks = rankdata(-values, axis=0).mean(axis=1)
    assert 1 + 5 * (1 - rates) == pytest.approx(ranks)
    preferred = np.sign(values[:, None] - values[None])
    for name, expected in (("WinRate", rates), ("Borda", 5 * rates), ("MeanRank", -ranks)):
        assert order_submissions(aggregations.bind(name), preferred).scores == pytest.approx(
            expected
        )
