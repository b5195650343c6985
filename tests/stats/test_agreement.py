"""Discriminative power, and the agreement of orders."""

import numpy as np
import pytest

from scorer.metrics.orders import tauap
from scorer.stats.agreement import ap_correlation, separated
from scorer.views.ranked import Judged


def down(order, other):
    """AP correlation as the metric has it: the items of one order, against grades by the other."""
    items = [f"i{n}" for n in np.argsort(order)]
    grades = {f"i{n}": float(-rank) for n, rank in enumerate(other)}
    return tauap(Judged.of((items, grades))).values()[0]


def test_ap_correlation_is_the_metric_in_both_directions():
    random = np.random.default_rng(1)
    for _ in range(5):
        one, other = random.permutation(7) + 1, random.permutation(7) + 1
        assert ap_correlation(one, other) == pytest.approx(
            (down(one, other) + down(other, one)) / 2
        )


@pytest.mark.parametrize(
    ("one", "other", "value"),
    [
        ([1, 2, 3], [1, 2, 3], 1),
        ([1, 2, 3], [3, 2, 1], -1),
        ([1, 2, 2, 4], [1, 2, 2, 4], 1),
        # 2 (1 + 1 + 1) / 3 - 1 = 1 down the first; 2 (1 + .75 + 1) / 3 - 1 down the second
        ([1, 2, 2, 4], [1, 2, 3, 4], (1 + (2 * 2.75 / 3 - 1)) / 2),
        ([1, 1, 1], [1, 2, 3], np.nan),
    ],
)
def test_ranks_that_are_shared(one, other, value):
    found = ap_correlation(np.array(one), np.array(other))
    assert found == pytest.approx(value, nan_ok=True)


def test_the_top_weighs_more():
    official = np.arange(1, 9)
    top, bottom = official.copy(), official.copy()
    top[:2], bottom[-2:] = [2, 1], [8, 7]
    assert ap_correlation(official, top) < ap_correlation(official, bottom) < 1


def test_separated_counts_pairs_once():
    p = np.array([[1.0, 0.05, 0.5], [0.05, 1.0, 0.01], [0.5, 0.01, 1.0]])
    assert separated(p, 0.05) == (2, 3)
    assert separated(np.ones((1, 1)), 0.05) == (0, 0)
