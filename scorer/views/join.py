"""Where a submission meets the truth: rows of both that hold the same item of the same list."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from scorer.core.arrays import Floats, Ints, Mask
from scorer.reading.table import Table, find_places, sort_ids
from scorer.views.columns import NO_EXTRAS, Extras
from scorer.views.items import ItemsByList
from scorer.views.ranked import Hits, Judged, Names, Ties, ranked_hits

SPREAD = np.uint64(0x9E3779B97F4A7C15)  # odd: products of it with different numbers differ

Rows = NDArray[np.int32 | np.int64]  # of a table; of ten million, those of 64 bits take 80 MB
Further = Callable[[Ints], Extras]  # of the submission's row of each hit
GAPS = "gaps"  # the fact of a table that ranks left out are empty slots
EMPTY = "-"  # what a slot without an item is called
GATHERED = 1_000_000  # texts that are copied at once, 16 bytes each and more
FEW_RUNS = 4  # rows that follow each other in a list, on average, for lists to be moved as a whole
SAMPLE = 1_000  # rows by which it is told whether the rows of a list stand together


@dataclass(frozen=True, eq=False)
class Pairs:
    """Items of numbered lists, one a row."""

    in_list: Ints
    items: pl.Series

    @property
    def keys(self) -> pl.Series:
        """A number for each row, equal for equal pairs; different pairs seldom share one."""
        return pl.Series(self.in_list.view(np.uint64)) * SPREAD + self.items.hash()

    @property
    def repeats(self) -> bool:
        """Whether any pair stands in two rows."""
        if self.keys.n_unique() == len(self.items):
            return False
        pairs = pl.DataFrame({"list": self.in_list, "item": self.items})
        return bool(pairs.is_duplicated().any())

    def match(self, other: Pairs) -> tuple[Ints, Ints]:
        """Return the rows of this table and of the other that hold the same pair.

        Of shape (matches,) each, in the order of this table's rows.
        """
        pairs, others = (
            pl.DataFrame({"key": each.keys}).with_row_index(name)
            for each, name in ((self, "row"), (other, "match"))
        )
        joined = pairs.lazy().join(others.lazy(), on="key").drop("key")
        found = joined.collect(engine="streaming").sort("row")  # half the cost of an ordered join
        del pairs, others, joined  # their keys take 16 bytes a row
        rows, matches = found["row"].to_numpy(), found["match"].to_numpy()
        same = np.empty(rows.size, dtype=bool)
        for begin in range(0, rows.size, GATHERED):
            part = slice(begin, begin + GATHERED)
            own, its = rows[part], matches[part]
            same[part] = self.in_list[own] == other.in_list[its]
            same[part] &= (self.items.gather(own) == other.items.gather(its)).to_numpy()
        if not same.all():  # keys of different pairs that are equal
            rows, matches = rows[same], matches[same]
        return rows.astype(np.int64), matches.astype(np.int64)

    def find(self, other: Pairs) -> Ints:
        """Return the row of this table of each of the other's pairs, which differ here.

        It is -1 where there is none.
        """
        rows = np.full(other.in_list.size, -1, dtype=np.int64)
        matches, own = other.match(self)
        rows[matches] = own
        return rows


def number_lists(column: pl.Series, lists: Sequence[str] | pl.Series) -> Ints:
    """Return the number of each row's list among `lists`; -1 of another list."""
    if len(column[:SAMPLE].rle()) > min(SAMPLE, len(column)) // 2:
        return find_places(column, lists)
    runs = column.rle().struct.unnest()
    names = pl.Series(lists, dtype=pl.String)
    is_all = runs["value"].equals(names)  # each list once, in their order
    numbers = np.arange(len(names)) if is_all else find_places(runs["value"], names)
    return np.repeat(numbers, runs["len"].to_numpy())


def pairs_of(frame: pl.DataFrame, lists: Sequence[str] | pl.Series, role: str = "item") -> Pairs:
    """Return the lists and items of a table; the number of a list that is not in `lists` is -1."""
    return Pairs(number_lists(frame["list"], lists), frame[role])


