"""Pairs of submissions: their rows, the results of their tests, and adjusted p-values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from scorer.stats.intervals import MIN_UNITS
from scorer.stats.units import Floats, Ints, Mask, rows_by_mask

PERMUTATION = "permutation"
SKEW_CORRECTED = "skew-corrected t"  # the test of pairs that do not all have the same lists
# Their p is at least 2 / 2**units: that of a permutation test whose units all have one sign.
SIGN_TESTS = (PERMUTATION, SKEW_CORRECTED)


class PairedTests(NamedTuple):
    """What paired tests say of every pair of submissions.

    All arrays have the shape (submissions, submissions). An unknown value is NaN.
    """

    difference: Floats  # mean of the row minus mean of the column, over the lists that both have
    p: Floats  # two-sided, corrected for the family of pairs, symmetric, 1 on the diagonal
    lead: Floats  # the sign of the difference as the test sees it, whatever its p
    lists: Ints  # how many lists both have
    units: Ints  # how many of them were drawn: lists, clusters or blocks
    deviation: Floats  # of the difference over units: its standard error times sqrt(units)
    # half the width of intervals that hold for all pairs at once, NaN of fewer than MIN_UNITS units
    joint_margin: Floats
    margin: Floats  # the same of an interval of each difference by itself
    pairs: int  # how many pairs the p-values are corrected for
    draws: int  # how many sign patterns were drawn or enumerated; 0: none
    test: str  # permutation, skew-corrected t, wilcoxon or t; corrected t: of folds
    adjust: str  # max or holm


class PairColumns(NamedTuple):
    """The results of the tests of pairs, in columns; all arrays have the shape (pairs,)."""

    first: Ints  # rows of the submissions
    second: Ints
    difference: Floats  # of the first minus the second
    p: Floats
    lead: Floats
    lists: Ints
    units: Ints
    deviation: Floats
    joint_margin: Floats
    margin: Floats

    def as_matrices(self, submissions: int, test: str, adjust: str, draws: int = 0) -> PairedTests:
        """Return the columns as matrices (submissions, submissions), with the kind of the test."""

        def square(column: Floats | Ints, sign: int = 1, diagonal: float = 0.0) -> Floats:
            matrix = np.full((submissions, submissions), np.nan)
            np.fill_diagonal(matrix, diagonal)
            matrix[self.first, self.second] = column
            matrix[self.second, self.first] = sign * column
            return matrix

        def margins(column: Floats) -> Floats:
            return square(np.where(self.units < MIN_UNITS, np.nan, column))

        def counts(column: Ints) -> Ints:
            return np.nan_to_num(square(column)).astype(np.int64)

        return PairedTests(
            difference=square(self.difference, -1),
            p=square(self.p, diagonal=1.0),
            lead=np.nan_to_num(square(self.lead, -1)),
            lists=counts(self.lists),
            units=counts(self.units),
            deviation=square(self.deviation),
            joint_margin=margins(self.joint_margin),
            margin=margins(self.margin),
            pairs=self.first.size,
            draws=draws,
            test=test,
            adjust=adjust,
        )


def groups_of_pairs(valued: Mask, control: bool) -> Iterator[tuple[Ints, Ints | None]]:
    """Yield groups of pairs, in which all first rows have the same lists, and all second rows.

    A group is given by its rows and the other rows: each row is paired with each of the others, or,
    if these are None, with each later row of the group. With `control` only pairs with row 0 count.
    """
    if control:
        first = np.zeros(1, dtype=np.int64)
        yield from ((first, rows + 1) for rows in rows_by_mask(valued[1:]))
        return
    groups = rows_by_mask(valued)
    for n, rows in enumerate(groups):
        yield rows, None
        yield from ((rows, others) for others in groups[n + 1 :])


def pair_indices(rows: int, others: int | None) -> tuple[Ints, Ints]:
    """Return the first and the second row of each pair, (pairs,), in a group of pairs.

    `rows` and `others` are the numbers of rows of `groups_of_pairs`.
    """
    if others is None:
        first, second = np.triu_indices(rows, 1)
        return first.astype(np.int64), second.astype(np.int64)
    return np.repeat(np.arange(rows), others), np.tile(np.arange(others), rows)


def join_columns(parts: Sequence[PairColumns]) -> PairColumns:
    """Return the pairs of several tables as one."""
    none, no_rows = np.empty(0), np.empty(0, dtype=np.int64)
    empty = PairColumns(no_rows, no_rows, none, none, none, no_rows, no_rows, none, none, none)
    return PairColumns(*(np.concatenate(columns) for columns in zip(empty, *parts, strict=True)))


def holm(p: Floats) -> Floats:
    """Return the p-values of one family, adjusted for the chance of any false discovery.

    Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Statistics 6, 1979.

    >>> holm(np.array([0.01, 0.04, 0.03]))  # 3 x .01; 2 x .03; max(1 x .04, .06)
    array([0.03, 0.06, 0.06])
    """
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    adjusted = np.empty(p.size)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted


def equivalence(difference: Floats, error: Floats, units: Floats, margin: float) -> Floats:
    """Return the adjusted p of two one-sided t-tests that each difference lies within a margin.

    A large p of a test of difference does not say that two submissions are equal. A small p here
    says that they differ by less than `margin` (TOST: Schuirmann, J. Pharmacokinetics and
    Biopharmaceutics 15, 1987). Holm's adjustment is for the number of pairs.

    Args:
        difference: (pairs,), the mean of the first minus the mean of the second.
        error: (pairs,), its standard error, 0 where every list differs by the same.
        units: (pairs,), the number of lists or clusters.
        margin: above 0, in the unit of `difference`.

    Returns:
        (pairs,), NaN where the difference is unknown.
    """
    from scipy.special import stdtr

    p = np.full(difference.size, np.nan)
    known = ~np.isnan(difference + error) & (units > 1)
    excess = np.abs(difference[known]) - margin
    with np.errstate(divide="ignore", invalid="ignore"):
        # The nearer of the two limits has the greater p.
        single = stdtr(units[known] - 1, excess / error[known])
    single[error[known] == 0] = np.where(excess < 0, 0.0, 1.0)[error[known] == 0]
    p[known] = holm(single)
    return p
