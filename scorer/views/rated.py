"""Predictions beside the ratings that they were to meet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from scorer.core.arrays import Floats, Ints
from scorer.views.extras import NO_EXTRAS, Extras, WithItemColumns
from scorer.views.hits import ratio
from scorer.views.pooled import Statistics


@dataclass(frozen=True, slots=True)
class Rated(WithItemColumns):
    """Predictions beside the ratings they were to meet, ordered by list, then by item.

    All arrays have one element a rating that was predicted.
    """

    kinds: ClassVar[frozenset[str]] = frozenset({"ratings"})

    in_list: Ints
    rating: Floats
    prediction: Floats
    low: Floats  # where the prediction's interval begins and ends; NaN without one
    high: Floats
    lists: int
    names: Sequence[str] = ()
    extras: Extras = NO_EXTRAS  # of lists one element a list, of the others one a rating

    def total(self, weight: ArrayLike = 1.0) -> Floats:
        """The sum of `weight` over each list's ratings; 0 where there are none."""
        weights = np.broadcast_to(np.asarray(weight, dtype=np.float64), self.rating.shape)
        return np.bincount(self.in_list, weights, minlength=self.lists).astype(np.float64)

    def mean(self, weight: ArrayLike, pooled: bool = False) -> Floats | Statistics:
        """The mean of `weight` over each list's ratings, or the statistics of the pooled mean."""
        part, whole = self.total(weight), self.total()
        return self.pooled(part, whole) if pooled else ratio(part, whole)

    def pooled(self, *columns: Floats) -> Statistics:
        """Statistics with one row a list."""
        every = np.arange(self.lists, dtype=np.int64)
        return Statistics(every, np.column_stack(columns), self.lists)

    def perfect(self) -> Rated:
        """With the ratings themselves as predictions, in intervals that hold nothing else."""
        rating = self.rating
        return replace(self, prediction=rating, low=rating, high=rating)

    def single(self, at: int) -> Rated:
        """One list alone."""
        of_list = self.in_list == at
        none, name = np.zeros(int(of_list.sum()), dtype=np.int64), self.names[at : at + 1]
        extras = self.extras.at(of_list, of_list, np.array([at]), of_list)
        return Rated(
            none, self.rating[of_list], self.prediction[of_list], self.low[of_list],
            self.high[of_list], 1, name, extras,
        )  # fmt: skip

    def spread(self) -> tuple[Floats, Floats]:
        """The mean of each list's ratings, and the sum of their squared distances from it."""
        first = np.zeros(self.lists)
        first[self.in_list[::-1]] = self.rating[::-1]
        # from the first one on, so that equal ratings are exactly 0 apart
        offset = self.rating - first[self.in_list]
        middle = np.nan_to_num(ratio(self.total(offset), self.total()))
        return first + middle, self.total((offset - middle[self.in_list]) ** 2)

    @classmethod
    def of(
        cls, *lists: tuple[Sequence[float], Sequence[float | tuple[float, float, float]]]
    ) -> Rated:
        """From ratings and their predictions (or prediction, low, high), list by list."""
        rows = [
            (n, rating, *(given if isinstance(given, tuple) else (given, np.nan, np.nan)))
            for n, (ratings, predictions) in enumerate(lists)
            for rating, given in zip(ratings, predictions, strict=True)
        ]
        in_list, rating, prediction, low, high = np.array(rows, dtype=np.float64).reshape(-1, 5).T
        names = tuple(map(str, range(len(lists))))
        return cls(in_list.astype(np.int64), rating, prediction, low, high, len(lists), names)
