"""Boards of votes: intervals and tests where the votes on a prompt hang together."""

import os
from functools import cache

import ballots
import numpy as np
import polars as pl
import pytest

import scorer
from scorer.stats.bradley_terry import ELO, find_fit_problem, fit

pytestmark = pytest.mark.slow("a simulation")

TIMES = int(os.environ.get("SIMULATE", "0")) or 0.5  # half as many in `make test-all`
EFFECT = 0.8  # how far a prompt moves each strength
SCENES = [(5, 20, 10), (5, 100, 4), (10, 100, 10)]  # systems, prompts, votes on each


@cache
def ratings(systems, wide):
    """The ratings over all prompts of the sort."""
    rng, log = np.random.default_rng(99), wide * np.linspace(-1, 1, systems)
    return 1000 + ELO * fit(ballots.made(rng, log, 100_000, 2, effect=EFFECT)).log


def boards(times, systems, prompts, each, wide, alone=False):
    """The systems' standings, each named by its number; `alone`: each vote a prompt of its own."""
    for seed in range(times):
        rng, log = (
            np.random.default_rng([seed, systems, prompts]),
            wide * np.linspace(-1, 1, systems),
        )
        a, b, outcome, prompt = ballots.cast(rng, log, prompts, each, effect=EFFECT)
        if find_fit_problem(ballots.votes_of(systems, a, b, outcome, prompt)) is not None:
            continue
        names = np.array([str(n) for n in range(systems)])
        winner = np.where(outcome > 0, names[a], np.where(outcome < 0, names[b], "tie"))
        votes = {"a": names[a], "b": names[b], "winner": winner}
        if not alone:
            votes["list"] = [f"p{n}" for n in prompt]
        yield scorer.votes(pl.DataFrame(votes), draws=200).leaderboard


@pytest.mark.parametrize(("systems", "prompts", "each"), SCENES)
def test_intervals_of_ratings_hold(systems, prompts, each, rate):
    true = ratings(systems, 1.0)
    for alone, least in ((False, 0.93), (True, None)):
        held = times = 0
        for rows in boards(int(30 * TIMES), systems, prompts, each, 1.0, alone):
            held += sum(r.interval[0] <= true[int(r.name)] <= r.interval[1] for r in rows)
            times += systems
        where = f"{systems} systems, {each} votes on a prompt{', drawn alone' * alone}"
        rate("interval of a rating", where, prompts, held, times, least=least)


@pytest.mark.parametrize(("systems", "prompts", "each"), SCENES)
def test_equal_systems_are_not_found_to_differ(systems, prompts, each, rate):
    found = times = 0
    for rows in boards(int(40 * TIMES), systems, prompts, each, 0.0):
        found += any(row.ranks != (1, systems) for row in rows)
        times += 1
    where = f"{systems} equal systems, {each} votes on a prompt"
    rate(f"any false difference of {systems} ratings", where, prompts, found, times, most=0.05)
