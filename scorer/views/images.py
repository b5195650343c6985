"""Boxes, points and masks of images: the true ones beside those that a submission gives."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl

from scorer.core.arrays import Floats, Ints, Mask
from scorer.reading.schema import EXTRA, NUMBER
from scorer.views.columns import NO_EXTRAS, Extras, View

CLASS, SCORE = "class", "score"
CORNERS, SIDES = ("x1", "y1", "x2", "y2"), ("x", "y", "w", "h")
PARTS = (CLASS, SCORE, *CORNERS, *SIDES)
MOST_COORDINATE = 1e15  # whole numbers below are exact as floats, and areas stay finite
# Boxes are in shares of the image if no coordinate is beyond the first, in pixels if one is beyond
# the second: no image is that small, and no box reaches that far out of one.
LARGEST_SHARE, FEWEST_PIXELS = 1, 10
UNKNOWN = -1  # the code of a class that the truth has no box of


class RegionError(ValueError):
    """A cell does not hold whole boxes, or runs in order.

    `code` names its problem in a submission: S541, or S542 for the order.
    """

    def __init__(self, message: str, code: str = "S541") -> None:
        self.code = code
        super().__init__(message)


class Box(NamedTuple):
    """One box; a point has no width and height."""

    name: str  # of its class; '' where boxes have none
    score: float
    corners: tuple[float, float, float, float]  # left, top, right, bottom


def boxes_of(cell: str, parts: Sequence[str]) -> list[Box]:
    """Return the boxes of a cell such as `cat 0 0 1 1 dog 2 2 3 3`; none for `-`.

    Args:
        cell: Words separated by blanks, one for each part of each box.
        parts: The names of the parts of a box, such as x1, in the order of its words.

    Raises:
        RegionError: Words are missing, a word is not a number, or a box ends before it begins.
    """
    words = cell.split()
    if cell.strip() == "-":
        words = []
    if len(words) % len(parts):
        box = f"the {len(parts)} words of a box ({' '.join(parts)})"
        raise RegionError(f"{len(words):,} is no multiple of {box}")
    boxes = []
    for n in range(0, len(words), len(parts)):
        word_of = dict(zip(parts, words[n : n + len(parts)], strict=True))
        name = word_of.pop(CLASS, "")
        numbers = {part: _parse_number(part, word) for part, word in word_of.items()}
        boxes.append(make_box(name, numbers))
    return boxes


def box_classes(cell: str, parts: Sequence[str]) -> list[str]:
    """Return the class of each box of a cell; none if the cell does not hold whole boxes.

    >>> box_classes("cat 0 0 1 1 dog 2 2 3 3", ("class", "x1", "y1", "x2", "y2"))
    ['cat', 'dog']
    """
    words = cell.split()
    return [] if len(words) % len(parts) else words[parts.index(CLASS) :: len(parts)]


def box_of_row(row: Mapping[str, Any]) -> Box:
    """Return the box of a row of a table that has a column for each part of a box.

    Args:
        row: role -> cell. The role of a part is `number[PART]`, of the class `extra[class]`.

    Raises:
        RegionError: It ends before it begins.
    """
    roles = {part: f"{NUMBER}{part}]" for part in PARTS if part != CLASS}  # NUMBER ends in "["
    numbers = {part: row[role] for part, role in roles.items() if role in row}
    return make_box(row.get(f"{EXTRA}{CLASS}]", ""), numbers)


def make_box(name: str, numbers: Mapping[str, float]) -> Box:
    """Return the box of a class, from part -> number; its score is 1 if none is given.

    Raises:
        RegionError: It ends before it begins.
    """
    if "x1" in numbers:
        left, top, right, bottom = (numbers[part] for part in CORNERS)
    else:
        left, top = numbers["x"], numbers["y"]
        right, bottom = left + numbers.get("w", 0), top + numbers.get("h", 0)
    if right < left or bottom < top:
        raise RegionError(
            f"the box at {left:g} {top:g} ends before it begins, at {right:g} {bottom:g}"
        )
    return Box(name, numbers.get(SCORE, 1.0), (left, top, right, bottom))


def largest_coordinates(frame: pl.DataFrame, parts: Sequence[str]) -> Floats:
    """Return the largest coordinate of the boxes of each row, shape (rows,).

    It is NaN of a row without boxes, or with a cell that a check reports.
    """
    largest = []
    for row in frame.iter_rows(named=True):
        try:
            boxes = boxes_of(row["boxes"], parts) if "boxes" in row else [box_of_row(row)]
        except RegionError:
            boxes = []
        largest.append(max((max(box.corners) for box in boxes), default=math.nan))
    return np.array(largest, dtype=np.float64)


def write_boxes(boxes: Sequence[Box], parts: Sequence[str]) -> str:
    """Return the cell that holds these parts of the boxes; a point is the middle of its box."""
    is_point = "x" in parts and "w" not in parts
    words: list[object] = []
    for box in boxes:
        left, top, right, bottom = box.corners
        x, y = ((left + right) / 2, (top + bottom) / 2) if is_point else (left, top)
        sides = dict(zip(SIDES, (x, y, right - left, bottom - top), strict=True))
        corners = dict(zip(CORNERS, box.corners, strict=True))
        word_of = {CLASS: box.name, SCORE: box.score, **corners, **sides}
        words += [word_of[part] for part in parts]
    return " ".join(map(str, words))


def _parse_number(part: str, word: str) -> float:
    """Return the number of a part; RegionError if the word is not one, or it is too large."""
    try:
        # float() would accept 1_000
        value = float(word) if "_" not in word else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or abs(value) > MOST_COORDINATE:
        raise RegionError(f"{part} cannot be {word[:60]!r}")
    return value


class BoxTable(NamedTuple):
    """Boxes of all lists, in the order of lists, then of their cells."""

    in_list: Ints
    code: Ints  # of the class; UNKNOWN where the truth has none of that name
    score: Floats
    corners: Floats  # (boxes, 4): left, top, right, bottom

    @classmethod
    def of(cls, cells: Sequence[Sequence[Box]], classes: Sequence[str]) -> BoxTable:
        """Return the table of the boxes of each list."""
        place = {name: n for n, name in enumerate(classes)}
        boxes = [box for cell in cells for box in cell]
        return cls(
            np.repeat(np.arange(len(cells)), [len(cell) for cell in cells]).astype(np.int64),
            np.array([place.get(box.name, UNKNOWN) for box in boxes], dtype=np.int64),
            np.array([box.score for box in boxes], dtype=np.float64),
            np.array([box.corners for box in boxes], dtype=np.float64).reshape(-1, 4),
        )

    def where(self, keep: Mask | Ints | slice) -> BoxTable:
        """Return the chosen boxes."""
        return BoxTable(self.in_list[keep], self.code[keep], self.score[keep], self.corners[keep])


class ClassBoxes(NamedTuple):
    """The submitted and true boxes of one class in one list."""

    in_list: int
    code: int
    submitted: BoxTable  # highest score first
    true: BoxTable


@dataclass(slots=True, eq=False)
class Boxes(View):
    """The true boxes of each list, beside those that a submission gives."""

    kinds: ClassVar[frozenset[str]] = frozenset({"boxes"})

    names: Sequence[str]
    classes: tuple[str, ...]
    true: BoxTable
    submitted: BoxTable
    extras: Extras = NO_EXTRAS

    def by_class(self) -> Iterator[ClassBoxes]:
        """Yield the boxes of each list and class that has a submitted or a true box."""
        codes = len(self.classes) + 1  # the classes, and UNKNOWN = -1
        # One number for list and class, by which the boxes of both sides are sorted.
        key, true_key = (x.in_list * codes + x.code + 1 for x in (self.submitted, self.true))
        order = np.lexsort((-self.submitted.score, key))  # equal scores in the order of the cell
        true_order = np.argsort(true_key, kind="stable")
        submitted, key = self.submitted.where(order), key[order]
        true, true_key = self.true.where(true_order), true_key[true_order]
        for n in np.union1d(key, true_key).tolist():
            rows, true_rows = (slice(*np.searchsorted(k, [n, n + 1])) for k in (key, true_key))
            in_list, code = divmod(n, codes)
            yield ClassBoxes(in_list, code - 1, submitted.where(rows), true.where(true_rows))


NO_RUNS = ("", "-")  # the cells of a mask without pixels
MOST_DIGITS = 12  # of a pixel or a length in a cell
MOST_PIXELS = 1 << 41  # above start + length of a run; 4 million times that fits in int64


def runs_of(cell: str) -> Ints:
    """Return start and end of each run of a cell `START LENGTH START LENGTH ..`, shape (runs, 2).

    Pixels count from 1; the end is the pixel after the last one. `RegionError` if the cell holds
    something else, or its runs do not ascend.
    """
    text = cell.strip()
    if text in NO_RUNS:
        return np.empty((0, 2), dtype=np.int64)
    words = text.split()
    if odd := next((word for word in words if not (word.isascii() and word.isdigit())), None):
        raise RegionError(f"{odd[:60]!r} is no whole number")
    if len(words) % 2:
        raise RegionError(f"{len(words):,} numbers are no pairs of a start and a length")
    if max(map(len, words)) > MOST_DIGITS:
        raise RegionError(f"a number has more than {MOST_DIGITS} digits")
    runs = np.array(words, dtype=np.int64).reshape(-1, 2)
    if (runs < 1).any():
        raise RegionError("pixels and lengths count from 1")
    runs[:, 1] += runs[:, 0]  # from lengths to ends
    if (late := np.flatnonzero(runs[1:, 0] < runs[:-1, 1])).size:
        first, second = (int(start) for start in runs[late[0] : late[0] + 2, 0])
        how = "overlaps" if second >= first else "stands after"
        raise RegionError(f"the run at {second:,} {how} the one at {first:,}", "S542")
    return runs


class MaskRuns(NamedTuple):
    """The runs of all masks, ordered by mask, then by pixel; they do not overlap."""

    in_list: Ints
    start: Ints
    end: Ints  # the pixel after the last

    @classmethod
    def of(cls, cells: Sequence[Ints]) -> MaskRuns:
        """Return the runs of all masks, from each list's runs as `runs_of` gives them."""
        in_list = np.repeat(np.arange(len(cells)), [len(runs) for runs in cells])
        runs = np.concatenate([np.empty((0, 2), dtype=np.int64), *cells])
        return cls(in_list.astype(np.int64), runs[:, 0], runs[:, 1])

    def sizes(self, lists: int) -> Floats:
        """Return the number of pixels of each list's mask, shape (lists,)."""
        return np.bincount(self.in_list, self.end - self.start, lists).astype(np.float64)


