"""Repeated runs of one system: what cases and runs vary by, and what that says of means.

A run is a training, or a drawing of answers, with a seed of its own; the cases of all runs are the
same. The value of a case in a run is taken as a mean, an effect of the case, one of the run, and
the rest, all independent: cases and runs are both drawn, and the runs of systems apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from scorer.stats.family import Paired, holm, matrices, pair_places
from scorer.stats.quantiles import student
from scorer.stats.units import NOISE, Floats, Ints

HALVINGS = 50  # of the logarithm of a p
TEST = ("t", "holm")  # of pairs, and its correction


class VariancePart(NamedTuple):
    """A part of the variance of a mean, with its degrees of freedom."""

    variance: float
    freedom: float


class Spread(NamedTuple):
    """The mean of one system over cases and runs, and what it varies by."""

    mean: Floats  # (cases,), over runs
    cases: VariancePart
    runs: VariancePart | None  # None: a single run


def runs_spread(values: Floats, cases: Ints | None = None) -> Spread:
    """The two-way analysis of variance of values, (runs, cases), complete.

    What other runs add is the mean square of runs less the rest's, over runs times cases, and at
    least 0; the part of cases has the rest in it (Searle, Casella and McCulloch, Variance
    Components, 1992, section 4.3). `cases`, (cases,), are equal for those that are drawn together.
    """
    units = unit_means(values, cases)
    runs, count = units.shape
    centred = units - units.mean()
    noise = NOISE * np.abs(units).max(initial=0.0)
    centred[np.abs(centred) <= noise] = 0.0
    by_unit, by_run = centred.mean(axis=0), centred.mean(axis=1)
    by_run[np.abs(by_run) <= noise] = 0.0  # of runs that are the same
    part = VariancePart(float((by_unit**2).sum()) / (count * (count - 1)), count - 1)
    if runs < 2:
        return Spread(units.mean(axis=0), part, None)
    rest = centred - by_unit - by_run[:, None]
    of_rest = float((rest**2).sum()) / ((runs - 1) * (count - 1) * units.size)
    of_runs = float((by_run**2).sum()) / (runs * (runs - 1))
    return Spread(units.mean(axis=0), part, VariancePart(max(of_runs - of_rest, 0.0), runs - 1))


def unit_means(values: Floats, cases: Ints | None) -> Floats:
    """What each case, or cluster of cases, adds to the mean: (runs, cases) to (runs, units)."""
    if cases is None:
        return values
    codes = np.unique(cases, return_inverse=True)[1]
    mean = values.mean(axis=1, keepdims=True)
    sums = np.array([np.bincount(codes, row) for row in values - mean])
    return np.asarray(mean + sums * (sums.shape[1] / values.shape[1]))


def lent(spreads: Sequence[Spread]) -> list[Spread]:
    """The same, where a system of a single run is taken to vary over runs as the others do."""
    known = [each.runs for each in spreads if each.runs is not None]
    freedom = sum(part.freedom for part in known)
    variance = sum(part.variance * part.freedom * (part.freedom + 1) for part in known)
    common = VariancePart(variance / freedom if freedom else 0.0, freedom or 1.0)
    return [each if each.runs is not None else each._replace(runs=common) for each in spreads]


def critical(parts: Sequence[VariancePart], level: float) -> float:
    """How many errors from a mean, of a variance of several parts, an interval reaches.

    The quantiles of Student's t for each part, weighted by the parts (Cochran and Cox, Experimental
    Designs, 1957, section 4.14): with few runs it holds where Satterthwaite's degrees do not.
    """
    whole = sum(part.variance for part in parts)
    return sum(part.variance * student((1 + level) / 2, part.freedom) for part in parts) / whole


def runs_interval(system: Spread, level: float) -> tuple[float, float]:
    """The interval of a system's mean over other cases and other runs."""
    parts = [part for part in (system.cases, system.runs) if part is not None]
    mean, variance = float(system.mean.mean()), sum(part.variance for part in parts)
    margin = critical(parts, level) * math.sqrt(variance) if variance > 0 else 0.0
    return mean - margin, mean + margin


