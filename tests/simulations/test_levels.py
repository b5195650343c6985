"""Coverage of ranks in each list or group.

Rates at `SIMULATE` times as many boards stand in docs/statistics.md.
"""

import os

import numpy as np
import pytest
from scipy.stats import norm
from simulations.systems import board

TIMES = int(os.environ.get("SIMULATE", "1"))


GAINS = np.array([0.0, 0.1, 0.2, 0.5, 0.5])


def drawn(rng, gains, units, items, tasks=0.3):
    """The values of five systems in tasks of items, of which each system finds some harder."""
    own = gains[:, None] + tasks * rng.normal(size=(5, units))
    return np.repeat(own, items, axis=1) + rng.normal(size=(5, units * items))


def won(folder, rng, gains, each, units, items):
    """The report of systems that rank by their wins in each list, or group of lists."""
    rank_by = {"measures": ["value"], "each": each, "aggregate": "WinRate"}
    values = {"value": drawn(rng, gains, units, items)}
    groups = np.repeat(np.arange(units), items)
    return board(folder, values, ["value"], {"rank_by": rank_by, "draws": 200}, groups)


PLAN = pytest.mark.parametrize(
    ("each", "units", "items"),
    [("list", 50, 1), ("list", 200, 1), ("group", 8, 50), ("group", 20, 50)],
)


@pytest.mark.slow("simulates", beyond=1)
@PLAN
def test_intervals_of_win_rates_cover(each, units, items, rate, tmp_path):
    """Of the mean over other lists, or over other groups with as many lists."""
    rng, held, times = np.random.default_rng(units), 0, 30 * TIMES
    apart = np.subtract.outer(GAINS, GAINS) / np.sqrt(2 * (0.3**2 + 1 / items))
    true = (norm.cdf(apart).sum(axis=1) - 0.5) / 4
    for _ in range(times):
        report = won(tmp_path, rng, GAINS, each, units, items)
        ends = np.array([report.interval(f"s{n}") for n in range(5)])
        held += int(((ends[:, 0] <= true) & (true <= ends[:, 1])).sum())
    where = f"5 systems, ranks in each {each}"
    rate("interval of a win rate", where, units, held, 5 * times, least=0.93)


@pytest.mark.slow("simulates", beyond=1)
@PLAN
def test_equal_win_rates_are_not_found_to_differ(each, units, items, rate, tmp_path):
    rng, found, times = np.random.default_rng([units, 1]), 0, 30 * TIMES
    for _ in range(times):
        report = won(tmp_path, rng, np.zeros(5), each, units, items)
        found += any(row.ranks != (1, 5) for row in report.leaderboard)
    where = f"5 equal systems, ranks in each {each}"
    rate("any false difference of 5 win rates", where, units, found, times, most=0.06)
