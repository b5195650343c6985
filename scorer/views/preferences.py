"""Preferences between the items of a list, and between the lists of two submissions.

The pairs of a list make a square table, and the squares of all lists with equally many items make
one array, so that a metric is a few array expressions and loops over sizes, not over lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from scorer.core.arrays import Floats, Ints, Mask
from scorer.reading.table import Table
from scorer.views.join import GradedItems, answered_lists, order
from scorer.views.ranked import Judged

CELLS = 4_000_000  # how many pairs are looked at together, so that memory stays bounded


class PairLayout(NamedTuple):
    """Where each item of each list stands. Lists of fewer than two items are in no block."""

    names: tuple[str, ...]  # the lists
    in_list: Ints  # for each item of each list: the list
    block: Ints  # for each item of each list: the block its list is in
    slot: Ints  # which of the block's lists that is
    place: Ints  # its place among the list's items
    lists: tuple[Ints, ...]  # for each block: its lists
    items: tuple[Ints, ...]  # for each block: its items, shape (lists, size)

    @classmethod
    def of(cls, in_list: Ints, names: Sequence[str]) -> PairLayout:
        """Return the layout of the items of lists, one a row, ordered by list."""
        sizes = np.bincount(in_list, minlength=len(names))
        starts = np.cumsum(sizes) - sizes
        block, slot = np.full(len(names), -1), np.zeros(len(names), dtype=np.int64)
        lists: list[Ints] = []
        items: list[Ints] = []
        for size in np.unique(sizes[sizes > 1]).tolist():
            alike, most = np.flatnonzero(sizes == size), max(CELLS // size**2, 1)
            for first in range(0, alike.size, most):
                block_lists = alike[first : first + most]
                block[block_lists], slot[block_lists] = len(lists), np.arange(block_lists.size)
                lists.append(block_lists)
                items.append(starts[block_lists][:, None] + np.arange(size))
        place = np.arange(in_list.size) - starts[in_list]
        return cls(
            names=tuple(names),
            in_list=in_list,
            block=block[in_list],
            slot=slot[in_list],
            place=place,
            lists=tuple(lists),
            items=tuple(items),
        )


class Pairs(NamedTuple):
    """Preferences, one a row: rows of the layout. Both are items of one list."""

    better: Ints
    worse: Ints

    def squares(self, layout: PairLayout) -> Iterator[Mask]:
        """Yield for each block whether w is preferred to v, at [list, v, w]."""
        return _squares(layout, self.worse, self.better, True, False)


class Ranking(NamedTuple):
    """An order of items: the higher is preferred, equal ones are not compared."""

    height: Floats  # one an item of a list; NaN: nothing is said of it

    def squares(self, layout: PairLayout) -> Iterator[Mask]:
        """Yield for each block whether w is preferred to v, at [list, v, w]."""
        for items in layout.items:
            height = self.height[items]
            yield height[:, None, :] > height[:, :, None]


Stated = Pairs | Ranking


class Likelihood(NamedTuple):
    """The probabilities of preferences that nobody states."""

    pairs: Pairs
    probability: Floats

    def squares(self, layout: PairLayout) -> Iterator[Floats]:
        """Yield for each block how likely w is preferred to v, or .5, at [list, v, w]."""
        better, worse, likely = self.pairs.better, self.pairs.worse, self.probability
        low, high = np.append(worse, better), np.append(better, worse)
        return _squares(layout, low, high, np.append(likely, 1 - likely), 0.5)


class TruePreferences(NamedTuple):
    """The preferences of the truth, and what follows from them."""

    layout: PairLayout
    bits: tuple[NDArray[np.uint8], ...]  # for each block its squares, closed, eight pairs a byte
    rank: tuple[Ints, ...]  # for each block: the longest way down to each item, from 1
    likelihood: Likelihood | None = None

    @classmethod
    def of(
        cls, layout: PairLayout, stated: Stated, likelihood: Likelihood | None = None
    ) -> TruePreferences:
        """Return preferences without a cycle.

        `stated` has the rows of `layout`; `likelihood` is of pairs without a stated preference.
        """
        bits, rank = [], []
        for square in stated.squares(layout):
            above = square if isinstance(stated, Ranking) else closed(square)
            bits.append(np.packbits(above, axis=2))
            rank.append(_depth(above))
        return cls(layout, tuple(bits), tuple(rank), likelihood)


class PairMatrices(NamedTuple):
    """The pairs of several lists with equally many items.

    An element [list, v, w] of a square speaks of whether w is preferred to v.
    """

    truth: Mask  # what the truth prefers, and what follows from it
    rank: Ints  # [list, v]: the longest way down to v in the truth, from 1
    submission: Mask  # what the submission prefers, as it says
    likely: Floats | None  # how likely it is


@dataclass(frozen=True, slots=True)
class Preferred:
    """The preferences of the truth beside those that a submission states."""

    kinds: ClassVar[frozenset[str]] = frozenset({"grades", "preferences"})

    truth: TruePreferences
    submission: Stated

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the lists."""
        return self.truth.layout.names

    def squares(self) -> Iterator[tuple[Ints, PairMatrices]]:
        """Yield each block's lists and their pairs."""
        truth, layout = self.truth, self.truth.layout
        likelihood = truth.likelihood
        likely = likelihood.squares(layout) if likelihood else iter([None] * len(layout.lists))
        for lists, items, bits, rank, stated, chance in zip(
            layout.lists,
            layout.items,
            truth.bits,
            truth.rank,
            self.submission.squares(layout),
            likely,
            strict=True,
        ):
            above = np.unpackbits(bits, axis=2, count=items.shape[1]).astype(bool)
            yield lists, PairMatrices(above, rank, stated, chance)

    def values(self, value: Callable[[PairMatrices], Floats]) -> Floats:
        """Return the value of each list; NaN of a list without two items to compare."""
        values = np.full(len(self.names), np.nan)
        for lists, pairs in self.squares():
            values[lists] = value(pairs)
        return values

    @classmethod
    def of(cls, *lists: tuple[str, str]) -> Preferred:
        """Return the view of preferences of truth and submission, as `"A>B B>C"`; for examples."""
        in_list: list[int] = []
        lines: list[list[tuple[int, int]]] = [[], []]
        for n, texts in enumerate(lists):
            pairs = [[word.split(">") for word in text.split()] for text in texts]
            items = sorted({item for pair in pairs[0] for item in pair})
            row = {item: len(in_list) + place for place, item in enumerate(items)}
            in_list += [n] * len(items)
            for side, stated in zip(lines, pairs, strict=True):
                side += [(row[a], row[b]) for a, b in stated if a in row and b in row]
        layout = PairLayout.of(np.array(in_list, np.int64), [str(n) for n in range(len(lists))])
        truth, submission = (Pairs(*np.array(s, np.int64).reshape(-1, 2).T) for s in lines)
        return cls(TruePreferences.of(layout, truth), submission)


