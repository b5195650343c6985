"""The join of a submission with the truth, by list and item, and the ranks of its rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from scorer.core.arrays import Floats, Ints, Mask, order_runs, sort_by_list, starts
from scorer.core.matching import RowIndex
from scorer.reading.table import Table, find_indices, sort_ids
from scorer.views.columns import NO_EXTRAS, Extras
from scorer.views.items import ItemsByList
from scorer.views.ranked import Hits, Judged, Names, Ties, ranked_hits

Rows = NDArray[np.int32 | np.int64]  # numbers of rows or lists; 64 bits take 80 MB of 10 million
SAMPLE = 1_000  # how many rows are looked at to tell whether a list's rows follow each other


@dataclass(slots=True, eq=False)
class Pairs:
    """The (list, item) pair of each row of a table."""

    in_list: Rows  # the number of the list; -1 for a list that does not count
    items: pl.Series
    index: RowIndex  # of the texts of lists and items

    @property
    def columns(self) -> tuple[pl.Series, pl.Series]:
        """The numbers of the lists, and the items."""
        return pl.Series(self.in_list), self.items

    def match(self, other: Pairs) -> tuple[Ints, Ints]:
        """Return the rows of this table and the rows of the other that have the same pair.

        Two arrays of shape (matches,), in the order of this table's rows. No two rows of the other
        table may have the same pair.
        """
        return self.index.match(self.columns, other.index, other.columns)

    def find(self, other: Pairs) -> Ints:
        """Return, for each row of the other table, the row of this one with its pair; else -1.

        No two rows of this table may have the same pair.
        """
        rows = np.full(other.in_list.size, -1, dtype=np.int64)
        matches, own = other.match(self)
        rows[matches] = own
        return rows


def list_runs(column: pl.Series, lists: Sequence[str] | pl.Series) -> tuple[Ints, Ints]:
    """Return the runs of rows of one list: its index in `lists`, and the number of rows.

    The index is -1 for a list that is not in `lists`. Such lists may share a run.
    """
    if len(column[:SAMPLE].rle()) > min(SAMPLE, len(column)) // 2:  # few rows follow each other
        numbers = find_indices(column, lists)
        begin = np.flatnonzero(starts(numbers))
        return numbers[begin], np.diff(begin, append=numbers.size)
    runs = column.rle().struct.unnest()  # one lookup for successive rows of one list
    return find_indices(runs["value"], lists), runs["len"].to_numpy().astype(np.int64)


def number_lists(column: pl.Series, lists: Sequence[str] | pl.Series) -> Ints:
    """Return the index of each row's list in `lists`; -1 for a list that is not there."""
    return np.repeat(*list_runs(column, lists))


def pairs_of(frame: pl.DataFrame, lists: Sequence[str] | pl.Series, role: str = "item") -> Pairs:
    """Return the pairs of a table, in which a list that is not in `lists` has the number -1."""
    numbers, sizes = list_runs(frame["list"], lists)
    in_list = np.repeat(numbers.astype(np.int32), sizes)
    return Pairs(in_list, frame[role], RowIndex.of([frame["list"], frame[role]]))


def sort_lists(column: pl.Series, lists: Sequence[str]) -> tuple[tuple[str, ...], Ints]:
    """Return the names of `sorted_names`, and the index of each row's list there."""
    public = pl.Series(lists, dtype=pl.String)
    if public.is_sorted():  # in most challenges, and they are all lists of the column
        in_list = number_lists(column, public)
        if in_list.min(initial=0) >= 0:
            return tuple(lists), in_list
    names = sorted_names(column, lists)
    return names, number_lists(column, names)


