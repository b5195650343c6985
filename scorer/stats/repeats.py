"""Repeated runs of a system, and folds of cross-validation: intervals and paired tests.

A run is a training, or a drawing of answers, with a seed of its own; the cases of all runs are the
same. The value of a case in a run is taken as a mean, an effect of the case, one of the run, and
the rest, all independent: cases and runs are both drawn, and the runs of each system apart.

Folds share training data, so that their spread understates how much a new training would differ.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from scorer.stats.intervals import MIN_UNITS, student
from scorer.stats.pairs import PairColumns, PairedTests, holm, pair_indices
from scorer.stats.units import NOISE, Floats, Ints

HALVINGS = 50  # of the range of log p in which a p is looked for
LEAST_LOG_P = -700.0  # exp of less is 0


class VariancePart(NamedTuple):
    """A part of the variance of a mean, with its degrees of freedom."""

    variance: float
    degrees: float


class RunsVariance(NamedTuple):
    """The mean of one system over cases and runs, and what it varies by."""

    mean: Floats  # (units,) of cases, or clusters of them, over runs
    cases: VariancePart
    runs: VariancePart | None  # None: a single run


def analyse_runs(values: Floats, clusters: Ints | None = None) -> RunsVariance:
    """Return the two-way analysis of variance of values, (runs, cases), complete.

    What other runs add is the mean square of runs minus the mean square of the rest, by runs times
    cases, and at least 0; the part of cases has the rest in it (Searle, Casella and McCulloch,
    Variance Components, 1992, section 4.3). `clusters`, (cases,), are equal for cases that are
    drawn together.
    """
    units = unit_means(values, clusters)
    runs, count = units.shape
    centred = units - units.mean()
    noise = NOISE * np.abs(units).max(initial=0.0)
    centred[np.abs(centred) <= noise] = 0.0
    by_unit, by_run = centred.mean(axis=0), centred.mean(axis=1)
    by_run[np.abs(by_run) <= noise] = 0.0  # of runs that are the same
    cases = VariancePart(float((by_unit**2).sum()) / (count * (count - 1)), count - 1)
    if runs < 2:
        return RunsVariance(units.mean(axis=0), cases, None)
    rest = centred - by_unit - by_run[:, None]
    rest_variance = float((rest**2).sum()) / ((runs - 1) * (count - 1) * units.size)
    runs_variance = float((by_run**2).sum()) / (runs * (runs - 1))
    added = VariancePart(max(runs_variance - rest_variance, 0.0), runs - 1)
    return RunsVariance(units.mean(axis=0), cases, added)


def unit_means(values: Floats, clusters: Ints | None) -> Floats:
    """Return what each case, or cluster, adds to the mean: (runs, cases) to (runs, units)."""
    if clusters is None:
        return values
    codes = np.unique(clusters, return_inverse=True)[1]
    mean = values.mean(axis=1, keepdims=True)
    sums = np.array([np.bincount(codes, row) for row in values - mean])
    return np.asarray(mean + sums * (sums.shape[1] / values.shape[1]))


def with_common_run_variance(systems: Sequence[RunsVariance]) -> list[RunsVariance]:
    """Return the systems, where one of a single run varies over runs as the others do together."""
    known = [system.runs for system in systems if system.runs is not None]
    degrees = sum(part.degrees for part in known)
    variance = sum(part.variance * part.degrees * (part.degrees + 1) for part in known)
    common = VariancePart(variance / degrees if degrees else 0.0, degrees or 1.0)
    return [
        system if system.runs is not None else system._replace(runs=common) for system in systems
    ]


def runs_interval(system: RunsVariance, level: float) -> tuple[float, float] | None:
    """Return the interval of a system's mean over other cases and other runs.

    None of fewer than `MIN_UNITS` cases, or clusters of them.

    The critical value is Student's t for each part of the variance, weighted by the parts (Cochran
    and Cox, Experimental Designs, 1957, section 4.14): with few runs it holds where
    Satterthwaite's degrees do not.
    """
    if system.mean.size < MIN_UNITS:
        return None
    parts = [part for part in (system.cases, system.runs) if part is not None]
    mean, variance = float(system.mean.mean()), sum(part.variance for part in parts)
    if variance <= 0:
        return mean, mean
    weighted = sum(part.variance * student((1 + level) / 2, part.degrees) for part in parts)
    margin = weighted / math.sqrt(variance)
    return mean - margin, mean + margin


def pass_at(right: Ints, runs: int, k: int) -> Floats:
    """Return the chance that any of k runs is right, of how many of the runs were: (cases,) each.

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
    systems: Sequence[RunsVariance],
    count: int,
    cases: int,
    *,
    level: float = 0.95,
    control: bool = False,
    own_level: float | None = None,
) -> PairedTests:
    """Test all pairs of systems of the same cases by t, with Holm's adjustment.

    A difference varies by the cases' differences, and by the runs of both. Levels, `control` and
    the result are as for `paired_tests`. `count` systems have so many `cases` in common; without
    `systems` these are too few.
    """
    if not systems:
        none, no_rows = np.empty(0), np.empty(0, dtype=np.int64)
        empty = PairColumns(no_rows, no_rows, none, none, none, no_rows, no_rows, none, none, none)
        return empty.as_matrices(count, "t", "holm")
    first, second = pair_indices(1, count - 1) if control else pair_indices(count, None)
    second = second + control
    means = np.array([system.mean for system in systems])
    units = means.shape[1]
    difference = means.mean(axis=1)[first] - means.mean(axis=1)[second]
    difference[np.abs(difference) <= NOISE * np.abs(means).max(initial=0.0)] = 0.0
    runs = [system.runs or VariancePart(0.0, 1.0) for system in systems]
    run_variances = np.array([part.variance for part in runs])
    run_degrees = np.array([float(part.degrees) for part in runs])
    variances = np.array(
        [_case_variances(means, first, second), run_variances[first], run_variances[second]]
    )
    degrees = np.array([np.full(first.size, units - 1.0), run_degrees[first], run_degrees[second]])
    error = np.sqrt(variances.sum(axis=0))
    varied = error > 0
    only_cases = np.eye(3)[:, :1] * np.ones(first.size)
    shares = np.divide(variances, error**2, out=only_cases, where=varied)
    without_error = np.where(difference == 0, 0.0, np.inf)
    errors_from_0 = np.divide(np.abs(difference), error, out=without_error, where=varied)
    joint = _critical((1 - level) / max(first.size, 1), shares, degrees)
    own = np.full(first.size, np.nan)
    if own_level is not None:
        own = _critical(1 - own_level, shares, degrees)
    columns = PairColumns(
        first=first,
        second=second,
        difference=difference,
        p=holm(_p_of(errors_from_0, shares, degrees)),
        lead=np.sign(difference),
        lists=np.full(first.size, cases),
        units=np.full(first.size, units),
        deviation=error * math.sqrt(units),
        joint_margin=joint * error,
        margin=own * error,
    )
    return columns.as_matrices(count, "t", "holm")


