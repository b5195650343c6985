"""Paired tests of submissions, each pair over the lists that both have.

Everything looks at `values` of shape (submissions, lists), the challenge's rules for missing and
undefined lists applied, and is a function of its arguments and `seed` alone. Lists are the
sample: an interval or a p-value speaks of other lists of the same sort.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np

from scorer.stats.family import Paired, groups_of_pairs, holm, largest_of, matrices, pair_places
from scorer.stats.greatest import Greatest
from scorer.stats.units import (
    NOISE,
    Floats,
    Ints,
    Mask,
    blocks,
    unit_sums,
    units,
)

Test = Literal["permutation", "wilcoxon", "t"]


Adjust = Literal["max", "holm"]


SIGNS = 1_000_000  # in a block of a permutation's: 8 MB, for its rows of sums to be long


OTHERS = 8  # submissions held against one at a time: their sums stay in a cache


MANY = 5_000  # pairs from which bounds of groups of them save more than they cost


FLIPPED = 10_000  # units above which a permutation flips blocks of them


MOST_RAISED = 1_000_000  # draws that Holm's correction may ask for


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

    def observed(self, _: Callable[[], Iterator[Floats]]) -> tuple[Floats, Floats]:
        """The sum of each pair's differences, and the root of the sum of their squares."""
        sums, norms = [np.empty(0)], [np.empty(0)]
        for each in self.differences():
            sums.append(each.sum(axis=1))
            norms.append(np.sqrt(np.square(each, out=each).sum(axis=1)))
        return np.concatenate(sums), np.concatenate(norms)

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


@dataclass(frozen=True, slots=True)
class _FigurePart:
    """The same for a figure of sums: a unit changes sides with all of its columns."""

    pairs: tuple[Ints, Ints]
    difference: Floats  # of the figures
    first: Floats  # (rows, units, width)
    second: Floats | None
    columns: Ints
    lists: int
    figure: Callable[[Floats], Floats]

    @property
    def units(self) -> int:
        return self.columns.size

    @property
    def unit(self) -> float:
        return self.units

    @property
    def rows(self) -> int:
        """How many numbers are held at once for a draw."""
        return int(self.first.shape[2]) * (len(self.first) + len(self.others))

    @property
    def others(self) -> Floats:
        return self.first[:0] if self.second is None else self.second

    def observed(self, draws: Callable[[], Iterator[Floats]]) -> tuple[Floats, Floats]:
        """The difference of each pair's figures, and the root mean square of the draws'."""
        squares, count = np.zeros(self.difference.size), 0
        for signs in draws():
            count += len(signs)
            for here, flipped in self.flipped(signs[:, self.columns]):
                squares[here] += (flipped**2).sum(axis=1)
        norm = np.sqrt(squares / max(count, 1))
        known = np.nan_to_num(self.difference)
        return known, np.where(np.isnan(self.difference) | (norm <= NOISE), 0.0, norm)

    def flipped(self, signs: Floats) -> Iterator[tuple[slice, Floats]]:
        """The difference of figures of pairs, (pairs, draws), where units change sides."""
        totals, drawn = self.first.sum(axis=1), _drawn(signs, self.first)
        others = (totals, drawn)
        if self.second is not None:
            others = self.second.sum(axis=1), _drawn(signs, self.second)
        start = 0
        for n, (total, signed) in enumerate(zip(totals, drawn, strict=True)):
            whole, other = (each[n + 1 :] if self.second is None else each for each in others)
            if not len(whole):
                continue
            both, moved = (total + whole[:, None]) / 2, (signed - other) / 2
            # the figures of all these pairs at once
            sides = [(both + moved), (both - moved)]
            figures = [self.figure(side.reshape(-1, side.shape[2])) for side in sides]
            differences = (figures[0] - figures[1]).reshape(len(whole), len(signs))
            yield slice(start, start + len(whole)), np.nan_to_num(differences)
            start += len(whole)

    def greatest(self, scale: Floats) -> Callable[[Floats], Floats]:
        """From signs to the greatest of these pairs' |differences| times `scale`, (draws,)."""
        return _greatest_of_all(self, scale)


