"""Runs of pixels: true masks beside those that a submission gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np

from scorer.core.arrays import Floats, Ints, Mask
from scorer.views.extras import Extras, WithColumns

NO_RUNS = ("", "-")  # what a cell reads that holds none
MOST_PIXELS = 1 << 40  # of a mask; the pixels of a million masks have numbers of their own


class RunFault(ValueError):
    """A cell is not of the form, or its runs are not in order: `code` says which."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(message)


def runs_of(cell: str) -> Ints:
    """Where each run of a cell, `start length ..` from 1, starts and has ended: (runs, 2).

    They ascend. `RunFault`: S541, numbers are no pairs of whole numbers; S542, runs overlap or
    descend.
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


class MaskRuns(NamedTuple):
    """The runs of all masks, ordered by mask, then by pixel; they do not overlap."""

    in_list: Ints
    start: Ints
    end: Ints  # the pixel after the last

    @classmethod
    def of(cls, cells: Sequence[Ints]) -> MaskRuns:
        """From the runs of each list's mask, as `runs_of` gives them."""
        in_list = np.repeat(np.arange(len(cells)), [len(runs) for runs in cells])
        runs = np.concatenate([np.empty((0, 2), dtype=np.int64), *cells])
        return cls(in_list.astype(np.int64), runs[:, 0], runs[:, 1])

    def sizes(self, lists: int) -> Floats:
        """How many pixels each list's mask has."""
        return np.bincount(self.in_list, self.end - self.start, lists).astype(np.float64)


def common(first: MaskRuns, second: MaskRuns, lists: int) -> Floats:
    """How many pixels both masks of each list have, shape (lists,)."""
    if not second.start.size:
        return np.zeros(lists)
    start, end = (side + second.in_list * MOST_PIXELS for side in (second.start, second.end))
    before = np.append(0, np.cumsum(end - start))

    def below(pixel: Ints) -> Ints:
        """How many pixels of the second masks lie before these."""
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
        """How many masks there are."""
        return len(self.names)

    def counts(self) -> tuple[Floats, Floats, Floats]:
        """Of each list the pixels that both masks have, those of the true one, of the other."""
        both = common(self.submitted, self.true, self.lists)
        return both, self.true.sizes(self.lists), self.submitted.sizes(self.lists)

    @classmethod
    def of_cells(cls, *lists: tuple[str, str]) -> Masks:
        """From a submitted cell and a true one, list by list; for examples and tests."""
        submitted, true = (MaskRuns.of([runs_of(cells[n]) for cells in lists]) for n in (0, 1))
        names = tuple(map(str, range(len(lists))))
        return cls(names, np.ones(len(lists), dtype=bool), true, submitted)
