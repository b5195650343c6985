"""Quantiles of Student's and the beta distribution.

As scipy's `stdtrit` and `betaincinv`, whose import takes longer than a board of one submission.
"""

from __future__ import annotations

import math
from functools import lru_cache

TERMS = 10_000  # of a continued fraction, of which few are needed
TINY = 1e-300


@lru_cache(maxsize=4_096)
def student(share: float, freedom: float) -> float:
    """The quantile of Student's t of `freedom` degrees, for a share of .5 or more.

    >>> round(student(0.975, 10), 6)
    2.228139
    """
    below = beta(2 * (1 - share), freedom / 2, 0.5)
    return math.sqrt(freedom * (1 - below) / below)


@lru_cache(maxsize=4_096)
def beta(share: float, a: float, b: float) -> float:
    """The quantile of the beta distribution with parameters a and b.

    >>> round(beta(0.025, 19, 2), 6)
    0.751267
    """
    low, high, at = 0.0, 1.0, a / (a + b)
    scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    for _ in range(200):
        excess = _below(at, a, b, scale) - share
        low, high = (low, at) if excess > 0 else (at, high)
        logarithm = scale + (a - 1) * math.log(at) + (b - 1) * math.log1p(-at)
        step = excess / math.exp(logarithm) if logarithm > -600 else math.inf
        near = at - step
        if not low < near < high:
            near = (low + high) / 2
        if abs(near - at) <= 1e-12 * at:
            return near
        at = near
    return at


def _below(x: float, a: float, b: float, scale: float) -> float:
    """The regularised incomplete beta function, by its continued fraction (DLMF 8.17.22)."""
    if not 0 < x < 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - _below(1 - x, b, a, scale)
    c, d = 1.0, 1 / _away(1 - (a + b) * x / (a + 1))
    fraction = d
    for m in range(1, TERMS):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d, c = 1 / _away(1 + term * d), _away(1 + term / c)
            fraction *= c * d
        if abs(c * d - 1) < 1e-14:
            break
    return math.exp(scale + a * math.log(x) + b * math.log1p(-x)) * fraction / a


def _away(number: float) -> float:
    return number if abs(number) > TINY else TINY
