"""Which items a truth prefers to which, and what a submission says of them.

The pairs of a list make a square table, and the squares of all lists with
equally many items make one array, so that a metric is a few array expressions
and loops over sizes, not over lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scorer.core.arrays import Floats, Ints, Mask

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
        """For the items of lists, one a row, ordered by list."""
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
            tuple(names), in_list, block[in_list], slot[in_list], place, tuple(lists), tuple(items)
        )  # fmt: skip


class Pairs(NamedTuple):
    """Preferences, one a row: rows of the layout. Both are items of one list."""

    better: Ints
    worse: Ints

    def squares(self, layout: PairLayout) -> Iterator[Mask]:
        """For each block: [list, v, w] is whether w is preferred to v."""
        return _squares(layout, self.worse, self.better, True, False)


class Ranking(NamedTuple):
    """An order of items: the higher is preferred, equal ones are not compared."""

    height: Floats  # one an item of a list; NaN: nothing is said of it

    def squares(self, layout: PairLayout) -> Iterator[Mask]:
        """As those of `Pairs`."""
        for items in layout.items:
            height = self.height[items]
            yield height[:, None, :] > height[:, :, None]


Stated = Pairs | Ranking


class Likelihood(NamedTuple):
    """The probabilities of preferences that nobody states."""

    pairs: Pairs
    probability: Floats

    def squares(self, layout: PairLayout) -> Iterator[Floats]:
        """For each block: [list, v, w] is the probability that w is preferred to v, or .5."""
        better, worse, likely = self.pairs.better, self.pairs.worse, self.probability
        low, high = np.append(worse, better), np.append(better, worse)
        return _squares(layout, low, high, np.append(likely, 1 - likely), 0.5)


class TruePreferences(NamedTuple):
    """The truth's preferences, made ready once for all submissions."""

    layout: PairLayout
    bits: tuple[NDArray[np.uint8], ...]  # for each block its squares, closed, eight pairs a byte
    rank: tuple[Ints, ...]  # for each block: the longest way down to each item, from 1
    likelihood: Likelihood | None = None

    @classmethod
    def of(
        cls, layout: PairLayout, stated: Stated, likelihood: Likelihood | None = None
    ) -> TruePreferences:
        """From preferences without a cycle.

        The rows of `stated` are those of `layout`; `likelihood` is of pairs without a stated
        preference.
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
        """What the lists are called."""
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
        """The value of each list; NaN where there are no two items to compare."""
        values = np.full(len(self.names), np.nan)
        for lists, pairs in self.squares():
            values[lists] = value(pairs)
        return values

    @classmethod
    def of(cls, *lists: tuple[str, str]) -> Preferred:
        """From preferences such as `"A>B B>C"` of truth and submission: for examples and tests."""
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
    """The transitive closure of each relation."""
    while True:
        steps = above.astype(np.float32)  # float32 counts whole numbers exactly up to 2^24
        further = above | (steps @ steps > 0)
        if np.array_equal(further, above):
            return above
        above = further


def _depth(above: Mask) -> Ints:
    """The longest way down to each item, from 1, in squares that are closed."""
    rank = np.ones(above.shape[:2], dtype=np.int64)
    lists = np.arange(len(above))
    for item in np.argsort(above.sum(axis=2), axis=1, kind="stable").T:  # fewer above come first
        rank[lists, item] = 1 + (rank * above[lists, item]).max(axis=1)
    return rank


def _squares(
    layout: PairLayout, low: Ints, high: Ints, value: ArrayLike, rest: bool | float
) -> Iterator[NDArray[Any]]:
    """For each block: `value` at [list, low, high], `rest` elsewhere."""
    values, block = np.broadcast_to(value, low.shape), layout.block[low]
    by = np.argsort(block, kind="stable")
    ends = np.searchsorted(block[by], np.arange(len(layout.lists) + 1))
    for n, items in enumerate(layout.items):
        rows = by[ends[n] : ends[n + 1]]
        square = np.full((*items.shape, items.shape[1]), rest)
        at = layout.slot[low[rows]], layout.place[low[rows]], layout.place[high[rows]]
        square[at] = values[rows]
        yield square
