"""Pairs of submissions over the lists that both have, those with the same lists together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from scorer.stats.family import Paired, groups_of_pairs, largest_of, matrices, pair_places
from scorer.stats.greatest import Greatest
from scorer.stats.intervals import Scale, deviations_of
from scorer.stats.pair_products import skews, sums_and_norms
from scorer.stats.shares import stretch
from scorer.stats.threads import Threads
from scorer.stats.units import NOISE, Floats, Ints, Mask, of_both, unit_sums

OTHERS = 8  # submissions held against one at a time: their sums stay in a cache
MANY = 5_000  # pairs from which products save more than they cost
SINGLE = 4_000  # pairs from which single precision, first, does
SHARE = 2_000_000  # differences in draws that are worth a thread
EXCHANGED = 1_000  # units above which a figure's spread is that of its pseudo-values


@dataclass(slots=True, eq=False)
class PairGroup:
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
        """How many units the pairs have in common."""
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
        if self.difference.size >= MANY:
            return sums_and_norms(self.first, self.second)
        sums, norms = [np.empty(0)], [np.empty(0)]
        for each in self.differences():
            sums.append(each.sum(axis=1))
            norms.append(np.sqrt(np.square(each, out=each).sum(axis=1)))
        return np.concatenate(sums), np.concatenate(norms)

    def skews(self) -> Floats:
        """The skew of each pair's differences, (pairs,)."""
        if self.difference.size >= MANY:
            return skews(self.first, self.second, _skews_of)
        return np.concatenate([np.empty(0), *map(_skews_of, self.differences())])

    def flipped(self, signs: Floats) -> Iterator[tuple[slice, Floats]]:
        """The difference of sums of some pairs, (pairs, draws), where units change sides.

        All are written to one place in turn, since fresh memory takes longer, too.
        """
        yield from _flipped(*self._sums(signs))

    def _sums(self, signs: Floats) -> tuple[Floats, Floats | None]:
        """The sums of both sides where units change sides, (rows, draws)."""
        return self.first @ signs.T, None if self.second is None else self.second @ signs.T

    def greatest(self, scale: Floats, threads: Threads) -> Callable[[Floats], Floats]:
        """From signs to the greatest of these pairs' |differences| times `scale`, (draws,)."""
        others = None if self.second is None else len(self.second)
        single = Greatest(len(self.first), others, scale) if scale.size >= SINGLE else None
        greatest = partial(_greatest_of_all, scale) if single is None else single

        def greatest_of(signs: Floats) -> Floats:
            first, second = self._sums(signs)
            parts = scale.size * len(signs) // SHARE + 1
            parts = min(parts, threads.size) if parts > 1 else 1
            edges = np.linspace(0, len(signs), parts + 1).astype(np.int64).tolist()

            def of_some(some: slice) -> Floats:
                return greatest(first[:, some], None if second is None else second[:, some])

            return np.concatenate(threads.each(of_some, [slice(*each) for each in pairwise(edges)]))

        return greatest_of


def _skews_of(each: Floats) -> Floats:
    """The skew of some pairs' differences (pairs, units)."""
    units = each.shape[1]
    deviations = each - each.mean(axis=1, keepdims=True)
    variance = np.square(deviations).sum(axis=1) / (units - 1)
    third = np.einsum("pu,pu,pu->p", deviations, deviations, deviations) / units
    some = variance > NOISE * np.square(each).mean(axis=1)
    skew: Floats = np.divide(third, variance**1.5, out=np.zeros(third.size), where=some)
    return skew


def _flipped(first: Floats, second: Floats | None) -> Iterator[tuple[slice, Floats]]:
    """The differences of sums (rows, draws) of some pairs at a time, all in one place in turn."""
    room, start = np.empty((OTHERS, first.shape[1])), 0
    for n, row in enumerate(first):
        rest = first[n + 1 :] if second is None else second
        for b in range(0, len(rest), OTHERS):
            others = rest[b : b + OTHERS]
            here = slice(start, start + len(others))
            yield here, np.subtract(row, others, out=room[: len(others)])
            start = here.stop


