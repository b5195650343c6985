"""The items that a condition of a measure chooses, of truth and submissions alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scorer.kinds.base import OpenTruth
from scorer.tables.table import Table
from scorer.views.hits import Ties
from scorer.views.join import GradedItems, without
from scorer.views.meeting import Views


@dataclass(frozen=True, eq=False)
class Picked:
    """The truth of the items of which a condition is true; of lists it has all."""

    truth: OpenTruth
    gone: GradedItems  # judged items of which it is false
    items: frozenset[str] | None = None  # of which it is true, if that hangs on no list

    def kept(self, submission: Table) -> Table:
        """The rows of the items that are chosen, or that nobody knows anything of."""
        if self.items is None:
            return without(submission, self.gone)[0]
        ids = submission.ids["item"]
        known = np.array([name in self.items for name in ids.names], dtype=bool)
        return submission.where(np.flatnonzero(known[ids.codes]))

    def meet(self, submission: Table, ties: Ties, views: frozenset[type]) -> Views:
        """The views of a submission's chosen items."""
        return self.truth.meet(self.kept(submission), ties, views)
