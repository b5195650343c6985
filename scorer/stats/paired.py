"""Paired tests of submissions, each pair over the lists that both have.

Everything looks at `values` of shape (submissions, lists), the challenge's rules for missing and
undefined lists applied, and is a function of its arguments and `seed` alone. Lists are the
sample: an interval or a p-value speaks of other lists of the same sort.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from scorer.stats.family import (
    Paired,
    groups_of_pairs,
    holm,
    largest_of,
    matrices,
    pair_places,
    unsure,
)
from scorer.stats.greatest import Greatest
from scorer.stats.intervals import MEANS, Scale, deviations_of
from scorer.stats.shares import stretch
from scorer.stats.skew import unskewed
from scorer.stats.units import NOISE, Floats, Ints, Mask, blocks, unit_sums, units

Test = Literal["permutation", "wilcoxon", "t"]
Adjust = Literal["max", "holm"]
SIGNS = 1_000_000  # in a block of a permutation's: 8 MB, for its rows of sums to be long
OTHERS = 8  # submissions held against one at a time: their sums stay in a cache
MANY = 5_000  # pairs from which bounds of groups of them save more than they cost
FLIPPED = 10_000  # units above which a permutation flips blocks of them
MOST_RAISED = 1_000_000  # draws that Holm's correction may ask for
MORE = 20  # times as many draws, where a p is not told from alpha
EXCHANGED = 1_000  # units above which a figure's spread is that of its pseudo-values
WORK = 2_000_000_000  # differences and signs that may be worked out for them


@dataclass(frozen=True, slots=True)
class _Part:
    """Pairs that have the same lists in common: of one group of submissions, or between two.

    Those with fewer than two units in common are described, not tested.
    """

    pairs: tuple[Ints, Ints]  # (pairs,) rows of the submissions
    difference: Floats  # (pairs,) of the means
    first: Floats  # (rows, units), sums over the lists in common, in units of the largest value
    second: Floats | None  # None: the pairs are among the first
    columns: Ints  # (units,), which they are
    lists: int
    largest: float
    stretch: Floats  # (pairs,) by which a standard error near a bound is larger than it seems
    spread: Floats  # (pairs,) sums of squared differences, were figures equal; 0: as they are

    @property
    def units(self) -> int:
        return self.columns.size

    @property
    def unit(self) -> float:
        """What a deviation of sums times this is: one of differences of means, times units."""
        return self.largest * self.units / self.lists

    def differences(self) -> Iterator[Floats]:
        """For each of the first, its differences from those it is paired with.

        Noise is 0: the same value summed in another order must not count as a difference.
        """
        for n, row in enumerate(self.first):
            others = self.first[n + 1 :] if self.second is None else self.second
            difference = row - others
            difference *= np.abs(difference) > NOISE
            yield difference

    @property
    def rows(self) -> int:
        """How many submissions' sums are held at once."""
        return len(self.first) + (0 if self.second is None else len(self.second))

    def observed(self) -> tuple[Floats, Floats]:
        """The sum of each pair's differences, and the root of the sum of their squares."""
        sums, norms = [np.empty(0)], [np.empty(0)]
        for each in self.differences():
            sums.append(each.sum(axis=1))
            norms.append(np.sqrt(np.square(each, out=each).sum(axis=1)))
        return np.concatenate(sums), np.concatenate(norms)

    def skews(self) -> Floats:
        """The skew of each pair's differences, (pairs,)."""
        made = [np.empty(0)]
        for each in self.differences():
            deviations = each - each.mean(axis=1, keepdims=True)
            variance = np.square(deviations).sum(axis=1) / (self.units - 1)
            third = np.einsum("pu,pu,pu->p", deviations, deviations, deviations) / self.units
            some = variance > NOISE * np.square(each).mean(axis=1)
            made.append(np.divide(third, variance**1.5, out=np.zeros(third.size), where=some))
        return np.concatenate(made)

    def flipped(self, signs: Floats) -> Iterator[tuple[slice, Floats]]:
        """The difference of sums of some pairs, (pairs, draws), where units change sides.

        All are written to one place in turn, since fresh memory takes longer, too.
        """
        first = self.first @ signs.T
        second = None if self.second is None else self.second @ signs.T
        room, start = np.empty((OTHERS, len(signs))), 0
        for n, row in enumerate(first):
            rest = first[n + 1 :] if second is None else second
            for b in range(0, len(rest), OTHERS):
                others = rest[b : b + OTHERS]
                here = slice(start, start + len(others))
                yield here, np.subtract(row, others, out=room[: len(others)])
                start = here.stop

    def greatest(self, scale: Floats) -> Callable[[Floats], Floats]:
        """From signs to the greatest of these pairs' |differences| times `scale`, (draws,)."""
        if scale.size < MANY:
            return _greatest_of_all(self, scale)
        many = Greatest(len(self.first), None if self.second is None else len(self.second), scale)

        def greatest_of(signs: Floats) -> Floats:
            second = None if self.second is None else self.second @ signs.T
            return many(self.first @ signs.T, second)

        return greatest_of


