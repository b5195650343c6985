"""Tiers of standings, and ranges of ranks."""

import numpy as np
import pytest
from samples import sample

from scorer.stats.paired import paired_tests
from scorer.stats.ranks import rank_ranges, tiers


def symmetric(count, significant):
    p = np.ones((count, count))
    for a, b in significant:
        p[a, b] = p[b, a] = 0.01
    return p


def upward(count):
    """What leads where rows stand best first."""
    return np.sign(np.subtract.outer(np.arange(count), np.arange(count))) * -1


@pytest.mark.parametrize(
    ("count", "significant", "placed"),
    [
        (0, [], []),
        (1, [], [1]),
        (3, [], [1, 1, 1]),
        (3, [(0, 1), (0, 2), (1, 2)], [1, 2, 3]),
        (4, [(0, 2), (0, 3)], [1, 1, 1, 1]),
        (4, [(0, 2), (0, 3), (1, 2), (1, 3)], [1, 1, 2, 2]),
        (3, [(0, 1), (0, 2)], [1, 2, 2]),
    ],
)
def test_tiers(count, significant, placed):
    assert tiers(symmetric(count, significant), upward(count)) == placed


@pytest.mark.parametrize("seed", range(20))
def test_all_above_a_border_differ_from_all_below(seed):
    rng = np.random.default_rng(seed)
    count = 7
    p = np.where(rng.random((count, count)) < 0.8, 0.01, 1.0)
    p = np.triu(p, 1) + np.triu(p, 1).T + np.eye(count)
    lead = upward(count)
    better = (p <= 0.05) & (lead > 0)
    borders = [bool(better[:n, n:].all()) for n in range(1, count)]
    wanted = np.cumsum([1, *borders]).tolist()
    assert tiers(p, lead) == wanted


def test_a_tier_does_not_hold_one_that_the_next_is_better_than():
    """The direction counts: the first of the board is significantly worse than the others."""
    p, lead = symmetric(3, [(0, 1), (0, 2), (1, 2)]), upward(3)
    lead[0, 1:], lead[1:, 0] = -1, 1
    assert tiers(p, lead) == [1, 1, 1]
    assert rank_ranges(p, lead) == [(3, 3), (1, 1), (2, 2)]


def test_a_pair_without_p_does_not_differ():
    p = symmetric(3, [(0, 2)])
    p[0, 1] = p[1, 0] = p[1, 2] = p[2, 1] = np.nan
    assert tiers(p, upward(3)) == [1, 1, 1]
    assert rank_ranges(p, upward(3)) == [(1, 2), (1, 3), (2, 3)]


def test_alpha_itself_is_significant():
    p = np.array([[1, 0.05], [0.05, 1]])
    assert tiers(p, upward(2), 0.05) == [1, 2]
    assert tiers(p, upward(2), 0.049) == [1, 1]
    assert rank_ranges(p, np.array([[0, 1], [-1, 0]]), 0.05) == [(1, 1), (2, 2)]


def test_rank_ranges():
    means = np.array([0.9, 0.8, 0.7, 0.1])
    p = symmetric(4, [(0, 2), (0, 3), (1, 3), (2, 3)])
    lead = np.subtract.outer(means, means)
    assert rank_ranges(p, lead) == [(1, 2), (1, 3), (2, 3), (4, 4)]
    assert rank_ranges(p, -lead) == [(3, 4), (2, 4), (2, 3), (1, 1)]
    assert rank_ranges(p, lead, alpha=0.001) == [(1, 4)] * 4


def test_rank_ranges_hold_the_rank():
    values = sample(8, 60)
    values = values[np.argsort(-values.mean(axis=1))]
    made = paired_tests(values, draws=1000)
    for rank, (best, worst) in enumerate(rank_ranges(made.p, made.lead), start=1):
        assert best <= rank <= worst
