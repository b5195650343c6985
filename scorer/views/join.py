"""Where a submission meets the truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scorer.core.arrays import Floats, Ints, Mask, distinct, spread, starts
from scorer.tables.columns import CodedColumn, Codes, Hashes, PickedColumn, series_of
from scorer.tables.names import HeldNames, names_of, same_names
from scorer.tables.table import Table
from scorer.views.extras import NO_EXTRAS as NO_EXTRAS
from scorer.views.extras import Extras
from scorer.views.hits import Hits, Judged, Ties, ranked_hits
from scorer.views.members import Members
from scorer.views.names import Names
from scorer.views.ranked import ItemIndex, is_hashed, keys, ranked, spans

if TYPE_CHECKING:
    import polars as pl

Further = Callable[[Ints], Extras]  # of the table's row of each hit
EMPTY = "-"  # what a slot without an item is called
FEW_GRADES = 1 << 16  # whole ones, which are numbered by how far they are below the best


@dataclass(frozen=True, eq=False)
class GradedItems:
    """The grades of items, ready to be joined. Lists are in the order of their names."""

    lists: Sequence[str]
    ids: CodedColumn  # the item of each row
    in_list: Ints  # a row a judged item, ordered by list, then as an ideal: best grade first
    grade: Floats

    @property
    def named(self) -> Sequence[str] | pl.Series:
        """Every item that the truth names, by its code."""
        return self.ids.held

    @cached_property
    def item(self) -> Codes:
        """The code of each row's item."""
        return self.ids.codes

    @cached_property
    def items(self) -> Mapping[str, int]:
        """The code of every item."""
        return {name: code for code, name in enumerate(self.named)}

    @property
    def hashes(self) -> Hashes:
        """The polars hash of every item, by its code."""
        return self.ids.hashes

    @property
    def row_hashes(self) -> Hashes:
        """The polars hash of each row's item; codes need not be made for it."""
        return self.ids.row_hashes

    @cached_property
    def ideal(self) -> Hits:
        """The best possible hits of each list."""
        return ranked_hits(self.in_list, self.grade, len(self.lists))

    @cached_property
    def starts(self) -> Ints:
        """Where each list begins, and where the last one ends."""
        sizes = np.bincount(self.in_list, minlength=len(self.lists))
        return np.append(0, np.cumsum(sizes))

    def keys(self, items: CodedColumn) -> Hashes:
        """A key for each row of the truth, equal to that of `ranked.keys(items)` for equal ids."""
        if is_hashed(items):
            return self.row_hashes
        if not len(items.held):  # nothing equals any of them: codes need not be made
            return np.zeros(self.in_list.size, dtype=np.uint64)
        code = np.full(len(self.named) + 1, -1)  # that the other column has for each item
        codes = np.array([self.items.get(name, -1) for name in items.names], dtype=np.int64)
        code[codes] = np.arange(codes.size)
        code[-1] = -1
        return spread(code[self.item])

    @classmethod
    def of(cls, table: Table, lists: Sequence[str] = ()) -> GradedItems:
        """The truth of a table of list, item and grade, and of lists that it leaves out.

        An item judged several times in a list (by subtopic) has its highest
        grade. Without a grade column every row has grade 1.
        """
        named, item = table.ids["list"], table.ids["item"]
        names, in_list = numbered_lists(named, lists)
        grade, rows = table.numbers.get("grade"), None
        if grade is None:
            grade = np.broadcast_to(1.0, len(table))
        if not table.once:
            rows = _once(in_list, item, grade)
            in_list, grade = in_list[rows], grade[rows]
        same = in_list[1:] == in_list[:-1]
        if (in_list[1:] < in_list[:-1]).any() or (grade[1:] > grade[:-1])[same].any():
            by = _best_first(in_list, grade)
            in_list, grade, rows = in_list[by], grade[by], by if rows is None else rows[by]
        return cls(names, item if rows is None else PickedColumn(item, rows), in_list, grade)

    def __getstate__(self) -> dict[str, object]:
        """With codes instead of texts, which are more, and without what is worked out again."""
        ids = CodedColumn(self.ids.codes, self.ids.held)
        return {f.name: getattr(self, f.name) for f in fields(type(self))} | {"ids": ids}

    def find(self, in_list: Ints, item: Ints) -> Ints:
        """The truth's row of each (list, item); -1 where there is none."""
        keys = self.in_list * max(len(self.named), 1) + self.item
        order = np.argsort(keys)
        queries = np.where(item < 0, -1, in_list * max(len(self.named), 1) + item)
        if not keys.size:
            return np.full(queries.shape, -1, dtype=np.int64)
        at = np.minimum(np.searchsorted(keys, queries, sorter=order), keys.size - 1)
        rows: Ints = np.where(keys[order[at]] == queries, order[at], -1)
        return rows

    def rows(self, lists: CodedColumn, items: CodedColumn) -> Ints:
        """The truth's row of each row of another table, given its ids; -1 where there is none."""
        in_list = _places(lists, self.lists)
        inside = np.flatnonzero(in_list >= 0)
        index = ItemIndex.of(self.keys(items), np.diff(self.starts))
        matched, row = index.find(in_list[inside], keys(items)[inside])
        rows = np.full(in_list.size, -1, dtype=np.int64)
        rows[inside[matched]] = row
        return rows