def pass_at(right: Ints, runs: int, k: int) -> Floats:
    """The chance that any of k runs is right, of how many of the runs were, (cases,), each.

    1 - C(n - c, k) / C(n, k), which is unbiased (Chen and others, "Evaluating large language models
    trained on code", arXiv:2107.03374, 2021); NaN of fewer than k runs.

    >>> pass_at(np.array([0, 1, 2, 4]), runs=4, k=2).round(4)      # 1 - 6/6, 3/6, 1/6, 0/6
    array([0.    , 0.5   , 0.8333, 1.    ])
    """
    if runs < k:
        return np.full(right.shape, np.nan)
    chances = [1 - math.comb(runs - c, k) / math.comb(runs, k) for c in range(runs + 1)]
    return np.array(chances)[right]


def paired_runs(
    systems: Sequence[Spread],
    count: int,
    cases: int,
    *,
    level: float = 0.95,
    control: bool = False,
    alone: float | None = None,
) -> Paired:
    """All pairs of systems of the same cases tested by t, with Holm's correction.

    A difference varies by the cases' differences, and by the runs of both. The arguments and the
    result are as for `paired`; `count` systems have so many `cases` in common. Of no `systems`
    nothing can be said: they have too few.
    """
    if not systems:
        none, no = np.empty(0), np.empty(0, dtype=np.int64)
        return matrices(count, [], none, none, none, no, none, none, none, 0, TEST)
    first, second = pair_places(1, count - 1) if control else pair_places(count, None)
    second = second + control
    means = np.array([system.mean for system in systems])
    difference = means.mean(axis=1)[first] - means.mean(axis=1)[second]
    difference[np.abs(difference) <= NOISE * np.abs(means).max(initial=0.0)] = 0.0
    variance = _variances(systems, means, first, second)
    freedom = np.array([
        np.full(first.size, float(means.shape[1] - 1)),
        *(np.array([_runs(systems[n]).freedom for n in side]) for side in (first, second)),
    ])  # fmt: skip
    error = np.sqrt(variance.sum(axis=0))
    shares = np.divide(variance, error**2, out=np.eye(3)[:, :1] * np.ones(first.size),
                       where=error > 0)  # fmt: skip
    p = _p(np.divide(np.abs(difference), error, out=np.where(difference == 0, 0.0, np.inf),
                     where=error > 0), shares, freedom)  # fmt: skip
    joint = _quantile((1 - level) / max(first.size, 1), shares, freedom)
    own = None if alone is None else _quantile(1 - alone, shares, freedom) * error
    size = np.full(first.size, float(means.shape[1]))
    return matrices(
        count, [(first, second)], difference, holm(p), np.sign(difference),
        np.full(first.size, cases), size, error * np.sqrt(size), joint * error, 0, TEST,
        own,
    )  # fmt: skip


def _runs(system: Spread) -> VariancePart:
    return system.runs or VariancePart(0.0, 1.0)


def _variances(systems: Sequence[Spread], means: Floats, first: Ints, second: Ints) -> Floats:
    """The parts of the variance of each difference, (3, pairs): of cases, and of both's runs."""
    units = means.shape[1]
    covariance = np.atleast_2d(np.cov(means)) / units
    own = np.diag(covariance)
    of_cases = np.maximum(own[first] + own[second] - 2 * covariance[first, second], 0.0)
    of_cases[of_cases <= NOISE * (own[first] + own[second])] = 0.0
    of_runs = np.array([_runs(system).variance for system in systems])
    return np.array([of_cases, of_runs[first], of_runs[second]])


def _quantile(p: Floats | float, shares: Floats, freedom: Floats) -> Floats:
    """How many errors are exceeded, to either side, with the chance p; (pairs,)."""
    from scipy.special import stdtrit

    return np.asarray((shares * -stdtrit(freedom, np.asarray(p) / 2)).sum(axis=0))


def _p(errors: Floats, shares: Floats, freedom: Floats) -> Floats:
    """The chance of so many errors to either side: where `_quantile` is them."""
    low, high = np.full(errors.size, -700.0), np.zeros(errors.size)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        far = _quantile(np.exp(middle), shares, freedom) > errors  # a larger p reaches less far
        low, high = np.where(far, middle, low), np.where(far, high, middle)
    return np.where(np.isinf(errors), 0.0, np.where(errors == 0, 1.0, np.exp(high)))