def closed(above: Mask) -> Mask:
    """Return the transitive closure of each relation."""
    while True:
        steps = above.astype(np.float32)  # float32 counts whole numbers exactly up to 2^24
        further = above | (steps @ steps > 0)
        if np.array_equal(further, above):
            return above
        above = further


def _depth(above: Mask) -> Ints:
    """Return the longest way down to each item, from 1, in squares that are closed."""
    rank = np.ones(above.shape[:2], dtype=np.int64)
    lists = np.arange(len(above))
    for item in np.argsort(above.sum(axis=2), axis=1, kind="stable").T:  # fewer above come first
        rank[lists, item] = 1 + (rank * above[lists, item]).max(axis=1)
    return rank


def _squares(
    layout: PairLayout, low: Ints, high: Ints, value: ArrayLike, rest: bool | float
) -> Iterator[NDArray[Any]]:
    """Yield for each block `value` at [list, low, high], and `rest` at other places."""
    values, block = np.broadcast_to(value, low.shape), layout.block[low]
    by = np.argsort(block, kind="stable")
    ends = np.searchsorted(block[by], np.arange(len(layout.lists) + 1))
    for n, items in enumerate(layout.items):
        rows = by[ends[n] : ends[n + 1]]
        square = np.full((*items.shape, items.shape[1]), rest)
        at = layout.slot[low[rows]], layout.place[low[rows]], layout.place[high[rows]]
        square[at] = values[rows]
        yield square


