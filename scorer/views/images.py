"""Boxes, points and masks of images: the true ones beside those that a submission gives."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from scorer.core.arrays import Floats, Ints, Mask
from scorer.reading.schema import EXTRA, NUMBER
from scorer.views.columns import (
    Extras,
    WithColumns,
)

CLASS, SCORE = "class", "score"
CORNERS, SIDES = ("x1", "y1", "x2", "y2"), ("x", "y", "w", "h")
PARTS = (CLASS, SCORE, *CORNERS, *SIDES)
UNKNOWN = -1  # the code of a class that the truth has no box of


class BoxFault(ValueError):
    """A cell is not made of the parts of boxes."""


class Box(NamedTuple):
    """One box; a point has no width and height."""

    name: str  # of its class; '' where boxes have none
    score: float
    corners: tuple[float, float, float, float]  # left, top, right, bottom


def boxes_of(cell: str, each: Sequence[str]) -> list[Box]:
    """Return the boxes of a cell such as `cat 0 0 1 1 dog 2 2 3 3`; `-` has no box.

    Args:
        cell: Words separated by blanks, one for each part of each box.
        each: The names of the parts of a box, in the order of its words.

    Raises:
        BoxFault: A word is missing or no number, or a box ends before it begins.
    """
    words = cell.split()
    if cell.strip() == "-":
        words = []
    if len(words) % len(each):
        message = f"{len(words):,} is no multiple of the {len(each)} words of a box"
        message += f" ({' '.join(each)})"
        raise BoxFault(message)
    rows = (words[n : n + len(each)] for n in range(0, len(words), len(each)))
    return [_parse_box(dict(zip(each, row, strict=True))) for row in rows]


def box_classes(cell: str, each: Sequence[str]) -> list[str]:
    """Return the class of each box of a cell; none if the cell does not hold whole boxes.

    >>> box_classes("cat 0 0 1 1 dog 2 2 3 3", ("class", "x1", "y1", "x2", "y2"))
    ['cat', 'dog']
    """
    words = cell.split()
    return [] if len(words) % len(each) else words[each.index(CLASS) :: len(each)]


def _parse_box(words: Mapping[str, str]) -> Box:
    """Return the box of the words of its parts, which are given by the parts' names."""
    number = {part: _parse_number(part, word) for part, word in words.items() if part != CLASS}
    return place_box(words.get(CLASS, ""), number)


def box_of_row(row: Mapping[str, Any]) -> Box:
    """Return the box of a row of a table that has a column for each part of a box.

    Args:
        row: role -> cell. The role of a part is `number[PART]`, of the class `extra[class]`.

    Raises:
        BoxFault: It ends before it begins.
    """
    roles = {part: f"{NUMBER}{part}]" for part in PARTS if part != CLASS}
    number = {part: row[role] for part, role in roles.items() if role in row}
    return place_box(row.get(f"{EXTRA}{CLASS}]", ""), number)


def place_box(name: str, number: Mapping[str, float]) -> Box:
    """Return the box of a class with these coordinates, and perhaps a score.

    Raises:
        BoxFault: It ends before it begins.
    """
    if "x1" in number:
        left, top, right, bottom = (number[part] for part in CORNERS)
    else:
        left, top = number["x"], number["y"]
        right, bottom = left + number.get("w", 0), top + number.get("h", 0)
    if right < left or bottom < top:
        raise BoxFault(
            f"the box at {left:g} {top:g} ends before it begins, at {right:g} {bottom:g}"
        )
    return Box(name, number.get(SCORE, 1.0), (left, top, right, bottom))


def write_boxes(boxes: Sequence[Box], each: Sequence[str]) -> str:
    """Return the cell of these boxes in these parts; a point is the middle of its box."""
    is_point = "x" in each and "w" not in each
    words: list[object] = []
    for box in boxes:
        left, top, right, bottom = box.corners
        x, y = ((left + right) / 2, (top + bottom) / 2) if is_point else (left, top)
        sides = dict(zip(SIDES, (x, y, right - left, bottom - top), strict=True))
        parts = {CLASS: box.name, SCORE: box.score, **dict(zip(CORNERS, box.corners, strict=True))}
        words += [{**parts, **sides}[part] for part in each]
    return " ".join(map(str, words))