def paired(
    values: Floats,
    *,
    test: Test = "permutation",
    adjust: Adjust = "max",
    draws: int = 10_000,
    seed: int = 1,
    level: float = 0.95,
    clusters: Ints | None = None,
    control: bool = False,
    recompute: Callable[[Ints, Mask], Floats] | None = None,
    exchanged: Callable[[int, Ints, Mask], Floats] | None = None,
    scale: Scale = MEANS,
    alone: float | None = None,
) -> Paired:
    """Which submissions differ by more than the luck of the lists, over all pairs at once.

    A pair is tested on the lists for which both have a value. One with fewer than two in common
    has no p and is in no family.

    `permutation`: were two submissions equal, each list's difference would be as likely to have
    the other sign. A draw gives each list one sign, for all pairs, so that what one list does to
    many pairs is kept (Smucker, Allan & Carterette, CIKM 2007, for the test in retrieval). With
    sampled draws p = (b + 1) / (m + 1); where all 2**lists patterns fit into `draws` they are
    enumerated and p = b / m is exact. Where a p is within two of its Monte-Carlo errors of
    1 - level, more are drawn, up to 20 times as many.

    Of a figure of all lists the values are its pseudo-values, so that the test is of figures that
    are equal, not of submissions that are alike: swapping what two submissions have would give
    each of them the mean of the two spreads (Chung & Romano, Annals of Statistics 41, 2013).
    Pseudo-values are made at each one's own figure, and so vary less than they should where one
    is far from the other by luck; a pair's spread is no less than where the two are equal.

    Differences of equal means need not be symmetric. A mean far towards the short tail then goes
    with a small deviation, and is found too often. |t| is therefore not above its value by Hall's
    transformation (J. Royal Statistical Society B 54, 1992), which takes the skew of a pair's
    differences into account; but where all patterns are enumerated, p is exact for symmetric ones.

    `adjust="max"` refers each pair to the greatest studentised difference of any pair in a draw
    (Westfall & Young 1993; Romano & Wolf, JASA 100, 2005; single-step), which bounds the chance
    of any false difference. A pair's sum of squared differences Q is the same under every sign,
    so t**2 = (n - 1) r / (1 - r) with r = S**2 / (n Q) and S the sum of differences: |t| grows
    with |S| / sqrt(Q), and where n is one for all pairs so does its maximum. That is what is
    compared; it needs no deviation for each draw and has no 0/0 where all differences are equal.
    Where n differs, Student's p of each t is compared, no less than the least p that n signs can
    give, 2 / 2**n, so that a pair of few lists cannot outweigh the others.

    `adjust="holm"` corrects the pairs' own p-values (Holm 1979). As these are at least
    1 / (draws + 1), fewer than 2 pairs / (1 - level) draws are raised to so many.
    `wilcoxon` (scipy's, with its choice of exact or normal) and `t` always take Holm. Wilcoxon's
    test is one of ranks: it is about the median of the differences, and so is its `lead`.

    Args:
        values: (submissions, lists), NaN where a submission has no value.
        test: The test of one pair.
        adjust: The correction of the permutation test for many pairs.
        draws: How many sign patterns are drawn; time grows with draws x lists x submissions.
        seed: The same seed, the same answer.
        level: How often all of `margin` are to hold at once; 1 - level is the error that `draws`
            must allow for.
        clusters: (lists,), equal numbers for lists that are not independent of each other:
            a cluster's lists share a sign, and their sums are what is tested.
        control: Whether the family is that of the first submission against each other one
            (many to one: Dunnett, JASA 50, 1955) instead of all pairs.
        recompute: Gives the values of some rows over some lists, (rows, lists), where a list's
            value depends on which others there are, as that of `pseudo_values`.
        exchanged: Gives the differences of a row and others over some lists, (others, lists), as
            `exchanged` in `figures` has them, were their figures equal.
        scale: Of a figure with two bounds, near which `stretch` makes its error larger.
        alone: How often each of `Paired.alone` is to hold by itself; None: there are none.

    Raises:
        ValueError: If a value is infinite.
    """
    values = np.atleast_2d(np.asarray(values, dtype=np.float64))
    if np.isinf(values).any():
        raise ValueError("paired tests need finite values")
    unit = units(values.shape[1], clusters, FLIPPED, seed)
    every = list(_parts(values, unit, control, recompute, exchanged, scale))
    if test == "permutation":
        width = values.shape[1] if unit is None else int(unit.max(initial=-1)) + 1
        return _permuted(len(values), every, width, adjust, draws, seed, level, alone)
    parts = _testable(every)
    observed = _joined([part.observed() for part in parts])
    rows = [row for part in parts for rows in part.differences() for row in rows]
    p = holm(np.array([(_wilcoxon if test == "wilcoxon" else _t_test)(row) for row in rows]))
    signs = map(_rank_sign, rows) if test == "wilcoxon" else np.sign(observed[0])
    lead = np.array([*signs], dtype=np.float64)
    own = None if alone is None else np.repeat(_student(parts, alone), _sizes(parts))
    critical = _student(parts, 1 - (1 - level) / max(p.size, 1))
    tests = _matrices(len(values), parts, observed, p, lead, critical, 0, own)
    return _described(tests, every)


