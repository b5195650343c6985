"""Warns when all lists, or all predictions, are identical."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from scorer.checks.base import Submitted, check
from scorer.checks.tally import FileContext, hashes_of
from scorer.core.arrays import Ints
from scorer.core.problems import Problem
from scorer.tables.table import EXTRA, NUMBER
from scorer.views.ranked import RankedRows, is_hashed, keys

FEW_LISTS = 10  # lists of one item
TOGETHER = 1 << 20  # rows


class SameLists(NamedTuple):
    """The number of lists, and what they have in common; None where they differ."""

    lists: int
    size: int | None = None  # items of each
    order: int | None = None  # a digest of the items, best first; equal places in any order
    empty: bool = False  # some list has none

    def plus(self, others: Sequence[SameLists]) -> SameLists:
        """Those of all parts."""
        parts = [part for part in (self, *others) if part.lists]
        empty = any(part.empty for part in (self, *others))
        orders = {(part.size, part.order) for part in parts}
        size, order = orders.pop() if len(orders) == 1 else (None, None)
        return SameLists(sum(part.lists for part in parts), size, order, empty)

    def problems(self, whole: FileContext) -> Iterator[Problem]:
        """A warning about a constant model."""
        if self.lists < 2 or self.order is None or self.empty:
            return
        if self.size == 1 and self.lists < FEW_LISTS:  # which may well be chance
            return
        message = "all lists hold the same items in the same order; a constant model?"
        yield Problem("S410", message, "warning")


@check("S410", kinds=("grades", "preferences"), scope="file")
def same_lists(submitted: Submitted) -> SameLists:
    """Lists differ from each other, in their items or in their further columns, such as tags."""
    if "item" not in submitted.table.ids:
        return SameLists(0, empty=True)
    rows, empty = submitted.ranked, bool(submitted.empty)
    lists = rows.sizes.size
    if not lists or (rows.sizes != rows.sizes[0]).any():
        return SameLists(lists, empty=empty)
    size, items = int(rows.sizes[0]), submitted.table.ids["item"]
    sums = np.add.reduceat(rows.column(keys(items)), rows.starts)  # of whatever order
    if (sums != sums[0]).any():
        return SameLists(lists, empty=empty)
    hashes = keys(items) if is_hashed(items) else hashes_of(items.names)[items.codes]
    factors = _places_in_lists(rows).view(np.uint64)
    factors *= 2
    factors += 1
    for start in range(0, len(rows), TOGETHER):  # of millions of rows each array counts
        part = slice(start, start + TOGETHER)
        factors[part] *= hashes[part if rows.rows is None else rows.rows[part]]
    orders = np.add.reduceat(factors, rows.starts)
    if (orders != orders[0]).any() or _further_columns_differ(submitted):
        return SameLists(lists, empty=empty)
    return SameLists(lists, size, int(orders[0]), empty)


def _further_columns_differ(submitted: Submitted) -> bool:
    """Return whether a further column of the submission has different cells."""
    table = submitted.table
    texts = [column.codes for role, column in table.ids.items() if role.startswith(EXTRA)]
    numbers = [cells for role, cells in table.numbers.items() if role.startswith(NUMBER)]
    return any(bool((cells != cells[0]).any()) for cells in [*texts, *numbers])


def _places_in_lists(rows: RankedRows) -> Ints:
    """The place of each row in its list, from 0; of equal rows that of the first of them."""
    place = rows.rank
    if not rows.tied.size:
        place -= 1
        return place
    place = np.arange(len(rows))
    place[rows.tied + 1] = 0
    first: Ints = np.maximum.accumulate(place)
    return first - np.repeat(rows.starts, rows.sizes)


class SamePredictions(NamedTuple):
    """The number of predictions, and their common value; None where they differ."""

    rows: int
    value: float | None = None

    def plus(self, others: Sequence[SamePredictions]) -> SamePredictions:
        """Those of all parts."""
        parts = [part for part in (self, *others) if part.rows]
        values = {part.value for part in parts}
        return SamePredictions(
            sum(part.rows for part in parts), values.pop() if len(values) == 1 else None
        )

    def problems(self, whole: FileContext) -> Iterator[Problem]:
        """A warning about a constant model."""
        if self.rows > 1 and self.value is not None:
            yield Problem("S510", f"every prediction is {self.value!r}", "warning")


@check("S510", kinds=("ratings",), scope="row")
def same_predictions(submitted: Submitted) -> SamePredictions:
    """Predictions differ from each other."""
    predicted = submitted.table.numbers["prediction"]
    if predicted.size and (predicted == predicted[0]).all():
        return SamePredictions(predicted.size, float(predicted[0]))
    return SamePredictions(predicted.size)
