"""Strengths from votes, against a plain search for the greatest likelihood."""

import ballots
import numpy as np
import pytest
from scipy import optimize

from scorer.stats.bradley_terry import Votes, find_fit_problem, fit, pseudo_values


def of(systems, *rows):
    """Votes `(winner, loser)`, or `(one, other, "tie")`, each on a prompt of its own."""
    winner, loser = (np.array([row[n] for row in rows]) for n in (0, 1))
    tie = np.array([len(row) == 3 for row in rows])
    return Votes(systems, winner, loser, tie, np.arange(len(rows)))


def searched(votes, weights=None):
    """Strengths and ν by a general optimiser; each vote counts as its weight."""
    weights = np.ones(votes.tie.size) if weights is None else weights

    def loss(at):
        half = (at[votes.winner] - at[votes.loser]) / 2
        shares = np.stack([np.exp(half), np.exp(-half), np.full(half.size, np.exp(at[-1]))])
        own = np.where(votes.tie, shares[2], shares[0]) / shares.sum(axis=0)
        return -(weights * np.log(own)).sum() + at[:-1].sum() ** 2

    start = np.append(np.zeros(votes.systems), 0.0 if votes.tie.any() else -50.0)
    found = optimize.minimize(loss, start, tol=1e-10).x
    return found[:-1] - found[:-1].mean(), np.exp(found[-1])


@pytest.mark.slow("searches", beyond=3)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("tie", [0.0, 0.3, 2.0])
def test_strengths_have_the_greatest_likelihood(seed, tie):
    rng = np.random.default_rng(seed)
    votes = ballots.made(rng, rng.normal(size=4), 30, 5, tie=tie)
    found, (log, ties) = fit(votes), searched(votes)
    assert found.log == pytest.approx(log, abs=1e-4)
    assert found.tie == pytest.approx(ties, abs=1e-4)
    assert (found.tie == 0) == (tie == 0)


def test_two_systems_have_the_odds_of_their_votes():
    """With w wins, l losses and t ties: π₁ / π₂ = w / l, and ν = t / √(w l)."""
    votes = of(2, *[(0, 1)] * 9, *[(1, 0)] * 4, *[(0, 1, "tie")] * 6)
    found = fit(votes)
    assert found.log[0] - found.log[1] == pytest.approx(np.log(9 / 4))
    assert found.tie == pytest.approx(6 / 6)
    won, tied = found.probabilities()
    assert won[0, 1] == pytest.approx(9 / 19)
    assert tied[0, 1] == pytest.approx(6 / 19)
    assert found.scores() == pytest.approx([12 / 19, 7 / 19])


def test_the_error_by_pseudo_values_is_that_of_refits_of_weighted_prompts():
    """Rubin's Bayesian bootstrap: each prompt has a random weight, with all of its votes."""
    rng = np.random.default_rng(2)
    votes = ballots.made(rng, [0.8, 0.3, 0.0, -1.1], 120, 4, effect=0.7)
    whole = fit(votes)
    values = pseudo_values(votes, whole, 1)
    assert values.shape == (4, 120)
    assert values.mean(axis=1) == pytest.approx(whole.log)
    weights = rng.standard_exponential((120, 60))
    refits = np.array([searched(votes, weights[votes.prompt, n])[0] for n in range(60)])
    error = values.std(axis=1, ddof=1) / np.sqrt(120)
    assert refits.std(axis=0, ddof=1) == pytest.approx(error, rel=0.3)


def test_votes_on_one_prompt_are_one_observation():
    """Each vote five times is no more than once, if the prompt is the same."""
    rng = np.random.default_rng(4)
    once = ballots.made(rng, [0.5, 0.0, -0.5], 60, 1)
    columns = (once.winner, once.loser, once.tie, once.prompt)
    many = Votes(3, *(np.tile(column, 5) for column in columns))
    assert pseudo_values(many, fit(many), 1) == pytest.approx(pseudo_values(once, fit(once), 1))


@pytest.mark.parametrize(
    ("votes", "why", "groups"),
    [
        (of(4, (0, 1), (1, 0), (2, 3), (3, 2)), "disconnected", ((0, 1), (2, 3))),
        (of(3, (0, 1), (0, 2), (1, 2), (2, 1)), "dominated", ((0,), (1, 2))),
        (of(4, (1, 0), (2, 1), (2, 3), (3, 2)), "dominated", ((2, 3), (1,), (0,))),
        (of(2, (0, 1, "tie"), (1, 0, "tie")), "all_ties", ()),
        (of(2, (0, 1), (0, 1, "tie")), "ties_exceed_wins", ()),
        (of(3, (0, 1), (1, 2), (0, 2, "tie"), (1, 2, "tie"), (0, 1, "tie")), None, ()),
        (of(3, (0, 1), (1, 2, "tie"), (0, 2, "tie")), "ties_exceed_wins", ()),
        (of(2, (0, 1), (1, 0)), None, ()),
        (of(2, (0, 1), (1, 0), (0, 1, "tie")), None, ()),
        (of(3, (0, 1), (1, 2), (2, 0)), None, ()),
    ],
)
def test_what_finite_strengths_need(votes, why, groups):
    found = find_fit_problem(votes)
    assert (found and found.why) == why
    if found is not None:
        assert found.groups == groups
    else:
        assert np.abs(fit(votes).log).max() < 10


def endless(votes):
    """Whether the likelihood grows for ever in some direction, by a linear program."""
    rows = []
    for winner, loser, tie in zip(votes.winner, votes.loser, votes.tie, strict=True):
        ahead = np.zeros(votes.systems + 1)
        ahead[winner], ahead[loser] = 1, -1
        equal = np.eye(votes.systems + 1)[-1] * votes.tie.any()
        rows += [equal - ahead, equal + ahead] if tie else [ahead, ahead - equal]
    slack = np.array(rows)
    found = optimize.linprog(-slack.sum(axis=0), -slack, np.zeros(len(rows)), bounds=(-1, 1))
    return found.fun < -1e-9


@pytest.mark.slow("solves many linear programs")
def test_strengths_are_finite_exactly_where_nothing_stands_in_the_way():
    seen = set()
    for seed in range(60):
        rng = np.random.default_rng(seed)
        votes = ballots.made(rng, 2 * rng.normal(size=3), 1, int(rng.integers(3, 9)))
        found = find_fit_problem(votes)
        if found is None or found.why in ("dominated", "ties_exceed_wins"):
            assert endless(votes) == (found is not None), seed
        seen.add(found and found.why)
    assert seen >= {None, "dominated", "ties_exceed_wins"}
