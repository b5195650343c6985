"""Confidence intervals of means and figures, from what each list adds to them."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from scorer.stats.quantiles import beta, student
from scorer.stats.skew import STEEP
from scorer.stats.units import NOISE, Floats, Ints, unit_sizes, unit_sums, units

Bounds = tuple[float | None, float | None]  # the lowest and the highest value; None: there is none


class Interval(NamedTuple):
    """A confidence interval, in the unit of the values; NaN where there is none."""

    low: float
    high: float


NONE = Interval(math.nan, math.nan)


class Scale(NamedTuple):
    """What is known of a figure beside what its lists add to it."""

    bounds: Bounds = (None, None)
    pooled: bool = False  # whether, if there are two bounds, it is a share
    rests: tuple[float, ...] = ()  # of each submission: how many lists a share at a bound hangs on
    freedom: tuple[float, ...] = ()  # of each submission: degrees of its error; else units - 1
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
        clusters: (lists,), equal numbers for lists that are not independent of each other, as those
            of one user.
        scale: The bounds, and whether it is pooled.

    Returns:
        One for each submission; NaN of fewer than two lists or clusters. Equal values within the
        bounds: both ends are the mean.

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
        rests = scale.rests[n] if scale.rests else math.nan
        freedom = scale.freedom[n] if scale.freedom else math.inf
        ends.append(_interval(row[known], level, own, scale, rests, freedom))
    return ends


def _interval(
    values: Floats, level: float, clusters: Ints | None, scale: Scale, rests: float, freedom: float
) -> Interval:
    deviations = deviations_of(values, clusters)
    if deviations.size < 2:
        return NONE
    low, high = (None if bound is None else float(bound) for bound in scale.bounds)
    mean = float(values[0] if np.ptp(values) == 0 else values.mean())
    count = deviations.size
    freedom = max(min(freedom, count - 1.0), 1.0)
    error = math.sqrt(float((deviations**2).sum()) / (count * (count - 1)))
    if low is not None and high is not None and high > low:
        if low < 0 < high and abs(mean) >= max(high, -low):  # what chance gives is the other end
            low, high = (0.0, high) if mean > 0 else (low, 0.0)
        width, place = high - low, min(max((mean - low) / (high - low), 0.0), 1.0)
        binary = not scale.pooled and bool(((values == low) | (values == high)).all())
        if binary or scale.pooled or place in (0.0, 1.0):
            exact = binary and clusters is None
            if exact or error <= NOISE * width:
                trials = float(count) if math.isnan(rests) else rests
                if not exact and place not in (0.0, 1.0):
                    return Interval(mean, mean)
            else:
                few = freedom if math.isnan(rests) else max(min(freedom, rests - 1), 1.0)
                normal = NormalDist().inv_cdf((1 + level) / 2)
                trials = place * (1 - place) * (width / error) ** 2
                trials *= (normal / student((1 + level) / 2, few)) ** 2
            share = proportion(place, trials, level)
            return Interval(low + width * share.low, low + width * share.high)
    ends = skewed(deviations, level, freedom) if error > 0 else Interval(0.0, 0.0)
    return Interval(
        max(mean + ends.low, -math.inf if low is None else low),
        min(mean + ends.high, math.inf if high is None else high),
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
    return np.asarray(sums * (sums.size / unit_sizes(values.size, unit).sum()))


def skewed(deviations: Floats, level: float, freedom: float) -> Interval:
    """The ends of an interval of a mean of 0, by Hall's transformation.

    `deviations`, (units,), are not all 0; `freedom` is the degrees of freedom of their variance.
    """
    count = deviations.size
    spread = math.sqrt(float((deviations**2).sum()) / (count - 1))
    skew = float((deviations**3).mean()) / spread**3
    limit = student((1 + level) / 2, freedom) / math.sqrt(count)
    # a single far list makes a skew that would move an end further than it is wise to go
    skew = min(max(skew, -STEEP / limit), STEEP / limit)

    def moved(at: float) -> float:
        if abs(skew) < 1e-6:
            return at
        return 3 / skew * (math.cbrt(1 + skew * (at - skew / (6 * count))) - 1)

    return Interval(-spread * moved(limit), -spread * moved(-limit))


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
