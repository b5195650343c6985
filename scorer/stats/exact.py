"""Sums and means of values, rounded once, so that neither order nor split changes a digit."""

from __future__ import annotations

import math

import numpy as np

from scorer.stats.units import Floats

FEW = 2_000  # values that are summed one by one
MOST_BITS = 24  # of the number of values that are summed together
PARTS = 4  # into which values are cut


def exact_sum(values: Floats) -> float:
    """The sum of values of shape (values,), rounded once, whatever their order.

    >>> exact_sum(np.array([1e16, 1.0, -1e16]))
    1.0
    """
    return _rounded_once(_terms(values), values)


def exact_mean(values: Floats) -> float:
    """Their sum by their number, rounded once; NaN of none.

    >>> exact_mean(np.full(3, 0.1)), exact_mean(np.full(100_000, 0.4))
    (0.1, 0.4)
    """
    if not values.size:
        return math.nan
    terms = _terms(values)
    total = _rounded_once(terms, values)
    if not math.isfinite(total):
        return total
    rest = _rounded_once([*terms, -total], values)  # that a sum of 53 bits leaves
    (high, of_high), (low, of_low) = total.as_integer_ratio(), rest.as_integer_ratio()
    return (high * of_low + low * of_high) / (of_high * of_low * values.size)


def _rounded_once(terms: list[float], values: Floats) -> float:
    try:
        return math.fsum(terms)
    except (OverflowError, ValueError):  # beyond the largest number, or infinities that differ
        with np.errstate(all="ignore"):
            return float(values.sum())


def _terms(values: Floats) -> list[float]:
    """Numbers of the same sum: of many values few, each the sum of one part of their digits.

    In a part all digits are multiples of one power of two and so few that sums of them are exact
    (Rump, Ogita and Oishi, Accurate floating-point summation I, SIAM J. Sci. Comput. 31, 2008).
    """
    bits, terms, rest = values.size.bit_length(), list[float](), values
    if values.size < FEW or bits > MOST_BITS:
        return list(values.tolist())
    for _ in range(PARTS):
        largest = float(np.abs(rest).max())
        if not largest:
            return terms
        if not 1e-250 < largest < 1e250:
            break
        unit = math.ldexp(1.0, math.frexp(largest)[1] + bits)
        high = (rest + unit) - unit
        terms.append(float(high.sum()))
        rest = rest - high
    return [*terms, *rest[rest != 0].tolist()]
