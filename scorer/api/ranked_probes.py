"""Ranked lists made from a graded truth: the best ones, their reverse, random and tied ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count, islice
from typing import NamedTuple

import numpy as np
import polars as pl

from scorer.core.arrays import Floats, Ints, Mask, ends, starts
from scorer.kinds.ranking import Grades
from scorer.metrics.notation import Measure
from scorer.reading.table import Table, find_indices, make_table
from scorer.scoring.open import OpenChallenge
from scorer.views.diverse import Diverse
from scorer.views.join import judge
from scorer.views.recommendations import Scored

USUAL_DEPTH = 10  # items of a list where nothing says how many
JUST_ABOVE_ZERO = float(np.nextafter(0, 1))  # the least relevant grade where a measure has no `rel`
NO_ITEMS = np.empty(0, dtype=np.int64)


class Rows(NamedTuple):
    """Rows of ranked lists: the rows of a list are adjacent, best first. Shape (rows,) each."""

    in_list: Ints  # the number of the list
    item: Ints  # the place of the item in `RankedProbes.names`

    def where(self, rows: Mask | Ints) -> Rows:
        """Return some of the rows."""
        return Rows(self.in_list[rows], self.item[rows])


class ItemPool(NamedTuple):
    """The items that a list may hold, as places in `RankedProbes.names`."""

    source: str  # where they are from, in words
    shared: Ints  # the items of every list, if `by_list` is None
    by_list: Mapping[str, Ints] | None  # list -> its items; None if all lists have the same
    closed: bool  # whether the challenge says that there are no others

    def items_of(self, name: str) -> Ints:
        """Return the items that a list may hold."""
        return self.shared if self.by_list is None else self.by_list.get(name, NO_ITEMS)


@dataclass(frozen=True, eq=False)
class RankedProbes:
    """Makes submissions of ranked lists from a truth of graded items."""

    ready: OpenChallenge
    answers: Grades

    @cached_property
    def names(self) -> pl.Series:
        """Every item: first the truth's, in its order, then other public ones."""
        public = self.ready.public
        others = chain(public.items or (), *(public.candidates or {}).values())
        names = [self.answers.truth.named, pl.Series(list(others), dtype=pl.String)]
        return pl.concat(names).unique(maintain_order=True)

    @cached_property
    def best(self) -> Rows:
        """The judged items of each list, best first."""
        truth = self.answers.truth
        return Rows(truth.in_list, find_indices(truth.items, self.names))

    @cached_property
    def pool(self) -> ItemPool:
        """The candidates of each list, the public items, or else those that the truth names."""
        public = self.ready.public
        if public.candidates is not None:
            code = {name: n for n, name in enumerate(self.names)}
            by_list = {
                name: np.array([code[item] for item in sorted(items)], dtype=np.int64)
                for name, items in public.candidates.items()
            }
            return ItemPool("each list's own items", NO_ITEMS, by_list, closed=True)
        is_public = public.items is not None
        items = pl.Series(list(public.items or ()), dtype=pl.String)
        description = "public items"
        if not is_public:
            items = self.answers.truth.named.sort()
            description = "items that the truth names"
        source = f"the {len(items):,} {description}"
        return ItemPool(source, find_indices(items, self.names), None, closed=is_public)

    @cached_property
    def depth(self) -> int:
        """How many items a list has: as many as it may, else as any measure or list asks."""
        length = self.ready.bound.challenge.submission.length
        if length is not None and length.max is not None:
            return length.max
        depths = [USUAL_DEPTH, int(self._sizes(self.best).max(initial=0))]
        depths += [k for measure in self.ready.measures for k in cutoffs(measure)]
        if length is not None and length.min is not None:
            depths.append(length.min)
        return max(depths)

    def perfect(self) -> list[Table]:
        """Return the best lists for measures of the usual families.

        These are all judged items, for orders; the relevant ones alone, for sets; and both with one
        other item below, at the end or at the last rank that a measure sees, for measures that
        compare relevant items with others, such as AUC. A correlation of orders is 1 for two items
        of different grades, and diversity has an order of its own.
        """
        truth = self.answers.truth
        rels = {measure.params.get("rel") for measure in self.ready.measures}
        thresholds = sorted({JUST_ABOVE_ZERO if rel is None else rel for rel in rels})
        masks = [np.ones(truth.grade.size, dtype=bool)]
        masks += [truth.grade >= threshold for threshold in thresholds]
        distinct_masks = {mask.tobytes(): mask for mask in masks}.values()
        parts = [self.best.where(mask) for mask in distinct_masks]
        last_ranks = {k for measure in self.ready.measures for k in cutoffs(measure) if k > 1}
        tables = [self.to_table(rows) for rows in parts]
        for k in (None, *sorted(last_ranks)):
            tables += [self.to_table(rows, most=k, below=1) for rows in parts]
        tables.append(self.to_table(self.best.where(self._first_and_last())))
        if Diverse in self.ready.views:
            tables.append(self.to_table(self.best.where(self._diverse_order())))
        return tables

    def _first_and_last(self) -> Ints:
        """Return the rows of the best and the worst item of each list whose grades differ."""
        truth = self.answers.truth
        first = np.flatnonzero(starts(truth.in_list))
        last = np.flatnonzero(ends(truth.in_list))
        differs = truth.grade[first] > truth.grade[last]
        return np.stack([first[differs], last[differs]], axis=1).ravel()

    def _diverse_order(self) -> Ints:
        """Return the rows in the order of alpha-nDCG: each item adds the most new subtopics."""
        empty = make_table({"list": [], "item": []})
        no_hits, _ = judge(empty, self.answers.truth)
        rel = min(m.params["rel"] for m in self.ready.measures if m.metric.view is Diverse)
        diverse = Diverse(no_hits, self.answers.subtopics)
        facets = diverse.best_order(rel, alpha=0.5, k=None)
        return facets.item[ends(facets.item)]  # an item stands there once for each subtopic

    def others(self) -> dict[str, Table]:
        """Return the lists that are not perfect, by name."""
        truth = self.answers.truth
        ties = self.ready.bound.challenge.submission.ties
        size = truth.in_list.size
        relevant = np.bincount(self.best.item[truth.grade > 0], minlength=len(self.names))
        by_relevance = np.empty(len(self.names), dtype=np.int64)
        by_relevance[np.argsort(-relevant, kind="stable")] = np.arange(len(self.names))
        reversed_rows = np.lexsort((-np.arange(size), truth.in_list))
        tables = {
            "reversed": self.to_table(self.best.where(reversed_rows)),
            "constant": self.to_table(self._first_items(by_relevance)),
            "empty": self.to_table(self.best.where(NO_ITEMS)),
        }
        if ties != "error":
            by_name = (self.names.rank("ordinal") - 1).cast(pl.Int64).to_numpy()
            # As the rule orders equal scores: `file` keeps them, most others sort names downwards.
            direction = {"file": 0, "item-asc": 1}.get(ties, -1)
            tables["tied"] = self._tied(direction * by_name)
        return tables

    def random(self, rng: np.random.Generator) -> Table:
        """Draw lists of items that a list may hold."""
        return self.to_table(self._random_rows(rng))

    def tied(self, rng: np.random.Generator) -> Table:
        """Draw the tied lists as if the items had other names."""
        return self._tied(rng.permutation(len(self.names)))

    def degraded(self, rng: np.random.Generator, share: float) -> Table:
        """Draw perfect lists in which a share of the items is replaced by random ones.

        The other items keep their places. With a share of 1 the lists are random.
        """
        random = self._random_rows(rng)
        is_kept = rng.random(self.best.item.size) >= share
        kept = self.best.where(is_kept)
        # The fewer items are replaced, the further down a random one comes; `share` may be 0.
        gap = (1 / max(share, 1e-9) - 1) * rng.random(random.item.size)
        place = np.append(
            _positions_in_lists(self.best.in_list)[is_kept],
            _positions_in_lists(random.in_list) + gap,
        )
        rows = Rows(np.append(kept.in_list, random.in_list), np.append(kept.item, random.item))
        rows = rows.where(np.lexsort((place, rows.in_list)))
        # An item that was drawn may be one of the others.
        is_first = pl.DataFrame(rows._asdict()).to_struct().is_first_distinct()
        return self.to_table(rows.where(is_first.to_numpy()), most=self.depth)

    def _random_rows(self, rng: np.random.Generator) -> Rows:
        pools = map(self.pool.items_of, self.answers.lists)
        items = [rng.choice(pool, min(self.depth, pool.size), replace=False) for pool in pools]
        return _join_lists(items)

    def _tied(self, place: Ints) -> Table:
        """Return lists of items with equal scores, in the order of `place`.

        If the rule for ties puts equal scores in an order, `place` is this order, and the scores
        differ, so that the rule for ties is not needed.
        """
        is_equal = self.ready.bound.challenge.submission.ties in ("expected", "mean-rank")
        return self.to_table(self._first_items(place), equal_scores=is_equal)

    def _first_items(self, place: Ints) -> Rows:
        """Return for each list its first items by their places."""
        pool = self.pool
        lists = self.answers.lists

        def first(items: Ints) -> Ints:
            return items[np.argsort(place[items], kind="stable")][: self.depth]

        if pool.by_list is None:  # all lists hold the same items, which are sorted once
            return _join_lists([first(pool.shared)] * len(lists))
        return _join_lists([first(pool.items_of(name)) for name in lists])

    def to_table(
        self, rows: Rows, *, most: int | None = None, below: int = 0, equal_scores: bool = False
    ) -> Table:
        """Return rows as a submission, whose lists are cut or filled up to the allowed length.

        Args:
            rows: The rows.
            most: How many items a list has at most, beside what the challenge allows.
            below: How many other items a list has below the items of the rows.
            equal_scores: Whether all items have one score.
        """
        fitted, names = self._fit(rows, most, below)
        rank = (_positions_in_lists(fitted.in_list) + 1).astype(np.float64)
        # Measures of scores have thresholds from 0 to 1.
        score: Floats = 1 / (1 + rank) if Scored in self.ready.views else -rank
        if equal_scores:
            score = np.ones(rank.size)
        lists = self.answers.truth.list_names.gather(fitted.in_list)
        items = names.gather(fitted.item)
        return make_table({"list": lists, "item": items, "score": score})

    def _fit(self, rows: Rows, most: int | None = None, below: int = 0) -> tuple[Rows, pl.Series]:
        """Return rows cut or filled up to the allowed length, and the names of their items.

        Where nothing says which items there are, lists are filled with names that no item has.
        """
        length = self.ready.bound.challenge.submission.length
        limits = [limit for limit in (length.max if length else None, most) if limit is not None]
        kept = rows
        if limits:
            kept = rows.where(_positions_in_lists(rows.in_list) < max(min(limits) - below, 0))
        sizes = self._sizes(kept)
        wanted = np.where(sizes > 0, sizes + below, 0)
        wanted = np.maximum(wanted, (length.min if length else None) or 0)
        short_lists = np.flatnonzero(wanted > sizes)
        if not kept.item.size or not short_lists.size:
            return kept, self.names
        first_rows = np.searchsorted(rows.in_list, short_lists)
        end_rows = np.searchsorted(rows.in_list, short_lists + 1)
        in_list = [kept.in_list]
        item = [kept.item]
        for n, first, end in zip(short_lists.tolist(), first_rows, end_rows, strict=True):
            fillers = islice(self._fillers(n, rows.item[first:end]), int(wanted[n] - sizes[n]))
            item.append(np.array(list(fillers), dtype=np.int64))
            in_list.append(np.full(item[-1].size, n))
        filled = Rows(np.concatenate(in_list), np.concatenate(item))
        filled = filled.where(np.argsort(filled.in_list, kind="stable"))
        new_names = max(int(filled.item.max()) + 1 - len(self.names), 0)
        return filled, pl.concat([self.names, _unused_names(self.names, new_names)])

    def _fillers(self, in_list: int, taken: Ints) -> Iterator[int]:
        """Yield the items that a list may hold, without `taken`; then places that no item has."""
        is_taken = {*taken.tolist()}
        for item in self.pool.items_of(self.answers.lists[in_list]):
            if item not in is_taken:
                yield item
        if not self.pool.closed:
            yield from count(len(self.names))

    def _sizes(self, rows: Rows) -> Ints:
        return np.bincount(rows.in_list, minlength=len(self.answers.lists))


def _unused_names(names: pl.Series, number: int) -> pl.Series:
    """Return so many names that no item has."""
    if not number:
        return pl.Series(dtype=pl.String)
    # So many are enough even if each item has one of them.
    candidates = pl.Series([f"other-{n}" for n in range(1, number + len(names) + 1)])
    return candidates.filter(~candidates.is_in(names.implode()))[:number]


def cutoffs(measure: Measure) -> tuple[int, ...]:
    """Return the ranks at which a measure stops."""
    ranks = measure.params.get("cutoffs") or measure.params.get("k")
    if isinstance(ranks, int):
        return (ranks,)
    return ranks if isinstance(ranks, tuple) else ()


def _join_lists(items: Sequence[Ints]) -> Rows:
    """Return the rows of lists, given the items of each."""
    in_list = np.repeat(np.arange(len(items)), [of_list.size for of_list in items])
    return Rows(in_list, np.concatenate([NO_ITEMS, *items]))


def _positions_in_lists(in_list: Ints) -> Ints:
    """Return 0 for the first row of a list, 1 for the second, and so on."""
    rows = np.arange(in_list.size, dtype=np.int64)
    return rows - np.maximum.accumulate(np.where(starts(in_list), rows, 0))
