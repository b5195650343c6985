"""What measures of masks and boxes share: empty ones and matches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats, Mask
from scorer.metrics.explain.steps import Sentence, Steps, grid
from scorer.metrics.quotient import Quotient
from scorer.views.boxes import Boxes, ClassBoxes

Empty = Annotated[
    Literal["one", "skip"],
    Field(description="The value of a list where truth and submission both have none: 1, or none."),
]


def of_sizes(part: Floats, whole: Floats, empty: str, average: str, says: str) -> Quotient:
    """Twice the common part over both sizes, say; where there is neither, what `empty` says."""
    if empty == "one" and average != "pooled":
        neither = whole == 0
        part, whole = part + neither, whole + neither
    return Quotient(part, whole, says, undefined="Both are empty")


def boxes_shown(boxes: Boxes, match: Callable[[ClassBoxes], Mask]) -> Steps:
    """The submitted boxes of a list, which of them are right at the first threshold, and counts.

    `match` gives the boxes of a class that are right, shape (boxes, thresholds).
    """
    rows, true = list[tuple[Any, ...]](), 0
    for pair in boxes.pairs():
        name = boxes.classes[pair.code] if pair.code >= 0 else "no class of the truth"
        flags = match(pair)[:, 0].tolist()
        columns = (pair.sent.score.tolist(), *pair.sent.corners.T.tolist(), map(int, flags))
        rows += [(name, *row) for row in zip(*columns, strict=True)]
        true += pair.true.code.size
    heads = ("class", "score", "x1", "y1", "x2", "y2", "right")
    cells = dict(zip(heads, zip(*rows, strict=True) if rows else [()] * len(heads), strict=True))
    yield grid("Submitted boxes", cells, [bool(row[-1]) for row in rows])
    yield Sentence(f"{sum(row[-1] for row in rows)} of {len(rows)} are right, of {true} true ones.")


def unions(first: Floats, second: Floats) -> Floats:
    """Intersection over union of boxes, of shapes (n, 4) and (m, 4); the result has (n, m)."""
    least = np.maximum(first[:, None, :2], second[None, :, :2])
    most = np.minimum(first[:, None, 2:], second[None, :, 2:])
    common = np.prod(np.maximum(most - least, 0), axis=2)
    areas = [np.prod(side[:, 2:] - side[:, :2], axis=1) for side in (first, second)]
    whole = areas[0][:, None] + areas[1][None, :] - common
    shares: Floats = np.divide(common, whole, out=np.zeros_like(common), where=whole > 0)
    return shares


def matches(pair: ClassBoxes, thresholds: Sequence[float], own: bool = False) -> Mask:
    """Which submitted boxes match a true one, shape (boxes, thresholds).

    The surest chooses first: of the true boxes that are free the one with the largest overlap, if
    that reaches the threshold. A true box is matched once.

    `own`: a box asks for the true one with the largest overlap of all alone, as in VOC.
    """
    overlap = unions(pair.sent.corners, pair.true.corners)
    matched = np.zeros((len(overlap), len(thresholds)), dtype=bool)
    if not overlap.size:
        return matched
    largest = overlap.max(axis=1)
    for at, threshold in enumerate(thresholds):
        free, least = np.ones(overlap.shape[1], dtype=bool), min(threshold, 1 - 1e-10)
        for n in np.flatnonzero(largest >= least).tolist():
            row = overlap[n] if own else np.where(free, overlap[n], -1.0)
            # of equal ones COCO's program takes the last, VOC's the first
            best = int(np.argmax(row)) if own else row.size - 1 - int(np.argmax(row[::-1]))
            if free[best] and row[best] >= least:
                free[best], matched[n, at] = False, True
    return matched