def _greatest_of_all(part: _Part, scale: Floats) -> Callable[[Floats], Floats]:
    """The greatest of |differences| times `scale`, all of them worked out."""

    def greatest_of(signs: Floats) -> Floats:
        top = np.zeros(len(signs))
        for here, flipped in part.flipped(signs):
            np.abs(flipped, out=flipped)
            flipped *= scale[here, None]
            np.maximum(top, flipped.max(axis=0), out=top)
        return top

    return greatest_of


def _testable(parts: Sequence[_Part]) -> list[_Part]:
    return [part for part in parts if part.units > 1]


def _described(tests: Paired, parts: Sequence[_Part]) -> Paired:
    """With the differences of pairs that have a single unit in common, which no test can have."""
    for part in parts:
        if part.units == 1:
            a, b = part.pairs
            tests.difference[a, b], tests.difference[b, a] = part.difference, -part.difference
            tests.lists[a, b] = tests.lists[b, a] = part.lists
            tests.units[a, b] = tests.units[b, a] = 1
    return tests


def _parts(
    values: Floats,
    unit: Ints | None,
    control: bool,
    recompute: Callable[[Ints, Mask], Floats] | None,
    exchanged: Callable[[int, Ints, Mask], Floats] | None,
    scale: Scale,
) -> Iterator[_Part]:
    """The pairs that can be tested, those with the same lists in common together."""
    valued, largest = ~np.isnan(values), largest_of(values)
    for one, other in groups_of_pairs(valued, control):
        common = valued[one[0]] & valued[one[0] if other is None else other[0]]
        common_units = None if unit is None else unit[common]
        columns = np.flatnonzero(common) if common_units is None else np.unique(common_units)
        if not columns.size:
            continue
        kept = [
            values[np.ix_(rows, common)]
            if recompute is None or np.array_equal(common, valued[rows[0]])
            else recompute(rows, common)
            for rows in (one, other)
            if rows is not None
        ]
        sums = [unit_sums(each / largest, common_units) for each in kept]
        means = [each.mean(axis=1) for each in kept]
        a, b = pair_places(one.size, None if other is None else other.size)
        pairs = one[a], (one if other is None else other)[b]
        yield _Part(
            pairs,
            means[0][a] - means[-1][b],
            sums[0],
            None if other is None else sums[1],
            columns,
            int(common.sum()),
            largest,
            _stretched([one] if other is None else [one, other], kept, common_units, scale),
            _spread(pairs, common, common_units, columns.size, largest, exchanged),
        )


