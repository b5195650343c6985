"""Submissions made from ratings, and from preferences between items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from scorer.api.probes_of_labels import NO_ROWS, table_of
from scorer.core.arrays import Floats, Ints
from scorer.reading.table import Table
from scorer.views.join import GradedItems
from scorer.views.preferences import TruePreferences

SIDES = ("better", "worse")


def of_ratings(truth: GradedItems) -> _OfRatings:
    """The probes of a truth of ratings."""
    return _OfRatings(truth)


def of_preferences(truth: GradedItems, orders: TruePreferences) -> _OfPreferences:
    """The probes of a truth of preferences."""
    return _OfPreferences(truth, orders)


@dataclass(frozen=True)
class _OfRatings:
    truth: GradedItems

    drawn = "the ratings, each given to another item"

    @property
    def rows(self) -> int:
        return self.truth.grade.size

    def perfect(self) -> list[Table]:
        return [self._predicted(self.truth.grade)]

    def others(self) -> dict[str, Table]:
        rating = self.truth.grade
        return {
            "reversed": self._predicted(rating.min() + rating.max() - rating),
            "constant": self._predicted(np.full(rating.size, rating.mean())),
            "empty": table_of(
                {"list": (NO_ROWS, self.truth.lists), "item": (NO_ROWS, ())},
                **dict.fromkeys(("prediction", "low", "high"), np.empty(0)),
            ),
        }

    def random(self, rng: np.random.Generator) -> Table:
        return self._predicted(rng.permutation(self.truth.grade))

    tied = random  # predictions do not tie

    def degraded(self, rng: np.random.Generator, share: float) -> Table:
        lost = rng.random(self.truth.grade.size) < share
        return self._predicted(np.where(lost, rng.permutation(self.truth.grade), self.truth.grade))

    def _predicted(self, prediction: Floats) -> Table:
        rows = np.arange(self.rows)
        return table_of(
            _ids(self.truth, rows), prediction=prediction, low=prediction, high=prediction
        )


@dataclass(frozen=True)
class _OfPreferences:
    truth: GradedItems
    orders: TruePreferences

    drawn = "all orders of each list's items"

    @property
    def rows(self) -> int:
        return self.truth.in_list.size

    def perfect(self) -> list[Table]:
        better, worse = self._pairs
        return [self._stated(better, worse), self._ordered(self._depth)]

    def others(self) -> dict[str, Table]:
        better, worse = self._pairs
        size = self.truth.in_list.size
        return {
            "reversed": self._stated(worse, better),
            "constant": self._ordered(np.arange(size)),  # its rows are in the order of the names
            "tied": self._ordered(np.zeros(size)),
            "empty": self._stated(NO_ROWS, NO_ROWS),
        }

    def random(self, rng: np.random.Generator) -> Table:
        return self._ordered(rng.permutation(self.truth.in_list.size))

    tied = random  # nothing orders what is tied

    def degraded(self, rng: np.random.Generator, share: float) -> Table:
        size = self.truth.in_list.size
        lost = rng.random(size) < share
        return self._ordered(np.where(lost, rng.permutation(size), self._depth).astype(np.float64))

    @cached_property
    def _pairs(self) -> tuple[Ints, Ints]:
        """All that the truth prefers and that follows from it: rows of its items."""
        orders = self.orders
        sides: tuple[list[Ints], list[Ints]] = ([NO_ROWS], [NO_ROWS])
        for items, bits in zip(orders.layout.items, orders.bits, strict=True):
            above = np.unpackbits(bits, axis=2, count=items.shape[1])
            lists, low, high = np.nonzero(above)
            sides[0].append(items[lists, high])
            sides[1].append(items[lists, low])
        return np.concatenate(sides[0]), np.concatenate(sides[1])

    @cached_property
    def _depth(self) -> Ints:
        """An order that no preference of the truth contradicts."""
        orders, depth = self.orders, np.zeros(self.truth.in_list.size, dtype=np.int64)
        for items, rank in zip(orders.layout.items, orders.rank, strict=True):
            depth[items] = rank
        order = np.argsort(depth, kind="stable")
        place = np.empty(order.size, dtype=np.int64)
        place[order] = np.arange(order.size)
        return place

    def _ordered(self, place: Ints | Floats) -> Table:
        ids = _ids(self.truth, np.arange(place.size))
        return table_of(ids, rank=place.astype(np.float64))

    def _stated(self, better: Ints, worse: Ints) -> Table:
        ids = {"list": _ids(self.truth, better)["list"]}
        for role, rows in zip(SIDES, (better, worse), strict=True):
            ids[role] = (rows, self.truth.items)
        return table_of(ids)


def _ids(truth: GradedItems, rows: Ints) -> dict[str, tuple[Ints, Sequence[str] | pl.Series]]:
    """The lists and items of some rows of a truth, as `table_of` takes them."""
    return {"list": (truth.in_list[rows], truth.lists), "item": (rows, truth.items)}
