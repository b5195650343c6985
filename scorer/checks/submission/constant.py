"""Does the file look like the work of a model that saw the lists?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scorer.checks.base import Submitted, check
from scorer.core.problems import Problem

FEW = 10  # lists of one item


@check("S410", kinds=("grades", "preferences"))
def same_lists(submitted: Submitted) -> Iterator[Problem]:
    """Lists differ from each other."""
    if "item" not in submitted.table.ids:
        return
    rows, lists = submitted.order, submitted.lists
    sizes = np.bincount(lists.codes[rows])
    sizes = sizes[sizes > 0]
    if sizes.size < 2 or (sizes != sizes[0]).any() or submitted.empty:
        return
    if sizes[0] == 1 and sizes.size < FEW:  # which may well be chance
        return
    items = submitted.table.ids["item"].codes[rows].reshape(sizes.size, -1)
    if (items == items[0]).all():
        message = "all lists hold the same items in the same order; a constant model?"
        yield Problem("S410", message, "warning")


@check("S510", kinds=("ratings",))
def same_predictions(submitted: Submitted) -> Iterator[Problem]:
    """Predictions differ from each other."""
    predicted = submitted.table.numbers["prediction"]
    if predicted.size > 1 and (predicted == predicted[0]).all():
        message = f"every prediction is {float(predicted[0])!r}"
        yield Problem("S510", message, "warning")