def _greatest_of_all(scale: Floats, first: Floats, second: Floats | None) -> Floats:
    """The greatest of |differences| of sums times `scale`, all of them worked out."""
    top = np.zeros(first.shape[1])
    for here, flipped in _flipped(first, second):
        np.abs(flipped, out=flipped)
        flipped *= scale[here, None]
        np.maximum(top, flipped.max(axis=0), out=top)
    return top


def pair_groups(
    values: Floats,
    unit: Ints | None,
    control: bool,
    recompute: Callable[[Ints, Mask], Floats] | None,
    exchanged: Callable[[int, Ints, Mask], Floats] | None,
    scale: Scale,
) -> Iterator[PairGroup]:
    """The pairs that can be tested, those with the same lists in common together."""
    valued, largest = ~np.isnan(values), largest_of(values)
    for one, other in groups_of_pairs(valued, control):
        common = valued[one[0]] & valued[one[0] if other is None else other[0]]
        common_units = None if unit is None else unit[common]
        columns = np.flatnonzero(common) if common_units is None else np.unique(common_units)
        if not columns.size:
            continue
        kept = [
            of_both(values, rows, common)
            if recompute is None or np.array_equal(common, valued[rows[0]])
            else recompute(rows, common)
            for rows in (one, other)
            if rows is not None
        ]
        sums = [unit_sums(each, common_units, largest) for each in kept]
        means = [each.mean(axis=1) for each in kept]
        a, b = pair_places(one.size, None if other is None else other.size)
        pairs = one[a], (one if other is None else other)[b]
        yield PairGroup(
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


def large_enough(parts: Sequence[PairGroup]) -> list[PairGroup]:
    """The pairs with at least two units in common."""
    return [part for part in parts if part.units > 1]


def sizes(parts: Sequence[PairGroup]) -> list[int]:
    """The number of pairs of each."""
    return [part.difference.size for part in parts]


def all_observed(observed: Sequence[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    """The observed sums and norms of all pairs, in the order of the parts."""
    total, norm = (np.concatenate([[], *(each[n] for each in observed)]) for n in (0, 1))
    return total, norm


def as_matrices(
    count: int,
    every: Sequence[PairGroup],
    observed: tuple[Floats, Floats],
    p: Floats,
    lead: Floats,
    critical: Sequence[float],
    drawn: int,
    test: tuple[str, str],
    own: Floats | None,
    refused: tuple[Mask, Mask] | None = None,
) -> Paired:
    """What is known of the pairs as matrices.

    `critical` is a |t| for each part, `own` one for each pair by itself. `refused` says for both
    which pairs the test finds to differ: the interval of another holds 0, whatever its width.
    """
    (total, norm), parts = observed, large_enough(every)
    counts = sizes(parts)
    size = np.repeat([float(part.units) for part in parts], counts)
    lists = np.repeat([part.lists for part in parts], counts)
    variance = np.maximum(norm**2 - total**2 / size, 0) / (size - 1)
    # no more than what the subtraction of two large sums leaves
    variance[variance <= NOISE * norm**2] = 0.0
    stretches = np.concatenate([[], *(part.stretch for part in parts)])
    deviation = np.sqrt(variance) * np.repeat([part.unit for part in parts], counts) * stretches
    difference = np.concatenate([[], *(part.difference for part in parts)])
    margins = []
    limits = (np.repeat(critical, counts), np.full(size.size, np.nan) if own is None else own)
    for n, limit in enumerate(limits):
        with np.errstate(invalid="ignore"):
            margin = limit * deviation / np.sqrt(size)
        if refused is not None:
            margin = np.where(refused[n], margin, np.maximum(margin, np.abs(difference)))
        margins.append(np.where(np.isinf(margin), np.nan, margin))
    p, deviation, *margins = (np.where(np.isnan(difference), np.nan, each)
                              for each in (p, deviation, *margins))  # fmt: skip
    pairs = [part.pairs for part in parts]
    tests = matrices(
        count, pairs, difference, p, lead, lists, size, deviation, margins[0], drawn, test,
        margins[1],
    )  # fmt: skip
    for part in every:
        if part.units == 1:  # no test can have it: the difference alone
            a, b = part.pairs
            tests.difference[a, b], tests.difference[b, a] = part.difference, -part.difference
            tests.lists[a, b] = tests.lists[b, a] = part.lists
            tests.units[a, b] = tests.units[b, a] = 1
    return tests
