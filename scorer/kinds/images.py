"""Masks, boxes or points of images: each image is a list, with one cell of a table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar, Self

from scorer.core.arrays import Ints, Mask
from scorer.core.problems import Findings
from scorer.kinds.base import Constants, Kind, OpenTruth, SideTables, Views, list_rows
from scorer.reading.schema import Schema
from scorer.reading.table import Table, find_indices
from scorer.views.columns import Extras
from scorer.views.images import (
    Box,
    Boxes,
    BoxTable,
    MaskRuns,
    Masks,
    RegionError,
    box_of_row,
    boxes_of,
    runs_of,
    write_boxes,
)
from scorer.views.join import sorted_names
from scorer.views.ranked import Ties


@dataclass(kw_only=True, eq=False)
class Images(OpenTruth):
    """A truth of masks or boxes; a point is a box without width and height."""

    regions: tuple[Any, ...]  # of each image: the cell of its mask, or its boxes

    def subset(self, lists: Ints) -> Self:
        """Return the truth of some images alone."""
        regions = tuple(self.regions[n] for n in lists.tolist())
        return replace(super().subset(lists), regions=regions)


@dataclass(kw_only=True, eq=False)
class TrueMasks(Images):
    """A truth of masks."""

    own_views: ClassVar[frozenset[type]] = frozenset({Masks})

    @cached_property
    def runs(self) -> MaskRuns:
        """The runs of all masks."""
        return MaskRuns.of(_read_cells(self.regions, runs_of))

    def find_views(self, submission: Table, ties: Ties, views: frozenset[type]) -> Views:
        """Return the submitted and true masks; of an image with two rows, the first row counts."""
        cells, answered = cells_of_lists(submission, "runs", self.lists)
        submitted = MaskRuns.of(_read_cells(cells, runs_of))
        return Views(answered, {Masks: Masks(self.lists, self.runs, submitted, self.extras)})

    def answers(self, roles: Collection[str]) -> dict[str, Any]:
        """Return the cell of each image."""
        return {"list": self.lists, "runs": self.regions}


@dataclass(kw_only=True, eq=False)
class TrueBoxes(Images):
    """A truth of boxes."""

    submitted_parts: tuple[str, ...]  # the parts of a box in a submission, in their order
    own_views: ClassVar[frozenset[type]] = frozenset({Boxes})

    @cached_property
    def boxes(self) -> BoxTable:
        """The boxes of all images."""
        return BoxTable.of(self.regions, self.constants.classes)

    def find_views(self, submission: Table, ties: Ties, views: frozenset[type]) -> Views:
        """Return the submitted and true boxes; of an image with two rows, the first row counts."""
        cells, answered = cells_of_lists(submission, "boxes", self.lists)
        classes = self.constants.classes
        read_boxes = partial(boxes_of, parts=self.submitted_parts)
        submitted = BoxTable.of(_read_cells(cells, read_boxes), classes)
        boxes = Boxes(self.lists, classes, self.boxes, submitted, self.extras)
        return Views(answered, {Boxes: boxes})

    def answers(self, roles: Collection[str]) -> dict[str, Any]:
        """Return the cell of each image."""
        cells = [write_boxes(boxes, self.submitted_parts) for boxes in self.regions]
        return {"list": self.lists, "boxes": cells}


def cells_of_lists(table: Table, role: str, lists: Sequence[str]) -> tuple[list[str], Mask]:
    """Return the cell of each list, '' of a list without a row, and which lists have a row."""
    rows = list_rows(table.frame, lists)
    cells = table.frame[role].to_list()
    return [cells[row] if row >= 0 else "" for row in rows.tolist()], rows >= 0


def _read_cells(cells: Sequence[str], read: Callable[[str], Any]) -> list[Any]:
    """Return what each cell holds, as if a malformed one were empty, which a check reports."""
    regions = []
    for cell in cells:
        try:
            regions.append(read(cell))
        except RegionError:
            regions.append(read(""))
    return regions


def _boxes_of_rows(table: Table, lists: Sequence[str]) -> list[list[Box]]:
    """Return the boxes of each list from a table with one box per row; a check reports faults."""
    boxes: list[list[Box]] = [[] for _ in lists]
    places = find_indices(table.frame["list"], lists).tolist()
    for place, row in zip(places, table.frame.iter_rows(named=True), strict=True):
        with suppress(RegionError):
            boxes[place].append(box_of_row(row))
    return boxes


def open_masks(table: Table, side: SideTables, findings: Findings) -> TrueMasks:
    """Return a mask for each image; one without pixels is an empty cell, or `-`."""
    lists = sorted_names(table.frame["list"], side.public.list_names)
    cells, _ = cells_of_lists(table, "runs", lists)
    return TrueMasks(lists=lists, extras=Extras(list=side.of_lists(lists)), regions=tuple(cells))


def open_boxes(table: Table, side: SideTables, findings: Findings) -> TrueBoxes:
    """Return the boxes of each image; one without any is an empty cell, or `-`."""
    true_parts, submitted_parts = side.box_parts
    lists = sorted_names(table.frame["list"], side.public.list_names)
    if "boxes" in table:
        cells, _ = cells_of_lists(table, "boxes", lists)
        boxes = _read_cells(cells, partial(boxes_of, parts=true_parts))
    else:  # a column for each part of a box
        boxes = _boxes_of_rows(table, lists)
    constants = Constants(classes=tuple(sorted({box.name for cell in boxes for box in cell})))
    return TrueBoxes(
        lists=lists,
        constants=constants,
        extras=Extras(list=side.of_lists(lists)),
        regions=tuple(boxes),
        submitted_parts=submitted_parts,
    )


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
