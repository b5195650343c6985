"""Polygons as masks of pixels, as COCO's program fills them."""

from __future__ import annotations

import math

import numpy as np

from scorer.core.arrays import Floats, Ints
from scorer.views.masks import NO_RUNS, RunFault

HEIGHT = 1 << 20  # of a column of pixels; the pixel at x, y is number x × HEIGHT + y + 1
FINE = 5  # lines are drawn on a grid so many times as fine
RING = ";"  # between the polygons of a mask


def polygons_of(cell: str) -> Ints:
    """The runs of a cell of polygons, `x y x y x y ..`, with `;` between several.

    Returns:
        Where each run starts and where it has ended, shape (runs, 2), ascending, of pixels down
        the columns.

    Raises:
        RunFault: S541, numbers are none, are no pairs, or are fewer than three points.
    """
    none = np.empty((0, 2), dtype=np.int64)
    return _joined(np.concatenate([none, *map(_filled, corners_of(cell))]))


def corners_of(cell: str) -> list[Floats]:
    """The corners of each polygon in a cell, of shape (points, 2); raises as `polygons_of`."""
    return [] if cell.strip() in NO_RUNS else [_points(ring) for ring in cell.split(RING)]


def _points(ring: str) -> Floats:
    """The corners of a polygon, shape (points, 2)."""
    words = ring.split()
    if len(words) % 2 or len(words) < 6:
        raise RunFault("S541", f"{len(words):,} numbers are no pairs of x and y of three points")
    return np.array([_number(word) for word in words]).reshape(-1, 2)


def _number(word: str) -> float:
    try:
        value = float(word) if "_" not in word else math.nan
    except ValueError:
        value = math.nan
    if not 0 <= value < HEIGHT:
        raise RunFault("S541", f"{word[:60]!r} is no coordinate from 0 to {HEIGHT - 1:,}")
    return value


def _line(start: Ints, end: Ints) -> Ints:
    """The points of the fine grid from one corner to the next, shape (points, 2).

    One a step along the longer side, in the order of the corners; rounded from the end that is
    further left, or up, so that a line is the same in both directions.
    """
    along = int(abs(end[0] - start[0]) < abs(end[1] - start[1]))  # 0: more across than down
    first, last = (start, end) if start[along] <= end[along] else (end, start)
    steps = np.arange(last[along] - first[along] + 1)
    slope = (last[1 - along] - first[1 - along]) / max(int(steps[-1]), 1)
    points = np.empty((steps.size, 2), dtype=np.int64)
    points[:, along] = first[along] + steps
    points[:, 1 - along] = (first[1 - along] + slope * steps + 0.5).astype(np.int64)
    return points if first is start else points[::-1]


def _filled(corners: Floats) -> Ints:
    """The runs of one polygon, shape (runs, 2).

    Where the outline passes the middle of a column of pixels it begins or ends what is filled
    there.
    """
    fine = (FINE * corners + 0.5).astype(np.int64)
    outline = np.concatenate([
        _line(start, end) for start, end in zip(fine, np.roll(fine, -1, axis=0), strict=True)
    ])  # fmt: skip
    moved = np.flatnonzero(outline[1:, 0] != outline[:-1, 0])
    before, after = outline[moved], outline[moved + 1]
    left = after[:, 0] < before[:, 0]
    column = (np.where(left, after[:, 0], after[:, 0] - 1) + 0.5) / FINE - 0.5
    row = np.ceil((np.minimum(before[:, 1], after[:, 1]) + 0.5) / FINE - 0.5)
    middle = (column == np.floor(column)) & (column >= 0)
    edges = np.sort(column[middle].astype(np.int64) * HEIGHT + np.maximum(row[middle], 0).astype(
        np.int64))  # fmt: skip
    runs = edges.reshape(-1, 2) + 1
    whole: Ints = runs[runs[:, 0] < runs[:, 1]]
    return whole


def _joined(runs: Ints) -> Ints:
    """The pixels of any of the runs, as runs that do not touch."""
    runs = runs[np.argsort(runs[:, 0], kind="stable")]
    until = np.maximum.accumulate(runs[:, 1])
    new = np.append(True, runs[1:, 0] > until[:-1])[: len(runs)]
    last = np.append(np.flatnonzero(new)[1:], len(runs)) - 1
    return np.column_stack([runs[new, 0], until[last[: int(new.sum())]]])
