"""Confidence intervals by the bootstrap."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from statistics import NormalDist
from threading import Lock

import numpy as np

from scorer.stats.units import Floats, Ints, alike, blocks, unit_sizes, unit_sums, units

BLOCK = 50_000  # lists in a block of draws: 0.4 MB, which a core's cache holds
DRAWN = 4_000_000  # means drawn before they are looked at: 32 MB
GATHERED = 2_500  # units above which blocks of them are drawn
LEFT_OUT = 400  # blocks that are left out in turn where a figure is worked out anew each time
KEPT = 4_000  # intervals that are worked out once only
FEW = 3  # rows that are looked up draw by draw; of more, lists are counted once for all


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval, in the unit of the values."""

    low: float
    high: float


class _Known:
    """The intervals worked out last: a board that lives asks for nearly all of them again."""

    def __init__(self) -> None:
        self._ends: OrderedDict[bytes, Interval] = OrderedDict()
        self._lock = Lock()

    def get(self, key: bytes) -> Interval | None:
        """That of a key, if it is still there."""
        return self._ends.get(key)

    def add(self, key: bytes, ends: Interval) -> None:
        """Keep one more, and the oldest no longer."""
        with self._lock:
            self._ends[key] = ends
            self._ends.move_to_end(key)
            if len(self._ends) > KEPT:
                self._ends.popitem(last=False)


_KNOWN = _Known()


@dataclass(frozen=True, slots=True, eq=False)
class Resampled:
    """A figure of all lists, of draws of them, and without some of them."""

    value: float
    drawn: Floats  # (draws,), NaN where a draw has no value
    without: Floats  # (units,): without each unit in turn
    units: int


