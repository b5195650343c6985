"""Statistics of figures of all lists together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from scorer.core.arrays import Floats, Ints, Mask
from scorer.views.hits import ratio


class Statistics(NamedTuple):
    """The rows that a figure of all lists is computed from; each belongs to a list.

    Any set of lists has its figure, from the rows of those lists in list order.
    """

    in_list: Ints  # shape (rows,), in list order
    rows: Floats  # shape (rows, width)
    lists: int
    names: Sequence[str] = ()  # what `in_list` stands for, where a figure is worked out
    groups: Sequence[str] = ()  # of the same lists, where there are any
    texts: tuple[str, ...] = ()  # what the numbers are places in, such as the text of a file

    def of(self, keep: Mask) -> Statistics:
        """Only the rows of those lists; `keep` has one element a list."""
        if keep.all():
            return self
        inside = keep[self.in_list]
        return self._replace(
            in_list=self.in_list[inside], rows=self.rows[inside], lists=int(keep.sum())
        )

    def by_group(self, codes: Ints) -> Iterator[tuple[Ints, Statistics]]:
        """The lists of each group, ascending, and their own statistics, in which they count from 0.

        Lists whose code is below 0 are in no group.
        """
        members, rows = _by_code(codes), _by_code(codes[self.in_list])
        none = np.empty(0, dtype=np.int64)
        for code, lists in members.items():
            places = rows.get(code, none)
            at = np.searchsorted(lists, self.in_list[places])
            yield lists, Statistics(at, self.rows[places], lists.size, texts=self.texts)

    def sums(self) -> Floats:
        """Each list's sum of its rows, shape (lists, width); 0 where it has none."""
        columns = (
            np.bincount(self.in_list, column, minlength=self.lists) for column in self.rows.T
        )
        return np.column_stack([column.astype(np.float64) for column in columns])

    def share(self) -> float:
        """The sum of the first column over that of the second; NaN where there is no such sum."""
        part, whole = self.rows[:, 0].sum(), self.rows[:, 1].sum()
        return float(part / whole) if whole > 0 else float("nan")


def _by_code(codes: Ints) -> dict[int, Ints]:
    """The indices of each code, ascending; codes below 0 are left out."""
    order = np.argsort(codes, kind="stable")
    order = order[np.searchsorted(codes[order], 0) :]
    edges = np.flatnonzero(np.diff(codes[order])) + 1
    return {int(codes[places[0]]): places for places in np.split(order, edges) if places.size}


@cache
def code_of(name: str) -> float:
    """A number of a name in the rows of statistics, the same wherever lists are scored."""
    return float(int.from_bytes(blake2b(name.encode(), digest_size=6).digest(), "big"))


def shares(sums: Floats, **_: object) -> Floats:
    """`Statistics.share` of many draws, from their column sums of shape (draws, width)."""
    values = np.full(len(sums), np.nan)
    np.divide(sums[:, 0], sums[:, 1], out=values, where=sums[:, 1] > 0)
    return values


def ratios(part: ArrayLike, whole: ArrayLike, average: str) -> Floats | Statistics:
    """Each list's ratio, NaN where it has no divisor; if pooled, the statistics of one ratio.

    Both are of shape (lists,), or `whole` is one number for all lists; `average` is lists or
    pooled.
    """
    if average != "pooled":
        return ratio(part, whole)
    numerator, denominator = np.broadcast_arrays(np.asarray(part, float), np.asarray(whole, float))
    every = np.arange(numerator.size, dtype=np.int64)
    return Statistics(every, np.column_stack([numerator, denominator]), numerator.size)
