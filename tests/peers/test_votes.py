"""Strengths from votes against choix, and against the arena's logistic regression."""

import ballots
import numpy as np
import pytest

from scorer.stats.bradley_terry import ELO, find_fit_problem, fit


def plain(seed, systems=5):
    """Votes without ties, which neither peer has."""
    rng = np.random.default_rng(seed)
    votes = ballots.made(rng, rng.normal(size=systems), 60, 5, tie=0.0)
    assert find_fit_problem(votes) is None
    return votes


@pytest.mark.parametrize("seed", range(3))
def test_strengths_without_ties_are_choixs(seed):
    choix = pytest.importorskip("choix")
    votes = plain(seed)
    pairs = list(zip(votes.winner.tolist(), votes.loser.tolist(), strict=True))
    for found in (choix.opt_pairwise(5, pairs), choix.mm_pairwise(5, pairs, tol=1e-10)):
        assert fit(votes).log == pytest.approx(found - found.mean(), abs=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_ratings_without_ties_are_those_of_a_logistic_regression(seed):
    """FastChat's fit: a row a vote, the logarithm of 10 at the first, its negative at the other."""
    linear = pytest.importorskip("sklearn.linear_model")
    votes = plain(seed)
    first = np.random.default_rng(seed).random(votes.tie.size) < 0.5
    a, b = np.where(first, (votes.winner, votes.loser), (votes.loser, votes.winner))
    rows = np.arange(a.size)
    table = np.zeros((a.size, 5))
    table[rows, a], table[rows, b] = np.log(10), -np.log(10)
    model = linear.LogisticRegression(fit_intercept=False, C=np.inf, tol=1e-8).fit(table, first)
    ratings = 400 * model.coef_[0]
    assert ELO * fit(votes).log == pytest.approx(ratings - ratings.mean(), abs=0.05)