def _case_variances(means: Floats, first: Ints, second: Ints) -> Floats:
    """Return the variance of each difference of means, (pairs,), by its cases."""
    covariance = np.atleast_2d(np.cov(means)) / means.shape[1]
    own = np.diag(covariance)
    variance = np.maximum(own[first] + own[second] - 2 * covariance[first, second], 0.0)
    variance[variance <= NOISE * (own[first] + own[second])] = 0.0
    return np.asarray(variance)


def _critical(p: Floats | float, shares: Floats, degrees: Floats) -> Floats:
    """Return how many errors are exceeded, to either side, with the chance p; (pairs,).

    `shares` of the variance and their `degrees` have the shape (parts, pairs).
    """
    from scipy.special import stdtrit

    return np.asarray((shares * -stdtrit(degrees, np.asarray(p) / 2)).sum(axis=0))


def _p_of(errors: Floats, shares: Floats, degrees: Floats) -> Floats:
    """Return the chance of so many errors to either side: the inverse of `_critical`."""
    low, high = np.full(errors.size, LEAST_LOG_P), np.zeros(errors.size)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        too_far = _critical(np.exp(middle), shares, degrees) > errors  # a larger p reaches less far
        low, high = np.where(too_far, middle, low), np.where(too_far, high, middle)
    return np.where(np.isinf(errors), 0.0, np.where(errors == 0, 1.0, np.exp(high)))


def paired_folds(
    values: Floats, *, level: float = 0.95, control: bool = False, own_level: float | None = None
) -> PairedTests:
    """Test means over folds: the corrected resampled t-test, with Holm's adjustment.

    `values` has shape (submissions, folds), NaN where a submission has no value in a fold; the rest
    is as for `paired_tests`. A pair with fewer than two folds in common is not tested.
    """
    from scipy.special import stdtr, stdtrit

    count = len(values)
    first, second = pair_indices(1, count - 1) if control else pair_indices(count, None)
    second = second + control
    folds = (~np.isnan(values[first]) & ~np.isnan(values[second])).sum(axis=1)
    first, second, folds = first[folds > 1], second[folds > 1], folds[folds > 1]
    difference, error = np.empty(folds.size), np.empty(folds.size)
    for n, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        row = values[a] - values[b]
        row = row[~np.isnan(row)]
        row[np.abs(row) <= NOISE * np.nanmax(np.abs(values[[a, b]]))] = 0.0
        difference[n] = row.mean()
        error[n] = fold_error(row) if np.ptp(row) else 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.where(difference == 0, 1.0, 2 * stdtr(folds - 1, -np.abs(difference) / error))
    joint = stdtrit(folds - 1, 1 - (1 - level) / 2 / max(folds.size, 1))
    own = np.full(folds.size, np.nan)
    if own_level is not None:
        own = stdtrit(folds - 1, (1 + own_level) / 2)
    columns = PairColumns(
        first=first,
        second=second,
        difference=difference,
        p=holm(p),
        lead=np.sign(difference),
        lists=folds,
        units=folds,
        deviation=error * np.sqrt(folds),
        joint_margin=joint * error,
        margin=own * error,
    )
    return columns.as_matrices(count, "corrected t", "holm")


def fold_error(values: Floats) -> float:
    """Return the corrected standard error of a mean over folds, (folds,).

    With test sets of 1 / K and training sets of the rest, the variance of a mean of K folds is
    (1 / K + 1 / (K - 1)) s**2 (Nadeau & Bengio, "Inference for the generalization error",
    Machine Learning 52, 2003; without a correction no estimate is unbiased: Bengio &
    Grandvalet, JMLR 5, 2004).
    """
    folds = values.size
    return float(values.std(ddof=1) * math.sqrt(1 / folds + 1 / (folds - 1)))


def fold_interval(values: Floats, level: float = 0.95) -> tuple[float, float] | None:
    """Return the corrected t interval of a mean over folds; None of fewer than `MIN_UNITS`.

    `values` has shape (folds,), NaN for a fold without a value.
    """
    known = values[~np.isnan(values)]
    if known.size < MIN_UNITS:
        return None
    margin = student((1 + level) / 2, known.size - 1) * fold_error(known)
    return float(known.mean()) - margin, float(known.mean()) + margin
