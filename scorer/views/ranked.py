"""A table's rows as ranked lists, and look-ups of their items that are local to a list."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorer.core.arrays import Floats, Ints, Mask, distinct, spread
from scorer.tables.columns import (
    CodedColumn,
    Codes,
    Hashes,
    IdTexts,
    RunColumn,
    TextColumn,
    gathered,
    one_by_one,
)
from scorer.tables.table import Table
from scorer.views.hits import Ties

GAPS = "gaps"  # the fact of a table that ranks left out are empty slots
STEPS_BY_ROW = 4  # from row to row before a search
MANY_IDS = 2_000  # ids that polars puts in order sooner than Python does


@dataclass(frozen=True, eq=False)
class RankedRows:
    """The rows of whole lists, list by list, best first; equal ones as they stand in the file.

    A *run* is the rows of one list; a *place* is an index into all rows in this order.
    """

    item: CodedColumn | None  # of the table; not the table, which holds these rows
    rows: Ints | None  # the table's row at each place; None: as they stand
    lists: Ints  # one a run: the code of its list
    sizes: Ints  # one a run
    tied: Ints  # the places that have the key of the next one
    given: Floats | None = None  # the table's ranks, where those left out are empty slots

    @classmethod
    def of(cls, table: Table, keep: Mask | None = None) -> RankedRows:
        """The rows of a table, or those where `keep` holds.

        The score ranks, else the rank, else the order of the rows.
        """
        item = table.ids.get("item")
        rows, lists, sizes = _by_list(table.ids["list"], keep)
        starts = np.cumsum(sizes) - sizes
        numbers = table.numbers
        if "score" not in numbers and "rank" not in numbers:
            return cls(item, rows, lists, sizes, np.empty(0, dtype=np.int64))
        down = "score" in numbers
        key = numbers["score" if down else "rank"]
        key = key if rows is None else key[rows]
        rises = key[1:] > key[:-1] if down else key[1:] < key[:-1]
        rises[starts[1:] - 1] = False
        if rises.any():
            by = _ordered(sizes, key, down)
            rows, key = by if rows is None else rows[by], key[by]
        same = key[1:] == key[:-1]
        same[starts[1:] - 1] = False
        tied = np.flatnonzero(same)
        gapped = table.facts.get(GAPS) and "score" not in numbers
        slots = numbers["rank"] if gapped else None
        if slots is not None and (tied.size or not ((slots >= 1) & (slots % 1 == 0)).all()):
            slots = None  # such a file is refused, and no metric can do with such ranks
        return cls(item, rows, lists, sizes, tied, slots)

    def __len__(self) -> int:
        return int(self.sizes.sum())

    def at(self, places: Ints) -> Ints:
        """The table's rows at those places."""
        return places if self.rows is None else self.rows[places]

    def column(self, values: NDArray[Any]) -> NDArray[Any]:
        """One of the table's columns in this order."""
        return values if self.rows is None else values[self.rows]

    @cached_property
    def starts(self) -> Ints:
        """Where each run begins."""
        starts: Ints = np.cumsum(self.sizes) - self.sizes
        return starts

    @cached_property
    def run(self) -> Ints:
        """The run of each place."""
        return np.repeat(np.arange(self.sizes.size), self.sizes)

    @property
    def rank(self) -> Ints:
        """The rank of each place in its list, from 1; equal rows as in the file."""
        rank = np.ones(len(self), dtype=np.int64)
        rank[self.starts[1:]] -= self.sizes[:-1]
        return np.cumsum(rank, out=rank)

    @property
    def gapped(self) -> bool:
        """Whether ranks that a list leaves out are slots without an item."""
        return self.given is not None

    def slots(self, places: Ints) -> Ints:
        """The ranks that the submission gives, where those left out are empty slots."""
        assert self.given is not None
        return self.given[self.at(places)].astype(np.int64)

    @cached_property
    def lengths(self) -> Ints:
        """How long the list of each run is, with its empty slots."""
        return self.slots(self.starts + self.sizes - 1) if self.gapped else self.sizes

    @cached_property
    def equal(self) -> Mask:
        """Whether each place has the key of the next one or the one before."""
        equal = np.zeros(len(self), dtype=bool)
        equal[self.tied] = equal[self.tied + 1] = True
        return equal

    @cached_property
    def items(self) -> ItemIndex:
        """The rows by list and item."""
        assert self.item is not None
        return ItemIndex.of(keys(self.item), self.sizes, self.rows)

    def groups(self, places: Ints) -> tuple[Ints, Ints]:
        """For each of these places, where its group of equal rows begins, and its size."""
        first, size = places.copy(), np.ones_like(places)
        at = np.flatnonzero(self.equal[places])
        if not at.size:
            return first, size
        gaps = np.flatnonzero(np.diff(self.tied) > 1)
        begin = self.tied[np.append(0, gaps + 1)]  # the first place of each group, and the last
        end = self.tied[np.append(gaps, -1)] + 1
        group = np.searchsorted(begin, places[at], side="right") - 1
        first[at], size[at] = begin[group], end[group] - begin[group] + 1
        return first, size

    def settled(self, places: Ints, first: Ints, size: Ints, ties: Ties) -> Ints:
        """Where rows stand once the tie rule has ordered each group of equal ones by their ids.

        Of shape (rows,) each: the place, and the first place and the number of rows of its tie
        group.
        """
        several = np.flatnonzero(size > 1) if ties != "file" else places[:0]
        if not several.size:
            return places
        starts, at = np.unique(first[several], return_index=True)
        sizes = size[several][at]
        tied, group = spans(starts, sizes), np.repeat(np.arange(starts.size), sizes)
        assert self.item is not None
        names = self.item.gathered(self.at(tied))
        new, settled = np.empty_like(tied), places.copy()
        new[_by_name(group, names, ties != "item-asc")] = tied
        settled[several] = new[np.searchsorted(tied, places[several])]
        return settled