def _spread(
    pairs: tuple[Ints, Ints],
    common: Mask,
    unit: Ints | None,
    count: int,
    largest: float,
    exchanged: Callable[[int, Ints, Mask], Floats] | None,
) -> Floats:
    """Sums of squares of what is `exchanged`; of very many units 0, since nothing depends on it."""
    if exchanged is None or not 1 < count <= EXCHANGED:
        return np.zeros(pairs[0].size)
    edges = np.flatnonzero(np.diff(pairs[0])) + 1
    squares = [np.empty(0)]
    for one, others in zip(np.split(pairs[0], edges), np.split(pairs[1], edges), strict=True):
        if one.size:
            sums = unit_sums(exchanged(int(one[0]), others, common) / largest, unit)
            squares.append((sums**2).sum(axis=1))
    return np.nan_to_num(np.concatenate(squares), posinf=0.0)


def _stretched(
    rows: Sequence[Ints], kept: Sequence[Floats], unit: Ints | None, scale: Scale
) -> Floats:
    """`stretch` of all pairs of submissions, whose values over the lists in common are `kept`."""
    if not scale.pooled:
        a, _ = pair_places(rows[0].size, None if len(rows) == 1 else rows[1].size)
        return np.ones(a.size)
    sides = [
        (each, values.mean(axis=1), np.array([deviations_of(row, unit) for row in values]))
        for each, values in zip(rows, kept, strict=True)
    ]
    return stretch(sides[0], None if len(sides) == 1 else sides[1], scale)