_P = TypeVar("_P", _Part, _FigurePart)


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
) -> Paired:
    """Which submissions differ by more than the luck of the lists, over all pairs at once.

    A pair is tested on the lists for which both have a value. One with fewer than two in common
    has no p and is in no family.

    `permutation`: were two submissions equal, each list's difference would be as likely to have
    the other sign. A draw gives each list one sign, for all pairs, so that what one list does to
    many pairs is kept (Smucker, Allan & Carterette, CIKM 2007, for the test in retrieval). With
    sampled draws p = (b + 1) / (m + 1); where all 2**lists patterns fit into `draws` they are
    enumerated and p = b / m is exact.

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
        draws: sign patterns; time grows with draws x lists x submissions.
        level: the chance that all of `margin` hold at once; 1 - level is the error for which
            `draws` must allow.
        clusters: (lists,), equal numbers for lists that depend on each other: a cluster's lists
            share a sign, and their sums are tested.
        control: whether the family is the first submission against each other one (many to one:
            Dunnett, JASA 50, 1955) instead of all pairs.
        recompute: gives the values of some rows over some lists, (rows, lists), where a list's
            value depends on the other lists, as in `pseudo_values`.

    Raises:
        ValueError: If a value is infinite.
    """
    values = np.atleast_2d(np.asarray(values, dtype=np.float64))
    if np.isinf(values).any():
        raise ValueError("paired tests need finite values")
    unit = units(values.shape[1], clusters, FLIPPED, seed)
    every = list(_parts(values, unit, control, recompute))
    if test == "permutation":
        width = values.shape[1] if unit is None else int(unit.max(initial=-1)) + 1
        return _permuted(len(values), every, width, adjust, draws, seed, level)
    parts = _testable(every)
    observed = _joined([part.observed(lambda: iter(())) for part in parts])
    rows = [row for part in parts for rows in part.differences() for row in rows]
    p = holm(np.array([(_wilcoxon if test == "wilcoxon" else _t_test)(row) for row in rows]))
    signs = map(_rank_sign, rows) if test == "wilcoxon" else np.sign(observed[0])
    lead = np.array([*signs], dtype=np.float64)
    tests = _matrices(len(values), parts, observed, p, lead, _bonferroni(parts, level), 0)
    return _described(tests, every)


def paired_sums(
    sums: Floats,
    valued: Mask,
    figure: Callable[[Floats], Floats],
    *,
    adjust: Adjust = "max",
    draws: int = 10_000,
    seed: int = 1,
    level: float = 0.95,
    clusters: Ints | None = None,
    control: bool = False,
) -> Paired:
    """The permutation test of a whole-challenge figure that depends on column sums only.

    Were two submissions equal, they could exchange what they have for a list: a draw exchanges some
    lists and takes the difference of the two figures (approximate randomisation: Yeh, "More
    accurate tests for the statistical significance of result differences", COLING 2000). For a mean
    that is flipping the signs of differences, and all else is as in `paired`. What stands for
    sqrt(Q) is the root mean square of a pair's draws. `sums` is of shape (submissions, lists,
    width), `valued`, (submissions, lists), is whether a submission has a list, and `figure` makes
    figures (draws,) of sums over lists (draws, width). The others are as in `paired`.
    """
    unit = units(sums.shape[1], clusters, FLIPPED, seed)
    width = sums.shape[1] if unit is None else int(unit.max(initial=-1)) + 1
    parts = []
    for one, other in groups_of_pairs(valued, control):
        common = valued[one[0]] & valued[one[0] if other is None else other[0]]
        common_units = None if unit is None else unit[common]
        columns = np.flatnonzero(common) if common_units is None else np.unique(common_units)
        if not columns.size:
            continue
        kept = [sums[rows][:, common] for rows in (one, other) if rows is not None]
        kept = [
            unit_sums(each.transpose(0, 2, 1), common_units).transpose(0, 2, 1) for each in kept
        ]
        figures = [figure(each.sum(axis=1)) for each in kept]
        a, b = pair_places(one.size, None if other is None else other.size)
        parts.append(
            _FigurePart(
                (one[a], (one if other is None else other)[b]),
                figures[0][a] - figures[-1][b],
                kept[0],
                None if other is None else kept[1],
                columns,
                int(common.sum()),
                figure,
            )
        )
    return _permuted(len(sums), parts, width, adjust, draws, seed, level)


