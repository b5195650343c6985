"""Aggregates of values: means, sum, quantiles, stability, dispersion; weighted, also of groups.

All but the median, the quantiles, stability and dispersion are made of sums over values, so that
draws of lists cost one product of matrices.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from scorer.stats.units import Floats, Ints, exact_mean, exact_sum

WORDS = ("mean", "sum", "median", "geometric", "power", "quantile", "stability", "dispersion")
NUMBER = r"\s*([-+0-9.eE]+)\s*"
WRITTEN = re.compile(rf"\s*([a-z]+)\s*(?:\({NUMBER}(?:,{NUMBER})?\))?\s*")


@dataclass(frozen=True)
class Aggregate:
    """How values make one number.

    `geometric` may have a number below which no value falls, as trec_eval's gm_map has 0.00001.
    `power` has its exponent: 1 is the mean, -1 the harmonic mean; `quantile` its share, between
    values as in numpy. `stability` is of values in their order, such as weeks: their mean, plus
    `number` times the slope of their regression line where that falls, less `second` times the
    standard deviation about the line (Home Credit's challenge of 2024 takes 88 and 0.5).
    `dispersion` is their mean less `number` times their standard deviation, over all of them.
    """

    name: str = "mean"
    number: float | None = None
    second: float | None = None

    def __str__(self) -> str:
        if self.second is not None:
            return f"{self.name}({self.number:g}, {self.second:g})"
        return self.name if self.number is None else f"{self.name}({self.number:g})"

    @property
    def of_sums(self) -> bool:
        """Whether it is made of sums over values."""
        return self.name not in ("median", "quantile", "stability", "dispersion")

    def columns(self, values: Floats, weights: Floats | None = None) -> Floats:
        """Return the numbers whose sums over values make it.

        `values` is of shape (..., values), NaN counts for nothing; `weights` is of shape (values,),
        by default 1. The result has shape (..., values, 2): the numbers to add, and the weight; for
        geometric and power also the weights of values of 0, and of those below.
        """
        known = ~np.isnan(values)
        weight = np.where(known, 1.0 if weights is None else weights, 0.0)
        filled = np.where(known, values, 0.0)
        if self.name not in ("geometric", "power"):
            return np.stack([weight * filled, weight], axis=-1)
        if self.name == "geometric" and self.number is not None:
            filled = np.maximum(filled, self.number)
        zero, below = weight * (filled == 0), weight * (filled < 0)
        positive = np.where(filled > 0, filled, 1.0)
        power = self.number if self.name == "power" else None
        with np.errstate(over="ignore"):
            terms = np.log(positive) if power is None else positive**power
        terms = np.where((weight > 0) & (filled > 0), terms, 0.0)
        return np.stack([weight * terms, weight, zero, below], axis=-1)

    def value(self, sums: Floats) -> Floats:
        """It, from sums of `columns`: shape (..., width) to (...); NaN of no values."""
        total, weight = sums[..., 0], sums[..., 1]
        has_weight = weight > 0
        if self.name == "sum":
            return np.where(has_weight, total, np.nan)
        mean: Floats = np.divide(total, weight, out=np.full(total.shape, np.nan), where=has_weight)
        if self.name == "mean":
            return mean
        zero, below = sums[..., 2], sums[..., 3]
        with np.errstate(all="ignore"):
            if self.name == "geometric":
                figures = np.where(zero > 0, 0.0, np.exp(mean))
            else:
                assert self.number is not None
                figures = mean ** (1 / self.number)
                if self.number < 0:
                    figures = np.where(zero > 0, 0.0, figures)
        return np.where(has_weight & (below <= 0), figures, np.nan)

    def of(self, values: Floats, weights: Floats | None = None) -> float:
        """It of some values, in their order; NaN values count for nothing. Sums are exact.

        Both are of shape (values,).

        >>> Aggregate("power", -1).of(np.array([1.0, 0.5]))
        0.6666666666666666
        """
        known = ~np.isnan(values)
        if self.name == "median":
            weight = np.ones(values.size) if weights is None else weights
            return median(values[known], weight[known])
        if self.name == "quantile":
            weight = np.ones(values.size) if weights is None else weights
            assert self.number is not None
            return quantile(values[known], weight[known], self.number)
        if self.name == "stability":
            return self._stable(np.flatnonzero(known), values[known])
        if self.name == "dispersion":
            assert self.number is not None
            some = values[known]
            return float(some.mean() - self.number * some.std()) if some.size else math.nan
        if not known.any():
            return math.nan
        if self.name == "mean" and weights is None:
            return exact_mean(values[known])
        columns = self.columns(values, weights)
        return float(self.value(np.array([exact_sum(column) for column in columns.T])))

    def _stable(self, at: Ints, values: Floats) -> float:
        """Stability of values at places of their order."""
        assert self.number is not None
        assert self.second is not None
        if at.size < 2:
            return math.nan
        slope, start = np.polyfit(at, values, 1)
        rests = values - (slope * at + start)
        return float(values.mean() + self.number * min(0.0, slope) - self.second * rests.std())


MEAN = Aggregate()


def aggregate(text: str) -> Aggregate:
    """The aggregate that a text names: `mean`, `power(-5)`, `geometric(0.00001)`.

    `ValueError`, with what can be written, if it names none.
    """
    match = WRITTEN.fullmatch(text)
    if match is None or match[1] not in WORDS:
        known = "mean, sum, median, geometric, power(NUMBER), quantile(SHARE), stability(A, B)"
        raise ValueError(f"it can be {known} or dispersion(NUMBER), as power(-5)")
    name, number, second = match.groups()
    if name == "stability":
        return _stability(number, second)
    if second is not None:
        raise ValueError(f"{name} takes no number after the first, and only some take one")
    if name == "quantile":
        share = _float(number)
        if not 0 <= share <= 1:
            raise ValueError("quantile takes a share from 0 to 1, as quantile(0.9)")
        return Aggregate(name, share)
    if name == "dispersion":
        times = _float(number)
        if not 0 <= times < math.inf:
            raise ValueError("dispersion takes a number of at least 0, as dispersion(1)")
        return Aggregate(name, times)
    if name == "power" or (number is not None and name == "geometric"):
        try:
            value = float(number or "")
        except ValueError:
            raise ValueError(f"{name} takes a number, as power(-5) or geometric(0.00001)") from None
        if name == "geometric" and not 0 < value < math.inf:
            raise ValueError("geometric takes the least value that counts, above 0")
        if not math.isfinite(value) or (name == "power" and (value == 0 or abs(value) > 100)):
            raise ValueError("the exponent of power is between -100 and 100, and not 0")
        return Aggregate(name, value)
    if number is not None:
        raise ValueError(f"{name} takes no number")
    return Aggregate(name)


def _stability(slope: str | None, spread: str | None) -> Aggregate:
    numbers = _float(slope), _float(spread)
    if not all(0 <= number < math.inf for number in numbers):
        raise ValueError("stability takes two numbers of at least 0, as stability(88, 0.5)")
    return Aggregate("stability", *numbers)


def _float(text: str | None) -> float:
    try:
        return float(text or "")
    except ValueError:
        return math.nan


def quantile(values: Floats, weight: Floats, share: float) -> float:
    """The value below which a share of the weight lies, on the line between two values.

    Where weights are whole, it is numpy's quantile of the values, each as often as its weight.
    Both are of shape (values,).
    """
    kept = weight > 0
    values, weight = values[kept], weight[kept]
    if not values.size or np.isnan(values).any():
        return float("nan")
    by = np.argsort(values, kind="stable")
    below = np.cumsum(weight[by])
    place = max(below[-1] - 1, 0) * share
    whole = math.floor(place + 1e-12 * below[-1])
    ends = np.searchsorted(below, [whole, min(whole + 1, below[-1])], side="right")
    low, high = values[by[np.minimum(ends, values.size - 1)]]
    return float(low + (high - low) * max(place - whole, 0.0))


def median(values: Floats, weight: Floats) -> float:
    """The value with half of the weight below it; the mean of two where it is between them."""
    kept = weight > 0
    values, weight = values[kept], weight[kept]
    if not values.size or np.isnan(values).any():
        return float("nan")
    by = np.argsort(values, kind="stable")
    below, half = np.cumsum(weight[by]), weight.sum() / 2
    first = int(np.searchsorted(below, half * (1 - 1e-12)))
    exact = abs(below[first] - half) <= half * 1e-12
    last = min(first + exact, values.size - 1)
    return float((values[by[first]] + values[by[last]]) / 2)


class GroupAggregate(NamedTuple):
    """How the figures of groups make one number."""

    aggregate: Aggregate
    weights: Floats | None = None  # (groups,); None: all alike, or by size
    by_size: bool = False
    order: Ints | None = None  # (groups,): the groups in the order of their names

    @property
    def trivial(self) -> bool:
        """Whether the figure of a single group is the number."""
        floored = self.aggregate.name == "geometric" and self.aggregate.number is not None
        summed = self.aggregate.name == "sum" and (self.weights is not None or self.by_size)
        return not floored and not summed and self.aggregate.name != "stability"


def aggregate_groups(figures: Floats, sizes: Floats, how: GroupAggregate) -> Floats:
    """Return the number that figures of groups make in each draw, shape (draws,).

    A group of no lists, and one whose figure is NaN, is left out. A sum has no value where a group
    is left out.

    Args:
        figures: Shape (draws, groups); NaN for a group without a figure.
        sizes: The lists of each group, shape (draws, groups).
        how: How they make the number.
    """
    aggregate, (draws, groups) = how.aggregate, figures.shape
    if groups == 1 and how.trivial:
        return figures[:, 0]
    order = np.arange(groups) if how.order is None else how.order
    own = figures[:, order]
    weights = np.ones(groups) if how.weights is None else how.weights[order]
    each = sizes[:, order] if how.by_size else np.broadcast_to(weights, own.shape)
    if not aggregate.of_sums or draws == 1:  # exact where nothing is drawn
        unweighted = how.weights is None and not how.by_size
        weight_rows = [None] * draws if unweighted else each
        pairs = zip(own, weight_rows, strict=True)
        numbers = np.array([aggregate.of(row, weight) for row, weight in pairs])
    else:
        numbers = aggregate.value((aggregate.columns(own) * each[..., None]).sum(axis=1))
    if aggregate.name == "sum":
        numbers[np.isnan(own).any(axis=1)] = np.nan
    return numbers
