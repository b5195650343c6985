"""Lists that depend on each other by their groups and by their clusters."""

import numpy as np
import pytest
from scipy import stats

from scorer.challenge.leaderboard import Leaderboard
from scorer.leaderboard.by_t import _OfCrossed
from scorer.stats.crossed import crossed_error, crossing, group_weights, paired_crossed

GROUPS = np.repeat(np.arange(4), 3)
INSIDE, ACROSS = np.arange(12) // 2 + GROUPS, np.tile(np.arange(3), 4)


def values(rows=1):
    return np.random.default_rng(1).normal(size=(rows, 12))


def test_what_runs_across():
    assert crossing(GROUPS, ACROSS)
    assert not crossing(GROUPS, np.arange(12))
    assert not crossing(GROUPS, GROUPS)


def test_clusters_within_groups_add_nothing():
    """What lists inside vary by is part of how the means of groups do."""
    of, every = values() + GROUPS, np.ones(12, dtype=bool)
    (error,), freedom = crossed_error(of, group_weights(GROUPS, every), GROUPS, np.arange(12))
    means = of.reshape(4, 3).mean(axis=1)
    assert error == pytest.approx(stats.sem(means))
    assert freedom == 3


def test_by_groups_and_by_clusters_less_by_both():
    """By hand: sums of moves of rows, of columns and of cells of a table of 4 by 3."""
    of = values() + 2 * GROUPS + 2 * ACROSS
    (error,), freedom = crossed_error(of, np.ones(12), GROUPS, ACROSS)
    moves = ((of - of.mean()) / 12).reshape(4, 3)
    by = [(moves.sum(axis=1) ** 2).sum() * 4 / 3, (moves.sum(axis=0) ** 2).sum() * 3 / 2]
    expected = sum(by) - (moves**2).sum() * 12 / 11
    assert expected > max(by)
    assert error == pytest.approx(np.sqrt(expected))
    assert freedom == 2


def test_no_less_than_by_either():
    moves = np.where((GROUPS + ACROSS) % 2, 1.0, -1.0)[None]  # which no group or cluster has
    (error,), _ = crossed_error(moves, np.ones(12), GROUPS, ACROSS)
    assert error > 0


def test_pairs():
    of = values(3) + ACROSS
    of[2] = of[0]
    tests = paired_crossed(of, GROUPS, ACROSS, by_group=True, alone=0.95)
    assert tests.p[0, 2] == 1
    assert tests.lead[0, 2] == 0
    assert tests.difference[0, 1] == pytest.approx(of[0].mean() - of[1].mean())
    assert tests.p[0, 1] == pytest.approx(tests.p[1, 2])  # Holm's step for the second is no less
    assert tests.margin[0, 1] > tests.alone[0, 1]
    assert tests.pairs == 3
    control = paired_crossed(of, GROUPS, ACROSS, by_group=True, control=True)
    assert control.pairs == 2
    assert np.isnan(control.p[1, 2])


def test_lists_that_both_have():
    of = values(2)
    of[0, :3] = np.nan  # all of a group
    tests = paired_crossed(of, GROUPS, ACROSS, by_group=True)
    assert tests.lists[0, 1] == 9
    assert tests.difference[0, 1] == pytest.approx((of[0] - of[1])[3:].mean())
    of[0, :9] = np.nan
    assert np.isnan(paired_crossed(of, GROUPS, ACROSS, by_group=True).p[0, 1])


def test_ends_stay_within_bounds():
    of = np.tile(np.array([1.0, 1.0, 0.0]), 4)[None]
    ((low, high),) = _OfCrossed(of, GROUPS, ACROSS, True, (0, 1)).intervals(Leaderboard())
    assert (low, high) == (0, 1)
    one = np.zeros(12, dtype=np.int64)
    assert _OfCrossed(of, one, ACROSS, True).intervals(Leaderboard()) == [None]
