"""Masks: a row of run lengths for each image, which is a list of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from scorer.core.arrays import Ints, Mask
from scorer.core.problems import Findings, Problem
from scorer.kinds.base import Constants, SideTables, kind
from scorer.kinds.labels import places_of
from scorer.reading.schema import Schema
from scorer.reading.table import Table as FrameTable
from scorer.tables.frame import as_columns
from scorer.tables.table import Table
from scorer.views.extras import Extras
from scorer.views.hits import Ties
from scorer.views.masks import MaskRuns, Masks, RunFault, runs_of
from scorer.views.meeting import Views
from scorer.views.names import Names


class TrueMasks(NamedTuple):
    """A truth of masks made ready."""

    lists: Sequence[str]
    constants: Constants
    runs: MaskRuns
    cells: tuple[str, ...]  # one a list, as they were written
    extras: Extras

    def meet(self, submission: Table, ties: Ties, views: frozenset[type]) -> Views:
        """The masks that the submission gives, beside the true ones; `ties`, `views` are ignored.

        Of two rows of one list the first counts.
        """
        cells, answered = by_list(submission, "runs", self.lists)
        sent = MaskRuns.of([_readable(cell) for cell in cells])
        masks = Masks(self.lists, answered, self.runs, sent, extras=self.extras)
        return Views(answered, {Masks: masks})

    def named(self, submission: Table, ties: Ties, view: type, at: int) -> Names:
        """A mask has no items."""
        return Names()


def by_list(table: Table, role: str, lists: Sequence[str]) -> tuple[list[str], Mask]:
    """The cell of each list, '' where it has none, and which lists have one."""
    cells, answered = [""] * len(lists), np.zeros(len(lists), dtype=bool)
    column, places = table.ids[role], places_of(table.ids["list"], lists)
    for row, place in reversed([*enumerate(places.tolist())]):
        if place >= 0:
            cells[place], answered[place] = column.text(row), True
    return cells, answered


def _readable(cell: str) -> Ints:
    """The runs of a cell; none where it is not of the form, which is told by a check."""
    try:
        return runs_of(cell)
    except RunFault:
        return np.empty((0, 2), dtype=np.int64)


@kind(
    "masks",
    truth=(Schema(("list", "runs")),),
    known=(Schema(("list",)),),
    submission=(Schema(("list", "runs")),),
)
def masks(file: FrameTable, aids: SideTables, findings: Findings) -> TrueMasks:
    """A mask for each image; one without pixels is an empty cell, or `-`."""
    table = as_columns(file)
    lists = tuple(sorted({*table.ids["list"].names, *aids.public.lists}))
    if not len(table):
        findings.add(Problem("S103", "the truth has no rows"))
    cells, _ = by_list(table, "runs", lists)
    runs = MaskRuns.of([_readable(cell) for cell in cells])
    extras = Extras(list=aids.of_lists(lists))
    return TrueMasks(lists, Constants(), runs, tuple(cells), extras)
