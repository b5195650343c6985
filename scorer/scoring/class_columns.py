"""Columns whose cells name classes, as of boxes, tags and spans; and the unit of boxes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from scorer.challenge.kit_archive import is_kit
from scorer.challenge.public import ClassCells, ClassColumn, Public, one_name
from scorer.core.problems import Findings
from scorer.reading.schema import EXTRA
from scorer.reading.table import Table
from scorer.scoring.bind import BoundChallenge
from scorer.scoring.faults import Fault, located
from scorer.scoring.tables import read_table
from scorer.scoring.where import truth_shapes
from scorer.views.images import (
    CLASS,
    FEWEST_PIXELS,
    LARGEST_SHARE,
    box_classes,
    largest_coordinates,
)


def with_forms_of_answers(
    prepared: BoundChallenge, public: Public, truth: Table | None, findings: Findings
) -> Public:
    """Return the public part with the columns that name classes, and the unit of boxes.

    The classes are those that the challenge declares, else those of its truth.

    Args:
        prepared: The challenge.
        public: The public part without these.
        truth: The truth, if it has been read already.
        findings: Where problems of the truth, and of a declaration without an effect, are added.
    """
    challenge, cells = prepared.challenge, dict.fromkeys(_class_cells(prepared))
    has_boxes = prepared.kind.name == "boxes"
    if not cells and challenge.submission.classes and prepared.kind.name != "labels":
        message = "no cell of a submission names a class"
        fault = Fault("submission.classes", "C122", message, "leave it out")
        findings.add(located(challenge, fault))
    asks_truth = has_boxes or (cells and not public.classes)
    if truth is None and asks_truth and not (challenge.truthless or is_kit(challenge)):
        of_truth = Findings(findings.path)
        truth = read_table(challenge, challenge.truth, truth_shapes(prepared), of_truth)
        said = {*findings}  # where the truth was read for its lists
        findings.extend(problem for problem in of_truth if problem not in said)
    columns = (
        ClassColumn(sent, true, public.classes or _true_classes(truth, true))
        for sent, true in cells
    )
    public = public._replace(class_columns=tuple(columns))
    if truth is None or not has_boxes:
        return public
    largest = np.nanmax([-math.inf, *largest_coordinates(truth.frame, challenge.each[0])])
    if LARGEST_SHARE < largest < FEWEST_PIXELS or largest <= 0:
        return public
    return public._replace(boxes_are_shares=bool(largest <= LARGEST_SHARE))


def _class_cells(prepared: BoundChallenge) -> Iterator[tuple[ClassCells, ClassCells]]:
    """Yield where a submission and the truth name classes, once for each measure that looks."""
    challenge = prepared.challenge
    if prepared.kind.name == "boxes":
        in_truth, in_submission = challenge.each
        if CLASS in in_truth and CLASS in in_submission:
            sent = ClassCells("boxes", partial(box_classes, parts=in_submission))
            true = ClassCells("boxes", partial(box_classes, parts=in_truth))
            if challenge.truth.box_columns:
                true = ClassCells(f"{EXTRA}{CLASS}]", one_name)
            yield sent, true
    for part in (part for measure in prepared.measures for part in measure.all_parts):
        if (cells := part.metric.class_cells(part.params)) is not None:
            true, sent = cells
            yield sent, true


def _true_classes(truth: Table | None, cells: ClassCells) -> tuple[str, ...]:
    """Return the classes that the truth's cells name, in alphabetical order."""
    if truth is None or cells.role not in truth:
        return ()
    written = truth.frame[cells.role].unique().to_list()
    return tuple(sorted({name for cell in written for name in cells.named(cell)}))
