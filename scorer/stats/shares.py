"""Differences of shares: of figures with two bounds, and of values of 0 and 1."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from scorer.stats.family import pair_places
from scorer.stats.intervals import Interval, Scale
from scorer.stats.units import NOISE, Floats, Ints

NORMAL = NormalDist().inv_cdf(0.975)
STEPS = 60  # halvings of the range in which an end is looked for


def stretch(
    first: tuple[Ints, Floats, Floats], second: tuple[Ints, Floats, Floats] | None, scale: Scale
) -> Floats:
    """By which the standard error of each pair's difference is larger than it seems.

    A figure near its bound has little spread, and at it none, by the luck of the lists. What it
    could be then is said by the score interval (Wilson, JASA 22, 1927), with as many trials as
    have its standard error. The error of a difference is put together of the two distances
    towards each other (square-and-add: Newcombe, Statistics in Medicine 17, 1998, method 10),
    and is never made smaller.

    Args:
        first: rows of submissions, (rows,); their figures, (rows,); what each unit adds to them,
            (rows, units), with means of 0.
        second: the same of those that they are paired with; None: with each other.
        scale: the bounds, and the rows that a figure at a bound rests on.

    Returns:
        (pairs,), 1 or more; all 1 where there are no two bounds.
    """
    low, high = scale.bounds
    sides = [first] if second is None else [first, second]
    a, b = pair_places(first[0].size, None if second is None else second[0].size)
    if not scale.pooled or low is None or high is None or low >= high:
        return np.ones(a.size)
    units = first[2].shape[1]
    known = []
    for rows, figures, deviations in sides:
        square = (deviations**2).sum(axis=1)
        error = np.sqrt(square / max(units * (units - 1), 1)) / (high - low)
        rests = np.array([scale.rests[n] if scale.rests else units for n in rows.tolist()])
        down, up = _score(np.clip((figures - low) / (high - low), 0, 1), error, rests)
        known.append((figures, square, down * (high - low), up * (high - low)))
    (one, squares, down, up), (other, squares_b, down_b, up_b) = known[0], known[-1]
    products = (first[2] @ sides[-1][2].T)[a, b]
    norms = np.sqrt(squares[a] * squares_b[b])
    like = np.divide(products, norms, out=np.zeros(a.size), where=norms > 0)
    above = one[a] >= other[b]
    here, there = np.where(above, down[a], up[a]), np.where(above, up_b[b], down_b[b])
    safe = (here**2 + there**2 - 2 * like * here * there) / NORMAL**2
    seeming = (squares[a] + squares_b[b] - 2 * products) / max(units * (units - 1), 1)
    ratio = np.divide(safe, seeming, out=np.ones(a.size), where=seeming > NOISE * squares.max())
    return np.asarray(np.sqrt(np.maximum(ratio, 1.0)))


def _score(share: Floats, error: Floats, rests: Floats) -> tuple[Floats, Floats]:
    """How far a share's score limits are below and above it."""
    spread = share * (1 - share)
    trials = np.divide(spread, error**2, out=rests.astype(np.float64), where=error > NOISE)
    trials = np.maximum(trials, NOISE)
    whole = 1 + NORMAL**2 / trials
    centre = (share + NORMAL**2 / (2 * trials)) / whole
    half = NORMAL * np.sqrt(spread / trials + NORMAL**2 / (4 * trials**2)) / whole
    return np.maximum(share - centre + half, 0), np.maximum(centre + half - share, 0)


def paired_shares(gains: int, losses: int, lists: int, level: float) -> Interval:
    """The score interval of a difference of two shares over the same lists.

    Tango, "Equivalence test and confidence interval for the difference in proportions for the
    paired-sample design", Statistics in Medicine 17, 1998.

    >>> [round(end, 4) for end in paired_shares(0, 0, 20, 0.95)]
    [-0.1611, 0.1611]
    """
    limit = NormalDist().inv_cdf((1 + level) / 2)
    gain = (gains - losses) / lists

    def far(at: float) -> float:
        """How many standard errors the difference is from `at`."""
        middle = (2 * lists - gains + losses) * at - gains - losses
        root = math.sqrt(max(middle**2 + 8 * lists * losses * at * (1 - at), 0.0))
        rare = max((root - middle) / (4 * lists), 0.0)
        error = math.sqrt(max(lists * (2 * rare + at * (1 - at)), 0.0))
        off = lists * (gain - at)
        return off / error if error > 0 else math.copysign(math.inf, off) if off else 0.0

    ends = []
    for bound in (-1.0, 1.0):
        inside, outside = gain, bound
        for _ in range(STEPS):
            middle = (inside + outside) / 2
            near = abs(far(middle)) <= limit
            inside, outside = (middle, outside) if near else (inside, middle)
        ends.append(inside)
    return Interval(ends[0], ends[1])
