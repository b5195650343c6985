"""What a board says of its first, of all submissions at once, and of groups, where it is known.

Rates at `SIMULATE` times as many boards stand in docs/statistics.md.
"""

import os

import numpy as np
import pytest

from scorer.challenge.leaderboard import Leaderboard
from scorer.leaderboard.certainty import _of_each
from scorer.leaderboard.figures import Figures
from scorer.leaderboard.samples import _of_figures, _OfLists
from scorer.stats.aggregate import Aggregate, Level, combined
from scorer.stats.intervals import Scale

TIMES = int(os.environ.get("SIMULATE", "1"))


def smooth(rng, submissions, lists):
    """Values of a mean of .4 that share how hard lists are."""
    values = 0.5 * rng.beta(2, 3, lists) + 0.5 * rng.beta(2, 3, (submissions, lists))
    return values, 0.4


def right(rng, submissions, lists):
    return (rng.random((submissions, lists)) < 0.8).astype(float), 0.8


def skew(rng, submissions, lists):
    return rng.exponential(size=(submissions, lists)), 1.0


# All submissions, and the first


@pytest.mark.slow("simulates", beyond=1)
@pytest.mark.parametrize(("of", "least"), [(smooth, 0.94), (right, 0.94), (skew, None)])
@pytest.mark.parametrize("lists", [20, 100])
def test_joint_intervals_hold_together(of, least, lists, rate):
    """Of 50 equal submissions; means of skew values are what they are, and the page says it."""
    held = first = alone = 0
    each = Leaderboard(intervals="joint")
    for seed in range(50 * TIMES):
        values, true = of(np.random.default_rng([seed, lists]), 50, lists)
        sample = _OfLists(values, scale=Scale((0, None) if of is skew else (0, 1)))
        joint, single = (np.array(sample.intervals(r)) for r in (_of_each(each, 50), Leaderboard()))
        best = values.mean(axis=1).argmax()
        inside, by_itself = ((e[:, 0] <= true) & (true <= e[:, 1]) for e in (joint, single))
        held, first, alone = held + inside.all(), first + inside[best], alone + by_itself[best]
    where = {"smooth": "values of 0 to 1", "right": "0/1 values", "skew": "exponential values"}
    where, times = f"50 equal submissions, {where[of.__name__]}", 50 * TIMES
    rate("all joint intervals", where, lists, held, times, least=least)
    rate("joint interval of the first", where, lists, first, times, least=least)
    rate("interval of the first by itself", where, lists, alone, times)


# Groups


def grouped(values, codes, name="mean"):
    """Submissions whose value is an aggregate of fixed groups' means."""
    count, (submissions, lists) = codes.max() + 1, values.shape
    sums = np.zeros((submissions, lists, count, 2))
    sums[:, np.arange(lists), codes, 0], sums[:, np.arange(lists), codes, 1] = values, 1
    level = Level(Aggregate(name), None, np.zeros(count, dtype=np.int64))

    def of(drawn):
        totals = drawn.reshape(-1, count, 2)
        figures = totals[..., 0] / np.maximum(totals[..., 1], 1e-300)
        return combined(figures, totals[..., 1], [level])

    flat = sums.reshape(submissions, lists, -1)
    made = Figures(np.ones(values.shape, dtype=bool), (), flat, of, strata=codes)
    return _of_figures(made, None, None, Scale(figure=True))


GROUPS = {
    "30, 30 and 3 lists": (30, 30, 3),
    "three of 10 lists and one of 2": (10, 10, 10, 2),
    "30 of 2 lists": (2,) * 30,
    "5 to 60": range(5, 65, 5),
}


@pytest.mark.slow("simulates", beyond=1)
@pytest.mark.parametrize("name", GROUPS)
def test_intervals_of_fixed_groups_cover(name, rate):
    """Groups of unlike means, lists drawn within each."""
    sizes, held = list(GROUPS[name]), 0
    codes, means = np.repeat(np.arange(len(sizes)), sizes), 1 + np.arange(len(sizes)) / 4
    values = np.random.default_rng(1).gamma(4, 0.25, (150 * TIMES, codes.size)) * means[codes]
    for low, high in grouped(values, codes).intervals(Leaderboard()):
        held += low <= means.mean() <= high
    rate("interval of a mean of groups", name, codes.size, held, 150 * TIMES, least=0.92)


@pytest.mark.slow("simulates", beyond=1)
@pytest.mark.parametrize("groups", [6, 12, 30])
def test_intervals_of_random_groups_cover(groups, rate):
    """`unit: group`: groups are a sample, and vary themselves."""
    held, codes = 0, np.repeat(np.arange(groups), 10)
    rng = np.random.default_rng(groups)
    shape = (150 * TIMES, groups)
    effect = rng.gamma(4, 0.25, shape)[:, codes]
    values = effect * rng.exponential(1, (shape[0], codes.size))
    for low, high in _OfLists(values, codes, "groups").intervals(Leaderboard()):
        held += low <= 1 <= high
    rate("interval of a mean, `unit: group`", f"{groups} random groups", codes.size, held,
         150 * TIMES, least=0.92)  # fmt: skip