def sorted_names(column: pl.Series, lists: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the lists of a column and of `lists`, each once, sorted."""
    names = sort_ids(column)
    if lists:
        names = sort_ids(pl.concat([names, pl.Series(lists, dtype=pl.String)]))
    return tuple(names.to_list())


@dataclass(eq=False)
class GradedItems:
    """The judged items of the truth, one a row, ordered by list, then best grade first.

    Attributes:
        lists: The names of the lists, sorted.
        items: The item of each row.
        in_list: The number of each row's list.
        grade: The grade of each row.
        row: The index of each row in the truth's table.
    """

    lists: tuple[str, ...]
    items: pl.Series
    in_list: Ints
    grade: Floats
    row: Rows

    @classmethod
    def of(cls, frame: pl.DataFrame, lists: Sequence[str] = ()) -> GradedItems:
        """Return the judged items of a table; `lists` adds lists that may have no row there.

        An item judged several times in a list (by subtopic) has its highest grade. Without a
        grade column every row has grade 1.
        """
        names, in_list = sort_lists(frame["list"], lists)
        items, row = frame["item"], np.arange(frame.height, dtype=np.int32)
        grade = frame["grade"].to_numpy() if "grade" in frame.columns else np.ones(frame.height)
        if not _is_best_first(in_list, grade):
            row = sort_by_list(in_list, -grade).astype(np.int32)
            items, in_list, grade = items.gather(row), in_list[row], grade[row]
        found = cls(names, items, in_list, grade, row)
        repeats, _ = found.pairs.index.find_repeats(found.pairs.columns)
        if not repeats.size:
            return found
        kept = np.delete(np.arange(row.size), repeats)
        return cls(names, items.gather(kept), in_list[kept], grade[kept], row[kept])

    def __getstate__(self) -> dict[str, object]:
        """Return only the fields for a pickle; cached properties are made again when needed."""
        return {f.name: getattr(self, f.name) for f in fields(type(self))}

    def subset(self, lists: Ints) -> GradedItems:
        """Return the truth of the lists with these numbers, which are ascending."""
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
        """The names of the lists, as a column."""
        return pl.Series(self.lists, dtype=pl.String)

    @cached_property
    def pairs(self) -> Pairs:
        """The (list, item) pair of each row."""
        lists = self.list_names.gather(self.in_list)
        return Pairs(self.in_list, self.items, RowIndex.of([lists, self.items]))

    @cached_property
    def ideal(self) -> Hits:
        """Each list's judged items as hits, as if returned in the best order."""
        return ranked_hits(self.in_list, self.grade, len(self.lists))

    @cached_property
    def named(self) -> pl.Series:
        """Every item once, in the order of the truth's table."""
        return self.items.gather(np.argsort(self.row)).unique(maintain_order=True)

    def find(self, frame: pl.DataFrame, role: str = "item") -> Ints:
        """Return, for each row of a table, the row here with its list and item; -1 if unjudged."""
        return self.pairs.find(pairs_of(frame, self.list_names, role))


def _is_best_first(in_list: Ints, grade: Floats) -> bool:
    """Return whether rows are ordered by list, then best grade first."""
    same = in_list[1:] == in_list[:-1]
    in_order = np.where(same, grade[1:] <= grade[:-1], in_list[1:] > in_list[:-1])
    return bool(in_order.all())


def anti_join(table: Table, excluded: GradedItems) -> Table:
    """Return a table without the rows whose list and item are excluded."""
    return table.with_frame(table.frame.filter(excluded.find(table.frame) < 0))


def among_lists(frame: pl.DataFrame, lists: Sequence[str]) -> GradedItems:
    """Return the rows of a table in these lists as `GradedItems`, for `find` and `anti_join`."""
    known = frame.filter(pl.col("list").is_in(pl.Series(lists, dtype=pl.String).implode()))
    return GradedItems.of(known.select("list", "item"), lists)


def answered_lists(frame: pl.DataFrame, lists: Sequence[str] | pl.Series) -> Mask:
    """Return, for each of these lists, whether the table has a row of it: shape (lists,)."""
    numbers = number_lists(frame["list"], lists)
    return np.bincount(numbers[numbers >= 0], minlength=len(lists)) > 0


@dataclass(eq=False)
class RankedRows:
    """The rows of a submission's table in an order in which the rows of each list are together.

    The rows of a list are best first, ties in file order; the lists are in any order. An *index*
    counts in this order, a *row* in the order of the table.

    Attributes:
        pairs: The (list, item) pair of each row.
        in_list: The number of the list at each index; -1 for a list that does not count.
        order: The row at each index; None if each index is its row, as in most files.
        begin: The first index of each list: shape (lists,).
        sizes: The number of rows of each list: shape (lists,).
        tied: The indices whose score or rank equals the next one's in the same list.
    """

    pairs: Pairs
    in_list: Rows
    order: Rows | None
    begin: Ints
    sizes: Ints
    tied: Ints

    @classmethod
    def of(cls, table: Table, lists: Sequence[str] | pl.Series) -> RankedRows:
        """Return the rows of a table; only rows in these lists count.

        A list is sorted by score, else by rank, else it keeps the file's order.
        """
        numbers, run_sizes = list_runs(table.frame["list"], lists)
        in_list: Rows = np.repeat(numbers.astype(np.int32), run_sizes)
        pairs, order = Pairs(in_list, table.frame["item"], table.pair_index), None
        role = next((role for role in ("score", "rank") if role in table), None)
        key = np.zeros(in_list.size) if role is None else table.numbers(role)
        is_known = numbers >= 0
        numbers, begin_of_run = numbers[is_known], (np.cumsum(run_sizes) - run_sizes)[is_known]
        sizes = np.bincount(numbers, run_sizes[is_known], len(lists)).astype(np.int64)
        begin = np.zeros(len(lists), dtype=np.int64)
        begin[numbers] = begin_of_run
        is_better = key[1:] > key[:-1] if role == "score" else key[1:] < key[:-1]
        is_split = np.bincount(numbers).max(initial=0) > 1  # rows of a list are not together
        if is_split or (is_better & _continues(in_list)).any():
            order = np.flatnonzero(in_list >= 0)
            in_list, key = in_list[order], key[order]
            sorting = sort_by_list(in_list, 0.0 - key if role == "score" else key)
            order, in_list, key = order[sorting].astype(np.int32), in_list[sorting], key[sorting]
            begin = np.cumsum(sizes) - sizes
        tied = np.empty(0, dtype=np.int64)
        if role is not None:
            tied = np.flatnonzero(_continues(in_list) & (key[1:] == key[:-1]))
        return cls(pairs, in_list, order, begin, sizes, tied)

    def rows_at(self, indices: Ints) -> Ints:
        """Return the rows at some indices."""
        return indices if self.order is None else self.order[indices].astype(np.int64)

    def match(self, truth: Pairs) -> tuple[Ints, Ints]:
        """Return the indices, ascending, whose pair the truth has, and the truth's row of each."""
        rows, matches = self.pairs.match(truth)
        if self.order is None:
            return rows, matches
        index_of_row = np.empty(len(self.pairs.items), dtype=np.int64)
        index_of_row[self.order] = np.arange(self.order.size)
        indices = index_of_row[rows]
        sorting = np.argsort(indices)
        return indices[sorting], matches[sorting]

    def tie_groups(self, indices: Ints) -> tuple[Ints, Ints]:
        """Return, for each of some indices, the first index of its tie group, and the group's size.

        An untied row is a group of its own.
        """
        if not self.tied.size:
            return indices, np.broadcast_to(np.int64(1), indices.shape)
        first, size = indices.copy(), np.ones_like(indices)
        gaps = np.flatnonzero(np.diff(self.tied) > 1)
        begin = self.tied[np.append(0, gaps + 1)]  # the first index of each group
        last = self.tied[np.append(gaps, -1)] + 1
        group = np.searchsorted(begin, indices, side="right") - 1
        inside = np.flatnonzero((group >= 0) & (indices <= last[group]))
        first[inside] = begin[group[inside]]
        size[inside] = (last - begin)[group[inside]] + 1
        return first, size

    def break_ties(self, indices: Ints, first: Ints, size: Ints, ties: Ties) -> Ints:
        """Return the index of each row once every tie group is in the order of `ties`.

        `first` and `size` are from `tie_groups`. Without ties, it is `indices` itself.
        """
        several = np.flatnonzero(size > 1) if ties != "file" else indices[:0]
        if not several.size:
            return indices
        begin, position = np.unique(first[several], return_index=True)
        sizes = size[several][position]
        offset = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        tied = np.repeat(begin, sizes) + offset  # all indices of these groups
        groups = pl.DataFrame(
            {
                "group": np.repeat(np.arange(begin.size), sizes),
                "item": self.pairs.items.gather(self.rows_at(tied)),
            }
        )
        # `expected` and `mean-rank` define no order; that of `item-desc` is taken.
        descending = [False, ties != "item-asc"]
        sorting = groups.select(pl.arg_sort_by("group", "item", descending=descending)).to_series()
        # Row sorting[n] of `groups` is the nth in the new order, so it moves to the index tied[n].
        new_of_tied = np.empty_like(tied)
        new_of_tied[sorting.to_numpy()] = tied
        new_indices = indices.copy()
        new_indices[several] = new_of_tied[np.searchsorted(tied, indices[several])]
        return new_indices


def _continues(in_list: Rows) -> Mask:
    """Return, for each row but the first, whether the row before is in its list, which counts."""
    is_same: Mask = in_list[1:] == in_list[:-1]
    is_same &= in_list[1:] >= 0
    return is_same


class OrderedRows(NamedTuple):
    """A submission's rows in lists of the truth, by list, then by rank; fields as in `Hits`."""

    row: Ints  # the index in the table
    in_list: Ints
    rank: Ints
    tie_start: Ints
    tied: Ints  # the size of the tie group; not indices, as `RankedRows.tied` is


def rank_rows(table: Table, lists: Sequence[str] | pl.Series, ties: Ties) -> OrderedRows:
    """Rank a submission's rows: by score, else by rank, else in the order of the file.

    Rows of lists that are not among `lists` are left out. Equal scores are ordered as `ties`
    says. `expected` and `mean-rank` define no order; then `item-desc` decides.
    """
    rows = RankedRows.of(table, lists)
    index = order_runs(rows.in_list)
    first, size = rows.tie_groups(index)
    in_list = rows.in_list[index].astype(np.int64)
    old_index = np.empty(rows.in_list.size, dtype=np.int64)  # by the new one
    old_index[rows.break_ties(index, first, size, ties)] = index
    start = rows.begin[in_list]
    row = rows.rows_at(old_index[index])
    return OrderedRows(row, in_list, index - start + 1, first - start, size)


def judge(
    table: Table,
    truth: GradedItems,
    ties: Ties = "item-desc",
    extras_of: Callable[[Ints], Extras] | None = None,
) -> tuple[Judged, Mask]:
    """Join a submission with the truth.

    Args:
        table: The submission.
        truth: The truth.
        ties: How items of equal score are ordered.
        extras_of: Returns the further columns of hits from their rows in `table`.

    Returns:
        The view of the submission, and whether it answers each list, (lists,).
    """
    rows = RankedRows.of(table, truth.list_names)
    index, match = rows.match(truth.pairs)
    first, size = rows.tie_groups(index)
    new_index = rows.break_ties(index, first, size, ties)
    if new_index is not index:
        order = np.argsort(new_index)
        index, match, first, size, new_index = (
            column[order] for column in (index, match, first, size, new_index)
        )
    in_list = truth.in_list[match].astype(np.int64)
    if (in_list[1:] < in_list[:-1]).any():
        order = order_runs(in_list)
        index, match, first, size, new_index = (
            column[order] for column in (index, match, first, size, new_index)
        )
        in_list = in_list[order]
    start = rows.begin[in_list]
    hits = Hits(
        in_list=in_list,
        rank=new_index - start + 1,
        grade=truth.grade[match],
        place=truth.ideal.place[match],
        tie_start=first - start,
        tied=size,
        lists=len(truth.lists),
        spread=ties == "expected",
        middle=ties == "mean-rank",
    )
    extras = NO_EXTRAS if extras_of is None else extras_of(rows.rows_at(index))
    judged = Judged(hits, truth.ideal, rows.sizes, truth.lists, extras)
    return judged, rows.sizes > 0


def item_names(table: Table, truth: GradedItems, ties: Ties, at: int) -> Names:
    """Return the names of the items of list number `at`: the truth's, and the returned ones."""
    truth_names = tuple(truth.items.filter(truth.in_list == at))
    if "item" not in table:
        return Names(truth_names)
    ordered = rank_rows(table, truth.lists[at : at + 1], ties)
    returned_names = tuple(table.frame["item"].gather(ordered.row))
    return Names(truth_names, returned_names, ordered.tie_start, ordered.tied)


def candidate_items(candidates: Mapping[str, frozenset[str]], lists: Sequence[str]) -> GradedItems:
    """Return the candidates of each list, sorted by item, with grade NaN."""
    part = ItemsByList.of(candidates).subset(lists)
    items, rows = part.names.gather(part.item), np.arange(part.item.size)
    return GradedItems(part.lists, items, part.in_list, np.full(rows.size, np.nan), rows)


def with_candidates(truth: GradedItems, candidates: Mapping[str, frozenset[str]]) -> GradedItems:
    """Return the judged items and the candidates of each list.

    They are ordered by list, then by item, not by grade. Unjudged items have grade NaN. If no list
    has candidates, the truth comes back as it is, best grade first.
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
