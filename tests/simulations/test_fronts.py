"""How often a board says of none that no other one truly dominates that it is dominated."""

import os

import numpy as np
import pytest

from scorer.stats.paired import paired
from scorer.stats.pareto import MeasureTests, surely_dominates

TIMES = int(os.environ.get("SIMULATE", "1"))
SUBMISSIONS = 8


def smooth(rng, lists):
    return rng.normal(size=(SUBMISSIONS, lists)) + rng.normal(size=lists)


def right(rng, lists):
    return (rng.random((SUBMISSIONS, lists)) < 0.8).astype(float)


def skew(rng, lists):
    """Half of them with a long tail of high values, half with one of low values."""
    values = rng.exponential(size=(SUBMISSIONS, lists))
    values[::2] = 2 - values[::2]
    return values


def of_pairs(values):
    tests = paired(values, draws=400)
    same = np.array([[np.array_equal(a, b) for b in values] for a in values])
    return MeasureTests(tests.p, tests.lead > 0, same)


@pytest.mark.slow("simulates", beyond=1)
@pytest.mark.parametrize("lists", [20, 100])
@pytest.mark.parametrize("of", [smooth, right, skew])
@pytest.mark.parametrize("answers", [1, 0], ids=["a measure and an answer", "two measures"])
def test_who_is_undominated_stays_so(answers, of, lists, rate, request):
    """Equal measures, the limit of being undominated: each dearer one is better by nearly nothing.

    Of two measures the second falls by two errors from each submission to the next as the first
    stays, so that no claim is right.
    """
    held, times = 0, 40 * TIMES
    for seed in range(times):
        rng = np.random.default_rng([seed, lists, 34])
        measures = [of(rng, lists)]
        fixed = -np.arange(SUBMISSIONS * answers, dtype=float).reshape(SUBMISSIONS, answers)
        if not answers:
            other = of(rng, lists)
            step = 2 * other.std(axis=1).mean() / np.sqrt(lists)
            measures.append(other - step * np.arange(SUBMISSIONS)[:, None])
        claims = surely_dominates(fixed, [of_pairs(values) for values in measures], 0.05)
        held += not claims.any()
    where = f"{request.node.callspec.id.split('-')[0]}, {of.__name__}"
    rate("undominated submissions stay so, all of 8", where, lists, held, times, least=0.95)
