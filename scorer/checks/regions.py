"""Checks of masks and boxes: cells that can be read, with runs in order, inside the image."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from scorer.checks.base import CountedProblem, Row, SubmissionRows, TruthRows, check
from scorer.core.problems import Problem, as_truth_problems
from scorer.core.text import describe_range, quoted
from scorer.views.images import (
    FEWEST_PIXELS,
    LARGEST_SHARE,
    RegionError,
    box_of_row,
    boxes_of,
    largest_coordinates,
    runs_of,
)

UNLIMITED = (-math.inf, math.inf)


@check("S541", "S542", "S543", kinds=("masks", "boxes"))
def wrong_region(rows: SubmissionRows) -> Iterator[Problem]:
    """Every cell can be read, has its runs in order, and lies in the image."""
    yield from _find_faults(rows.named, rows.rules.each or (), rows.rules.range or UNLIMITED)


@check("S543", kinds=("boxes",))
def other_unit(rows: SubmissionRows) -> Iterator[CountedProblem]:
    """Boxes are in pixels, or in shares of the image, as the truth has them."""
    if rows.public.boxes_are_shares is None:
        return
    largest = largest_coordinates(rows.frame, rows.rules.each or ())
    has_boxes = ~np.isnan(largest)
    if rows.public.boxes_are_shares:
        is_other, own, other = (
            largest >= FEWEST_PIXELS,
            "in shares of the image (0 to 1)",
            "in pixels",
        )
    else:
        is_other, own, other = (
            largest <= LARGEST_SHARE,
            "in pixels",
            "in shares of the image (0 to 1)",
        )
    if has_boxes.any():
        row = rows.frame.row(int(np.argmax(has_boxes)), named=True)
        message = "the boxes seem to be {other}; those of the challenge are {own}"
        first = Problem("S543", message, "warning", line=row["line"], list=row["list"])
        counts = int(np.count_nonzero(is_other)), int(np.count_nonzero(has_boxes))
        words = {"own": own, "other": other}
        yield CountedProblem(first, counts[0], words, counts[1], shares=(1, math.inf))


@check("T541", "T542", kinds=("masks", "boxes"), of="truth")
def wrong_true_region(rows: TruthRows) -> Iterator[Problem]:
    """Every cell is of the form that the challenge says."""
    parts, _ = rows.challenge.box_parts  # of a box of the truth, and of a submission
    yield from as_truth_problems(_find_faults(rows.frame, parts, UNLIMITED))


def _find_faults(
    frame: pl.DataFrame, parts: Sequence[str], limits: tuple[float, float]
) -> Iterator[Problem]:
    """Yield a problem for each row whose mask or boxes are wrong.

    Args:
        parts: The names of the numbers of each box, in their order.
        limits: The first and last coordinate of the image.
    """
    role, (low, high) = "runs" if "runs" in frame.columns else "boxes", limits
    for row in frame.iter_rows(named=True):
        try:
            outside = [end for end in _read_ends(row, parts) if end < low or end > high]
            if not outside:
                continue
            code, what = "S543", describe_range(outside[0], low, high)
        except RegionError as fault:
            code, what = fault.code, str(fault)
        message = f"{role} of {quoted(row['list'])}: {what}"
        yield Problem(code, message, line=row["line"], list=row["list"])


def _read_ends(row: Row, parts: Sequence[str]) -> list[float]:
    """Return the first and last pixel of a mask, or the corners of the boxes of a row."""
    if "runs" in row:
        runs = runs_of(row["runs"])
        return [*runs[:1, 0].tolist(), *(runs[-1:, 1] - 1).tolist()]
    boxes = boxes_of(row["boxes"], parts) if "boxes" in row else [box_of_row(row)]
    return [end for box in boxes for end in box.corners]
