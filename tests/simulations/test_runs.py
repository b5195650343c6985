"""Coverage and false finds of means over cases and runs, where the truth is known.

Rates at `SIMULATE` times as many boards stand in docs/statistics.md.
"""

import os

import numpy as np
import pytest

from scorer.stats.intervals import intervals
from scorer.stats.repeats import analyse_runs, paired_runs, runs_interval

TIMES = int(os.environ.get("SIMULATE", "1"))
# deviations of cases, of runs and of the rest: seeds that hardly matter, that do, and that decide
SPREADS = {"little": (1.0, 0.05, 0.5), "as cases": (0.5, 0.1, 0.5), "most of all": (0.3, 0.5, 0.5)}


def values(rng, runs, cases, spread):
    of_cases, of_runs, rest = SPREADS[spread]
    shared = of_cases * rng.normal(size=cases) + of_runs * rng.normal(size=(runs, 1))
    return shared + rest * rng.normal(size=(runs, cases))


@pytest.mark.slow("simulates", beyond=1)
@pytest.mark.parametrize("runs", [2, 3, 5, 10])
@pytest.mark.parametrize("spread", SPREADS)
def test_intervals_of_runs_cover(spread, runs, rate):
    rng, times, cases = np.random.default_rng(runs), 200 * TIMES, 40
    held = alone = 0
    for _ in range(times):
        drawn = values(rng, runs, cases, spread)
        low, high = runs_interval(analyse_runs(drawn), 0.95)
        held += low <= 0 <= high
        (first,) = intervals(drawn.mean(axis=0)[None])
        alone += first.low <= 0 <= first.high
    where = f"{runs} runs, which vary {spread}"
    least = 0.93 if runs > 2 else None  # two runs do not say how far runs vary
    rate("interval of a mean over runs", where, cases, held, times, least=least)
    rate("the same over cases alone", where, cases, alone, times)


@pytest.mark.slow("simulates", beyond=1)
@pytest.mark.parametrize("runs", [3, 10])
def test_differences_of_runs(runs, rate):
    """Of systems that share how hard cases are, and have runs of their own."""
    found, times, cases = 0, 60 * TIMES, 40
    for seed in range(times):
        rng = np.random.default_rng([seed, runs])
        shared = rng.normal(size=cases)
        systems = [analyse_runs(shared + values(rng, runs, cases, "as cases")) for _ in range(5)]
        p = paired_runs(systems, 5, cases).p
        found += bool((p[np.triu_indices(5, 1)] <= 0.05).any())
    rate("any false difference of 5 of several runs", f"{runs} runs of each", cases, found, times,
         most=0.06)  # fmt: skip
