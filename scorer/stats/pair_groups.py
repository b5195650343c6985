"""Groups of pairs with the same lists, and the sums of their differences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from scorer.stats.intervals import Z_975, Scale, deviations_of, score_limits
from scorer.stats.pairs import groups_of_pairs, pair_indices
from scorer.stats.units import NOISE, Floats, Ints, Mask, submatrix, unit_sums

# The values, (rows, lists), of some rows if only some lists counted.
Recompute = Callable[[Ints, Mask], Floats]
# The differences, (others, lists), of a row from other rows, over some lists, if all were equal.
Swap = Callable[[int, Ints, Mask], Floats]
MAX_SWAPPED_UNITS = 1_000  # with more units, `swap` changes no result, and is not called


@dataclass(slots=True, eq=False)
class PairGroup:
    """Pairs that have the same lists in common: within a group of submissions, or between two.

    Sums are divided by the largest value of all groups, so that one limit of rounding noise fits.
    """

    first: Ints  # (pairs,) rows of the submissions
    second: Ints
    difference: Floats  # (pairs,) of the means
    sums: Floats  # (rows, units), over the lists in common
    other_sums: Floats | None  # None: the pairs are among the rows of `sums`
    lists: int
    scale: float  # makes a mean over units of `sums` a mean over lists of values
    widening: Floats  # (pairs,) the factor of the standard error: above 1 near a figure's bound
    swapped_norm: Floats  # (pairs,) the norm of the differences that `swap` gives; 0: unknown

    @property
    def units(self) -> int:
        """How many units the pairs have in common."""
        return int(self.sums.shape[1])

    def differences(self) -> Iterator[Floats]:
        """Yield for each row of `sums` its differences from those it is paired with.

        Each has shape (others, units). Noise is 0: the same value summed in another order must
        not count as a difference.
        """
        for row, sums in enumerate(self.sums):
            others = self.sums[row + 1 :] if self.other_sums is None else self.other_sums
            difference = sums - others
            difference[np.abs(difference) <= NOISE] = 0.0
            yield difference


class PairSums(NamedTuple):
    """Sums over the differences of each pair; all arrays have the shape (pairs,)."""

    total: Floats  # the sum of the differences
    norm: Floats  # the root of the sum of their squares
    skew: Floats


def pair_groups(
    values: Floats,
    unit: Ints | None,
    control: bool,
    recompute: Recompute | None,
    swap: Swap | None,
    scale: Scale,
) -> Iterator[PairGroup]:
    """Yield the pairs that have a list in common, grouped by the lists they have in common."""
    valued = ~np.isnan(values)
    largest = float(np.nanmax(np.abs(values), initial=0.0)) or 1.0
    for rows, other_rows in groups_of_pairs(valued, control):
        first, second = pair_indices(rows.size, None if other_rows is None else other_rows.size)
        common = valued[rows[0]] & valued[rows[0] if other_rows is None else other_rows[0]]
        if not first.size or not common.any():
            continue
        unit_of_list = None if unit is None else np.unique(unit[common], return_inverse=True)[1]
        # The values of the first of each pair, and of the second if these are other rows.
        sides = [
            submatrix(values, side, common)
            if recompute is None or np.array_equal(common, valued[side[0]])
            else recompute(side, common)
            for side in (rows, other_rows)
            if side is not None
        ]
        sums = [unit_sums(side, unit_of_list, largest) for side in sides]
        means = [side.mean(axis=1) for side in sides]
        lists = int(common.sum())
        group = PairGroup(
            first=rows[first],
            second=(rows if other_rows is None else other_rows)[second],
            difference=means[0][first] - means[-1][second],
            sums=sums[0],
            other_sums=None if other_rows is None else sums[1],
            lists=lists,
            scale=largest * sums[0].shape[1] / lists,
            widening=_widening(rows, other_rows, sides, unit_of_list, scale),
            swapped_norm=np.zeros(first.size),
        )
        if swap is not None and 1 < group.units <= MAX_SWAPPED_UNITS:
            group.swapped_norm = _swapped_norm(group, swap, common, unit_of_list, largest)
        yield group


def _widening(
    rows: Ints, other_rows: Ints | None, sides: Sequence[Floats], unit: Ints | None, scale: Scale
) -> Floats:
    """Return the factors, (pairs,), that the standard errors of the differences need near a bound.

    The values of a figure near a bound vary little, and at the bound not at all, so that the usual
    standard error is too small there. The score limits of a figure (`score_limits`) do not have
    this fault. The error of a difference is made of the distances between each figure and its limit
    on the side of the other figure (square-and-add: Newcombe, Statistics in Medicine 17, 1998,
    method 10). A factor is at least 1, and 1 for figures without two bounds.
    """
    first, second = pair_indices(rows.size, None if other_rows is None else other_rows.size)
    low, high = scale.bounds
    if not scale.pooled or low is None or high is None or low >= high:
        return np.ones(first.size)
    deviations = [np.array([deviations_of(row, unit) for row in side]) for side in sides]
    figures = [side.mean(axis=1) for side in sides]
    count = deviations[0].shape[1]
    degrees = max(count * (count - 1), 1)
    squares = [(side**2).sum(axis=1) for side in deviations]
    limits = []
    for side, figure, square in zip((rows, other_rows), figures, squares, strict=False):
        assert side is not None
        rarest = scale.rarest_class
        trials = np.array([rarest[row] if rarest else count for row in side.tolist()])
        share = np.clip((figure - low) / (high - low), 0, 1)
        below, above = score_limits(share, np.sqrt(square / degrees) / (high - low), trials)
        limits.append((below * (high - low), above * (high - low)))
    products = (deviations[0] @ deviations[-1].T)[first, second]
    square, other_square = squares[0][first], squares[-1][second]
    norms = np.sqrt(square * other_square)
    correlation = np.divide(products, norms, out=np.zeros(first.size), where=norms > 0)
    higher = figures[0][first] >= figures[-1][second]
    (below, above), (other_below, other_above) = limits[0], limits[-1]
    distance = np.where(higher, below[first], above[first])
    other_distance = np.where(higher, other_above[second], other_below[second])
    safe = distance**2 + other_distance**2 - 2 * correlation * distance * other_distance
    safe /= Z_975**2  # the limits are this many standard errors away
    apparent = (square + other_square - 2 * products) / degrees
    known = apparent > NOISE * squares[0].max()
    ratio = np.divide(safe, apparent, out=np.ones(first.size), where=known)
    return np.asarray(np.sqrt(np.maximum(ratio, 1.0)))


def _swapped_norm(
    group: PairGroup, swap: Swap, common: Mask, unit: Ints | None, largest: float
) -> Floats:
    """Return the norm, (pairs,), of the differences that `swap` gives for each pair; 0: unknown."""
    norms = np.empty(group.first.size)
    for row in np.unique(group.first):
        pairs = group.first == row
        sums = unit_sums(swap(int(row), group.second[pairs], common), unit, largest)
        norms[pairs] = np.sqrt(np.square(sums).sum(axis=1))
    return np.nan_to_num(norms, posinf=0.0)


def pair_sums(group: PairGroup) -> PairSums:
    """Return the sum, the norm and the skew of each pair's differences."""
    parts = [sums_of_block(difference) for difference in group.differences()]
    return PairSums(
        *(np.concatenate([np.empty(0), *column]) for column in zip(*parts, strict=True))
    )


def sums_of_block(difference: Floats) -> PairSums:
    """Return the sum, the norm and the skew of differences, (pairs, units)."""
    count = difference.shape[1]
    squares = np.square(difference).sum(axis=1)
    deviations = difference - difference.mean(axis=1, keepdims=True)
    variance = np.square(deviations).sum(axis=1) / (count - 1)
    third = np.einsum("pu,pu,pu->p", deviations, deviations, deviations) / count
    varied = variance > NOISE * squares / count
    skew = np.divide(third, variance**1.5, out=np.zeros(third.size), where=varied)
    return PairSums(difference.sum(axis=1), np.sqrt(squares), skew)
