"""Preferences between the items of a list, and between the lists of two submissions.

The pairs of a list's items make a square matrix. The squares of lists with equally many items are
stacked into blocks, so that a metric is a few array expressions and loops over blocks, not lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from scorer.core.arrays import Floats, Ints, Mask
from scorer.reading.table import Table
from scorer.views.columns import View
from scorer.views.join import GradedItems, rank_rows
from scorer.views.ranked import Judged

CELLS = 4_000_000  # the largest number of pairs in a block of several lists, to bound memory


class PairLayout(NamedTuple):
    """Where the pairs of each list stand: in a block, an array of squares (lists, size, size).

    Items are numbered over all lists, list by list. Lists of fewer than two items are in no block.
    """

    names: tuple[str, ...]  # of the lists
    block: Ints  # for each item: the block that its list is in, -1 for none
    row: Ints  # for each item: the index of its row among all rows of the block's squares
    lists: tuple[Ints, ...]  # for each block: its lists
    items: tuple[Ints, ...]  # for each block: its items, shape (lists, size)

    @classmethod
    def of(cls, in_list: Ints, names: Sequence[str]) -> PairLayout:
        """Return the layout of items, given the list of each, ascending."""
        sizes = np.bincount(in_list, minlength=len(names))
        starts = np.cumsum(sizes) - sizes
        block, row = np.full(in_list.size, -1), np.zeros(in_list.size, dtype=np.int64)
        lists: list[Ints] = []
        items: list[Ints] = []
        for size in np.unique(sizes[sizes > 1]).tolist():
            of_size, most = np.flatnonzero(sizes == size), max(CELLS // size**2, 1)
            for first in range(0, of_size.size, most):
                block_lists = of_size[first : first + most]
                block_items = starts[block_lists][:, None] + np.arange(size)
                block[block_items] = len(lists)
                row[block_items] = np.arange(block_items.size).reshape(block_items.shape)
                lists.append(block_lists)
                items.append(block_items)
        return cls(tuple(names), block, row, tuple(lists), tuple(items))


class StatedPairs(NamedTuple):
    """Preferences stated pair by pair; shape (pairs,) each."""

    better: Ints  # the item's number in the layout
    worse: Ints  # an item of the same list

    @property
    def size(self) -> int:
        """The number of pairs."""
        return self.better.size

    def squares(self, layout: PairLayout) -> Iterator[Mask]:
        """Yield for each block whether w is preferred to v, at [list, v, w]."""
        return _squares(layout, self.worse, self.better, True, rest=False)


class Ranking(NamedTuple):
    """Preferences stated by numbers: of two items of a list the higher one is preferred."""

    height: Floats  # for each item of the layout; equal or NaN: neither is preferred

    @property
    def size(self) -> int:
        """The number of items that are ranked."""
        return int(np.count_nonzero(~np.isnan(self.height)))

    def squares(self, layout: PairLayout) -> Iterator[Mask]:
        """Yield for each block whether w is preferred to v, at [list, v, w]."""
        for items in layout.items:
            height = self.height[items]
            yield height[:, None, :] > height[:, :, None]


Stated = StatedPairs | Ranking


class Likelihood(NamedTuple):
    """Probabilities of preferences, for pairs that truth and submission do not both order."""

    pairs: StatedPairs
    probability: Floats  # of each pair

    def squares(self, layout: PairLayout) -> Iterator[Floats]:
        """Yield for each block how likely w is preferred to v, at [list, v, w]; 0.5 if unknown."""
        better, worse, likely = self.pairs.better, self.pairs.worse, self.probability
        v, w = np.append(worse, better), np.append(better, worse)
        return _squares(layout, v, w, np.append(likely, 1 - likely), rest=0.5)


class TruePreferences(NamedTuple):
    """The preferences of the truth, and what follows from them."""

    layout: PairLayout
    bits: tuple[NDArray[np.uint8], ...]  # for each block its closed squares, by np.packbits
    rank: tuple[Ints, ...]  # for each block: the items in the longest chain down to each item
    likelihood: Likelihood | None = None

    @classmethod
    def of(
        cls, layout: PairLayout, stated: Stated, likelihood: Likelihood | None = None
    ) -> TruePreferences:
        """Return what `stated` says and what follows from it; `stated` has no cycle."""
        bits, rank = [], []
        for squares in stated.squares(layout):
            above = squares if isinstance(stated, Ranking) else closed(squares)
            bits.append(np.packbits(above, axis=2))
            rank.append(_ranks(above))
        return cls(layout, tuple(bits), tuple(rank), likelihood)


class PairMatrices(NamedTuple):
    """The squares of a block; element [list, v, w] says whether w is preferred to v."""

    truth: Mask  # by the truth, or by what follows from it
    rank: Ints  # [list, v]: the number of items in the truth's longest chain down to v
    submission: Mask  # as the submission states it
    likely: Floats | None  # the probability of it


@dataclass(slots=True, eq=False)
class Preferred(View):
    """The preferences of the truth beside those that a submission states."""

    kinds: ClassVar[frozenset[str]] = frozenset({"grades", "preferences"})

    truth: TruePreferences
    submission: Stated

    @property
    def names(self) -> tuple[str, ...]:  # type: ignore[override]
        """The names of the lists."""
        return self.truth.layout.names

    def squares(self) -> Iterator[tuple[Ints, PairMatrices]]:
        """Yield the lists of each block and its squares."""
        truth, layout = self.truth, self.truth.layout
        likelihood = truth.likelihood
        likely = likelihood.squares(layout) if likelihood else [None] * len(layout.lists)
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


def closed(above: Mask) -> Mask:
    """Return the transitive closure of each relation."""
    while True:
        steps = above.astype(np.float32)  # float32 counts whole numbers exactly up to 2^24
        further = above | (steps @ steps > 0)
        if np.array_equal(further, above):
            return above
        above = further


def _ranks(above: Mask) -> Ints:
    """Return the number of items in the longest chain of preferences down to each item.

    `above` are closed squares; the result has the shape (lists, size).
    """
    rank = np.ones(above.shape[:2], dtype=np.int64)
    lists = np.arange(len(above))
    # fewest above first: in closed squares, the items above an item have fewer above them than it
    for item in np.argsort(above.sum(axis=2), axis=1, kind="stable").T:
        rank[lists, item] = 1 + (rank * above[lists, item]).max(axis=1)
    return rank


def _squares(
    layout: PairLayout, v: Ints, w: Ints, value: ArrayLike, rest: bool | float
) -> Iterator[NDArray[Any]]:
    """Yield for each block squares with `value` at [list, v, w] and `rest` elsewhere."""
    values, block = np.broadcast_to(value, v.shape), layout.block[v]
    by = np.argsort(block, kind="stable")
    starts = np.searchsorted(block[by], np.arange(len(layout.lists) + 1))
    for items, pairs in zip(layout.items, np.split(by, starts)[1:-1], strict=True):
        size = items.shape[1]
        squares = np.full((items.size, size), rest)
        squares[layout.row[v[pairs]], layout.row[w[pairs]] % size] = values[pairs]
        yield squares.reshape(-1, size, size)


def read_likelihood(frame: pl.DataFrame, truth: GradedItems) -> Likelihood:
    """Return the likelihood of preferences between items of the truth."""
    pairs, is_known = _read_pairs(frame, truth)
    return Likelihood(pairs, frame["probability"].to_numpy()[is_known])


def read_preferences(table: Table, truth: GradedItems) -> Stated:
    """Return the preferences that pairs, or ranked lists, state between items of the truth."""
    if "better" in table:
        return _read_pairs(table.frame, truth)[0]
    ordered = rank_rows(table, truth.list_names, "file")
    row = truth.find(table.frame)[ordered.row]
    height = np.full(truth.in_list.size, np.nan)
    height[row[row >= 0]] = -ordered.tie_start[row >= 0]  # fewer items above are a greater height
    return Ranking(height)


def _read_pairs(frame: pl.DataFrame, truth: GradedItems) -> tuple[StatedPairs, Mask]:
    """Return the pairs of two items of the truth, and which rows of the table have one."""
    better, worse = (truth.find(frame, role) for role in ("better", "worse"))
    is_known = (better >= 0) & (worse >= 0)
    return StatedPairs(better[is_known], worse[is_known]), is_known


@dataclass(slots=True, eq=False)
class Positions:
    """The positions of one submission's relevant items in every list, and the truth's grades.

    Relevant is what has a grade above 0. An item that was not returned has no position, which is
    worse than any. A position is one rank: there is no closed form for `ties: expected`.
    """

    in_list: Ints  # the list of each returned relevant item, from 0; ordered by list, then position
    position: Ints  # its rank there, from 1
    grade: Floats  # its grade
    truth_list: Ints  # the list of each relevant item of the truth, returned or not
    truth_grade: Floats  # its grade, best first in each list
    lists: int  # how many lists there are

    @classmethod
    def of(cls, judged: Judged) -> Positions:
        """Return the positions in a judged submission.

        >>> positions = Positions.of(judged_view((["x", "b"], {"a": 2, "b": 1, "x": 0})))
        >>> positions.position, positions.grade, positions.truth_grade
        (array([2]), array([1.]), array([2., 1.]))
        """
        hits, ideal = (h.where(h.grade > 0) for h in (judged.hits, judged.ideal))
        return cls(hits.in_list, hits.rank, hits.grade, ideal.in_list, ideal.grade, judged.lists)


@dataclass(slots=True, eq=False)
class PositionTable(View):
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
        part, rows, columns = _table_cells(truth.truth_list, start, stop)
        width = int(columns.max(initial=0)) + 1
        ideal = np.zeros((stop - start, width))
        ideal[rows, columns] = truth.truth_grade[part]
        position = np.full((len(positions), *ideal.shape), np.inf)
        grade = np.zeros(position.shape)
        for n, submission in enumerate(positions):
            part, rows, columns = _table_cells(submission.in_list, start, stop)
            position[n, rows, columns] = submission.position[part]
            grade[n, rows, columns] = submission.grade[part]
        return cls(position, grade, ideal)

    def items(self, rel: ArrayLike) -> Ints:
        """Return how many items of each list's truth have a grade of at least `rel`: (lists,).

        `rel` is one grade, or one a list.
        """
        counts: Ints = (self.ideal >= np.asarray(rel)[..., None]).sum(axis=-1)
        return counts

    def relevant(self, rel: ArrayLike) -> Floats:
        """Return the positions of items with a grade of at least `rel`, one grade or one a list.

        Ascending, and inf for items not returned; as wide as the list with the most such items.
        """
        positions = self.position
        is_relevant = self.grade >= np.asarray(rel)[..., None]
        if not is_relevant[self.grade > 0].all():
            positions = np.where(is_relevant, positions, np.inf)
            positions.sort(axis=-1)
        return positions[..., : max(1, int(self.items(rel).max(initial=0)))]

    def grades(self) -> Floats:
        """Return each list's different grades above 0, highest first, inf after: (grades, lists).

        >>> both = judged_view(("", {"a": 3, "b": 1, "c": 1}), ("", {"a": 2}))
        >>> PositionTable.of([Positions.of(both)]).grades()
        array([[ 3.,  2.],
               [ 1., inf]])
        """
        above = np.pad(self.ideal[:, :-1], ((0, 0), (1, 0)), constant_values=np.inf)
        is_new = (self.ideal > 0) & (self.ideal < above)
        row = is_new.cumsum(axis=1) - 1
        in_list, place = np.nonzero(is_new)
        grades = np.full((int(row.max(initial=-1)) + 1, len(self.ideal)), np.inf)
        grades[row[in_list, place], in_list] = self.ideal[in_list, place]
        return grades

    def pairwise(
        self, rel: ArrayLike, preference: Callable[[Floats, Floats], NDArray[Any]]
    ) -> Floats:
        """Return the values of `preference` for every two submissions: shape (n, n, lists).

        `preference` gets the relevant positions of one submission, (lists, width), and of others,
        (others, lists, width), and returns (others, lists). It is called once for each pair: the
        other way round its value has the opposite sign.
        """
        positions = self.relevant(rel)
        count, lists, _ = positions.shape
        values = np.zeros((count, count, lists))
        for n in range(count - 1):
            values[n, n + 1 :] = preference(positions[n], positions[n + 1 :])
            values[n + 1 :, n] = 0.0 - values[n, n + 1 :]  # and never -0.0
        return values


def _table_cells(in_list: Ints, start: int, stop: int) -> tuple[slice, Ints, Ints]:
    """Return the slice of the elements in lists `start` to `stop`, and each one's row and column.

    A row is a list, and a column the element's index in it.
    """
    part = slice(*np.searchsorted(in_list, [start, stop]).tolist())
    rows = in_list[part] - start
    return part, rows, np.arange(rows.size) - np.searchsorted(rows, rows)