def _greatest_of_all(part: _Part | _FigurePart, scale: Floats) -> Callable[[Floats], Floats]:
    """The greatest of |differences| times `scale`, all of them worked out."""

    def greatest_of(signs: Floats) -> Floats:
        top = np.zeros(len(signs))
        for here, flipped in part.flipped(signs):
            np.abs(flipped, out=flipped)
            flipped *= scale[here, None]
            np.maximum(top, flipped.max(axis=0), out=top)
        return top

    return greatest_of


def _testable(parts: Sequence[_P]) -> list[_P]:
    return [part for part in parts if part.units > 1]


def _described(tests: Paired, parts: Sequence[_P]) -> Paired:
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
        yield _Part(
            (one[a], (one if other is None else other)[b]),
            means[0][a] - means[-1][b],
            sums[0],
            None if other is None else sums[1],
            columns,
            int(common.sum()),
            largest,
        )


def _joined(observed: Sequence[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    total, norm = (np.concatenate([[], *(each[n] for each in observed)]) for n in (0, 1))
    return total, norm


def _matrices(
    count: int,
    parts: Sequence[_P],
    observed: tuple[Floats, Floats],
    p: Floats,
    lead: Floats,
    critical: Sequence[float],
    drawn: int,
) -> Paired:
    """What is known of the pairs as matrices; `critical` is a |t| for each part."""
    total, norm = observed
    sizes = [part.difference.size for part in parts]
    size = np.repeat([float(part.units) for part in parts], sizes)
    lists = np.repeat([part.lists for part in parts], sizes)
    variance = np.maximum(norm**2 - total**2 / size, 0) / (size - 1)
    # no more than what the subtraction of two large sums leaves
    variance[variance <= NOISE * norm**2] = 0.0
    deviation = np.sqrt(variance) * np.repeat([part.unit for part in parts], sizes)
    with np.errstate(invalid="ignore"):
        margin = np.repeat(critical, sizes) * deviation / np.sqrt(size)
    margin[np.isinf(margin)] = np.nan
    difference = np.concatenate([[], *(part.difference for part in parts)])
    p, deviation, margin = (np.where(np.isnan(difference), np.nan, each)
                            for each in (p, deviation, margin))  # fmt: skip
    pairs = [part.pairs for part in parts]
    return matrices(count, pairs, difference, p, lead, lists, size, deviation, margin, drawn)


def _permuted(
    count: int,
    every: Sequence[_P],
    width: int,
    adjust: Adjust,
    draws: int,
    seed: int,
    level: float,
) -> Paired:
    """A p-value for each pair by flipping signs of `width` units, corrected; and all else."""
    parts = _testable(every)
    pairs = sum(part.difference.size for part in parts)
    if adjust == "holm" and not _enumerable(width, draws):
        draws = max(draws, min(math.ceil(2 * pairs / (1 - level)), MOST_RAISED))
    room = max((part.rows for part in parts), default=1)

    def drawn() -> Iterator[Floats]:
        return _signs(width, draws, seed, room)

    observed = [part.observed(drawn) for part in parts]
    scales, thresholds = [], []
    for total, norm in observed:
        # All-zero pairs get weight 0, hence p = 1.
        scales.append(np.divide(1.0, norm, out=np.zeros(norm.size), where=norm > 0))
        # Equal sums leave a matrix product, and equal ratios of two pairs a division, equal but
        # for their last digits.
        thresholds.append((np.abs(total) - NOISE) * scales[-1] - 1e-9)
    even = len({part.units for part in parts}) == 1
    reached: list[Ints] = [np.zeros(each.size, dtype=np.int64) for each in thresholds]
    tops = [part.greatest(scale) for part, scale in zip(parts, scales, strict=True)]
    maxima: list[Floats] = []
    for signs in drawn():
        most = np.zeros(len(signs))
        for n, part in enumerate(parts):
            part_signs = signs if part.units == width else signs[:, part.columns]
            if adjust == "max":
                top = tops[n](part_signs)
                np.maximum(most, top if even else _surprise(top, part.units), out=most)
                continue
            for here, flipped in part.flipped(part_signs):
                np.abs(flipped, out=flipped)
                flipped *= scales[n][here, None]
                reached[n][here] += (flipped >= thresholds[n][here, None]).sum(axis=1)
        maxima.append(most)
    exact = _enumerable(width, draws)
    patterns = 2**width if exact else draws + 1
    ascending = np.sort(np.concatenate([[], *maxima]))
    if adjust == "max":
        for part, threshold, times in zip(parts, thresholds, reached, strict=True):
            limit = threshold if even else _surprise(threshold, part.units)
            times += ascending.size - np.searchsorted(ascending, limit)
    p = np.concatenate([[], *reached])
    p = p / patterns if exact else (p + 1) / patterns
    if adjust == "holm":
        p, critical = holm(p), _bonferroni(parts, level)
    else:
        # the least maximum that, exceeded, leaves p at no more than 1 - level
        place = math.floor((1 - level + 1e-9) * patterns) - (not exact)
        bound = float(ascending[-1 - place]) if 0 <= place < ascending.size else math.inf
        critical = [_critical(bound, part.units, even) for part in parts]
    total, norm = _joined(observed)
    tests = _matrices(count, parts, (total, norm), p, np.sign(total), critical, draws)
    return _described(tests, every)


def _surprise(ratio: Floats, n: int) -> Floats:
    """Student's -log p of |S| / sqrt(Q) of n units, at most that of their least sign test."""
    from scipy.special import stdtr

    square = np.clip(ratio, 0, np.sqrt(n)) ** 2 / n
    with np.errstate(divide="ignore"):
        t = np.sqrt((n - 1) * square / (1 - square))
    # a tied pair lies below all draws
    return np.where(ratio < 0, -1.0, -np.log(np.maximum(2 * stdtr(n - 1, -t), 2.0 ** (1 - n))))


def _critical(bound: float, n: int, even: bool) -> float:
    """The |t| of n units that a bound of the compared statistic stands for."""
    if even:
        square = min(bound**2 / n, 1.0)
        return math.sqrt((n - 1) * square / (1 - square)) if square < 1 - 1e-9 else math.inf
    from scipy.special import stdtrit

    p = math.exp(-bound)
    return float(-stdtrit(n - 1, p / 2)) if p > 2.0 ** (1 - n) * (1 + 1e-9) else math.inf


def _bonferroni(parts: Sequence[_P], level: float) -> list[float]:
    """Student's critical |t| of each part, for intervals of all pairs at once."""
    from scipy.special import stdtrit

    pairs = sum(part.difference.size for part in parts)
    return [float(stdtrit(part.units - 1, 1 - (1 - level) / 2 / max(pairs, 1))) for part in parts]


def _signs(lists: int, draws: int, seed: int, width: int = 1) -> Iterator[Floats]:
    """Sign patterns of -1 and 1, (some draws, lists) at a time: all there are, or `draws` drawn.

    A block has as many as fit with `width` numbers each.
    """
    exact = _enumerable(lists, draws)
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


def _drawn(signs: Floats, rows: Floats) -> Floats:
    """(count, draws, width): the sums of rows (count, units, width) under each pattern of signs.

    One product of all is twenty times as fast as one for each. Its columns are filled up to a
    multiple of 16, so that BLAS adds each of them up the same way wherever it stands.
    """
    count, units, width = rows.shape
    table = np.zeros((units, -(-count * width // 16) * 16))
    table[:, : count * width] = rows.transpose(1, 0, 2).reshape(units, -1)
    sums: Floats = (signs @ table)[:, : count * width].reshape(len(signs), count, width)
    return sums.transpose(1, 0, 2)


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