def sorted_names(column: pl.Series, lists: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the names of a column of lists and those of `lists`, each once, sorted."""
    names = sort_ids(column)
    if lists:
        names = sort_ids(pl.concat([names, pl.Series(lists, dtype=pl.String)]))
    return tuple(names.to_list())


@dataclass(frozen=True, eq=False)
class GradedItems:
    """The grades of items, ready to be joined.

    Attributes:
        lists: The lists, in the order of their names.
        items: A row a judged item, ordered by list, then as an ideal: best grade first.
        in_list: The number of each row's list.
        grade: The grade of each row.
        row: The row of the truth's table that each is.
    """

    lists: tuple[str, ...]
    items: pl.Series
    in_list: Ints
    grade: Floats
    row: Rows

    @classmethod
    def of(cls, frame: pl.DataFrame, lists: Sequence[str] = ()) -> GradedItems:
        """Return the truth in a table of list, item and grade, and of lists that it leaves out.

        An item judged several times in a list (by subtopic) has its highest grade. Without a
        grade column every row has grade 1.
        """
        names = sorted_names(frame["list"], lists)
        in_list = number_lists(frame["list"], names)
        grade = frame["grade"] if "grade" in frame.columns else pl.lit(1.0)
        rows = frame.select("item", grade=grade, in_list=pl.Series(in_list)).with_row_index("row")
        if not _is_ideal(in_list, rows["grade"].to_numpy()):
            rows = rows.sort("in_list", "grade", descending=[False, True], maintain_order=True)
        if Pairs(rows["in_list"].to_numpy(), rows["item"]).repeats:
            rows = rows.unique(["in_list", "item"], keep="first", maintain_order=True)
        return cls(
            names,
            rows["item"],
            rows["in_list"].to_numpy(),
            rows["grade"].to_numpy(),
            rows["row"].to_numpy().astype(np.int32),
        )

    def __getstate__(self) -> dict[str, object]:
        """Without what can be worked out again."""
        return {f.name: getattr(self, f.name) for f in fields(type(self))}

    def subset(self, lists: Ints) -> GradedItems:
        """Return the truth of some lists alone; these are numbers of lists, ascending."""
        number = np.full(len(self.lists), -1)
        number[lists] = np.arange(lists.size)
        rows = np.flatnonzero(number[self.in_list] >= 0)
        return GradedItems(
            tuple(self.lists[n] for n in lists.tolist()),
            self.items.gather(rows),
            number[self.in_list[rows]],
            self.grade[rows],
            self.row[rows],
        )

    @cached_property
    def list_names(self) -> pl.Series:
        """The lists, to be joined."""
        return pl.Series(self.lists, dtype=pl.String)

    @cached_property
    def pairs(self) -> Pairs:
        """The list and the item of each row."""
        return Pairs(self.in_list, self.items)

    @cached_property
    def ideal(self) -> Hits:
        """The best possible hits of each list."""
        return ranked_hits(self.in_list, self.grade, len(self.lists))

    @cached_property
    def named(self) -> pl.Series:
        """Every item, in the order in which the truth's table names them."""
        return self.items.gather(np.argsort(self.row)).unique(maintain_order=True)

    def find(self, frame: pl.DataFrame, role: str = "item") -> Ints:
        """Return the row of the truth that each row of a table is of; -1 of an unjudged item."""
        return self.pairs.find(pairs_of(frame, self.list_names, role))


def _is_ideal(in_list: Ints, grade: Floats) -> bool:
    """Return whether rows are ordered by list, then best grade first."""
    same = in_list[1:] == in_list[:-1]
    in_order = np.where(same, grade[1:] <= grade[:-1], in_list[1:] > in_list[:-1])
    return bool(in_order.all())


def anti_join(table: Table, pairs: GradedItems) -> Table:
    """Return a table less the rows whose list and item are among these pairs."""
    return table.with_frame(table.frame.filter(pairs.find(table.frame) < 0))


def among_lists(frame: pl.DataFrame, lists: Sequence[str]) -> GradedItems:
    """Return the (list, item) pairs of a table in these lists, each once, to be looked up."""
    known = frame.filter(pl.col("list").is_in(pl.Series(lists, dtype=pl.String).implode()))
    return GradedItems.of(known.select("list", "item"), lists)


def answered_lists(frame: pl.DataFrame, lists: Sequence[str] | pl.Series) -> Mask:
    """Return whether the table has a row of each of these lists: shape (lists,)."""
    numbers = number_lists(frame["list"], lists)
    return np.bincount(numbers[numbers >= 0], minlength=len(lists)) > 0


@dataclass(frozen=True, eq=False)
class RankedRows:
    """The rows of a submission in numbered lists: list by list, best first.

    Equal ones are as they stand in the file. A *place* is an index into them.

    Attributes:
        pairs: The list and the item of each row of the submission's table, in its order.
        in_list: The list at each place.
        row: The row of the table at each place.
        starts: Where each list begins, and where the last one ends.
        tied: The places that have the key of the next one.
        slots: The rank at each place, where those left out are empty slots.
    """

    pairs: Pairs
    in_list: Ints
    row: Rows
    starts: Ints
    tied: Ints
    slots: Ints | None = None

    @classmethod
    def of(cls, table: Table, lists: Sequence[str] | pl.Series) -> RankedRows:
        """Return the rows of a table in these lists, without rows of other lists.

        The score ranks, else the rank, else the order of the rows.
        """
        frame = table.frame
        pairs = pairs_of(frame, lists)
        in_list = pairs.in_list
        row = np.arange(in_list.size, dtype=np.int32)
        role = next((role for role in ("score", "rank") if role in table), None)
        key = np.zeros(row.size) if role is None else frame[role].to_numpy()
        if in_list.min(initial=0) < 0:
            row = row[in_list >= 0]
            in_list, key = in_list[row], key[row]
        if role == "score":
            key = 0.0 - key
        tied = np.empty(0, dtype=np.int64)
        together = in_list[1:] == in_list[:-1]
        if (in_list[1:] < in_list[:-1]).any() or (together & (key[1:] < key[:-1])).any():
            by = _order(in_list, key)
            row, in_list, key = row[by], in_list[by], key[by]
            together = in_list[1:] == in_list[:-1]
        if role is not None:
            tied = np.flatnonzero(together & (key[1:] == key[:-1]))
        slots = None
        if table.facts.get(GAPS) and role == "rank" and not tied.size:
            # Other ranks are refused by a check, and no metric can do with them.
            slots = key.astype(np.int64) if ((key >= 1) & (key % 1 == 0)).all() else None
        sizes = np.bincount(in_list, minlength=len(lists))
        return cls(pairs, in_list, row, np.append(0, np.cumsum(sizes)), tied, slots)

    def match(self, truth: Pairs) -> tuple[Ints, Ints]:
        """Return the places, ascending, that hold a pair of the truth, and the rows of these."""
        rows, matches = self.pairs.match(truth)
        if (self.row[1:] > self.row[:-1]).all():  # the places are in the order of the rows
            filtered = self.row.size < len(self.pairs.items)
            return np.searchsorted(self.row, rows) if filtered else rows, matches
        place_of_row = np.empty(len(self.pairs.items), dtype=np.int64)
        place_of_row[self.row] = np.arange(self.row.size)
        places = place_of_row[rows]
        by = np.argsort(places)
        return places[by], matches[by]

    @cached_property
    def lengths(self) -> Ints:
        """How long each list is, with its empty slots."""
        sizes = np.diff(self.starts)
        if self.slots is not None:
            last = self.starts[1:][sizes > 0] - 1
            sizes[sizes > 0] = self.slots[last]
        return sizes

    def groups(self, places: Ints) -> tuple[Ints, Ints]:
        """Return the first place of the group of equal rows that each of some is in, and its size.

        Of shape (places,) each.
        """
        if not self.tied.size:
            return places, np.broadcast_to(np.int64(1), places.shape)
        first, size = places.copy(), np.ones_like(places)
        gaps = np.flatnonzero(np.diff(self.tied) > 1)
        begin = self.tied[np.append(0, gaps + 1)]  # the first place of each group, and the last
        end = self.tied[np.append(gaps, -1)] + 1
        group = np.searchsorted(begin, places, side="right") - 1
        inside = np.flatnonzero((group >= 0) & (places <= end[group]))
        first[inside] = begin[group[inside]]
        size[inside] = (end - begin)[group[inside]] + 1
        return first, size

    def settle(self, places: Ints, first: Ints, size: Ints, ties: Ties) -> Ints:
        """Return where rows stand once the rule for ties has ordered each group by its items.

        `first` and `size` are those of `groups`. Of shape (places,).
        """
        several = np.flatnonzero(size > 1) if ties != "file" else places[:0]
        if not several.size:
            return places
        begin, at = np.unique(first[several], return_index=True)
        sizes = size[several][at]
        offset = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        tied = np.repeat(begin, sizes) + offset
        group = pl.DataFrame(
            {
                "group": np.repeat(np.arange(begin.size), sizes),
                "item": self.pairs.items.gather(self.row[tied]),
            }
        )
        by = group.select(pl.arg_sort_by("group", "item", descending=[False, ties != "item-asc"]))
        new, settled = np.empty_like(tied), places.copy()
        new[by.to_series().to_numpy()] = tied
        settled[several] = new[np.searchsorted(tied, places[several])]
        return settled


def _order(in_list: Ints, key: Floats) -> Ints:
    """Return the rows by list, then by key, equal ones as they stand."""
    begin = np.append(0, np.flatnonzero(in_list[1:] != in_list[:-1]) + 1)
    if begin.size > in_list.size // FEW_RUNS:
        return _sort(in_list, key)
    # The rows of a list stand together, in most files best first: whole lists are moved.
    size = np.diff(begin, append=in_list.size)
    by = np.argsort(in_list[begin], kind="stable")
    begin, size = begin[by], size[by]
    rows = np.arange(in_list.size)
    rows += np.repeat(begin - (np.cumsum(size) - size), size)
    in_list, key = np.repeat(in_list[begin], size), key[rows]
    if ((in_list[1:] == in_list[:-1]) & (key[1:] < key[:-1])).any():
        rows = rows[_sort(in_list, key)]
    return rows


def _sort(in_list: Ints, key: Floats) -> Ints:
    """Return the rows by list, then by key, equal ones as they stand.

    The list, as much of the key as there is room for, and the row are sorted as one number, which
    takes a tenth of the time of a sort by several columns.
    """
    place = int(key.size).bit_length()
    bits = 64 - place - int(in_list.max(initial=0)).bit_length()
    packed = (key + 0.0).view(np.uint64)  # -0.0 is 0.0
    # As numbers are ordered: of negative ones all bits are turned, of the others the sign.
    turned = packed.view(np.int64) >> 63
    turned |= np.int64(-(1 << 63))
    packed = packed ^ turned.view(np.uint64)
    packed -= packed.min()
    packed >>= np.uint64(max(int(packed.max()).bit_length() - bits, 0))
    packed |= in_list.astype(np.uint64) << np.uint64(bits)
    packed <<= np.uint64(place)
    packed |= np.arange(key.size, dtype=np.uint64)
    packed.sort()
    order: Ints = (packed & np.uint64((1 << place) - 1)).astype(np.int64)
    packed >>= np.uint64(place)
    alike = np.flatnonzero(packed[1:] == packed[:-1])
    if (key[order[alike + 1]] < key[order[alike]]).any():  # keys that only begin alike
        rows = np.union1d(alike, alike + 1)
        inside = order[rows]
        order[rows] = inside[np.lexsort((inside, key[inside], packed[rows]))]
    return order


class OrderedRows(NamedTuple):
    """A submission's rows in lists of the truth, in the order of list, then rank."""

    row: Ints  # the row of the table
    in_list: Ints
    rank: Ints
    tie_start: Ints
    tied: Ints


def order(table: Table, lists: Sequence[str] | pl.Series, ties: Ties) -> OrderedRows:
    """Rank a submission's rows: by score, else by rank, else as they stand in the file.

    Rows of lists that are not among `lists` are left out. Equal scores are ordered by `ties`;
    `expected` (whose order no value depends on) as item-desc.
    """
    rows = RankedRows.of(table, lists)
    place = np.arange(rows.row.size)
    first, size = rows.groups(place)
    in_list = rows.in_list
    if rows.slots is not None:  # no two have one rank, so that nothing was settled
        row = rows.row.astype(np.int64)
        return OrderedRows(row, in_list, rows.slots, rows.slots - 1, size)
    by = np.empty_like(place)
    by[rows.settle(place, first, size, ties)] = place
    start = rows.starts[in_list]
    row = rows.row[by].astype(np.int64)
    return OrderedRows(row, in_list, place - start + 1, first - start, size)


def judge(
    table: Table, truth: GradedItems, ties: Ties = "item-desc", further: Further | None = None
) -> tuple[Judged, Mask]:
    """Join a submission with the truth: the view of it, and which lists it answers.

    `further` makes additional columns from the row in the table of each hit. Gives the view of all
    lists, and shape (lists,).
    """
    rows = RankedRows.of(table, truth.list_names)
    place, match = rows.match(truth.pairs)
    first, size = rows.groups(place)
    settled = rows.settle(place, first, size, ties)
    if settled is not place:
        by = np.argsort(settled)
        place, match, first, size, settled = (
            each[by] for each in (place, match, first, size, settled)
        )
    in_list = truth.in_list[match].astype(np.int64)
    start = rows.starts[in_list]
    rank, before = settled - start + 1, first - start
    if rows.slots is not None:  # no two have one rank, so that nothing was settled
        rank = rows.slots[place]
        before = rank - 1
    hits = Hits(
        in_list=in_list,
        rank=rank,
        grade=truth.grade[match],
        place=truth.ideal.place[match],
        tie_start=before,
        tied=size,
        lists=len(truth.lists),
        spread=ties == "expected",
        middle=ties == "mean-rank",
    )
    extras = NO_EXTRAS if further is None else further(rows.row[place].astype(np.int64))
    judged = Judged(hits, truth.ideal, rows.lengths, truth.lists, extras)
    return judged, rows.lengths > 0


def item_names(table: Table, truth: GradedItems, ties: Ties, at: int) -> Names:
    """Return the names of one list's items: the truth's in its order, the others by rank."""
    truth_names = tuple(truth.items.filter(truth.in_list == at))
    if "item" not in table:
        return Names(truth_names)
    ordered = order(table, truth.lists[at : at + 1], ties)
    returned_names = tuple(table.frame["item"].gather(ordered.row))
    last = int(ordered.rank.max(initial=0))
    if last > ordered.rank.size:  # with slots without an item
        name_at = dict(zip(ordered.rank.tolist(), returned_names, strict=True))
        slots = np.arange(1, last + 1)
        returned_names = tuple(name_at.get(rank, EMPTY) for rank in slots.tolist())
        return Names(truth_names, returned_names, slots - 1, np.ones_like(slots))
    return Names(truth_names, returned_names, ordered.tie_start, ordered.tied)


def candidate_items(candidates: Mapping[str, frozenset[str]], lists: Sequence[str]) -> GradedItems:
    """Return the items of each list, in the order of their names, without a grade."""
    part = ItemsByList.of(candidates).subset(lists)
    items, rows = part.names.gather(part.item), np.arange(part.item.size)
    return GradedItems(part.lists, items, part.in_list, np.full(rows.size, np.nan), rows)


def with_candidates(truth: GradedItems, candidates: Mapping[str, frozenset[str]]) -> GradedItems:
    """Return truth and candidate items of each list, in the order of their names.

    Unjudged items have grade NaN.
    """
    if not candidates:
        return truth
    both = [candidate_items(candidates, truth.lists), truth]
    frames = (pl.DataFrame({"in_list": each.in_list, "item": each.items}) for each in both)
    union = pl.concat(frames).unique().sort("in_list", "item")
    in_list, rows = union["in_list"].to_numpy(), np.arange(union.height)
    grade = np.full(union.height, np.nan)
    result = GradedItems(truth.lists, union["item"], in_list, grade, rows)
    grade[result.pairs.find(truth.pairs)] = truth.grade
    return result
