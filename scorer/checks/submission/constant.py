"""Warns when all lists, or all predictions, are identical."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scorer.checks.base import Submitted, check
from scorer.core.arrays import Ints
from scorer.core.problems import Problem
from scorer.reading.schema import EXTRA, NUMBER
from scorer.views.ranked import RankedRows, keys

FEW_LISTS = 10  # lists of one item, which may be the same by chance


@check("S410", kinds=("grades", "preferences"))
def same_lists(submitted: Submitted) -> Iterator[Problem]:
    """Lists differ from each other, in their items or in their further columns, such as tags."""
    if "item" not in submitted.table.ids or submitted.empty:
        return
    rows = submitted.ranked
    lists = rows.sizes.size
    if lists < 2 or (rows.sizes[0] == 1 and lists < FEW_LISTS):
        return
    same = _have_same_items(rows, rows.column(keys(submitted.table.ids["item"])))
    if same and not _further_columns_differ(submitted):
        message = "all lists hold the same items in the same order; a constant model?"
        yield Problem("S410", message, "warning")


def _have_same_items(rows: RankedRows, items: Ints) -> bool:
    """Return whether all lists have the same items in the same order; equal places are in none."""
    lists, size = rows.sizes.size, rows.sizes[0]
    if (rows.sizes != size).any():
        return False
    sums = np.add.reduceat(items, rows.starts)
    if (sums != sums[0]).any():  # tells most lists from each other, without a sort
        return False
    places = _places_in_lists(rows)
    by = np.lexsort((items, places, np.repeat(np.arange(lists), rows.sizes)))
    tables = items[by].reshape(lists, size), places[by].reshape(lists, size)
    return all(bool((table == table[0]).all()) for table in tables)


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


@check("S510", kinds=("ratings",))
def same_predictions(submitted: Submitted) -> Iterator[Problem]:
    """Predictions differ from each other."""
    predicted = submitted.table.numbers["prediction"]
    if predicted.size > 1 and (predicted == predicted[0]).all():
        yield Problem("S510", f"every prediction is {float(predicted[0])!r}", "warning")
