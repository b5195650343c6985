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


def drawn(rng, units, items, tasks=0.3):
    """The values of five systems in tasks of items, of which each system finds some harder."""
    own = GAINS[:, None] + tasks * rng.normal(size=(5, units))
    return np.repeat(own, items, axis=1) + rng.normal(size=(5, units * items))


@pytest.mark.slow("simulates", beyond=1)
@pytest.mark.parametrize(
    ("each", "units", "items"), [("list", 50, 1), ("list", 200, 1), ("group", 8, 50),
                                 ("group", 20, 50)],
)  # fmt: skip
def test_intervals_of_win_rates_cover(each, units, items, rate, tmp_path):
    """Of the mean over other lists, or over other groups with as many lists."""
    rng, held, false, times = np.random.default_rng(units), 0, 0, 30 * TIMES
    apart = np.subtract.outer(GAINS, GAINS) / np.sqrt(2 * (0.3**2 + 1 / items))
    true = (norm.cdf(apart).sum(axis=1) - 0.5) / 4
    rank_by = {"measures": ["value"], "each": each, "aggregate": "WinRate"}
    groups = np.repeat(np.arange(units), items)
    for _ in range(times):
        columns = {"value": drawn(rng, units, items)}
        report = board(tmp_path, columns, ["value"], {"rank_by": rank_by, "draws": 200}, groups)
        ends = np.array([report.interval(f"s{n}") for n in range(5)])
        held += int(((ends[:, 0] <= true) & (true <= ends[:, 1])).sum())
        false += report.p("s3", "s4") <= 0.05
    where = f"5 systems, ranks in each {each}"
    rate("interval of a win rate", where, units, held, 5 * times, least=0.93)
    rate("false difference of win rates", where, units, false, times, most=0.06)
