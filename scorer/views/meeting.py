"""A submission seen through the truth, in each way that measures look at it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from scorer.core.arrays import Mask


class Views(NamedTuple):
    """A submission seen through the truth, in each way that the measures look at it."""

    answered: Mask  # one a list of the truth
    views: Mapping[type, Any]  # the type of a metric's first argument -> what it is given
    chosen: Mapping[str, Mapping[type, Any]] = {}  # by conditions on items: the same of these

    def where(self, condition: str | None) -> Mapping[type, Any]:
        """The views of the items of which a condition is true; of all, if it is on lists."""
        return self.views if condition is None else self.chosen.get(condition, self.views)
