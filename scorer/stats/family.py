"""Families of paired tests: which pairs there are, and what is known of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from scorer.stats.units import Floats, Ints, Mask, alike


class Paired(NamedTuple):
    """What paired tests say of every pair of submissions.

    All matrices have the shape (submissions, submissions); what cannot be had is NaN.
    """

    difference: Floats  # mean of the row less mean of the column, over the lists that both have
    p: Floats  # two-sided, corrected for the family of pairs, symmetric, 1 on the diagonal
    lead: Floats  # the sign of the difference as the test sees it, whatever its p
    lists: Ints  # how many lists both have
    units: Ints  # how many of them were drawn: lists, clusters or blocks
    deviation: Floats  # of the difference over units: its standard error times sqrt(units)
    margin: Floats  # half the width of intervals of the differences that hold for all pairs at once
    pairs: int  # how many the correction is for
    draws: int  # how many sign patterns were drawn or enumerated; 0: none
    alone: Floats  # half the width of an interval of each difference by itself
    test: str  # permutation, wilcoxon or t; corrected t: of folds
    adjust: str  # max or holm


def groups_of_pairs(valued: Mask, control: bool) -> Iterator[tuple[Ints, Ints | None]]:
    """Rows with the same lists by themselves (None), and every two such groups."""
    if control:
        first = np.zeros(1, dtype=np.int64)
        yield from ((first, rows + 1) for rows in alike(valued[1:]))
        return
    groups = alike(valued)
    for n, one in enumerate(groups):
        yield one, None
        yield from ((one, other) for other in groups[n + 1 :])


def pair_places(rows: int, others: int | None) -> tuple[Ints, Ints]:
    """Where the two of each pair stand, in the order in which differences come."""
    if others is None:
        first, second = np.triu_indices(rows, 1)
        return first.astype(np.int64), second.astype(np.int64)
    return np.repeat(np.arange(rows), others), np.tile(np.arange(others), rows)


def matrices(
    count: int,
    pairs: Sequence[tuple[Ints, Ints]],
    difference: Floats,
    p: Floats,
    lead: Floats,
    lists: Ints,
    size: Floats,
    deviation: Floats,
    margin: Floats,
    drawn: int,
    test: tuple[str, str],
    alone: Floats | None = None,
) -> Paired:
    """Matrices of what is known of each pair, all in the same order.

    Args:
        pairs: rows of the two submissions of each pair, (pairs,) each; in parts, in order.
        difference: (pairs,), of the first less the second.
        lead: (pairs,), the sign of the tested statistic.
        lists: (pairs,), the number of lists that both have.
        size: (pairs,), the number of units that are drawn.
        deviation: (pairs,), of a unit's difference.
        margin: (pairs,), half the width of a joint interval.
        drawn: how many draws p comes from.
        test: the test and its correction.
        alone: (pairs,), half the width of an interval of each by itself.
    """
    nothing = np.empty(0, dtype=np.int64)
    a, b = (np.concatenate([nothing, *(each[n] for each in pairs)]) for n in (0, 1))

    def square(each: Floats | Ints, sign: int = 1, diagonal: float = 0.0) -> Floats:
        matrix = np.full((count, count), np.nan)
        np.fill_diagonal(matrix, diagonal)
        matrix[a, b], matrix[b, a] = each, sign * each
        return matrix

    def counts(each: Floats | Ints) -> Ints:
        return np.nan_to_num(square(each)).astype(np.int64)

    return Paired(
        square(difference, -1),
        square(p, diagonal=1.0),
        np.nan_to_num(square(lead, -1)),
        counts(lists),
        counts(size),
        square(deviation),
        square(margin),
        a.size,
        drawn,
        square(np.full(a.size, np.nan) if alone is None else alone),
        *test,
    )


def largest_of(values: Floats) -> float:
    """The largest size of a value, or 1 if all are 0."""
    every = values.ravel()
    ends = np.fmax.reduce(every, initial=0.0), -np.fmin.reduce(every, initial=0.0)
    return float(max(ends)) or 1.0


def holm(p: Floats) -> Floats:
    """The p-values of one family of tests, corrected so that any false find is as rare as alpha.

    Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Statistics 6, 1979.

    >>> holm(np.array([0.01, 0.04, 0.03]))  # 3 x .01; 2 x .03; max(1 x .04, .06)
    array([0.03, 0.06, 0.06])
    """
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    corrected = np.empty(p.size)
    corrected[order] = np.minimum(steps, 1.0)
    return corrected
