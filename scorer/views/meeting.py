"""A submission joined with the truth, in each way that measures look at it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from scorer.core.arrays import Ints, Mask

# From the type of a view and numbers of lists, or None for all, to the view of the truth itself as
# a submission; None where a truth has no such view.
JoinTruth = Callable[[type, Ints | None], Any]


class Views(NamedTuple):
    """A submission joined with the truth, in each way that the measures look at it.

    Attributes:
        answered: Whether the submission has each list of the truth.
        views: The type of a metric's first argument -> its view.
        join_truth: Makes the views of the truth itself as a submission.
        by_condition: The views of the items for which a condition is true, by its text.
    """

    answered: Mask
    views: Mapping[type, Any]
    join_truth: JoinTruth
    by_condition: Mapping[str, Views] = {}

    def where(self, condition: str | None) -> Views:
        """Return the views of a condition's items; of all, if it is a condition on lists."""
        return self if condition is None else self.by_condition.get(condition, self)
