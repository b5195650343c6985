"""Confidence intervals of means and figures, from what each list adds to them."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from scorer.stats.units import NOISE, Floats, Ints, unit_sums, units

Bounds = tuple[float | None, float | None]  # the lowest and the highest value; None: no bound


# Fewer units have no interval: for skewed values a 95 % interval would hold in 3 boards of 4.
MIN_UNITS = 5
# The largest skew times the critical value. A larger one makes intervals wide, and no better.
MAX_SKEW = 0.8
# The most by which |t| is divided, at the largest skew: 1.56.
MAX_SHRINKAGE = 3 / MAX_SKEW * (1 - math.cbrt(1 - MAX_SKEW))
Z_975 = NormalDist().inv_cdf(0.975)
BISECTIONS = 60  # of the range in which an end is looked for


class Interval(NamedTuple):
    """A confidence interval, in the unit of the values; NaN without one."""

    low: float
    high: float


NO_INTERVAL = Interval(math.nan, math.nan)


class Scale(NamedTuple):
    """What is known of a figure beside the values of its lists."""

    bounds: Bounds = (None, None)
    pooled: bool = False  # whether a figure with two bounds is a share of all rows
    # (submissions,): how many rows of the rarest class there are, if these are fewer than units
    rarest_class: tuple[float, ...] = ()
    degrees: tuple[float, ...] = ()  # (submissions,): of the error; by default units - 1
    figure: bool = False  # whether it is made of all lists at once, its values are pseudo-values


MEANS = Scale()


def intervals(
    values: Floats, level: float = 0.95, clusters: Ints | None = None, scale: Scale = MEANS
) -> list[Interval]:
    """Return the interval of each submission's mean, for other lists of the same sort.

    Student's t, corrected for skew by Hall's transformation ("On the removal of skewness by
    transformation", J. Royal Statistical Society B 54, 1992). Shares, which are values of 0 or 1
    and pooled figures with two bounds, have the interval of Clopper and Pearson for so many
    trials as have their standard error (Korn and Graubard, "Confidence intervals for proportions
    with small expected number of positive counts", Survey Methodology 24, 1998). Nothing is
    drawn, and no interval depends on who else stands on the board. No end lies beyond a bound.

    Args:
        values: (submissions, lists), or one row. NaN leaves that list out for that submission. For
            a figure these are its pseudo-values.
        level: The share of intervals that are to contain the true mean.
        clusters: (lists,), equal numbers for lists that are not independent of each other, as the
            lists of one user.
        scale: The bounds, and whether it is pooled.

    Returns:
        One for each submission; NaN for fewer than `MIN_UNITS` lists or clusters. If all values
        are equal and within the bounds, both ends are the mean.

    Raises:
        ValueError: If a value is infinite.
    """
    values = np.atleast_2d(np.asarray(values, dtype=np.float64))
    if np.isinf(values).any():
        raise ValueError("an infinite value has no interval")
    ends = []
    for n, row in enumerate(values):
        has_value = ~np.isnan(row)
        own_clusters = None if clusters is None else clusters[has_value]
        rarest = scale.rarest_class[n] if scale.rarest_class else math.nan
        degrees = scale.degrees[n] if scale.degrees else math.inf
        ends.append(_interval(row[has_value], level, own_clusters, scale, rarest, degrees))
    return ends


def _interval(
    values: Floats, level: float, clusters: Ints | None, scale: Scale, rarest: float, degrees: float
) -> Interval:
    """Return the interval of one submission, whose values are all known.

    `rarest` is the number of rows of its rarest class, NaN without one.
    """
    deviations = deviations_of(values, clusters)
    count = deviations.size
    if count < MIN_UNITS:
        return NO_INTERVAL
    mean = float(values[0] if np.ptp(values) == 0 else values.mean())
    degrees = max(min(degrees, count - 1.0), 1.0)
    error = math.sqrt(float((deviations**2).sum()) / (count * (count - 1)))
    low, high = (None if bound is None else float(bound) for bound in scale.bounds)
    if low is not None and high is not None and high > low:
        if low < 0 < high and abs(mean) >= max(high, -low):
            # At a bound, such as a correlation of 1, it is a share of the way from chance, 0.
            low, high = (0.0, high) if mean > 0 else (low, 0.0)
        width = high - low
        share = min(max((mean - low) / width, 0.0), 1.0)
        is_at_bound = share in (0.0, 1.0)
        is_binary = not scale.pooled and bool(((values == low) | (values == high)).all())
        if is_binary or scale.pooled or is_at_bound:
            is_binomial = is_binary and clusters is None  # each list is one trial
            if is_binomial or (error <= NOISE * width and is_at_bound):
                trials = float(count) if math.isnan(rarest) else rarest
            elif error <= NOISE * width:
                return Interval(mean, mean)
            else:
                trials = _effective_trials(share, width / error, level, degrees, rarest)
            ends = proportion(share, trials, level)
            return Interval(low + width * ends.low, low + width * ends.high)
    ends = skewed(deviations, level, degrees) if error > 0 else Interval(0.0, 0.0)
    return Interval(*clip_interval((mean + ends.low, mean + ends.high), (low, high)))


def _effective_trials(
    share: float, precision: float, level: float, degrees: float, rarest: float
) -> float:
    """Return how many trials have the standard error of a share (Korn and Graubard).

    There are fewer for an error of few degrees of freedom, which is itself uncertain. `precision`
    is 1 over the standard error.
    """
    if not math.isnan(rarest):
        degrees = max(min(degrees, rarest - 1), 1.0)
    normal = NormalDist().inv_cdf((1 + level) / 2)
    trials = share * (1 - share) * precision**2
    return trials * (normal / student((1 + level) / 2, degrees)) ** 2


def clip_interval(ends: tuple[float, float], bounds: Bounds) -> tuple[float, float]:
    """Return an interval without what lies beyond the bounds of values."""
    low, high = bounds
    return (
        max(ends[0], -math.inf if low is None else float(low)),
        min(ends[1], math.inf if high is None else float(high)),
    )


def deviations_of(values: Floats, clusters: Ints | None = None) -> Floats:
    """Return by how much each list, or cluster, moves the mean, times their number: (units,)."""
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
    # A single outlier may make a skew that would move an end too far.
    skew = min(max(skew, -MAX_SKEW / limit), MAX_SKEW / limit)

    def add_skew(end: float) -> float:
        if abs(skew) < 1e-6:
            return end
        return 3 / skew * (math.cbrt(1 + skew * (end - skew / (6 * count))) - 1)

    return Interval(-spread * add_skew(limit), -spread * add_skew(-limit))


def unskewed(t: Floats, skew: Floats, count: int) -> Floats:
    """Return each t corrected for the skew of its values, but no nearer to 0 than |t| / 1.56.

    Hall, "On the removal of skewness by transformation", J. Royal Statistical Society B 54,
    1992. The transformation is monotone; `skewed` undoes it.

    >>> unskewed(np.array([-3.0, 3.0]), np.array([1.0, 1.0]), 20).round(2)
    array([-2.34,  3.76])
    """
    scaled = t / math.sqrt(count)
    corrected = scaled + skew * scaled**2 / 3 + skew**2 * scaled**3 / 27 + skew / (6 * count)
    corrected = np.sign(t) * np.maximum(np.sign(t) * corrected, np.abs(scaled) / MAX_SHRINKAGE)
    return np.asarray(corrected * math.sqrt(count))


def proportion(share: float, trials: float, level: float) -> Interval:
    """Return the interval of Clopper and Pearson (Biometrika 26, 1934).

    The number of trials may be a fraction.

    >>> [round(end, 4) for end in proportion(1.0, 20, 0.95)]
    [0.8316, 1.0]
    """
    successes, tail = share * trials, (1 - level) / 2
    failures = trials - successes
    zero = NOISE * trials
    return Interval(
        0.0 if successes <= zero else beta(tail, successes, failures + 1),
        1.0 if failures <= zero else beta(1 - tail, successes + 1, failures),
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
        for _ in range(BISECTIONS):
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
