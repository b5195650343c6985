"""The permutation test of pairs: units' differences change signs, the same in all pairs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from scorer.stats.family import Paired
from scorer.stats.pair_groups import PairGroup, all_observed, as_matrices, large_enough
from scorer.stats.skew import unskewed
from scorer.stats.threads import Threads
from scorer.stats.units import NOISE, Floats, blocks

SIGNS = 1_000_000  # in a block of a permutation's: 8 MB, for its rows of sums to be long


def permuted(
    count: int,
    every: Sequence[PairGroup],
    width: int,
    draws: int,
    seed: int,
    level: float,
    alone: float | None,
    threads: Threads,
) -> Paired:
    """A p-value for each pair by flipping signs of `width` units, corrected; and all else."""
    parts = large_enough(every)
    exact = enumerable(width, draws)
    observed = [part.observed() for part in parts]
    # All-zero pairs get weight 0, hence p = 1.
    scales = [np.divide(1.0, norm, out=np.zeros(norm.size), where=norm > 0) for _, norm in observed]
    # Equal sums leave a matrix product, and equal ratios of two pairs a division, equal but
    # for their last digits.
    held = [
        _shrunk((np.abs(total) - NOISE) * scale, np.sign(total), norm, part, exact)
        for part, scale, (total, norm) in zip(parts, scales, observed, strict=True)
    ]
    thresholds = [each - 1e-9 for each in held]
    even = len({part.units for part in parts}) == 1
    tops = [part.greatest(scale, threads) for part, scale in zip(parts, scales, strict=True)]
    own = None if alone is None else _Own(parts, scales, alone, 2**width if exact else draws + 1)
    maxima: list[Floats] = []
    done, room = 0, max((part.rows for part in parts), default=1)
    for signs in signs_of(width, draws, seed, room):
        top = np.zeros(len(signs))
        for n, part in enumerate(parts):
            part_signs = signs if part.units == width else signs[:, part.columns]
            own_top = tops[n](part_signs)
            np.maximum(top, own_top if even else _surprise(own_top, part.units), out=top)
            if own is not None:
                own.add(n, part_signs)
        maxima.append(top)
        done += len(signs)
    ascending = np.sort(np.concatenate(maxima))
    limits = [
        each if even else _surprise(each, part.units)
        for each, part in zip(thresholds, parts, strict=True)
    ]
    reached = [ascending.size - np.searchsorted(ascending, each) for each in limits]
    times = np.concatenate([[], *reached])
    p = times / done if exact else (times + 1) / (done + 1)
    # the least maximum that, exceeded, leaves p at no more than 1 - level
    bound = _bound(ascending, level, done if exact else done + 1)
    critical = [_critical(bound, part.units, even) for part in parts]
    total, norm = all_observed(observed)
    limits_alone = None if own is None else own.critical()
    if limits_alone is not None and p.size == 1 and alone == level:  # the two are one interval
        limits_alone = np.array(critical)
    shrunk = [_t_of(each, part.units) for each, part in zip(held, parts, strict=True)]
    beyond = np.inf if limits_alone is None else limits_alone
    refused = p <= 1 - level, np.concatenate([[], *shrunk]) > beyond
    return as_matrices(count, every, (total, norm), p, np.sign(total), critical, draws,
                       ("permutation", "max"), limits_alone, refused)  # fmt: skip


def _bound(ascending: Floats, level: float, patterns: int) -> float:
    """The least of what was drawn that, exceeded, leaves p at no more than 1 - level."""
    place = math.floor((1 - level + 1e-9) * patterns) - (patterns != ascending.size)
    return float(ascending[-1 - place]) if 0 <= place < ascending.size else math.inf


class _Own:
    """The greatest differences of each pair by itself."""

    def __init__(
        self, parts: Sequence[PairGroup], scales: Sequence[Floats], level: float, patterns: int
    ) -> None:
        self._parts, self._scales, self._level = parts, scales, level
        self._patterns, self._drawn = patterns, 0
        self._most = math.floor((1 - level + 1e-9) * patterns) + 1
        self._kept = [np.full((each.size, self._most), -np.inf) for each in scales]

    def add(self, part: int, signs: Floats) -> None:
        """Those of one part in some draws; no more are kept than are needed."""
        kept = self._kept[part]
        for here, flipped in self._parts[part].flipped(signs):
            ratios = np.abs(flipped) * self._scales[part][here, None]
            known = np.concatenate([kept[here], ratios], axis=1)
            kept[here] = np.partition(known, -self._most, axis=1)[:, -self._most :]
        self._drawn += len(signs) if part == 0 else 0

    def critical(self) -> Floats:
        """The |t| of each pair, (pairs,)."""
        place = math.floor((1 - self._level + 1e-9) * self._patterns)
        place -= self._patterns != self._drawn
        limits = [np.empty(0)]
        for part, kept in zip(self._parts, self._kept, strict=True):
            if not 0 <= place < min(self._drawn, self._most):
                limits.append(np.full(len(kept), math.inf))
                continue
            bounds = np.sort(kept, axis=1)[:, -1 - place]
            limits.append(np.array([_critical(each, part.units, True) for each in bounds.tolist()]))
        return np.concatenate(limits)


def _shrunk(ratio: Floats, sign: Floats, norm: Floats, part: PairGroup, exact: bool) -> Floats:
    """|S| / sqrt(Q) of a standard error that is as large as it may truly be.

    By the stretch of shares, the spread of figures that are equal, and the skew of differences.
    """
    n, size = part.units, np.abs(ratio)
    square = np.minimum(size**2 / n, 1.0)
    least = np.where(
        part.stretch == 1, size, np.sqrt(n * square / (square + part.stretch**2 * (1 - square)))
    )
    wider = part.spread > norm**2 * (1 + NOISE)
    least[wider] = np.minimum(least, size * norm / np.sqrt(np.maximum(part.spread, NOISE**2)))[
        wider
    ]
    if not exact:
        t, skews = sign * _t_of(size, n), part.skews()
        against = (skews * sign < 0) & np.isfinite(t)
        t = np.abs(unskewed(t[against], skews[against], n))
        least[against] = np.minimum(least[against], np.sqrt(n * t**2 / (n - 1 + t**2)))
    return np.asarray(np.copysign(least, ratio))


def _t_of(ratio: Floats, n: int) -> Floats:
    """The |t| of |S| / sqrt(Q) of n units."""
    square = np.minimum(np.maximum(ratio, 0) ** 2 / n, 1)  # more than 1 only by rounding
    with np.errstate(divide="ignore"):
        return np.asarray(np.sqrt((n - 1) * square / (1 - square)))


def _surprise(ratio: Floats, n: int) -> Floats:
    """Student's -log p of |S| / sqrt(Q) of n units, at most that of their least sign test."""
    from scipy.special import stdtr

    p = 2 * stdtr(n - 1, -_t_of(ratio, n))
    # a tied pair lies below all draws
    return np.where(ratio < 0, -1.0, -np.log(np.maximum(p, 2.0 ** (1 - n))))


