"""Sums, norms and skews of all pairs' differences from matrix products, where pairs are many.

With rows x and y of the same mean, `Σ (x - y)² = x·x + y·y - 2 x·y` and
`Σ (x - y)³ = Σ x³ - Σ y³ - 3 x²·y + 3 x·y²`: three products instead of each pair's differences.
Of rows that are nearly equal too few digits are left; their differences are worked out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from scorer.stats.family import pair_places
from scorer.stats.units import NOISE, Floats, Ints

NEAR = 1e-3  # of the two spreads: below it three digits and more are lost
ROOM = 1_000_000  # differences that are worked out together: 8 MB


class _Products(NamedTuple):
    """What products say of pairs."""

    pairs: tuple[Ints, Ints]  # (pairs,) rows of the first, and of those that they are paired with
    sides: tuple[Floats, Floats]  # rows without their mean, and without each unit's
    spread: Floats  # (pairs,) sums of squared deviations of the differences
    total: Floats  # (pairs,) sums of the differences
    near: Ints  # (some pairs,) those whose differences have to be worked out


def sums_and_norms(first: Floats, second: Floats | None) -> tuple[Floats, Floats]:
    """The sum of each pair's differences, and the root of the sum of their squares.

    `first`, (rows, units), is paired with `second`, or with each other; both results are (pairs,).
    """
    made, others = _products(first, second), first if second is None else second
    total, square = made.total.copy(), made.spread + made.total**2 / first.shape[1]
    for some, difference in _differences(made, first, others):
        total[some] = difference.sum(axis=1)
        square[some] = np.square(difference).sum(axis=1)
    return total, np.sqrt(square)


def skews(first: Floats, second: Floats | None, skew_of: Callable[[Floats], Floats]) -> Floats:
    """The skew of each pair's differences, (pairs,), which `skew_of` works out of (some, units)."""
    made, units = _products(first, second), first.shape[1]
    (one, other), (a, b) = made.sides, made.pairs
    cubes = [np.einsum("ru,ru,ru->r", side, side, side) for side in made.sides]
    ahead = np.square(one) @ other.T
    behind = ahead.T if second is None else one @ np.square(other).T
    third = (cubes[0][a] - cubes[1][b] - 3 * (ahead[a, b] - behind[a, b])) / units
    variance = made.spread / (units - 1)
    some = variance > NOISE * (made.spread + made.total**2 / units) / units
    skew: Floats = np.divide(third, variance**1.5, out=np.zeros(a.size), where=some)
    for near, difference in _differences(made, first, first if second is None else second):
        skew[near] = skew_of(difference)
    return skew


def _products(first: Floats, second: Floats | None) -> _Products:
    a, b = pair_places(len(first), None if second is None else len(second))
    every = first if second is None else np.concatenate([first, second])
    usual, sums = every.mean(axis=0), every.sum(axis=1)
    centred = every - usual
    centred -= centred.mean(axis=1, keepdims=True)
    start = 0 if second is None else len(first)
    one, other = centred[: len(first)], centred[start:]
    squares = np.einsum("ru,ru->r", centred, centred)
    both = squares[a] + squares[start + b]
    spread = np.maximum(both - 2 * (one @ other.T)[a, b], 0.0)
    total = sums[a] - sums[start + b]
    return _Products((a, b), (one, other), spread, total, np.flatnonzero(spread <= NEAR * both))


def _differences(made: _Products, first: Floats, others: Floats) -> Iterator[tuple[Ints, Floats]]:
    """Some near pairs at a time, and their differences (some, units), of which noise is 0."""
    a, b = made.pairs
    for part in np.array_split(made.near, made.near.size * first.shape[1] // ROOM + 1):
        difference = first[a[part]] - others[b[part]]
        difference *= np.abs(difference) > NOISE
        yield part, difference