def among_lists(table: Table, lists: Sequence[str]) -> GradedItems:
    """The (list, item) pairs of a table in these lists, to be looked up."""
    in_list = _places(table.ids["list"], lists)
    inside = np.flatnonzero(in_list >= 0)
    by = inside[np.argsort(in_list[inside], kind="stable")]
    item = table.ids["item"]
    zeros = np.zeros(by.size)
    return GradedItems(tuple(lists), PickedColumn(item, by), in_list[by], zeros)


def without(table: Table, pairs: GradedItems) -> tuple[Table, Ints | None]:
    """A table less the rows whose list and item are among these pairs.

    Gives the table, and which rows it has; None for all.
    """
    rows = np.flatnonzero(pairs.rows(table.ids["list"], table.ids["item"]) < 0)
    if rows.size == len(table):
        return table, None
    return table.where(rows), rows


def present(table: Table, lists: Sequence[str]) -> Mask:
    """Whether the table has a row of each of these lists."""
    answered = np.zeros(len(lists), dtype=bool)
    places = _places(table.ids["list"], lists)
    answered[places[places >= 0]] = True
    return answered


class OrderedRows(NamedTuple):
    """A submission's rows in lists of the truth, in the order of list, then rank."""

    row: Ints  # the row of the table
    in_list: Ints
    rank: Ints
    before: Ints
    tied: Ints


def order(table: Table, lists: Sequence[str], ties: Ties) -> OrderedRows:
    """Rank a submission's rows: by score, else by rank, else as they stand in the file.

    Rows of lists that are not among `lists` are left out. Equal scores are
    ordered by `ties`; `expected` (whose order no value depends on) as item-desc.
    """
    rows = ranked(table)
    runs, number = _runs(table, lists)
    sizes = rows.sizes[runs]
    place = spans(rows.starts[runs], sizes)
    first, size = rows.groups(place)
    settled = rows.settled(place, first, size, ties)
    by = np.empty_like(place)
    start = np.repeat(rows.starts[runs], sizes)
    by[np.arange(place.size) + settled - place] = np.arange(place.size)
    if rows.gapped:  # no two have one rank, so that nothing was settled
        rank = rows.slots(place)
        return OrderedRows(rows.at(place), np.repeat(number, sizes), rank, rank - 1, size)
    rank = place - start + 1
    return OrderedRows(
        rows.at(place)[by], np.repeat(number, sizes), rank, first - start, size
    )  # fmt: skip