def read_likelihood(frame: pl.DataFrame, truth: GradedItems) -> Likelihood:
    """Return the likelihood of preferences between items of the truth."""
    pairs, ours = _read_pairs(frame, truth)
    return Likelihood(pairs, frame["probability"].to_numpy()[ours])


def read_preferences(table: Table, truth: GradedItems) -> Pairs | Ranking:
    """Return the preferences that pairs, or ranked lists, state between items of the truth."""
    if "better" in table:
        return _read_pairs(table.frame, truth)[0]
    ordered = order(table, truth.list_names, "file")
    row = truth.find(table.frame)[ordered.row]
    height = np.full(truth.in_list.size, np.nan)
    height[row[row >= 0]] = -ordered.tie_start[row >= 0]
    return Ranking(height)


def join_preferences(
    table: Table, truth: GradedItems, orders: TruePreferences
) -> tuple[Preferred, Mask]:
    """Return the submission's preferences beside the truth's, and which lists it answers.

    `table` has pairs or ranked lists. Gives the view of all lists, and shape (lists,).
    """
    answered = answered_lists(table.frame, truth.list_names)
    return Preferred(orders, read_preferences(table, truth)), answered


def _read_pairs(frame: pl.DataFrame, truth: GradedItems) -> tuple[Pairs, Mask]:
    """Return the preferences between items of the truth, and which rows they are."""
    better, worse = (truth.find(frame, role) for role in ("better", "worse"))
    ours = (better >= 0) & (worse >= 0)
    return Pairs(better[ours], worse[ours]), ours


Signs = NDArray[np.int8]


@dataclass(frozen=True, slots=True, eq=False)
class Positions:
    """The positions of one submission's relevant items in every list, and the truth's grades.

    Relevant is what has a grade above 0. An item that was not returned has no
    position, which is worse than any; nor has any item of a missing list. A position is one
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
        """Return the positions in a judged submission.

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
        """Return the positions in the lists from `lists.start` to `lists.stop`; None for all."""
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
        """Return the positions of one list, by its truth and the returned items; for examples."""
        return cls.of([Positions.of(Judged.of((items, truth))) for items in submissions])

    def items(self, rel: ArrayLike) -> Ints:
        """Return the number of items with at least that grade in each list's truth."""
        counts: Ints = (self.ideal >= np.asarray(rel)[..., None]).sum(axis=-1)
        return counts

    def relevant(self, rel: ArrayLike) -> Floats:
        """Return the positions of the items with at least that grade, one for all lists, or each.

        Ascending, and inf for items not returned; as wide as the list with the most such items.
        """
        positions = self.position
        if not (keep := self.grade >= np.asarray(rel)[..., None])[self.grade > 0].all():
            positions = np.where(keep, positions, np.inf)
            positions.sort(axis=-1)
        return positions[..., : max(1, int(self.items(rel).max(initial=0)))]

    def grades(self) -> Floats:
        """Return the grades of each list's truth, best first, one row a place; inf behind the last.

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
        """Return the values of `preference` for the relevant positions of every two submissions.

        It gets the positions of one submission, (lists, width), and of others, (others, lists,
        width), and returns (others, lists). It is called once for each pair: the other way round
        its value has the opposite sign.
        """
        positions = self.relevant(rel)
        count, lists, _ = positions.shape
        values = np.zeros((count, count, lists))
        for n in range(count - 1):
            values[n, n + 1 :] = preference(positions[n], positions[n + 1 :])
            values[n + 1 :, n] = 0.0 - values[n, n + 1 :]  # and never -0.0
        return values


def sign_of_difference(first: Floats, second: Floats) -> Signs:
    """Return 1 where the first position is lower, -1 where the second is, 0 where they agree."""
    signs: Signs = (first < second).view(np.int8) - (first > second).view(np.int8)
    return signs


def first_difference(first: Floats, second: Floats, *, last: bool = False) -> tuple[Floats, Floats]:
    """Return the two positions where they first differ, or last; equal ones if they never do.

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
    """Return the row, column and value of each element in those lists; a row is a list."""
    part = slice(*np.searchsorted(in_list, [start, stop]).tolist())
    rows = in_list[part] - start
    return rows, np.arange(rows.size) - np.searchsorted(rows, rows), values[part]