def _joined(observed: Sequence[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    total, norm = (np.concatenate([[], *(each[n] for each in observed)]) for n in (0, 1))
    return total, norm


def _matrices(
    count: int,
    parts: Sequence[_Part],
    observed: tuple[Floats, Floats],
    p: Floats,
    lead: Floats,
    critical: Sequence[float],
    drawn: int,
    own: Floats | None,
    refused: tuple[Mask, Mask] | None = None,
    undecided: Mask | None = None,
) -> Paired:
    """What is known of the pairs as matrices.

    `critical` is a |t| for each part, `own` one for each pair by itself. `refused` says for both
    which pairs the test finds to differ: the interval of another holds 0, whatever its width.
    """
    total, norm = observed
    sizes = _sizes(parts)
    size = np.repeat([float(part.units) for part in parts], sizes)
    lists = np.repeat([part.lists for part in parts], sizes)
    variance = np.maximum(norm**2 - total**2 / size, 0) / (size - 1)
    # no more than what the subtraction of two large sums leaves
    variance[variance <= NOISE * norm**2] = 0.0
    stretches = np.concatenate([[], *(part.stretch for part in parts)])
    deviation = np.sqrt(variance) * np.repeat([part.unit for part in parts], sizes) * stretches
    difference = np.concatenate([[], *(part.difference for part in parts)])
    margins = []
    limits = (np.repeat(critical, sizes), np.full(size.size, np.nan) if own is None else own)
    for n, limit in enumerate(limits):
        with np.errstate(invalid="ignore"):
            margin = limit * deviation / np.sqrt(size)
        if refused is not None:
            margin = np.where(refused[n], margin, np.maximum(margin, np.abs(difference)))
        margins.append(np.where(np.isinf(margin), np.nan, margin))
    p, deviation, *margins = (np.where(np.isnan(difference), np.nan, each)
                              for each in (p, deviation, *margins))  # fmt: skip
    pairs = [part.pairs for part in parts]
    return matrices(
        count, pairs, difference, p, lead, lists, size, deviation, margins[0], drawn, margins[1],
        undecided,
    )  # fmt: skip


def _sizes(parts: Sequence[_Part]) -> list[int]:
    return [part.difference.size for part in parts]


def _permuted(
    count: int,
    every: Sequence[_Part],
    width: int,
    adjust: Adjust,
    draws: int,
    seed: int,
    level: float,
    alone: float | None,
) -> Paired:
    """A p-value for each pair by flipping signs of `width` units, corrected; and all else."""
    parts = _testable(every)
    pairs, exact = sum(_sizes(parts)), _enumerable(width, draws)
    if adjust == "holm" and not exact:
        draws = max(draws, min(math.ceil(2 * pairs / (1 - level)), MOST_RAISED))
    rows = sum(part.rows for part in parts)
    most = max(draws, min(MORE * draws, WORK // (width * rows + pairs + 1) // draws * draws))
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
    reached: list[Ints] = [np.zeros(each.size, dtype=np.int64) for each in thresholds]
    tops = [part.greatest(scale) for part, scale in zip(parts, scales, strict=True)]
    own = None if alone is None else _Own(parts, scales, alone, 2**width if exact else draws + 1)
    maxima: list[Floats] = []
    ascending, done, goal = np.empty(0), 0, draws
    p = np.ones(pairs)
    room = max((part.rows for part in parts), default=1)
    for signs in _signs(width, draws, seed, room, most):
        top = np.zeros(len(signs))
        for n, part in enumerate(parts):
            part_signs = signs if part.units == width else signs[:, part.columns]
            if adjust == "max":
                own_top = tops[n](part_signs)
                np.maximum(top, own_top if even else _surprise(own_top, part.units), out=top)
            else:
                for here, flipped in part.flipped(part_signs):
                    np.abs(flipped, out=flipped)
                    flipped *= scales[n][here, None]
                    reached[n][here] += (flipped >= thresholds[n][here, None]).sum(axis=1)
            if own is not None and done < draws:
                own.add(n, part_signs)
        maxima.append(top)
        done += len(signs)
        if not exact and done < goal:
            continue
        if exact and done < 2**width:
            continue
        ascending = np.sort(np.concatenate(maxima))
        if adjust == "max":
            limits = [
                each if even else _surprise(each, part.units)
                for each, part in zip(thresholds, parts, strict=True)
            ]
            reached = [ascending.size - np.searchsorted(ascending, each) for each in limits]
        times = np.concatenate([[], *reached])
        p = times / done if exact else (times + 1) / (done + 1)
        p = holm(p) if adjust == "holm" else p
        if exact or done >= most or not unsure(p, 1 - level, done).any():
            break
        goal = min(2 * goal, most)
    if adjust == "holm":
        critical = _student(parts, 1 - (1 - level) / max(pairs, 1))
    else:
        # the least maximum that, exceeded, leaves p at no more than 1 - level
        bound = _bound(ascending, level, done if exact else done + 1)
        critical = [_critical(bound, part.units, even) for part in parts]
    total, norm = _joined(observed)
    limits_alone = None if own is None else own.critical()
    if limits_alone is not None and pairs == 1 and alone == level:  # the same, of more draws
        limits_alone = np.array(critical)
    drawn = draws if exact else done
    shrunk = [_t_of(each, part.units) for each, part in zip(held, parts, strict=True)]
    beyond = np.inf if limits_alone is None else limits_alone
    refused = p <= 1 - level, np.concatenate([[], *shrunk]) > beyond
    undecided = unsure(p, 1 - level, 0 if exact else done)
    tests = _matrices(count, parts, (total, norm), p, np.sign(total), critical, drawn,
                      limits_alone, refused, undecided)  # fmt: skip
    return _described(tests, every)


def _bound(ascending: Floats, level: float, patterns: int) -> float:
    """The least of what was drawn that, exceeded, leaves p at no more than 1 - level."""
    place = math.floor((1 - level + 1e-9) * patterns) - (patterns != ascending.size)
    return float(ascending[-1 - place]) if 0 <= place < ascending.size else math.inf


class _Own:
    """The greatest differences of each pair by itself."""

    def __init__(
        self, parts: Sequence[_Part], scales: Sequence[Floats], level: float, patterns: int
    ) -> None:
        self._parts, self._scales, self._level = parts, scales, level
        self._patterns, self._drawn = patterns, 0
        self._most = math.floor((1 - level + 1e-9) * patterns) + 1
        self._kept = [np.zeros((each.size, 0)) for each in scales]

    def add(self, part: int, signs: Floats) -> None:
        """Those of one part in some draws; no more are kept than are needed."""
        ratios = np.empty((self._scales[part].size, len(signs)))
        for here, flipped in self._parts[part].flipped(signs):
            ratios[here] = np.abs(flipped) * self._scales[part][here, None]
        self._drawn += len(signs) if part == 0 else 0
        kept = np.concatenate([self._kept[part], ratios], axis=1)
        if kept.shape[1] > self._most:
            kept = np.partition(kept, -self._most, axis=1)[:, -self._most :]
        self._kept[part] = kept

    def critical(self) -> Floats:
        """The |t| of each pair, (pairs,)."""
        place = math.floor((1 - self._level + 1e-9) * self._patterns)
        place -= self._patterns != self._drawn
        limits = [np.empty(0)]
        for part, kept in zip(self._parts, self._kept, strict=True):
            if not 0 <= place < kept.shape[1]:
                limits.append(np.full(len(kept), math.inf))
                continue
            bounds = np.sort(kept, axis=1)[:, -1 - place]
            limits.append(np.array([_critical(each, part.units, True) for each in bounds.tolist()]))
        return np.concatenate(limits)


def _shrunk(ratio: Floats, sign: Floats, norm: Floats, part: _Part, exact: bool) -> Floats:
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
    square = np.clip(ratio, 0, np.sqrt(n)) ** 2 / n
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


def _student(parts: Sequence[_Part], level: float) -> list[float]:
    """Student's critical |t| of each part."""
    from scipy.special import stdtrit

    return [float(stdtrit(part.units - 1, (1 + level) / 2)) for part in parts]


def _signs(
    lists: int, draws: int, seed: int, width: int = 1, most: int | None = None
) -> Iterator[Floats]:
    """Sign patterns of -1 and 1, (some draws, lists) at a time: all there are, or drawn ones.

    A block has as many as fit with `width` numbers each. Of more than `draws`, up to `most`, one
    block ends after each `draws`.
    """
    exact = _enumerable(lists, draws)
    source, start = np.random.PCG64(seed), 0
    goals = range(1) if exact else range(0, most or draws, draws)
    for _ in goals:
        for rows in blocks(max(lists, width), 2**lists if exact else draws, SIGNS):
            if exact:
                words = np.arange(start, start + rows, dtype=np.uint64)[:, None]
            else:
                words = source.random_raw((rows, -(-lists // 64)))
            start += rows
            octets = words.astype("<u8").view(np.uint8)
            bits = np.unpackbits(octets, axis=1, count=lists, bitorder="little")
            yield (2 * bits.view(np.int8) - 1).astype(np.float64)


def _enumerable(lists: int, draws: int) -> bool:
    """Whether `draws` hold all 2**lists patterns."""
    return lists < draws.bit_length()


def _wilcoxon(differences: Floats) -> float:
    """Scipy's signed-rank p; 1 where there is no difference to rank."""
    from scipy.stats import wilcoxon

    # 0.8 - 0.6 and 0.4 - 0.2 are not the same float but must share a rank.
    rounded = np.rint(differences / NOISE)
    return float(wilcoxon(rounded).pvalue) if rounded.any() else 1.0


def _rank_sign(differences: Floats) -> float:
    """The sign of the ranks of gains less those of losses."""
    from scipy.stats import rankdata

    rounded = np.rint(differences / NOISE)
    rounded = rounded[rounded != 0]
    return float(np.sign((np.sign(rounded) * rankdata(np.abs(rounded))).sum()))


def _t_test(differences: Floats) -> float:
    """The p of `scipy.stats.ttest_rel`, without its warnings; 1 where there is no difference."""
    from scipy.special import stdtr

    lists = differences.size
    if not differences.any():
        return 1.0
    error = np.std(differences, ddof=1) / np.sqrt(lists)
    return float(2 * stdtr(lists - 1, -abs(differences.mean()) / error)) if error else 0.0
