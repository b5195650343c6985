"""Coverage of ranks in each list or group.

Rates at `SIMULATE` times as many boards stand in docs/statistics.md.
"""

import os

import numpy as np
import pytest
from scipy.stats import norm

from scorer.challenge.leaderboard import Leaderboard
from scorer.leaderboard.samples import _OfLists
from scorer.stats.intervals import Scale
from scorer.stats.wins import win_rates

TIMES = int(os.environ.get("SIMULATE", "1"))


GAINS = np.array([0.0, 0.1, 0.2, 0.5, 0.5])


def won(rng, units, items, tasks=0.3):
    """The wins of five systems in tasks of items, of which each system finds some harder."""
    own = GAINS[:, None] + tasks * rng.normal(size=(5, units))
    seen = own + rng.normal(size=(5, units)) / np.sqrt(items)
    return win_rates(seen, np.ones(5, dtype=bool))


@pytest.mark.slow("simulates", beyond=1)
@pytest.mark.parametrize(
    ("each", "units", "items"), [("list", 50, 1), ("list", 200, 1), ("group", 8, 50),
                                 ("group", 20, 50)],
)  # fmt: skip
def test_intervals_of_win_rates_cover(each, units, items, rate):
    """Of the mean over other lists, or over other groups with as many lists."""
    rng, held, false, times = np.random.default_rng(units), 0, 0, 30 * TIMES
    apart = np.subtract.outer(GAINS, GAINS) / np.sqrt(2 * (0.3**2 + 1 / items))
    true = (norm.cdf(apart).sum(axis=1) - 0.5) / 4
    for _ in range(times):
        sample = _OfLists(won(rng, units, items), scale=Scale((0, 1)))
        ends = np.array(sample.intervals(Leaderboard()))
        held += int(((ends[:, 0] <= true) & (true <= ends[:, 1])).sum())
        false += sample.of(np.array([3, 4])).tests(Leaderboard(draws=200)).p[0, 1] <= 0.05
    where = f"5 systems, ranks in each {each}"
    rate("interval of a win rate", where, units, held, 5 * times, least=0.93)
    rate("false difference of win rates", where, units, false, times, most=0.06)
