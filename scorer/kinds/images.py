"""Masks, boxes or points of images: a cell for each image, which is a list of its own."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from scorer.core.arrays import Ints, Mask
from scorer.core.problems import Findings, Problem
from scorer.kinds.base import Constants, Kind, OpenTruth, SideTables, Views, list_rows
from scorer.reading.schema import Schema
from scorer.reading.table import Table, find_places
from scorer.views.columns import Extras
from scorer.views.images import (
    Box,
    Boxes,
    BoxFault,
    BoxTable,
    MaskRuns,
    Masks,
    RunFault,
    box_of_row,
    boxes_of,
    runs_of,
    write_boxes,
)
from scorer.views.join import sorted_names
from scorer.views.ranked import Ties


@dataclass(frozen=True, eq=False)
class TrueMasks(OpenTruth):
    """A truth of masks made ready."""

    lists: tuple[str, ...]
    constants: Constants
    runs: MaskRuns
    cells: tuple[str, ...]  # one a list, as they were written
    extras: Extras
    own_views: ClassVar[frozenset[type]] = frozenset({Masks})

    def join(self, submission: Table, ties: Ties, views: frozenset[type]) -> Views:
        """Return the masks of the submission beside the true ones; of two of a list the first."""
        cells, answered = cells_of_lists(submission, "runs", self.lists)
        submitted = MaskRuns.of([_read_runs(cell) for cell in cells])
        masks = Masks(self.lists, answered, self.runs, submitted, extras=self.extras)
        join_truth = partial(self.join_truth, submission.frame.columns, ties)
        return Views(answered, {Masks: masks}, join_truth)

    def subset(self, lists: Ints) -> TrueMasks:
        """Return the truth of some images alone."""
        cells = tuple(self.cells[n] for n in lists.tolist())
        return replace(
            self,
            lists=tuple(self.lists[n] for n in lists.tolist()),
            runs=MaskRuns.of([_read_runs(cell) for cell in cells]),
            cells=cells,
            extras=self.extras.at(list=lists),
        )

    def answers(self, roles: Collection[str]) -> dict[str, Any]:
        """Return the cell of each image, as it was written."""
        return {"list": self.lists, "runs": self.cells}


@dataclass(frozen=True, eq=False)
class TrueBoxes(OpenTruth):
    """A truth of boxes made ready."""

    lists: tuple[str, ...]
    constants: Constants
    boxes: BoxTable
    each: tuple[str, ...]  # the parts of a box in a submission
    cells: tuple[tuple[Box, ...], ...]  # the boxes of each list
    extras: Extras
    own_views: ClassVar[frozenset[type]] = frozenset({Boxes})

    def join(self, submission: Table, ties: Ties, views: frozenset[type]) -> Views:
        """Return the boxes of the submission beside the true ones; of two of a list the first."""
        cells, answered = cells_of_lists(submission, "boxes", self.lists)
        classes = self.constants.classes
        submitted = BoxTable.of([_read_boxes(cell, self.each) for cell in cells], classes)
        boxes = Boxes(self.lists, answered, classes, self.boxes, submitted, extras=self.extras)
        join_truth = partial(self.join_truth, submission.frame.columns, ties)
        return Views(answered, {Boxes: boxes}, join_truth)

    def subset(self, lists: Ints) -> TrueBoxes:
        """Return the truth of some images alone."""
        cells = tuple(self.cells[n] for n in lists.tolist())
        return replace(
            self,
            lists=tuple(self.lists[n] for n in lists.tolist()),
            boxes=BoxTable.of(cells, self.constants.classes),
            cells=cells,
            extras=self.extras.at(list=lists),
        )

    def answers(self, roles: Collection[str]) -> dict[str, Any]:
        """Return the cell of each image in a submission that gives its true boxes."""
        return {"list": self.lists, "boxes": [write_boxes(x, self.each) for x in self.cells]}


def cells_of_lists(table: Table, role: str, lists: Sequence[str]) -> tuple[list[str], Mask]:
    """Return the cell of each list, '' where it has none, and which lists have one."""
    rows = list_rows(table.frame, lists)
    cells = [*table.frame[role].to_list(), ""]
    return [cells[row] for row in rows.tolist()], rows >= 0


def _read_runs(cell: str) -> Ints:
    """Return the runs of a cell; none where it is not of the form, which a check reports."""
    try:
        return runs_of(cell)
    except RunFault:
        return np.empty((0, 2), dtype=np.int64)


def _read_boxes(cell: str, each: Sequence[str]) -> list[Box]:
    """Return the boxes of a cell; none where it is not of the form, which a check reports."""
    try:
        return boxes_of(cell, each)
    except BoxFault:
        return []


def _boxes_of_rows(table: Table, lists: Sequence[str]) -> tuple[tuple[Box, ...], ...]:
    """Return the boxes of each list, of a table with a row for each; a check reports faults."""
    boxes: list[list[Box]] = [[] for _ in lists]
    places = find_places(table.frame["list"], lists).tolist()
    for place, row in zip(places, table.frame.iter_rows(named=True), strict=True):
        with suppress(BoxFault):
            boxes[place].append(box_of_row(row))
    return tuple(map(tuple, boxes))


def open_masks(table: Table, side: SideTables, findings: Findings) -> TrueMasks:
    """Return a mask for each image; one without pixels is an empty cell, or `-`."""
    lists = sorted_names(table.frame["list"], side.public.list_names)
    if not len(table):
        findings.add(Problem("S103", "the truth has no rows"))
    cells, _ = cells_of_lists(table, "runs", lists)
    runs = MaskRuns.of([_read_runs(cell) for cell in cells])
    return TrueMasks(lists, Constants(), runs, tuple(cells), Extras(list=side.of_lists(lists)))


def open_boxes(table: Table, side: SideTables, findings: Findings) -> TrueBoxes:
    """Return the boxes of each image; one without any is an empty cell, or `-`."""
    of_truth, of_submission = side.box_parts
    lists = sorted_names(table.frame["list"], side.public.list_names)
    if not len(table):
        findings.add(Problem("S103", "the truth has no rows"))
    if "boxes" in table:
        cells, _ = cells_of_lists(table, "boxes", lists)
        boxes = tuple(tuple(_read_boxes(cell, of_truth)) for cell in cells)
    else:
        boxes = _boxes_of_rows(table, lists)
    classes = tuple(sorted({box.name for cell in boxes for box in cell}))
    extras = Extras(list=side.of_lists(lists))
    true = BoxTable.of(boxes, classes)
    return TrueBoxes(lists, Constants(classes=classes), true, of_submission, boxes, extras)


MASKS = Kind(
    "masks",
    truth=(Schema(("list", "runs")),),
    public_truth=(Schema(("list",)),),
    submission=(Schema(("list", "runs")),),
    open=open_masks,
)
BOXES = Kind(
    "boxes",
    truth=(Schema(("list", "boxes")),),
    public_truth=(Schema(("list",)),),
    submission=(Schema(("list", "boxes")),),
    open=open_boxes,
)
