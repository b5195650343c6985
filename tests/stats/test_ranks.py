"""Ranks under resampling."""

import numpy as np
import pytest

from scorer.stats.ranks import rank_shares


def test_each_draw_gives_each_rank_once():
    drawn = np.random.default_rng(1).normal(size=(5, 200)) + np.arange(5)[:, None] / 2
    shares = rank_shares(drawn)
    assert shares.sum(axis=0) == pytest.approx(np.ones(5))
    assert shares.sum(axis=1) == pytest.approx(np.ones(5))
    ranks = (-drawn).argsort(axis=0).argsort(axis=0)
    wanted = [[(ranks[row] == rank).mean() for rank in range(5)] for row in range(5)]
    assert shares == pytest.approx(np.array(wanted))
    assert rank_shares(-drawn, "lower") == pytest.approx(shares)
    assert rank_shares(drawn, "lower") == pytest.approx(shares[:, ::-1])


def test_ties_share_their_ranks():
    drawn = np.array([[1.0, 1.0], [1.0 + 1e-16, 0.5], [0.0, 1.0]])
    shares = rank_shares(drawn)
    assert shares == pytest.approx(np.array([[0.5, 0.5, 0], [0.25, 0.25, 0.5], [0.25, 0.25, 0.5]]))


def test_what_has_no_value_is_last():
    drawn = np.array([[np.nan, 1.0], [0.0, 0.0]])
    assert rank_shares(drawn) == pytest.approx(np.array([[0.5, 0.5], [0.5, 0.5]]))
    assert rank_shares(np.empty((0, 5))).shape == (0, 0)
    assert rank_shares(np.empty((1, 0))).tolist() == [[0.0]]


def test_no_share_is_below_0():
    drawn = np.random.default_rng(1).integers(0, 3, (9, 50)).astype(float)  # many ties of three
    steps = rank_shares(drawn)
    assert not np.signbit(steps).any()
