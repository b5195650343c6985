"""Ranked lists whose items are judged for each subtopic of the list's query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from scorer.core.arrays import Floats, Ints, Mask, ends, starts, sum_by_list
from scorer.reading.table import encode
from scorer.views.columns import View
from scorer.views.join import GradedItems
from scorer.views.ranked import Judged


@dataclass(slots=True, eq=False)
class Facets:
    """Pairs of an item and a subtopic it is relevant to, by list and rank; arrays of (pairs,)."""

    in_list: Ints
    rank: Ints  # of the item
    key: Ints  # a number of the list and subtopic
    item: Ints  # the item's index in `Judged.ideal`
    lists: int  # the number of lists

    def where(self, rows: Mask | Ints) -> Facets:
        """Return the pairs where a mask holds, or those at some indices, in their order."""
        return Facets(
            self.in_list[rows], self.rank[rows], self.key[rows], self.item[rows], self.lists
        )

    def top(self, k: int | None) -> Facets:
        """Return the pairs at ranks 1 to k; all without a k."""
        return self if k is None else self.where(self.rank <= k)

    def repeats_above(self) -> Ints:
        """Return, for each pair, how many items above it in its list have the same subtopic."""
        by = np.argsort(self.key, kind="stable")  # keeps the order of ranks
        keys = self.key[by]
        first = np.searchsorted(keys, keys)
        count = np.empty_like(by)
        count[by] = np.arange(by.size) - first
        return count

    def total(self, weight: ArrayLike = 1.0) -> Floats:
        """Return the sum of `weight` over the pairs of each list: shape (lists,); 0 without pairs.

        `weight` is one for each pair, or one for all. They are added in the order of the pairs.
        """
        return sum_by_list(self.in_list, weight, self.lists)

    def gain(self, alpha: float) -> Floats:
        """Return each pair's gain: (1 - alpha)^c with c items above that have the same subtopic."""
        gains: Floats = (1 - alpha) ** self.repeats_above().astype(np.float64)
        return gains


class Subtopics(NamedTuple):
    """The subtopics that each item of a truth was judged for."""

    counts: Ints  # how many each item was judged for
    subtopic: Ints  # their codes, item after item
    grade: Floats  # the grade for each of them
    name_order: Ints  # the place of each item's name in sorted order

    @classmethod
    def of(cls, frame: pl.DataFrame, truth: GradedItems) -> Subtopics:
        """Return the subtopics in the truth's table; without the column all rows have the same."""
        row = truth.find(frame)
        codes = encode(frame["subtopic"])[1] if "subtopic" in frame else np.zeros_like(row)
        grade = frame["grade"].to_numpy() if "grade" in frame else np.ones(row.size)
        by = np.lexsort((-grade, codes, row))  # of a repeated pair, the highest grade comes first
        by = by[starts(row[by], codes[by])]
        by = by[row[by] >= 0]  # -1: a pair that the challenge excludes
        counts = np.bincount(row[by], minlength=truth.in_list.size)
        name_order = truth.items.rank("dense").to_numpy().astype(np.int64) - 1
        return cls(counts, codes[by].astype(np.int64), grade[by], name_order)


@dataclass(slots=True, eq=False)
class Diverse(View):
    """The hits of every list, and the grades of judged items for each subtopic."""

    kinds: ClassVar[frozenset[str]] = frozenset({"grades"})
    in_order: ClassVar[bool] = True
    has_judgements: ClassVar[bool] = True

    judged: Judged
    by_item: Subtopics  # of each item of `judged.ideal`

    @property
    def names(self) -> Sequence[str]:  # type: ignore[override]
        """The names of the lists."""
        return self.judged.names

    def only_judged(self) -> Diverse:
        """Return the lists without unjudged items (no grade, or below 0); ranks close up."""
        keep = self.judged.ideal.grade >= 0
        counts, subtopic, grade, name_order = self.by_item
        rows = np.repeat(keep, counts)
        by_item = Subtopics(counts[keep], subtopic[rows], grade[rows], name_order[keep])
        return Diverse(self.judged.only_judged(), by_item)

    def hit_facets(self, rel: float) -> Facets:
        """Return the relevant subtopics of the hits, by the hits' ranks."""
        # `item` is the index of each hit in the ideal.
        hits, item = self.judged.hits, self.judged.of_hits(np.arange(self.by_item.counts.size))
        return self._facets(item, hits.in_list, hits.rank, rel)

    def judged_facets(self, rel: float) -> Facets:
        """Return the relevant subtopics of all judged items, by their places in the ideal."""
        ideal = self.judged.ideal
        return self._facets(np.arange(ideal.rank.size), ideal.in_list, ideal.nth(), rel)

    def subtopics(self, rel: float) -> Floats:
        """Return how many subtopics of each list have a relevant item."""
        facets = self.judged_facets(rel)
        return facets.where(facets.repeats_above() == 0).total()

    def best_order(self, rel: float, alpha: float, k: int | None) -> Facets:
        """Return the relevant subtopics of the judged items in their best order, down to rank k.

        To find the best order is NP-hard. As ndeval does, this takes at each rank the item with the
        highest gain; of equal ones the last by name. `rel` is the lowest grade of a relevant item,
        `alpha` is as in `alpha_nDCG`, and `k` is the last rank that is filled, None for all.
        """
        facets = self.judged_facets(rel)
        name_order, in_list = self.by_item.name_order, self.judged.ideal.in_list
        rank = np.zeros(name_order.size, dtype=np.int64)
        # `code` numbers, for each pair, its list and subtopic from 0, without gaps.
        distinct, code = np.unique(facets.key, return_inverse=True)
        next_gain = np.ones(distinct.size)  # by code: what the next item with the subtopic gains
        remaining = np.flatnonzero(np.bincount(facets.item, minlength=rank.size))  # items
        step = 0
        while remaining.size and (k is None or step < k):
            step += 1
            gain = np.bincount(facets.item, next_gain[code], minlength=rank.size)[remaining]
            by = remaining[np.lexsort((name_order[remaining], gain, in_list[remaining]))]
            chosen = by[ends(in_list[by])]  # the last of each list, which has its highest gain
            rank[chosen] = step
            is_chosen = np.zeros(rank.size, dtype=bool)
            is_chosen[chosen] = True
            next_gain[code[is_chosen[facets.item]]] *= 1 - alpha
            remaining = remaining[rank[remaining] == 0]
        ordered = replace(facets, rank=rank[facets.item])
        ordered = ordered.where(ordered.rank > 0)
        order = np.lexsort((ordered.rank, ordered.in_list))
        return ordered.where(order)

    def _facets(self, item: Ints, in_list: Ints, rank: Ints, rel: float) -> Facets:
        """Return the relevant subtopics of items of the ideal, with the given lists and ranks."""
        counts, subtopic, grade, _ = self.by_item
        sizes, first = counts[item], (np.cumsum(counts) - counts)[item]
        at = np.repeat(np.arange(item.size), sizes)  # for each pair, the element of `item`
        nth = np.arange(at.size) - (np.cumsum(sizes) - sizes)[at]  # 0 for an item's first subtopic
        rows = first[at] + nth
        key = in_list[at] * (int(subtopic.max(initial=0)) + 1) + subtopic[rows]
        facets = Facets(in_list[at], rank[at], key, item[at], self.lists)
        return facets.where(grade[rows] >= rel)