def _parse_number(part: str, word: str) -> float:
    """Return the number of a part; BoxFault if the word is no number, or too large."""
    try:
        # float() would accept 1_000
        value = float(word) if "_" not in word else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or abs(value) > 1e15:
        raise BoxFault(f"{part} cannot be {word[:60]!r}")
    return value


class BoxTable(NamedTuple):
    """Boxes of all lists, in the order of lists, then of their cells."""

    in_list: Ints
    code: Ints  # of the class; UNKNOWN where the truth has none of that name
    score: Floats
    corners: Floats  # (boxes, 4): left, top, right, bottom

    @classmethod
    def of(cls, cells: Sequence[Sequence[Box]], classes: Sequence[str]) -> BoxTable:
        """Return the boxes of each list."""
        place = {name: n for n, name in enumerate(classes)}
        boxes = [box for cell in cells for box in cell]
        return cls(
            np.repeat(np.arange(len(cells)), [len(cell) for cell in cells]).astype(np.int64),
            np.array([place.get(box.name, UNKNOWN) for box in boxes], dtype=np.int64),
            np.array([box.score for box in boxes], dtype=np.float64),
            np.array([box.corners for box in boxes], dtype=np.float64).reshape(-1, 4),
        )

    def where(self, keep: Mask | Ints) -> BoxTable:
        """Return some of the boxes."""
        return BoxTable(self.in_list[keep], self.code[keep], self.score[keep], self.corners[keep])


class ClassBoxes(NamedTuple):
    """The boxes of one class in one list: the submitted ones, highest score first, and the true."""

    in_list: int
    code: int
    submitted: BoxTable
    true: BoxTable


