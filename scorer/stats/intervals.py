"""Confidence intervals of means and figures, from what each list adds to them."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from scorer.stats.units import NOISE, Floats, Ints, unit_sums, units

Bounds = tuple[float | None, float | None]  # the lowest and the highest value; None: there is none


# Units, below which there is no interval: of skewed values it would hold in 3 boards of 4.
MIN_UNITS = 5
# The skew times the critical value, above which the ends are far apart and cover no more.
MAX_SKEW = 0.8
# By which a |t| is divided at most, where the skew is so large: 1.56.
MAX_SHRINKAGE = 3 / MAX_SKEW * (1 - math.cbrt(1 - MAX_SKEW))
Z_975 = NormalDist().inv_cdf(0.975)
HALVINGS = 60  # of the range in which an end is looked for


class Interval(NamedTuple):
    """A confidence interval, in the unit of the values; NaN without one."""

    low: float
    high: float


NONE = Interval(math.nan, math.nan)


class Scale(NamedTuple):
    """What is known of a figure beside what its lists add to it."""

    bounds: Bounds = (None, None)
    pooled: bool = False  # whether, if there are two bounds, it is a share
    # of each submission: how many rows of its rarest class there are, if that is fewer than units
    rarest_class: tuple[float, ...] = ()
    degrees: tuple[float, ...] = ()  # of each submission: degrees of its error; else units - 1
    figure: bool = False  # whether it is made of all lists at once; its values say what each adds


MEANS = Scale()


def intervals(
    values: Floats, level: float = 0.95, clusters: Ints | None = None, scale: Scale = MEANS
) -> list[Interval]:
    """Where each submission's mean would likely lie on other lists of the same sort.

    Student's t, corrected for skew by Hall's transformation ("On the removal of skewness by
    transformation", J. Royal Statistical Society B 54, 1992). Shares, which are values of 0 or 1
    and pooled figures with two bounds, have the interval of Clopper and Pearson for so many
    trials as have their standard error (Korn and Graubard, "Confidence intervals for proportions
    with small expected number of positive counts", Survey Methodology 24, 1998). Nothing is
    drawn, and no interval depends on who else stands on the board. No end lies beyond a bound.

    Args:
        values: (submissions, lists), or one row. NaN leaves that list out for that submission. Of a
            figure: its pseudo-values.
        clusters: (lists,), equal numbers for lists that are not independent of each other, as the
            lists of one user.
        scale: The bounds, and whether it is pooled.

    Returns:
        One for each submission; NaN of fewer than `MIN_UNITS` lists or clusters. Of equal values
        within the bounds both ends are the mean.

    Raises:
        ValueError: If a value is infinite.
    """
    values = np.atleast_2d(np.asarray(values, dtype=np.float64))
    if np.isinf(values).any():
        raise ValueError("an infinite value has no interval")
    ends = []
    for n, row in enumerate(values):
        known = ~np.isnan(row)
        own = None if clusters is None else clusters[known]
        rarest = scale.rarest_class[n] if scale.rarest_class else math.nan
        degrees = scale.degrees[n] if scale.degrees else math.inf
        ends.append(_interval(row[known], level, own, scale, rarest, degrees))
    return ends


def _interval(
    values: Floats,
    level: float,
    clusters: Ints | None,
    scale: Scale,
    rarest: float,
    degrees: float,
) -> Interval:
    deviations = deviations_of(values, clusters)
    if deviations.size < MIN_UNITS:
        return NONE
    low, high = (None if bound is None else float(bound) for bound in scale.bounds)
    mean = float(values[0] if np.ptp(values) == 0 else values.mean())
    count = deviations.size
    degrees = max(min(degrees, count - 1.0), 1.0)
    error = math.sqrt(float((deviations**2).sum()) / (count * (count - 1)))
    if low is not None and high is not None and high > low:
        if low < 0 < high and abs(mean) >= max(high, -low):  # what chance gives is the other end
            low, high = (0.0, high) if mean > 0 else (low, 0.0)
        width, place = high - low, min(max((mean - low) / (high - low), 0.0), 1.0)
        binary = not scale.pooled and bool(((values == low) | (values == high)).all())
        if binary or scale.pooled or place in (0.0, 1.0):
            exact = binary and clusters is None
            if exact or error <= NOISE * width:
                trials = float(count) if math.isnan(rarest) else rarest
                if not exact and place not in (0.0, 1.0):
                    return Interval(mean, mean)
            else:
                few = degrees if math.isnan(rarest) else max(min(degrees, rarest - 1), 1.0)
                normal = NormalDist().inv_cdf((1 + level) / 2)
                trials = place * (1 - place) * (width / error) ** 2
                trials *= (normal / student((1 + level) / 2, few)) ** 2
            share = proportion(place, trials, level)
            return Interval(low + width * share.low, low + width * share.high)
    ends = skewed(deviations, level, degrees) if error > 0 else Interval(0.0, 0.0)
    return Interval(*clip_interval((mean + ends.low, mean + ends.high), (low, high)))


def clip_interval(ends: tuple[float, float], bounds: Bounds) -> tuple[float, float]:
    """Return an interval without what lies beyond the bounds of values."""
    low, high = bounds
    return (
        max(ends[0], -math.inf if low is None else float(low)),
        min(ends[1], math.inf if high is None else float(high)),
    )


def deviations_of(values: Floats, clusters: Ints | None = None) -> Floats:
    """What each list, or cluster of lists, moves the mean by, times their number: (units,)."""
    if not values.size:
        return values
    deviations: Floats = values - values.mean()
    deviations[np.abs(deviations) <= NOISE * np.abs(values).max()] = 0.0
    if clusters is None:
        return deviations
    unit = units(values.size, clusters, values.size, 0)
    sums = unit_sums(deviations, unit)
    return np.asarray(sums * (sums.size / values.size))


def skewed(deviations: Floats, level: float, degrees: float) -> Interval:
    """Return the interval of a mean of 0 by Hall's transformation.

    `deviations`, (units,), are not all 0; their variance has so many `degrees` of freedom.
    """
    count = deviations.size
    spread = math.sqrt(float((deviations**2).sum()) / (count - 1))
    skew = float((deviations**3).mean()) / spread**3
    limit = student((1 + level) / 2, degrees) / math.sqrt(count)
    # A single far list makes a skew that would move an end further than it is wise to go.
    skew = min(max(skew, -MAX_SKEW / limit), MAX_SKEW / limit)

    def moved(end: float) -> float:
        if abs(skew) < 1e-6:
            return end
        return 3 / skew * (math.cbrt(1 + skew * (end - skew / (6 * count))) - 1)

    return Interval(-spread * moved(limit), -spread * moved(-limit))


def unskewed(t: Floats, skew: Floats, count: int) -> Floats:
    """Return what t would be of values that are not skew, no nearer to 0 than |t| / 1.56.

    Hall, "On the removal of skewness by transformation", J. Royal Statistical Society B 54,
    1992. The transformation is monotone; `skewed` undoes it.

    >>> unskewed(np.array([-3.0, 3.0]), np.array([1.0, 1.0]), 20).round(2)
    array([-2.34,  3.76])
    """
    scaled = t / math.sqrt(count)
    moved = scaled + skew * scaled**2 / 3 + skew**2 * scaled**3 / 27 + skew / (6 * count)
    moved = np.sign(t) * np.maximum(np.sign(t) * moved, np.abs(scaled) / MAX_SHRINKAGE)
    return np.asarray(moved * math.sqrt(count))


def proportion(share: float, trials: float, level: float) -> Interval:
    """The interval of Clopper and Pearson (Biometrika 26, 1934); trials need not be whole.

    >>> [round(end, 4) for end in proportion(1.0, 20, 0.95)]
    [0.8316, 1.0]
    """
    successes, tail = share * trials, (1 - level) / 2
    failures = trials - successes
    none = NOISE * trials
    return Interval(
        0.0 if successes <= none else beta(tail, successes, failures + 1),
        1.0 if failures <= none else beta(1 - tail, successes + 1, failures),
    )


def score_limits(share: Floats, error: Floats, trials_at_bound: Floats) -> tuple[Floats, Floats]:
    """Return how far the 95 % score limits of shares are below and above them.

    The limits are Wilson's (JASA 22, 1927), with as many trials as have the standard error of a
    share; a share at a bound has `trials_at_bound` instead. All arrays are (shares,).
    """
    variance = share * (1 - share)
    trials = np.divide(
        variance, error**2, out=trials_at_bound.astype(np.float64), where=error > NOISE
    )
    trials = np.maximum(trials, NOISE)
    divisor = 1 + Z_975**2 / trials
    centre = (share + Z_975**2 / (2 * trials)) / divisor
    half = Z_975 * np.sqrt(variance / trials + Z_975**2 / (4 * trials**2)) / divisor
    return np.maximum(share - centre + half, 0), np.maximum(centre + half - share, 0)


def paired_shares(gains: int, losses: int, lists: int, level: float) -> Interval:
    """Return the score interval of a difference of two shares over the same lists.

    Tango, "Equivalence test and confidence interval for the difference in proportions for the
    paired-sample design", Statistics in Medicine 17, 1998.

    >>> [round(end, 4) for end in paired_shares(0, 0, 20, 0.95)]
    [-0.1611, 0.1611]
    """
    limit = NormalDist().inv_cdf((1 + level) / 2)
    observed = (gains - losses) / lists

    def standard_errors_from(difference: float) -> float:
        linear = (2 * lists - gains + losses) * difference - gains - losses
        product = 8 * lists * losses * difference * (1 - difference)
        rate = max((math.sqrt(max(linear**2 + product, 0.0)) - linear) / (4 * lists), 0.0)
        error = math.sqrt(max(lists * (2 * rate + difference * (1 - difference)), 0.0))
        excess = lists * (observed - difference)
        if error > 0:
            return excess / error
        return math.copysign(math.inf, excess) if excess else 0.0

    ends = []
    for bound in (-1.0, 1.0):
        inside, outside = observed, bound
        for _ in range(HALVINGS):
            middle = (inside + outside) / 2
            if abs(standard_errors_from(middle)) <= limit:
                inside = middle
            else:
                outside = middle
        ends.append(inside)
    return Interval(ends[0], ends[1])


def student(share: float, degrees: float) -> float:
    """Return the quantile of Student's t.

    >>> round(student(0.975, 10), 6)
    2.228139
    """
    from scipy.special import stdtrit

    return float(stdtrit(degrees, share))


def beta(share: float, a: float, b: float) -> float:
    """Return the quantile of the beta distribution with parameters a and b.

    >>> round(beta(0.025, 19, 2), 6)
    0.751267
    """
    from scipy.special import betaincinv

    return float(betaincinv(a, b, share))