def _critical(bound: float, n: int, even: bool) -> float:
    """The |t| of n units that a bound of the compared statistic stands for."""
    if even:
        square = min(bound**2 / n, 1.0)
        return math.sqrt((n - 1) * square / (1 - square)) if square < 1 - 1e-9 else math.inf
    from scipy.special import stdtrit

    p = math.exp(-bound)
    return float(-stdtrit(n - 1, p / 2)) if p > 2.0 ** (1 - n) * (1 + 1e-9) else math.inf


def student(parts: Sequence[PairGroup], level: float) -> list[float]:
    """Student's critical |t| of each part."""
    from scipy.special import stdtrit

    return [float(stdtrit(part.units - 1, (1 + level) / 2)) for part in parts]


def signs_of(lists: int, draws: int, seed: int, width: int = 1) -> Iterator[Floats]:
    """Sign patterns of -1 and 1, (some draws, lists) at a time: all there are, or drawn ones.

    A block has as many as fit with `width` numbers each.
    """
    exact = enumerable(lists, draws)
    source, start = np.random.PCG64(seed), 0
    for rows in blocks(max(lists, width), 2**lists if exact else draws, SIGNS):
        if exact:
            words = np.arange(start, start + rows, dtype=np.uint64)[:, None]
        else:
            words = source.random_raw((rows, -(-lists // 64)))
        start += rows
        octets = words.astype("<u8").view(np.uint8)
        bits = np.unpackbits(octets, axis=1, count=lists, bitorder="little")
        yield (2 * bits.view(np.int8) - 1).astype(np.float64)


def enumerable(lists: int, draws: int) -> bool:
    """Whether `draws` hold all 2**lists patterns."""
    return lists < draws.bit_length()