def _runs(table: Table, lists: Sequence[str]) -> tuple[Ints, Ints]:
    """The runs of these lists, in the order of the lists, and the number of each one's list."""
    number = _numbers(table.ids["list"], lists)[ranked(table).lists]
    runs = np.flatnonzero(number >= 0)
    runs = runs[np.argsort(number[runs], kind="stable")]
    return runs, number[runs]


def judge(
    table: Table, truth: GradedItems, ties: Ties = "item-desc", further: Further | None = None
) -> tuple[Judged, Mask]:
    """Join a submission with the truth: the view of it, and which lists it answers.

    `further` makes additional columns from the row in the table of each hit. Gives the view of all
    lists, and shape (lists,).
    """
    rows, items = ranked(table), table.ids["item"]
    number = _numbers(table.ids["list"], truth.lists)[rows.lists]
    here = number >= 0
    returned = np.zeros(len(truth.lists), dtype=np.int64)
    returned[number[here]] = rows.lengths[here]
    runs = np.full(len(truth.lists), -1)
    runs[number[here]] = np.flatnonzero(here)
    run = np.repeat(runs, np.diff(truth.starts))
    row, place = rows.items.find(run, truth.keys(items))  # of the truth, and among the ranked
    first, size = rows.groups(place)
    settled = rows.settled(place, first, size, ties)
    start = rows.starts[run[row]]
    if rows.gapped:  # no two have one rank, so that nothing was settled
        start, first = place - rows.slots(place) + 1, place
    rank, in_list = settled - start + 1, truth.in_list[row]
    by = _sorting_order(in_list * (int(rank.max(initial=0)) + 1) + rank)
    row = row[by]
    hits = Hits(
        in_list[by], rank[by], truth.grade[row], truth.ideal.place[row],
        (first - start)[by], size[by], len(truth.lists),
        spread=ties == "expected",
        middle=ties == "mean-rank",
    )  # fmt: skip
    extras = NO_EXTRAS if further is None else further(rows.at(place)[by])
    return Judged(hits, truth.ideal, returned, truth.lists, extras), returned > 0


def named(table: Table, truth: GradedItems, ties: Ties, at: int) -> Names:
    """The names of one list's items: the truth's in its order, the others by rank."""
    names = tuple(truth.named)
    truth_names = tuple(names[item] for item in truth.item[truth.in_list == at].tolist())
    if "item" not in table.ids:
        return Names(truth_names)
    ordered = order(table, truth.lists[at : at + 1], ties)
    returned_names = tuple(table.ids["item"].text(row) for row in ordered.row.tolist())
    last = int(ordered.rank.max(initial=0))
    if last > ordered.rank.size:  # with slots without an item
        name_at = dict(zip(ordered.rank.tolist(), returned_names, strict=True))
        slots = np.arange(1, last + 1)
        returned_names = tuple(name_at.get(rank, EMPTY) for rank in slots.tolist())
        return Names(truth_names, returned_names, slots - 1, np.ones_like(slots))
    return Names(truth_names, returned_names, ordered.before, ordered.tied)


def members(candidates: Mapping[str, frozenset[str]], lists: Sequence[str]) -> GradedItems:
    """The items of each list, in the order of their names, without a grade."""
    part = Members.of(candidates).only(lists)
    in_list = np.repeat(np.arange(len(lists)), np.diff(part.starts))
    ids = CodedColumn(part.item, part.named)
    return GradedItems(tuple(lists), ids, in_list, np.full(part.item.size, np.nan))


