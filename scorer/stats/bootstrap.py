"""Confidence intervals by the bootstrap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from scorer.stats.paired import BLOCK, DRAWN, FEW, GATHERED, Floats, Ints, _blocks, _gathered


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval, in the unit of the values."""

    low: float
    high: float


def intervals(
    values: Floats,
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 1,
    weights: Floats | None = None,
) -> list[Interval]:
    """Where each submission's mean would likely lie on other lists of the same sort.

    Bias-corrected and accelerated bootstrap over lists (BCa; Efron, "Better bootstrap confidence
    intervals", JASA 82, 1987). A mean's jackknife has a closed form. The lists drawn are those
    that `scipy.stats.bootstrap(rng=seed)` draws and the same for all submissions, so that a
    submission's interval does not depend on who else stands on the board. Of more than 2,500
    lists, 2,500 random blocks are drawn, each the sum of its lists.

    A monotone function of a mean may be applied to both ends (the root of a pooled MSE).

    Args:
        values: (submissions, lists), or one row. NaN leaves that list out for that submission.
        level: The coverage aimed at, between 0 and 1.
        draws: How many times lists are drawn; time grows with draws x lists.
        seed: The same seed, the same answer.
        weights: (lists,), positive, for weighted means; by default every list counts the same.

    Returns:
        One for each submission. One list or equal values: both ends are the mean. No list: NaN.

    Raises:
        ValueError: If a value is infinite or a weight is not positive.
    """
    values = np.atleast_2d(np.asarray(values, dtype=np.float64))
    if np.isinf(values).any():
        raise ValueError("an infinite value has no interval")
    weights = np.ones(values.shape[1]) if weights is None else np.asarray(weights, dtype=np.float64)
    if not ((weights > 0) & (weights < np.inf)).all():
        raise ValueError("weights must be positive")
    found = ~np.isnan(values)
    alike: dict[bytes, list[int]] = {}
    for row, mask in enumerate(found):
        alike.setdefault(mask.tobytes(), []).append(row)
    made = [Interval(np.nan, np.nan)] * len(values)
    for rows in alike.values():
        mask = found[rows[0]]
        size = max(1, DRAWN // draws)
        for start in range(0, len(rows) if mask.any() else 0, size):
            some = rows[start : start + size]
            ends = _bca(values[np.ix_(some, mask)], weights[mask], level, draws, seed)
            for row, (low, high) in zip(some, ends.tolist(), strict=True):
                made[row] = Interval(low, high)
    return made


def _bca(values: Floats, weights: Floats, level: float, draws: int, seed: int) -> Floats:
    """The ends of the intervals, (submissions, 2), of complete values."""
    normal = NormalDist()  # of the standard library: scipy takes longer to import than this to run
    constant = np.ptp(values, axis=1) == 0
    means = np.where(constant, values[:, 0], values @ weights / weights.sum())
    if constant.all():
        return np.stack([means, means], axis=1)
    # Deviations, not values: the mean is then exactly 0, which a draw can be compared with.
    parts = weights * (values - means[:, None])
    if len(weights) > GATHERED:
        gathered = _gathered(np.vstack([parts, weights]), GATHERED, seed)
        parts, weights = gathered[:-1], gathered[-1]
    if np.ptp(weights) == 0:
        drawn = _drawn(parts, draws, seed)
        drawn /= weights.sum()
    else:
        drawn = _drawn(np.vstack([parts, weights]), draws, seed)
        drawn = drawn[:-1] / drawn[-1]
    noise = 1e-9 * np.sqrt((parts**2).sum(axis=1, keepdims=True)) / weights.sum()
    drawn.sort(axis=1)
    below = [
        np.searchsorted(row, -limit) + np.searchsorted(row, limit, side="right")
        for row, (limit,) in zip(drawn, noise, strict=True)
    ]
    shares = np.clip(np.array(below) / (2 * draws), 0.5 / draws, 1 - 0.5 / draws)
    bias = np.array([normal.inv_cdf(share) for share in shares.tolist()])

    # Leaving out list i moves the weighted mean by -part_i / (sum of the other weights).
    influence = parts / (weights.sum() - weights)
    influence -= influence.mean(axis=1, keepdims=True)
    spread = (influence**2).sum(axis=1) ** 1.5
    skew = np.divide(
        (influence**3).sum(axis=1), spread, out=np.zeros_like(spread), where=spread > 0
    )
    tail = normal.inv_cdf((1 + level) / 2)
    shift = bias[:, None] + np.array([-tail, tail])
    # |skew| / 6 stays below 1/6, so only a shift beyond 6 could meet the pole.
    points = bias[:, None] + shift / np.maximum(1 - skew[:, None] / 6 * shift, 1e-9)
    at = np.array([[normal.cdf(point) for point in row] for row in points.tolist()])
    return np.asarray(means[:, None] + _quantiles(drawn, at))


def _quantiles(ascending: Floats, at: Floats) -> Floats:
    """As `np.quantile`, which takes one row of quantiles for all rows, and sorts slower."""
    place = at * (ascending.shape[1] - 1)
    below = np.floor(place).astype(np.int64)
    above = np.minimum(below + 1, ascending.shape[1] - 1)
    low, high = (np.take_along_axis(ascending, each, axis=1) for each in (below, above))
    between: Floats = low + (place - below) * (high - low)
    return between


def _drawn(parts: Floats, draws: int, seed: int) -> Floats:
    """The sum of each row's parts over the lists of each draw, (rows, draws)."""
    sums = _looked_up if len(parts) <= FEW else _counted
    drawn, start = np.empty((len(parts), draws)), 0
    for chosen in _resamples(parts.shape[1], draws, seed):
        stop = start + len(chosen)
        drawn[:, start:stop] = sums(parts, chosen)
        start = stop
    return drawn


def _resamples(lists: int, draws: int, seed: int) -> Iterator[Ints]:
    """The lists of each draw, (some draws, lists) at a time."""
    rng = np.random.default_rng(seed)
    for rows in _blocks(lists, draws, BLOCK):
        yield rng.integers(lists, size=(rows, lists))


def _looked_up(parts: Floats, chosen: Ints) -> Floats:
    """A block's sums, looked up part by part."""
    return np.stack([row[chosen].sum(axis=1) for row in parts])


def _counted(parts: Floats, chosen: Ints) -> Floats:
    """A block's sums, from how often each draw holds each list."""
    draws, lists = chosen.shape
    # In place, since fresh memory takes longer than the arithmetic.
    chosen += np.arange(draws)[:, None] * lists
    counts = np.bincount(chosen.ravel(), minlength=chosen.size).reshape(draws, lists)
    sums: Floats = parts @ counts.T.astype(np.float64)
    return sums