@dataclass(frozen=True, eq=False)
class ItemIndex:
    """The items of lists, sorted by list and hash, so that look-ups are local to a list."""

    keys: Hashes  # one a row
    rows: Ints | None  # the row at each place, list by list; None: as they stand
    starts: Ints
    packed: Hashes  # list, as much of the key as there is room for, and the place in the list
    width: int  # bits of the place
    bits: int  # bits of the key

    @classmethod
    def of(cls, keys: Hashes, sizes: Ints, rows: Ints | None = None) -> ItemIndex:
        """Index rows, given the row at each place, list by list; without any, as they stand."""
        width, high = int(sizes.max(initial=0)).bit_length(), int(sizes.size).bit_length()
        bits = 64 - width - high
        starts = np.cumsum(sizes) - sizes
        packed = keys.copy() if rows is None else keys[rows]
        packed >>= np.uint64(64 - bits)
        packed <<= np.uint64(width)
        if sizes.size > 1:
            run = np.arange(sizes.size, dtype=np.uint64) << np.uint64(64 - high)
            packed += np.repeat(run - starts.view(np.uint64), sizes)  # wraps, and back again
        packed += np.arange(packed.size, dtype=np.uint32)
        packed.sort()
        return cls(keys, rows, starts, packed, width, bits)

    def keys_at(self, places: Ints) -> Hashes:
        """The keys of the rows at those places."""
        return self.keys[places if self.rows is None else self.rows[places]]

    @cached_property
    def _alike(self) -> Ints:
        """The indices whose next element has the same prefix."""
        prefix = self.packed >> np.uint64(self.width)
        return np.flatnonzero(prefix[1:] == prefix[:-1])

    def _places(self, at: Ints) -> Ints:
        """The rows at these indices of the packed numbers."""
        place = (self.packed[at] & np.uint64((1 << self.width) - 1)).astype(np.int64)
        run = (self.packed[at] >> np.uint64(self.width + self.bits)).astype(np.int64)
        return self.starts[run] + place

    @cached_property
    def repeated(self) -> Ints:
        """The rows whose key another row of their list has too."""
        if not self._alike.size:
            return self._alike
        alike = np.zeros(self.packed.size, dtype=bool)
        alike[self._alike] = alike[self._alike + 1] = True
        at = np.flatnonzero(alike)
        place, prefix = self._places(at), self.packed[at] >> np.uint64(self.width)
        key = self.keys_at(place)
        by = np.lexsort((key, prefix))
        same = (np.diff(prefix[by]) == 0) & (np.diff(key[by]) == 0)
        both = np.append(same, False) | np.append(False, same)
        return np.sort(place[by][both])

    def find(self, run: Ints, keys: Hashes) -> tuple[Ints, Ints]:
        """Which of these (list, key) are in the index, in any order, and the row of each.

        `run`, shape (pairs,), is the number of each list in the index, -1 of others; `keys` has the
        same shape.
        """
        if not self.packed.size:
            return run[:0], run[:0]
        targets = keys >> np.uint64(64 - self.bits)
        targets |= run.astype(np.uint64) << np.uint64(self.bits)
        targets <<= np.uint64(self.width)
        at = self._at(targets)
        ends = np.flatnonzero(np.diff(self._alike, append=-1) != 1)
        most = int(np.diff(ends, prepend=-1).max(initial=0)) + 1  # rows that share a prefix
        matched, rows = [], []
        for further in range(most):
            rest = self.packed.take(at + further, mode="clip") ^ targets
            inside = at < self.packed.size - further
            alike = np.flatnonzero((rest < np.uint64(1 << self.width)) & inside)
            row = self.starts[run[alike]] + rest[alike].view(np.int64)
            same = self.keys_at(row) == keys[alike]
            matched.append(alike[same])
            rows.append(row[same])
        return np.concatenate(matched), np.concatenate(rows)

    def _at(self, targets: Hashes) -> Ints:
        """The index of the first of the packed numbers that is not below each of these.

        They are even in a list, so that from where its first bits begin there are few to step over.
        """
        at: Ints
        if 3 * targets.size < self.packed.size:
            by = np.argsort(targets)  # what is looked up in order stays in the cache
            at = np.empty(targets.size, dtype=np.int64)
            at[by] = np.searchsorted(self.packed, targets[by])
            return at
        bits = 64 - self.width - self.bits  # of the list, and of some two rows in each
        bits += max((self.packed.size // self.starts.size).bit_length() - 2, 0)
        begin = (self.packed >> np.uint64(64 - bits)).view(np.int64)
        sizes = np.bincount(begin, minlength=1 << bits)
        first = np.cumsum(sizes)
        first -= sizes
        at = first[(targets >> np.uint64(64 - bits)).view(np.int64)]
        ends = np.append(self.packed, np.uint64(2**64 - 1))  # which nothing steps over
        for _ in range(STEPS_BY_ROW):
            at += ends[at] < targets
        further = np.flatnonzero(ends[at] < targets)
        at[further] = np.searchsorted(self.packed, targets[further])
        return at


def keys(column: CodedColumn) -> Hashes:
    """A number for each row, equal for equal ids: their hashes, else their spread codes."""
    return column.row_hashes if is_hashed(column) else spread(column.codes)


def is_hashed(column: CodedColumn) -> bool:
    """Whether polars holds the ids, so that hashing them is cheap."""
    if isinstance(column, TextColumn):
        return True
    return not isinstance(column.held, Sequence)


def by_row(column: CodedColumn) -> CodedColumn:
    """The column with one id a row, where finding the distinct ids is not worth its time."""
    if not isinstance(column, TextColumn):
        return column
    separate = CodedColumn(np.arange(column.row_hashes.size), column.series)
    vars(separate)["hashes"] = vars(separate)["row_hashes"] = column.row_hashes
    return separate


def look_up(known: Hashes, places: Codes, hashes: Hashes) -> Ints:
    """The place of each hash; -1 where it is not known.

    `known` is ascending, with one of `places` each; `hashes` are in any order.
    """
    if known.size and hashes.size > known.size:
        return _look_up_many(known, places, hashes)
    matches = np.full(hashes.size, -1, dtype=np.int64)
    if not known.size:
        return matches
    by = np.argsort(hashes)  # what is looked up in order stays in the cache
    ordered = hashes[by]
    at = np.minimum(np.searchsorted(known, ordered), known.size - 1)
    matches[by] = np.where(known[at] == ordered, places[at], -1)
    return matches


def _look_up_many(known: Hashes, places: Codes, hashes: Hashes) -> Ints:
    """As `look_up`, from an index by the first bits of a hash: several times faster than a search.

    Hashes are even, so that there are few of the same bits to step over.
    """
    bits = known.size.bit_length() + 1
    begin = (known >> np.uint64(64 - bits)).view(np.int64)
    sizes = np.bincount(begin, minlength=1 << bits)
    at = (np.cumsum(sizes) - sizes).astype(np.int32)[
        (hashes >> np.uint64(64 - bits)).view(np.int64)
    ]
    ends = np.append(known, np.uint64(2**64 - 1))  # which nothing steps over
    beyond = np.flatnonzero(ends[at] < hashes)
    if beyond.size:
        further, targets = at[beyond], hashes[beyond]
        for _ in range(int(sizes.max()) - 1):
            further += ends[further] < targets
        at[beyond] = further
    return np.where(ends[at] == hashes, np.append(places, -1)[at], -1)


def named(column: CodedColumn, codes: NDArray[Any]) -> list[str]:
    """The ids of these codes."""
    if is_hashed(column):
        held: Any = column.held
        return list(gathered(held, codes).to_list())
    return [column.held[code] for code in codes.tolist()]


def among(column: CodedColumn, wanted: Sequence[str]) -> Mask:
    """Which of the distinct ids are among these few."""
    if is_hashed(column):
        return np.isin(column.hashes, _hashes(tuple(wanted)))
    if column.distinct.isdisjoint(wanted):
        return np.zeros(len(column.names), dtype=bool)
    return np.array([name in wanted for name in column.names], dtype=bool)


@cache
def _hashes(names: tuple[str, ...]) -> Hashes:
    """The hashes of a few names, cached."""
    return CodedColumn(np.empty(0, dtype=np.int64), names).hashes


def spans(first: Ints, sizes: Ints) -> Ints:
    """The concatenation of `first`, `first` + 1, .., with as many elements for each as its size."""
    offsets: Ints = np.arange(int(sizes.sum())) + np.repeat(first - np.cumsum(sizes) + sizes, sizes)
    return offsets


def _by_list(column: CodedColumn, keep: Mask | None) -> tuple[Ints | None, Ints, Ints]:
    """Rows list by list.

    `keep` are the rows that count, None for all. Gives the rows, None as they stand; and of each
    run the code of its list, and its size.
    """
    if keep is None and isinstance(column, RunColumn):
        return None, np.arange(column.ends.size), column.sizes
    codes: NDArray[Any] = column.codes
    rows = None if keep is None or keep.all() else np.flatnonzero(keep)
    codes = codes if rows is None else codes[rows]
    starts = _starts(codes)
    if distinct(codes[starts]).size < starts.size:  # rows of a list stand apart
        by = np.argsort(_narrow(codes), kind="stable")
        rows, codes = by if rows is None else rows[by], codes[by]
        starts = _starts(codes)
    return rows, codes[starts].astype(np.int64), np.diff(np.append(starts, codes.size))


def _starts(codes: NDArray[Any]) -> Ints:
    if not codes.size:
        return np.empty(0, dtype=np.int64)
    return np.append(0, np.flatnonzero(codes[1:] != codes[:-1]) + 1)


def _ordered(sizes: Ints, key: Floats, down: bool) -> Ints:
    """Rows by run, then by key, the greatest first where that is `down`, then as they stand.

    The run, as much of the key as there is room for, and the row are sorted as one number.
    """
    place, high = np.uint64(key.size.bit_length()), (sizes.size - 1).bit_length()
    bits = 64 - high - int(place)
    numbers = np.negative(key) if down else key.copy()
    numbers += 0.0  # -0.0 is 0.0
    packed = numbers.view(np.uint64)
    # as numbers are ordered: of negative ones all bits are turned, of the others the sign
    turned = packed.view(np.int64) >> 63
    turned |= np.int64(-(1 << 63))
    packed ^= turned.view(np.uint64)
    del turned
    packed -= packed.min()
    packed >>= np.uint64(max(int(packed.max()).bit_length() - bits, 0))
    if high:
        packed |= np.repeat(np.arange(sizes.size, dtype=np.uint64) << np.uint64(bits), sizes)
    packed <<= place
    packed |= np.arange(key.size, dtype=np.uint64)
    packed.sort()
    order = (packed & np.uint64((1 << int(place)) - 1)).view(np.int64)
    packed >>= place
    begun = np.flatnonzero(packed[1:] == packed[:-1])
    here, following = key[order[begun]], key[order[begun + 1]]
    if (falls := following > here if down else following < here).any():  # they only begin alike
        alike = np.isin(packed, packed[begun[falls]])
        rows = order[alike]
        keys = -key[rows] if down else key[rows]
        order[alike] = rows[np.lexsort((rows, keys, packed[alike]))]
    return order


def _by_name(group: Ints, names: IdTexts, descending: bool) -> Ints | list[int]:
    """Rows by their groups, which are in order, then by their names."""
    if len(names) > MANY_IDS and "polars" in sys.modules:
        import polars as pl

        columns = {"group": one_by_one(group), "name": pl.Series(names, dtype=pl.String)}
        frame = pl.DataFrame(columns)
        order: Ints = frame.select(
            pl.arg_sort_by("group", "name", descending=[False, descending])
        ).to_series().to_numpy().astype(np.int64)  # fmt: skip
        return order
    groups = (-group if descending else group).tolist()
    texts = names if isinstance(names, list) else names.to_list()
    keys = list(zip(groups, texts, strict=True))
    return sorted(range(len(keys)), key=keys.__getitem__, reverse=descending)


def ranked(table: Table) -> RankedRows:
    """The rows of a table as ranked lists, computed once for each table."""
    rows: RankedRows | None = vars(table).get("ranked")  # where a cached property would keep it
    if rows is None:
        rows = vars(table)["ranked"] = RankedRows.of(table)
    return rows


def _narrow(numbers: NDArray[np.integer[Any]]) -> NDArray[Any]:
    """The same numbers in as few bytes as hold them: 16 bits sort much faster.

    >>> _narrow(np.array([3, 300])).dtype, _narrow(np.array([-3, 200])).dtype
    (dtype('uint16'), dtype('int16'))
    """
    low, high = int(numbers.min(initial=0)), int(numbers.max(initial=0))
    return numbers.astype(np.min_scalar_type(high if low >= 0 else min(low, -high - 1)), copy=False)