def shared_pixels(first: MaskRuns, second: MaskRuns, lists: int) -> Floats:
    """Return how many pixels the two masks of each list share, shape (lists,)."""
    if not second.start.size:
        return np.zeros(lists)
    # An offset for each list makes one ascending sequence of the runs of all lists.
    start, end = (side + second.in_list * MOST_PIXELS for side in (second.start, second.end))
    pixels_of_runs = np.append(0, np.cumsum(end - start))  # of the first n runs

    def count_before(pixel: Ints) -> Ints:
        """Return how many pixels of the second masks lie before each of some pixels."""
        runs = np.searchsorted(start, pixel, side="right")  # how many start at it or before
        rest: Ints = np.maximum(np.append(0, end)[runs] - pixel, 0)  # of the last, from it on
        return pixels_of_runs[runs] - rest

    offset = first.in_list * MOST_PIXELS
    shared = count_before(first.end + offset) - count_before(first.start + offset)
    return np.bincount(first.in_list, shared, lists).astype(np.float64)


@dataclass(slots=True, eq=False)
class Masks(View):
    """A true mask for each list, beside the one that a submission gives."""

    kinds: ClassVar[frozenset[str]] = frozenset({"masks"})

    names: Sequence[str]
    true: MaskRuns
    submitted: MaskRuns
    extras: Extras = NO_EXTRAS

    def counts(self) -> tuple[Floats, Floats, Floats]:
        """Return the pixels of each list: shared, of the true mask, of the submitted mask."""
        shared = shared_pixels(self.submitted, self.true, self.lists)
        return shared, self.true.sizes(self.lists), self.submitted.sizes(self.lists)
