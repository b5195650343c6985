"""Intervals and paired tests of means over folds, which share training data."""

from __future__ import annotations

import math

import numpy as np

from scorer.stats.family import Paired, groups_of_pairs, holm, largest_of, matrices, pair_places
from scorer.stats.units import NOISE, Floats


def paired_folds(
    values: Floats, *, level: float = 0.95, control: bool = False, alone: float | None = None
) -> Paired:
    """Paired tests of means over folds: the corrected resampled t-test, and Holm's correction.

    Folds share training data, so that their spread understates that of a new training. With
    test sets of 1 / K and training sets of the rest, the variance of a mean of K folds is
    (1 / K + 1 / (K - 1)) s**2 (Nadeau & Bengio, "Inference for the generalization error",
    Machine Learning 52, 2003; without a correction no estimate is unbiased: Bengio &
    Grandvalet, JMLR 5, 2004).

    `values` has shape (submissions, folds), NaN where a submission has no value in a fold; the rest
    is as for `paired`.
    """
    from scipy.special import stdtr, stdtrit

    valued = ~np.isnan(values)
    pairs, rows = [], []
    for one, other in groups_of_pairs(valued, control):
        a, b = pair_places(one.size, None if other is None else other.size)
        pairs.append((one[a], (one if other is None else other)[b]))
    nothing = np.empty(0, dtype=np.int64)
    first, second = (np.concatenate([nothing, *(each[n] for each in pairs)]) for n in (0, 1))
    both = (valued[first] & valued[second]).sum(axis=1)
    first, second = first[both > 1], second[both > 1]
    for a, b in zip(first.tolist(), second.tolist(), strict=True):
        row = values[a] - values[b]
        row = row[~np.isnan(row)]
        row[np.abs(row) <= NOISE * largest_of(values[[a, b]])] = 0.0
        rows.append((row.mean(), fold_error(row), row.size, float(np.ptp(row))))
    difference, error, size, spread = np.array(rows, dtype=np.float64).reshape(-1, 4).T
    error = np.where(spread == 0, 0.0, error)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.where(difference == 0, 1.0, 2 * stdtr(size - 1, -np.abs(difference) / error))
    critical = stdtrit(size - 1, 1 - (1 - level) / 2 / max(size.size, 1))
    own = None if alone is None else stdtrit(size - 1, (1 + alone) / 2) * error
    counts = size.astype(np.int64)
    return matrices(len(values), [(first, second)], difference, holm(p), np.sign(difference),
                   counts, size, error * np.sqrt(size), critical * error, 0,
                   ("corrected t", "holm"), own)  # fmt: skip


def fold_error(values: Floats) -> float:
    """The corrected standard error of a mean over folds (Nadeau & Bengio 2003)."""
    folds = values.size
    return float(values.std(ddof=1) * math.sqrt(1 / folds + 1 / (folds - 1)))


def fold_interval(values: Floats, level: float = 0.95) -> tuple[float, float] | None:
    """The corrected t interval of a mean over folds; None for fewer than two of them.

    `values` is of shape (folds,), NaN where a fold has none.
    """
    from scipy.special import stdtrit

    known = values[~np.isnan(values)]
    if known.size < 2:
        return None
    margin = float(stdtrit(known.size - 1, (1 + level) / 2)) * fold_error(known)
    return float(known.mean()) - margin, float(known.mean()) + margin
