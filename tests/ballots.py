"""Votes on pairs of systems, made at random."""

import csv

import numpy as np

from scorer.stats.bradley_terry import Votes


def outcomes(rng, ahead, tie):
    """1 where the first wins, -1 where the second does, else 0, by how far it is ahead."""
    odds = np.stack([np.exp(ahead / 2), np.full(ahead.size, tie), np.exp(-ahead / 2)])
    drawn = rng.random(ahead.size) * odds.sum(axis=0)
    return 1 - (drawn[None] > np.cumsum(odds, axis=0)[:2]).sum(axis=0)


def cast(rng, log, prompts, each, tie=0.6, effect=0.0):
    """`each` votes on each prompt, on which strengths are moved at random by `effect`."""
    prompt, systems = np.repeat(np.arange(prompts), each), len(log)
    a = rng.integers(systems, size=prompt.size)
    b = (a + rng.integers(1, systems, size=prompt.size)) % systems
    own = np.asarray(log) + effect * rng.normal(size=(prompts, systems))
    return a, b, outcomes(rng, own[prompt, a] - own[prompt, b], tie), prompt


def votes_of(systems, a, b, outcome, prompt):
    first = outcome >= 0
    winner, loser = np.where(first, a, b), np.where(first, b, a)
    return Votes(systems, winner, loser, outcome == 0, prompt)


def made(rng, log, prompts, each, **rest):
    return votes_of(len(log), *cast(rng, log, prompts, each, **rest))


def table(path, *rows, head="a,b,winner"):
    """A file of votes, a text a row."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(head.split(","))
        writer.writerows(row.split(",") for row in rows)
    return path