def intervals(
    values: Floats,
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 1,
    clusters: Ints | None = None,
) -> list[Interval]:
    """Where each submission's mean would likely lie on other lists of the same sort.

    Bias-corrected and accelerated bootstrap over lists (BCa; Efron, "Better bootstrap confidence
    intervals", JASA 82, 1987). A mean's jackknife has a closed form. The lists drawn are those
    that `scipy.stats.bootstrap(rng=seed)` draws and the same for all submissions; a
    submission's interval is the same to the bit whoever else stands on the board. Of more than
    2,500 lists, 2,500 random blocks are drawn, each the sum of its lists. Below 10 lists the
    level is nominal: measured coverage is about .5 with 2 lists, .72 with 3, .87 with 5.

    A monotone function of a mean may be applied to both ends (the root of a pooled MSE).

    Args:
        values: (submissions, lists), or one row. NaN leaves that list out for that submission.
        draws: time grows with draws x lists.
        clusters: (lists,), equal numbers for lists that are not independent of each other, as
            those of one user: whole clusters are drawn.

    Returns:
        One for each submission. One list or equal values: both ends are the mean. No list: NaN.

    Raises:
        ValueError: If a value is infinite.
    """
    values = np.atleast_2d(np.asarray(values, dtype=np.float64))
    if np.isinf(values).any():
        raise ValueError("an infinite value has no interval")
    valued = ~np.isnan(values)
    ends_by_row = [Interval(np.nan, np.nan)] * len(values)
    size = max(1, DRAWN // draws)
    for rows in alike(valued):
        mask = valued[rows[0]]
        if not mask.any():
            continue
        own = None if clusters is None else clusters[mask]
        keys = {row: _key(values[row, mask], own, level, draws, seed) for row in rows.tolist()}
        known = {row: kept for row, key in keys.items() if (kept := _KNOWN.get(key))}
        new = np.array([row for row in keys if row not in known], dtype=np.int64)
        for start in range(0, new.size, size):
            chunk = new[start : start + size]
            ends = _bca_of_means(values[np.ix_(chunk, mask)], own, level, draws, seed)
            known |= {
                row: Interval(*both)
                for row, both in zip(chunk.tolist(), ends.tolist(), strict=True)
            }
        for row, interval in known.items():
            ends_by_row[row] = interval
            _KNOWN.add(keys[row], interval)
    return ends_by_row


def _key(values: Floats, clusters: Ints | None, level: float, draws: int, seed: int) -> bytes:
    """A digest of all that an interval depends on."""
    digest = blake2b(values.tobytes(), digest_size=16)
    digest.update(b"" if clusters is None else clusters.tobytes())
    digest.update(repr((values.size, level, draws, seed)).encode())
    return digest.digest()


def _bca_of_means(
    values: Floats, clusters: Ints | None, level: float, draws: int, seed: int
) -> Floats:
    """The ends of the intervals, (submissions, 2), of complete values.

    Nothing of a row is computed together with another one: its last bit must not depend on it.
    """
    constant = np.ptp(values, axis=1) == 0
    means = np.where(constant, values[:, 0], values.mean(axis=1))
    if constant.all():
        return np.stack([means, means], axis=1)
    lists = values.shape[1]
    unit = units(lists, clusters, GATHERED, seed)
    # Deviations, not values: the mean is then exactly 0, which a draw can be compared with.
    parts, sizes = unit_sums(values - means[:, None], unit), unit_sizes(lists, unit)
    if sizes.size < 2:  # a single cluster: nothing is known of others
        return np.where(constant[:, None], means[:, None], np.nan) * np.ones(2)
    # Whole numbers of a power of two: their sums are exact, the same in whatever order they are
    # made. What is lost is below a 2**-40th of a row's largest, of 2,500.
    exponents = np.frexp(np.abs(parts).max(axis=1, keepdims=True))[1]
    step = np.exp2(np.maximum(exponents + parts.shape[1].bit_length() - 53, -1074))
    parts = np.round(parts / step)
    rows = parts if np.ptp(sizes) == 0 else np.concatenate([parts, sizes[None]])
    drawn, start = np.empty((len(rows), draws)), 0
    sums = _sums_looked_up if len(parts) <= FEW else _sums_counted
    for some in sums(rows, draws, seed):
        drawn[:, start : start + some.shape[1]] = some
        start += some.shape[1]
    drawn, drawn_lists = drawn[: len(parts)], drawn[len(parts) :]
    drawn /= drawn_lists[0] if drawn_lists.size else lists
    noise = 1e-9 * np.sqrt((parts**2).sum(axis=1)) / lists
    drawn.sort(axis=1)
    # Leaving out unit i moves the mean by -part_i / (the lists of the other units).
    influence = parts / (lists - sizes)
    ends = [_bca(*row, level) for row in zip(drawn, noise.tolist(), influence, strict=True)]
    return np.asarray(means[:, None] + step * np.array(ends))


def _sums_looked_up(rows: Floats, draws: int, seed: int) -> Iterator[Floats]:
    """The sums of each draw, (rows, some draws) at a time."""
    for chosen in _resamples(rows.shape[1], draws, seed):
        yield np.stack([row.take(chosen, mode="clip").sum(axis=1) for row in rows])


def _sums_counted(rows: Floats, draws: int, seed: int) -> Iterator[Floats]:
    """As `_sums_looked_up`, from how often each draw holds each list."""
    for counts in _counts(rows.shape[1], draws, seed):
        yield np.stack([counts @ row for row in rows])


def _bca(drawn: Floats, noise: float, influence: Floats, level: float) -> tuple[float, float]:
    """The ends of an interval of what is 0 for the lists themselves.

    Args:
        drawn: (draws,), ascending.
        noise: draws no further from 0 count as ties with it.
        influence: (units,), the fall of the figure without each unit.
    """
    normal = NormalDist()  # of the standard library: scipy takes longer to import than this to run
    below = np.searchsorted(drawn, -noise) + np.searchsorted(drawn, noise, side="right")
    share = min(max(float(below) / (2 * drawn.size), 0.5 / drawn.size), 1 - 0.5 / drawn.size)
    bias = normal.inv_cdf(share)
    influence = influence - influence.mean()
    spread = float((influence**2).sum() ** 1.5)
    skew = float((influence**3).sum()) / spread if spread > 0 else 0.0
    ends = []
    for tail in (-normal.inv_cdf((1 + level) / 2), normal.inv_cdf((1 + level) / 2)):
        shift = bias + tail
        # |skew| / 6 stays below 1/6, so only a shift beyond 6 could meet the pole.
        at = normal.cdf(bias + shift / max(1 - skew / 6 * shift, 1e-9))
        ends.append(_quantile(drawn, at))
    return ends[0], ends[1]


def _quantile(ascending: Floats, at: float) -> float:
    """As `np.quantile`, which imports more than this needs."""
    place = at * (ascending.size - 1)
    below = min(int(place), ascending.size - 2) if ascending.size > 1 else 0
    low, high = float(ascending[below]), float(ascending[min(below + 1, ascending.size - 1)])
    return low + (place - below) * (high - low)


def interval_of(figure: Resampled, level: float = 0.95) -> Interval:
    """The BCa interval of a figure; NaN where it, or half of the draws, have no value."""
    known = np.sort(figure.drawn[~np.isnan(figure.drawn)])
    without = figure.without[~np.isnan(figure.without)]
    if np.isnan(figure.value) or figure.units < 2 or 2 * known.size < figure.drawn.size:
        return Interval(np.nan, np.nan)
    noise = 1e-9 * float(known.std())
    # `without` is the figure itself there; one unit more moves it the other way.
    low, high = _bca(known - figure.value, noise, -without, level)
    return Interval(figure.value + low, figure.value + high)


def resampled_sums(
    sums: Floats,
    figure: Callable[[Floats], Floats],
    *,
    draws: int = 10_000,
    seed: int = 1,
    clusters: Ints | None = None,
) -> list[Resampled]:
    """Resample a figure that depends on the sums of columns over lists only.

    `sums` is of shape (submissions, lists, width); `figure` makes figures (draws,) of sums over
    lists (draws, width). The draws and `clusters` are as in `intervals`.
    """
    _, lists, _ = sums.shape
    unit = units(lists, clusters, GATHERED, seed)
    parts = [np.ascontiguousarray(unit_sums(each.T, unit).T) for each in sums]
    drawn: list[list[Floats]] = [[] for _ in parts]
    count = unit_sizes(lists, unit).size
    for counts in _counts(count, draws, seed) if count else ():
        for values, part in zip(drawn, parts, strict=True):
            values.append(figure(counts @ part))
    resampled = []
    for values, part in zip(drawn, parts, strict=True):
        total = part.sum(axis=0)
        value = float(figure(total[None])[0])
        resampled.append(
            Resampled(value, np.concatenate([[], *values]), figure(total - part), count)
        )
    return resampled


def resampled_weights(
    figures: Sequence[Callable[[Floats], float]],
    lists: int,
    *,
    draws: int = 1_000,
    seed: int = 1,
    clusters: Ints | None = None,
) -> list[Resampled]:
    """Resample figures that are worked out anew for each draw.

    Each of `figures` makes a submission's figure of the number of times each list counts, (lists,).
    The draws and `clusters` are as in `intervals`.
    """
    drawn: list[list[float]] = [[] for _ in figures]
    unit = units(lists, clusters, GATHERED, seed)
    count = unit_sizes(lists, unit).size
    for counts in _counts(count, draws, seed) if count else ():
        for row in counts:
            weights = row if unit is None else row[unit]
            for values, figure in zip(drawn, figures, strict=True):
                values.append(figure(weights))
    resampled = []
    left_out = units(lists, clusters, LEFT_OUT, seed)
    left_out = np.arange(lists) if left_out is None else left_out
    masks = [(left_out != each).astype(np.float64) for each in range(left_out.max(initial=-1) + 1)]
    for values, figure in zip(drawn, figures, strict=True):
        without = np.array([figure(mask) for mask in masks])
        resampled.append(Resampled(figure(np.ones(lists)), np.array(values), without, count))
    return resampled


def _resamples(lists: int, draws: int, seed: int) -> Iterator[Ints]:
    """The lists of each draw, (some draws, lists) at a time."""
    rng = np.random.default_rng(seed)
    for rows in blocks(lists, draws, BLOCK):
        yield rng.integers(lists, size=(rows, lists))


def _counts(lists: int, draws: int, seed: int) -> Iterator[Floats]:
    """How often each draw holds each list, (some draws, lists) at a time, all in one array."""
    # Used again, since fresh memory takes longer than the arithmetic.
    space = np.empty(0)
    for chosen in _resamples(lists, draws, seed):
        chosen += np.arange(len(chosen))[:, None] * lists
        space = space if space.size else np.empty(chosen.size)  # the first are the most
        counts = space[: chosen.size]
        counts.fill(0.0)
        np.add.at(counts, chosen.ravel(), 1.0)
        yield counts.reshape(chosen.shape)
