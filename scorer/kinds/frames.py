"""Files of which only the rows' ids are known here: all else is for metrics that read frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from scorer.challenge.submission import Submission
from scorer.core.problems import Findings
from scorer.kinds.base import Constants, SideTables, kind
from scorer.reading.schema import Schema
from scorer.reading.table import Table as FrameTable
from scorer.tables.frame import as_columns
from scorer.tables.names import names_of
from scorer.tables.table import Table
from scorer.views.hits import Ties
from scorer.views.meeting import Views
from scorer.views.names import Names

WHOLE = Schema(("list",), every=True)


class FrameTruth(NamedTuple):
    """The ids of a truth's rows; several rows may share one."""

    lists: Sequence[str]
    constants: Constants = Constants()

    def meet(self, submission: Table, ties: Ties, views: frozenset[type]) -> Views:
        """Which lists are answered; `ties` and `views` are ignored."""
        times = np.bincount(submission.ids["list"].codes, minlength=len(self.lists))
        return Views(times > 0, {})

    def named(self, submission: Table, ties: Ties, view: type, at: int) -> Names:
        """A row has no items."""
        return Names()


def _shapes(rules: Submission, needed: frozenset[str]) -> tuple[Schema, ...]:
    return (Schema(("list",), (), rules.columns, every=True),)


@kind("frames", truth=(WHOLE,), known=(WHOLE,), submission=_shapes)
def frames(file: FrameTable, aids: SideTables, findings: Findings) -> FrameTruth:
    """Files that metrics read whole."""
    truth = as_columns(file)
    return FrameTruth(names_of(truth.ids["list"].in_order[0]))
