"""Sums and means of values, rounded once, so that neither order nor split changes a digit."""

from __future__ import annotations

import math

import numpy as np

from scorer.stats.units import Floats


def exact_sum(values: Floats) -> float:
    """The sum of values of shape (values,), rounded once, whatever their order.

    >>> exact_sum(np.array([1e16, 1.0, -1e16]))
    1.0
    """
    try:
        return math.fsum(values.tolist())
    except (OverflowError, ValueError):  # beyond the largest number, or infinities that differ
        with np.errstate(all="ignore"):
            return float(values.sum())


def exact_mean(values: Floats, count: int | None = None) -> float:
    """Their sum by their number, or by another count, rounded once; NaN of none.

    >>> exact_mean(np.full(3, 0.1)), exact_mean(np.full(100_000, 0.4))
    (0.1, 0.4)
    """
    count = values.size if count is None else count
    total = exact_sum(values) if count else math.nan
    if not math.isfinite(total):
        return total
    rest = exact_sum(np.append(values, -total))  # that a sum of 53 bits leaves
    (high, of_high), (low, of_low) = total.as_integer_ratio(), rest.as_integer_ratio()
    return (high * of_low + low * of_high) / (of_high * of_low * count)
