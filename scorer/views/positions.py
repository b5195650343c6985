"""Positions of relevant items, for preferences between submissions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scorer.core.arrays import Floats, Ints
from scorer.views.hits import Judged

Signs = NDArray[np.int8]


@dataclass(frozen=True, slots=True, eq=False)
class Positions:
    """The positions of one submission's relevant items in every list, and the truth's grades.

    Relevant is what has a grade above 0. An item that was not returned has no
    position, which is worse than any; a missing list has none. A position is one
    rank: there is no closed form for `ties: expected`.
    """

    in_list: Ints  # the list of each returned relevant item, from 0; ordered by list, then position
    position: Ints  # its rank there, from 1
    grade: Floats
    truth_list: Ints  # the list of each relevant item of the truth, returned or not
    truth_grade: Floats  # its grade, best first in each list
    lists: int  # how many lists there are

    @classmethod
    def of(cls, judged: Judged) -> Positions:
        """The positions in a judged submission.

        >>> positions = Positions.of(Judged.of((["x", "b"], {"a": 2, "b": 1, "x": 0})))
        >>> positions.position, positions.grade, positions.truth_grade
        (array([2]), array([1.]), array([2., 1.]))
        """
        hits, ideal = (h.where(h.grade > 0) for h in (judged.hits, judged.ideal))
        return cls(hits.in_list, hits.rank, hits.grade, ideal.in_list, ideal.grade, judged.lists)


@dataclass(frozen=True, slots=True, eq=False)
class PositionTable:
    """Several submissions' positions in some lists, side by side, for comparisons."""

    kinds: ClassVar[frozenset[str]] = frozenset({"grades"})

    position: Floats  # (submissions, lists, width), ascending; inf behind the last
    grade: Floats  # of the item at each position; 0 behind the last
    ideal: Floats  # (lists, width): the grades of the truth, best first; 0 behind the last

    @classmethod
    def of(cls, positions: Sequence[Positions], lists: slice | None = None) -> PositionTable:
        """The positions in the lists from `lists.start` to `lists.stop`; None for all."""
        truth = positions[0]
        start, stop = (lists.start, lists.stop) if lists else (0, truth.lists)
        rows, places, ideals = _cells(truth.truth_list, truth.truth_grade, start, stop)
        width = int(places.max(initial=0)) + 1
        ideal = np.zeros((stop - start, width))
        ideal[rows, places] = ideals
        position = np.full((len(positions), *ideal.shape), np.inf)
        grade = np.zeros(position.shape)
        for n, submission in enumerate(positions):
            rows, places, values = _cells(submission.in_list, submission.position, start, stop)
            position[n, rows, places] = values
            grade[n, rows, places] = _cells(submission.in_list, submission.grade, start, stop)[2]
        return cls(position, grade, ideal)

    @classmethod
    def of_lists(cls, truth: Mapping[str, float], *submissions: Sequence[str]) -> PositionTable:
        """Of one list: its truth, and the items that each submission returned; for examples."""
        return cls.of([Positions.of(Judged.of((items, truth))) for items in submissions])

    def items(self, rel: ArrayLike) -> Ints:
        """How many items with at least that grade each list's truth has."""
        counts: Ints = (self.ideal >= np.asarray(rel)[..., None]).sum(axis=-1)
        return counts

    def relevant(self, rel: ArrayLike) -> Floats:
        """The positions of the items with at least that grade (one for all lists, or one a list).

        Ascending, and inf for items not returned; as wide as the list with the most such items.
        """
        positions = self.position
        if not (keep := self.grade >= np.asarray(rel)[..., None])[self.grade > 0].all():
            positions = np.where(keep, positions, np.inf)
            positions.sort(axis=-1)
        return positions[..., : max(1, int(self.items(rel).max(initial=0)))]

    def grades(self) -> Floats:
        """The grades that each list's truth uses, best first, one row a place; inf behind the last.

        >>> both = Judged.of(("", {"a": 3, "b": 1, "c": 1}), ("", {"a": 2}))
        >>> PositionTable.of([Positions.of(both)]).grades()
        array([[ 3.,  2.],
               [ 1., inf]])
        """
        above = np.pad(self.ideal[:, :-1], ((0, 0), (1, 0)), constant_values=np.inf)
        new = (self.ideal > 0) & (self.ideal < above)
        level = new.cumsum(axis=1) - 1
        in_list, place = np.nonzero(new)
        grades = np.full((int(level.max(initial=-1)) + 1, len(self.ideal)), np.inf)
        grades[level[in_list, place], in_list] = self.ideal[in_list, place]
        return grades

    def pairwise(
        self, rel: ArrayLike, preference: Callable[[Floats, Floats], NDArray[Any]]
    ) -> Floats:
        """The values of `preference` for the relevant positions of every two submissions.

        It is given one submission's, of shape (lists, width), and those of some others, of
        shape (others, lists, width), and gives one value an other and list. Each pair is asked
        for once: the other way round its value has the opposite sign.
        """
        positions = self.relevant(rel)
        count, lists, _ = positions.shape
        values = np.zeros((count, count, lists))
        for n in range(count - 1):
            values[n, n + 1 :] = preference(positions[n], positions[n + 1 :])
            values[n + 1 :, n] = 0.0 - values[n, n + 1 :]  # and never -0.0
        return values


def sign_of_difference(first: Floats, second: Floats) -> Signs:
    """1 where the first position is the lower one, -1 where the second is, 0 where they agree."""
    signs: Signs = (first < second).view(np.int8) - (first > second).view(np.int8)
    return signs


def first_difference(first: Floats, second: Floats, *, last: bool = False) -> tuple[Floats, Floats]:
    """The two positions where they first differ, or last; equal ones where they never do.

    >>> first_difference(np.array([[1.0, 4.0, 9.0]]), np.array([[[1.0, 3.0, np.inf]]]))
    (array([[4.]]), array([[3.]]))

    `first` is of shape (lists, width), `second` of (lists, width) or (others, lists, width); `last`
    asks for the last difference. Gives two arrays of the shape of `second` without its last axis.
    """
    differ = first != second
    at = differ.shape[-1] - 1 - differ[..., ::-1].argmax(-1) if last else differ.argmax(-1)

    def at_difference(positions: Floats) -> Floats:
        all_ = np.broadcast_to(positions, differ.shape)
        picked: Floats = np.take_along_axis(all_, at[..., None], axis=-1)[..., 0]
        return picked

    return at_difference(first), at_difference(second)


def _cells(
    in_list: Ints, values: NDArray[Any], start: int, stop: int
) -> tuple[Ints, Ints, NDArray[Any]]:
    """The row, column and value of each element in those lists; a row is a list."""
    part = slice(*np.searchsorted(in_list, [start, stop]).tolist())
    rows = in_list[part] - start
    return rows, np.arange(rows.size) - np.searchsorted(rows, rows), values[part]