def graded(truth: GradedItems, candidates: Mapping[str, frozenset[str]]) -> GradedItems:
    """Truth and candidate items of each list; unjudged items have grade NaN."""
    if not candidates:
        return truth
    part = Members.of(candidates).only(truth.lists)
    named = sorted({*part.named, *truth.named})
    place = {name: n for n, name in enumerate(named)}
    candidate_codes, judged_codes = (
        np.array([place[name] for name in names], dtype=np.int64)
        for names in (part.named, truth.named)
    )
    in_list = np.repeat(np.arange(len(truth.lists)), np.diff(part.starts))
    pairs = distinct(
        np.append(
            in_list * len(named) + candidate_codes[part.item],
            truth.in_list * len(named) + judged_codes[truth.item],
        )
    )
    grade = np.full(pairs.size, np.nan)
    ids = CodedColumn(pairs % len(named), named)
    union = GradedItems(truth.lists, ids, pairs // len(named), grade)
    grade[union.find(truth.in_list, judged_codes[truth.item])] = truth.grade
    return union


def numbered_lists(ids: CodedColumn, lists: Sequence[str]) -> tuple[Sequence[str], Ints]:
    """The names of a column of lists and those of `lists`, sorted; and which each row is."""
    held, place = ids.in_order  # by polars, where it has them: of a million names much sooner
    own = names_of(held)
    if same_names(own, lists):
        return own, place[ids.codes]
    if isinstance(own, HeldNames):
        union = own.series.clone().append(series_of(lists)).unique().sort()
        at = union.search_sorted(own.series).to_numpy().astype(np.int64)
        return HeldNames(union), at[place][ids.codes]
    names = tuple(sorted({*own, *lists}))
    return names, _places(ids, names)


def _best_first(in_list: Ints, grade: Floats) -> Ints:
    """The rows by list, then the best grade first, equal ones as they stand."""
    runs = np.flatnonzero(starts(in_list))
    heads = in_list[runs]
    by = np.argsort(heads, kind="stable")
    inside = in_list[1:] == in_list[:-1]
    if (np.diff(heads[by]) > 0).all() and not (grade[1:] > grade[:-1])[inside].any():
        return spans(runs[by], np.diff(runs, append=in_list.size)[by])  # lists stand together
    kind: Floats | Ints = grade.max() - grade
    if kind.max() >= FEW_GRADES or (np.floor(grade) != grade).any():
        kind = np.unique(-grade, return_inverse=True)[1]
    rows, kinds = (np.uint64(count.bit_length()) for count in (grade.size, int(kind.max())))
    if int(in_list.max()).bit_length() + rows + kinds > 64:
        return np.lexsort((-grade, in_list))
    key = in_list.astype(np.uint64)  # together with its row a key sorts much sooner than by rows
    key <<= kinds
    key |= kind.astype(np.uint64)
    key <<= rows
    key |= np.arange(grade.size, dtype=np.uint64)
    key.sort()
    key &= np.uint64((1 << int(rows)) - 1)
    return key.view(np.int64)


def _once(in_list: Ints, item: CodedColumn, grade: Floats) -> Ints:
    """Row indices in file order; of duplicate (list, item) pairs the one of the highest grade."""
    order = np.lexsort((-grade, item.codes, in_list))  # the best first, else as in the file
    return np.sort(order[starts(in_list[order], item.codes[order])])


def _numbers(ids: CodedColumn, names: Sequence[str]) -> Ints:
    """The place of each distinct id in `names`; -1 where it is not there."""
    if ids.held is names:
        return np.arange(len(names))
    index = {name: n for n, name in enumerate(names)}
    return np.array([index.get(name, -1) for name in ids.names], dtype=np.int64)


def _places(ids: CodedColumn, names: Sequence[str]) -> Ints:
    """Where each row's id stands in `names`; -1 where it is not there."""
    places: Ints = _numbers(ids, names)[ids.codes]
    return places if ids.codes.size else np.empty(0, dtype=np.int64)


def _sorting_order(keys: Ints) -> Ints:
    """The stable `np.argsort` of numbers from 0, in less time: they are sorted with their places.

    >>> _sorting_order(np.array([7, 3, 7, 0])).tolist()
    [3, 1, 0, 2]
    """
    bits = keys.size.bit_length()
    if int(keys.max(initial=0)).bit_length() + bits > 63:
        return np.argsort(keys, kind="stable")
    packed: Ints = keys.astype(np.int64) << bits
    packed |= np.arange(keys.size)
    packed.sort()
    packed &= (1 << bits) - 1
    return packed
