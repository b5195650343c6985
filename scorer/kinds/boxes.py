"""Boxes, or points, of images: a row of several in a cell, or of a truth a row for each."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from scorer.core.problems import Findings, Problem
from scorer.kinds.base import Constants, SideTables, kind
from scorer.kinds.labels import places_of
from scorer.kinds.masks import by_list
from scorer.reading.schema import Schema
from scorer.reading.table import Table as FrameTable
from scorer.tables.frame import as_columns
from scorer.tables.table import Table
from scorer.views.boxes import Box, Boxes, BoxFault, BoxTable, box_of_row, boxes_of
from scorer.views.extras import Extras
from scorer.views.hits import Ties
from scorer.views.meeting import Views
from scorer.views.names import Names


class TrueBoxes(NamedTuple):
    """A truth of boxes made ready."""

    lists: Sequence[str]
    constants: Constants
    boxes: BoxTable
    each: tuple[str, ...]  # the parts of a box in a submission
    cells: tuple[tuple[Box, ...], ...]  # the boxes of each list
    extras: Extras

    def meet(self, submission: Table, ties: Ties, views: frozenset[type]) -> Views:
        """The boxes that the submission gives, beside the true ones; `ties`, `views` are ignored.

        Of two rows of one list the first counts.
        """
        cells, answered = by_list(submission, "boxes", self.lists)
        classes = self.constants.classes
        sent = BoxTable.of([_readable(cell, self.each) for cell in cells], classes)
        boxes = Boxes(self.lists, answered, classes, self.boxes, sent, extras=self.extras)
        return Views(answered, {Boxes: boxes})

    def named(self, submission: Table, ties: Ties, view: type, at: int) -> Names:
        """Boxes have no names."""
        return Names()


def _readable(cell: str, each: Sequence[str]) -> list[Box]:
    """The boxes of a cell; none where it is not of the form, which is told by a check."""
    try:
        return boxes_of(cell, each)
    except BoxFault:
        return []


def _of_rows(table: Table, lists: Sequence[str]) -> tuple[tuple[Box, ...], ...]:
    """The boxes of each list, of a table with a row for each; a check tells those that are none."""
    boxes: list[list[Box]] = [[] for _ in lists]
    for row, place in enumerate(places_of(table.ids["list"], lists).tolist()):
        with suppress(BoxFault):
            boxes[place].append(box_of_row(table, row))
    return tuple(map(tuple, boxes))


@kind(
    "boxes",
    truth=(Schema(("list", "boxes")),),
    known=(Schema(("list",)),),
    submission=(Schema(("list", "boxes")),),
)
def boxes(file: FrameTable, aids: SideTables, findings: Findings) -> TrueBoxes:
    """The boxes of each image; one without any is an empty cell, or `-`."""
    table = as_columns(file)
    of_truth, of_submission = aids.each
    lists = tuple(sorted({*table.ids["list"].names, *aids.public.lists}))
    if not len(table):
        findings.add(Problem("S103", "the truth has no rows"))
    if "boxes" in table.ids:
        cells, _ = by_list(table, "boxes", lists)
        read = tuple(tuple(_readable(cell, of_truth)) for cell in cells)
    else:
        read = _of_rows(table, lists)
    classes = tuple(sorted({box.name for cell in read for box in cell}))
    true = BoxTable.of(read, classes)
    extras = Extras(list=aids.of_lists(lists))
    return TrueBoxes(lists, Constants(classes=classes), true, of_submission, read, extras)