@dataclass(frozen=True)
class Boxes(WithColumns):
    """The true boxes of each list, beside those that a submission gives."""

    kinds: ClassVar[frozenset[str]] = frozenset({"boxes"})

    names: Sequence[str]
    answered: Mask
    classes: tuple[str, ...]
    true: BoxTable
    submitted: BoxTable
    extras: Extras = field(default_factory=Extras, kw_only=True)

    @property
    def lists(self) -> int:
        """The number of images."""
        return len(self.names)

    def pairs(self) -> Iterator[ClassBoxes]:
        """Yield the boxes of each list and class that has any."""
        # One number for list and class, which both sides are sorted by; UNKNOWN comes first.
        codes = len(self.classes) + 1
        keys = [side.in_list * codes + side.code + 1 for side in (self.submitted, self.true)]
        ordered = [
            np.lexsort((-self.submitted.score, keys[0])),  # equal scores in the order of the cell
            np.argsort(keys[1], kind="stable"),
        ]
        sorted_keys = [key[by] for key, by in zip(keys, ordered, strict=True)]
        for key in sorted({*keys[0].tolist(), *keys[1].tolist()}):
            spans = [np.searchsorted(side, [key, key + 1]) for side in sorted_keys]
            rows = [by[low:high] for by, (low, high) in zip(ordered, spans, strict=True)]
            submitted, true = self.submitted.where(rows[0]), self.true.where(rows[1])
            yield ClassBoxes(key // codes, key % codes - 1, submitted, true)

    @classmethod
    def of_cells(
        cls, *lists: tuple[str, str], each: Sequence[str] = PARTS[:6], truth: Sequence[str] = ()
    ) -> Boxes:
        """Return the view of a submitted cell and a true one, list by list; for examples.

        `each` are the parts of a submitted box, `truth` of a true one; by default without the
        score.
        """
        of_truth = truth or tuple(part for part in each if part != SCORE)
        submitted = [boxes_of(cell, each) for cell, _ in lists]
        true = [boxes_of(cell, of_truth) for _, cell in lists]
        classes = tuple(sorted({box.name for cell in true for box in cell}))
        names = tuple(map(str, range(len(lists))))
        tables = (BoxTable.of(side, classes) for side in (true, submitted))
        return cls(names, np.ones(len(lists), dtype=bool), classes, *tables)


NO_RUNS = ("", "-")  # the cells of masks without pixels
MOST_PIXELS = 1 << 40  # of a mask, so that the pixels of eight million masks can be numbered


class RunFault(ValueError):
    """A cell is not of the form (`code` S541), or its runs are not in order (S542)."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(message)


def runs_of(cell: str) -> Ints:
    """Return the runs of a cell, `start length ..` from 1: starts and ends, shape (runs, 2).

    They ascend; an end is the pixel after the last.

    Raises:
        RunFault: Numbers are no pairs of whole numbers, or runs overlap or descend.
    """
    text = cell.strip()
    if text in NO_RUNS:
        return np.empty((0, 2), dtype=np.int64)
    words = text.split()
    if odd := next((word for word in words if not (word.isascii() and word.isdigit())), None):
        raise RunFault("S541", f"{odd[:60]!r} is no whole number")
    if len(words) % 2:
        raise RunFault("S541", f"{len(words):,} numbers are no pairs of a start and a length")
    if max(map(len, words)) > 12:
        raise RunFault("S541", "a number has more than 12 digits")
    runs = np.array(words, dtype=np.int64).reshape(-1, 2)
    if (runs < 1).any():
        raise RunFault("S541", "pixels and lengths count from 1")
    runs[:, 1] += runs[:, 0]
    if (late := np.flatnonzero(runs[1:, 0] < runs[:-1, 1])).size:
        first, second = (int(start) for start in runs[late[0] : late[0] + 2, 0])
        how = "overlaps" if second >= first else "stands after"
        raise RunFault("S542", f"the run at {second:,} {how} the one at {first:,}")
    return runs


def write_runs(runs: Ints) -> str:
    """Return the cell of these runs."""
    return " ".join(f"{start} {end - start}" for start, end in runs.tolist())


class MaskRuns(NamedTuple):
    """The runs of all masks, ordered by mask, then by pixel; they do not overlap."""

    in_list: Ints
    start: Ints
    end: Ints  # the pixel after the last

    @classmethod
    def of(cls, cells: Sequence[Ints]) -> MaskRuns:
        """Return the runs of all masks, given by `runs_of` for each list."""
        in_list = np.repeat(np.arange(len(cells)), [len(runs) for runs in cells])
        runs = np.concatenate([np.empty((0, 2), dtype=np.int64), *cells])
        return cls(in_list.astype(np.int64), runs[:, 0], runs[:, 1])

    def sizes(self, lists: int) -> Floats:
        """Return the number of pixels of each list's mask."""
        return np.bincount(self.in_list, self.end - self.start, lists).astype(np.float64)


def count_common_pixels(first: MaskRuns, second: MaskRuns, lists: int) -> Floats:
    """Return the number of pixels that both masks of each list have."""
    if not second.start.size:
        return np.zeros(lists)
    start, end = (side + second.in_list * MOST_PIXELS for side in (second.start, second.end))
    before = np.append(0, np.cumsum(end - start))

    def below(pixel: Ints) -> Ints:
        """Return the number of pixels of the second masks before each of these."""
        at = np.searchsorted(start, pixel, side="right")
        beyond: Ints = np.maximum(np.append(0, end)[at] - pixel, 0)
        return before[at] - beyond

    offset = first.in_list * MOST_PIXELS
    both = below(first.end + offset) - below(first.start + offset)
    return np.bincount(first.in_list, both, lists).astype(np.float64)


@dataclass(frozen=True)
class Masks(WithColumns):
    """A true mask for each list, beside the one that a submission gives."""

    kinds: ClassVar[frozenset[str]] = frozenset({"masks"})

    names: Sequence[str]
    answered: Mask
    true: MaskRuns
    submitted: MaskRuns
    extras: Extras = field(default_factory=Extras, kw_only=True)

    @property
    def lists(self) -> int:
        """The number of masks."""
        return len(self.names)

    def counts(self) -> tuple[Floats, Floats, Floats]:
        """Return each list's pixels of both masks, of the true one, and of the submitted one."""
        both = count_common_pixels(self.submitted, self.true, self.lists)
        return both, self.true.sizes(self.lists), self.submitted.sizes(self.lists)

    @classmethod
    def of_cells(cls, *lists: tuple[str, str]) -> Masks:
        """Return the view of a submitted cell and a true one, list by list; for examples."""
        submitted, true = (MaskRuns.of([runs_of(cells[n]) for cells in lists]) for n in (0, 1))
        names = tuple(map(str, range(len(lists))))
        return cls(names, np.ones(len(lists), dtype=bool), true, submitted)
