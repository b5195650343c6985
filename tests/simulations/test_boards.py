"""What a board says of its first, and of groups, where it is known.

Rates at `SIMULATE` times as many boards stand in docs/statistics.md.
"""

import os

import numpy as np
import polars as pl
import pytest
from simulations.systems import board

import scorer

TIMES = int(os.environ.get("SIMULATE", "1"))


def smooth(rng, submissions, lists):
    """Values of a mean of .4 that share how hard lists are."""
    values = 0.5 * rng.beta(2, 3, lists) + 0.5 * rng.beta(2, 3, (submissions, lists))
    return values, 0.4


def right(rng, submissions, lists):
    return (rng.random((submissions, lists)) < 0.8).astype(float), 0.8


def skew(rng, submissions, lists):
    return rng.exponential(size=(submissions, lists)), 1.0


@pytest.mark.slow("scores many boards")
@pytest.mark.parametrize("of", [smooth, right, skew])
@pytest.mark.parametrize("lists", [20, 100])
def test_the_interval_of_the_first_of_many_holds_less_often(of, lists, rate, tmp_path):
    """Of 50 equal submissions; no rate is asked for, and the page says it."""
    held = 0
    called = "value" if of is skew else "Accuracy"  # which is known to lie between 0 and 1
    for seed in range(50 * TIMES):
        values, true = of(np.random.default_rng([seed, lists]), 50, lists)
        cases = [f"c{n}" for n in range(lists)]
        systems = {
            f"s{n}": pl.DataFrame({"case": cases, called: row}) for n, row in enumerate(values)
        }
        report = scorer.values(systems, leaderboard={"tiers": False})
        low, high = report.interval(f"s{values.mean(axis=1).argmax()}")
        held += low <= true <= high
    where = {"smooth": "values of 0 to 1", "right": "0/1 values", "skew": "exponential values"}
    where = f"50 equal submissions, {where[of.__name__]}"
    rate("interval of the first by itself", where, lists, held, 50 * TIMES)


# Groups


GROUPS = {
    "30, 30 and 3 lists": (30, 30, 3),
    "three of 10 lists and one of 2": (10, 10, 10, 2),
    "30 of 2 lists": (2,) * 30,
    "5 to 60": range(5, 65, 5),
}


@pytest.mark.slow("simulates", beyond=1)
@pytest.mark.parametrize("name", GROUPS)
def test_intervals_of_fixed_groups_cover(name, rate, tmp_path):
    """Groups of unlike means, lists drawn within each."""
    sizes, held = list(GROUPS[name]), 0
    codes, means = np.repeat(np.arange(len(sizes)), sizes), 1 + np.arange(len(sizes)) / 4
    values = np.random.default_rng(1).gamma(4, 0.25, (150 * TIMES, codes.size)) * means[codes]
    metrics = [{"metric": "value", "average": "group"}]
    report = board(tmp_path, {"value": values}, metrics, {"tiers": False}, groups=codes)
    for standing in report.leaderboard:
        low, high = standing.interval
        held += low <= means.mean() <= high
    rate("interval of a mean of groups", name, codes.size, held, 150 * TIMES, least=0.92)


@pytest.mark.slow("simulates", beyond=1)
@pytest.mark.parametrize("groups", [6, 12, 30])
def test_intervals_of_random_groups_cover(groups, rate, tmp_path):
    """`unit: group`: groups are a sample, and vary themselves."""
    held, codes = 0, np.repeat(np.arange(groups), 10)
    rng = np.random.default_rng(groups)
    shape = (150 * TIMES, groups)
    effect = rng.gamma(4, 0.25, shape)[:, codes]
    values = effect * rng.exponential(1, (shape[0], codes.size))
    metrics = [{"metric": "value", "average": "group", "unit": "group"}]
    report = board(tmp_path, {"value": values}, metrics, {"tiers": False}, groups=codes)
    for standing in report.leaderboard:
        low, high = standing.interval
        held += low <= 1 <= high
    rate("interval of a mean, `unit: group`", f"{groups} random groups", codes.size, held,
         150 * TIMES, least=0.92)  # fmt: skip
