"""Ranked lists joined with a truth: the judged items that each list returned.

Everything is flat: one row a hit, for all lists at once, so that a metric is a few array
expressions and never a loop. `Hits.total` brings rows back to lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from scorer.core.arrays import Floats, Ints, Mask, starts, sum_by_list
from scorer.views.columns import NO_EXTRAS, Column, Extras, View

# How equal scores are ordered.
Ties = Literal["item-desc", "item-asc", "file", "expected", "mean-rank", "error"]


@dataclass(slots=True, eq=False)
class Hits:
    """The returned items that are judged, ordered by list, then by rank.

    All arrays have the shape (hits,).
    """

    in_list: Ints  # the number of the list, from 0
    rank: Ints  # the rank in the submission's list, from 1
    grade: Floats  # the grade in the truth
    place: Ints  # the rank among the list's judged items by grade, from 1; ties in file order
    tie_start: Ints  # the number of items with a higher score in the list, hits or not
    tied: Ints  # the number of items with the same score in the list, itself included
    lists: int  # the number of lists, with hits or without
    spread: bool = False  # `ties: expected`: the weight of a tied item is the mean of its group's
    middle: bool = False  # `ties: mean-rank`: the rank of a tied item is the mean of its group's

    @property
    def position(self) -> Floats:
        """The rank of each hit; with `middle`, the mean rank of its tie group."""
        if not self.middle:
            return self.rank.astype(np.float64)
        return self.tie_start + (self.tied + 1) / 2

    def where(self, keep: Mask) -> Hits:
        """Return the hits where `keep` holds."""
        rows = np.flatnonzero(keep)
        arrays = ("in_list", "rank", "grade", "place", "tie_start", "tied")
        return replace(self, **{name: getattr(self, name)[rows] for name in arrays})

    def top(self, k: int | None) -> Hits:
        """Return the hits at ranks 1 to k; all without a k."""
        if k is None or self.rank.max(initial=0) <= k:
            return self
        return self.where(self.rank <= k)

    def relevant(self, rel: float) -> Hits:
        """Return the hits with at least that grade."""
        keep = self.grade >= rel
        return self if keep.all() else self.where(keep)

    def nth(self) -> Ints:
        """Return 1 for a list's first hit, 2 for its second, and so on."""
        number = np.arange(1, self.rank.size + 1, dtype=np.int64)
        return number - self.starts()[self.in_list]

    def count(self, rel: float) -> Floats:
        """Return the number of each list's hits with at least that grade."""
        return self.total(self.grade >= rel)

    def total(self, weight: ArrayLike = 1.0) -> Floats:
        """Return the sum of `weight` over each list's hits, in rank order; 0 without hits."""
        return sum_by_list(self.in_list, weight, self.lists)

    def weight_at_rank(
        self, weight: Callable[[Floats], Floats], k: ArrayLike | None = None
    ) -> Floats:
        """Return each hit's `weight` at its rank, and 0 for hits below rank k.

        With `spread`, it is the mean of the weights at the ranks of the hit's
        tie group (McSherry and Najork, ECIR 2008).

        Args:
            weight: A function from ranks to weights.
            k: One rank for all hits, or one for each hit.
        """
        if self.middle:
            return self._zero_below(k, weight(self.position))
        if not self.spread:
            return self._zero_below(k, self._by_rank(weight))
        last = self.tie_start + self.tied  # the last rank of each hit's tie group
        # sums[rank]: the sum of the weights of ranks 1 to `rank`
        sums = np.zeros(int(last.max(initial=0)) + 1)
        np.cumsum(weight(np.arange(1, sums.size, dtype=np.float64)), out=sums[1:])
        end = last if k is None else np.minimum(last, np.asarray(k).astype(np.int64))
        means: Floats = (sums[np.maximum(end, self.tie_start)] - sums[self.tie_start]) / self.tied
        return means

    def discounted(
        self, gain: Floats, by: Callable[[Floats], Floats], k: int | None = None
    ) -> Floats:
        """Return each hit's `gain` divided by the discount `by(rank)`, and 0 below rank k.

        Not for hits with `spread`, as a tied item has no single rank then.
        """
        discounts = by(self.position) if self.middle else self._by_rank(by)
        # A product with the inverse would differ from trec_eval's value in the last bit.
        quotients = np.divide(gain, discounts, out=discounts)
        return self._zero_below(k, quotients)

    def _by_rank(self, weight: Callable[[Floats], Floats]) -> Floats:
        """Return each hit's `weight` at its rank, computed once a rank if ranks are fewer."""
        deepest = int(self.rank.max(initial=0))
        if deepest > self.rank.size:
            return weight(self.rank.astype(np.float64))
        weights = np.zeros(deepest + 1)
        weights[1:] = weight(np.arange(1, weights.size, dtype=np.float64))
        hit_weights: Floats = weights[self.rank]
        return hit_weights

    def _zero_below(self, k: ArrayLike | None, weights: Floats) -> Floats:
        """Set the weights of hits below rank `k` to 0 in place, and return them."""
        if k is not None:
            weights[self.position > np.asarray(k)] = 0.0
        return weights

    def in_top(self, k: ArrayLike | None = None) -> Floats:
        """Return 1 for each hit at ranks 1 to k, else 0; with `spread`, its chance to be there."""
        if self.spread or k is None:
            return self.weight_at_rank(np.ones_like, k)
        return (self.position <= np.asarray(k)).astype(np.float64)

    def first(self, weight: Callable[[Floats], Floats], k: int | None = None) -> Floats:
        """Return the `weight` at the rank of each list's first hit; 0 without one at ranks 1 to k.

        With `spread` it is the mean over the orders of tied items. Going down the first tie group
        with hits, each item is a hit with the share of hits among the items that are left.
        """
        if not self.spread:
            heads = self.where(starts(self.in_list))
            return heads.total(heads.weight_at_rank(weight, k))
        heads, sizes, hits_above = self.groups()
        heads, sizes = heads.where(hits_above == 0), sizes[hits_above == 0]
        means, no_hit_yet = np.zeros(sizes.size), np.ones(sizes.size)
        deepest = heads.tied - sizes + 1  # the first hit's step if all hits come last
        for step, at in steps(deepest if k is None else np.minimum(deepest, k - heads.tie_start)):
            items_left = heads.tied[at] - step + 1
            chance = no_hit_yet[at] * sizes[at] / items_left  # that this step is the first hit
            means[at] += chance * weight((heads.tie_start[at] + step).astype(np.float64))
            no_hit_yet[at] *= 1 - sizes[at] / items_left
        return heads.total(means)

    def groups(self) -> tuple[Hits, Ints, Ints]:
        """Return each tie group's first hit, its number of hits, and the list's hits above it."""
        new = starts(self.in_list, self.tie_start)
        sizes = np.diff(np.append(np.flatnonzero(new), new.size))
        return self.where(new), sizes, self.nth()[new] - 1

    def rank_by(self, key: ArrayLike) -> tuple[Ints, Ints]:
        """Return, for each hit, how many hits of its list have a lower `key`, and how many its own.

        The second number includes the hit itself.
        """
        keys = np.asarray(key)
        order = np.lexsort((keys, self.in_list))
        begins_run = starts(self.in_list, keys[order])  # of equal keys in one list
        size = np.diff(np.append(np.flatnonzero(begins_run), order.size))
        lower, same = np.empty_like(self.rank), np.empty_like(self.rank)
        lower[order] = np.repeat(self.nth()[begins_run] - 1, size)
        same[order] = np.repeat(size, size)
        return lower, same

    def concordant_above(self, place: Ints) -> Ints:
        """Count, for each hit, the hits above it in its list with a lower number in `place`.

        Two numbers compare as the highest bit in which they differ. From the
        highest bit down, hits are grouped by list and the bits above this one;
        a hit with a 1 counts the hits of its group that stand above it and have a 0.
        """
        count, hits, group = np.zeros_like(place), np.arange(place.size), self.in_list
        for bit in reversed(range(int(place.max(initial=0)).bit_length())):
            ones = place[hits] >> bit & 1
            zeros = np.append(0, np.cumsum(1 - ones))  # zeros[i]: zero bits among the first i hits
            group_start = np.searchsorted(group, group)
            count[hits] += ones * (zeros[:-1] - zeros[group_start])
            group = 2 * group + ones
            order = np.argsort(group, kind="stable")
            hits, group = hits[order], group[order]
        return count

    def product(self, factor: Floats) -> Floats:
        """Return each hit's product of `factor` over the hits above it in its list; 1 if none."""
        return self._accumulated(np.multiply, factor, 1.0)

    def sums(self, weight: Floats) -> Floats:
        """Return each hit's sum of `weight` over the hits above it in its list; 0 if none."""
        return self._accumulated(np.add, weight, 0.0)

    def _accumulated(self, combine: np.ufunc, values: Floats, neutral: float) -> Floats:
        """Combine the `values` of the hits above each hit; `neutral` for a list's first hit."""
        nth = self.nth()
        result = np.full(nth.size, neutral)
        result[1:] = np.where(nth[1:] > 1, values[:-1], neutral)
        step = 1  # how many hits above each one its result combines
        while step < nth.max(initial=0):
            further_up = np.where(nth[step:] > step, result[:-step], neutral)
            combine(result[step:], further_up, out=result[step:])
            step *= 2
        return result

    def starts(self) -> Ints:
        """Return the index of each list's first hit, then the number of hits: (lists + 1,)."""
        sizes = np.bincount(self.in_list, minlength=self.lists)
        return np.concatenate([[0], sizes.cumsum()])

    def spans(self) -> Iterator[slice]:
        """Return the slice of each list's hits."""
        return (slice(a, b) for a, b in pairwise(self.starts().tolist()))


@dataclass(slots=True, eq=False)
class Judged(View):
    """The hits of every list, and its ideal: all judged items, best grade first."""

    kinds: ClassVar[frozenset[str]] = frozenset({"grades"})
    in_order: ClassVar[bool] = True
    has_judgements: ClassVar[bool] = True

    hits: Hits
    ideal: Hits  # the judged items as if returned in the best order
    returned: Ints  # the number of items that each list returned, judged or not: (lists,)
    names: Sequence[str]  # of the lists, for messages
    # The columns of truth and items have one element for each item of the ideal, those of lists
    # one for each list, those of the submission one for each hit.
    extras: Extras = NO_EXTRAS

    def of_hits(self, column: Column) -> Column:
        """Return the hits' elements of a column with one element for each item of the ideal."""
        values: Column = column[self.ideal.starts()[self.hits.in_list] + self.hits.place - 1]
        return values

    def only_judged(self) -> Judged:
        """Return the lists without unjudged items (no grade, or below 0); ranks close up."""
        hits, ideal = (h.where(h.grade >= 0) for h in (self.hits, self.ideal))
        tie_start, tied = hits.rank_by(hits.tie_start)  # counts that leave out unjudged items
        hits = replace(hits, rank=hits.nth(), tie_start=tie_start, tied=tied)
        returned = hits.total().astype(np.int64)
        is_judged = self.ideal.grade >= 0
        extras = self.extras.at(truth=is_judged, submission=self.hits.grade >= 0, item=is_judged)
        return Judged(hits, ideal, returned, self.names, extras)

    def each(self) -> Iterator[Ranked]:
        """Yield the lists one by one, for metrics written for one."""
        spans = zip(self.hits.spans(), self.ideal.spans(), strict=True)
        for n, (hit_rows, ideal_rows) in enumerate(spans):
            grades = np.full(self.returned[n], np.nan)
            grades[self.hits.rank[hit_rows] - 1] = self.hits.grade[hit_rows]
            of_ideal = np.arange(ideal_rows.start, ideal_rows.stop)
            of_hits = np.arange(hit_rows.start, hit_rows.stop)
            extras = self.extras.at(of_ideal, of_hits, list=np.array([n]), item=of_ideal)
            yield Ranked(grades, self.ideal.grade[ideal_rows], self.names[n], extras)


@dataclass(slots=True, eq=False)
class Ranked(View):
    """One list: the grade at each rank (NaN: unjudged), and all grades, best first."""

    kinds: ClassVar[frozenset[str]] = frozenset({"grades"})
    in_order: ClassVar[bool] = True
    has_judgements: ClassVar[bool] = True  # those of `Judged`, from which it is made

    grades: Floats
    ideal: Floats
    name: str = ""
    extras: Extras = NO_EXTRAS  # as of `Judged`, of this list alone


def steps(limit: Ints) -> Iterator[tuple[int, Ints]]:
    """Yield n and the indices where `limit` >= n, for n = 1, 2, .. up to the highest limit."""
    descending = np.argsort(-limit, kind="stable")
    numbers = np.arange(1, limit.max(initial=0) + 1)
    counts = np.searchsorted(-limit[descending], -numbers, side="right")  # of limits >= n
    return ((n, descending[:count]) for n, count in enumerate(counts.tolist(), start=1))


def ranked_hits(in_list: Ints, grade: Floats, lists: int) -> Hits:
    """Return hits at ranks 1, 2, .. of each list, without ties, such as an ideal.

    `in_list`, ascending, and `grade` are of shape (hits,).
    """
    zeros = np.broadcast_to(np.int64(0), in_list.shape)
    ones = np.broadcast_to(np.int64(1), in_list.shape)
    hits = Hits(in_list, zeros, grade, zeros, zeros, ones, lists)
    rank = hits.nth()
    return replace(hits, rank=rank, place=rank, tie_start=rank - 1)


class Names(NamedTuple):
    """The names of the items of one list."""

    truth: tuple[str, ...] = ()  # best grade first; those of preferences and ratings by name
    returned: tuple[str, ...] = ()  # by rank
    tie_start: Ints = np.empty(0, dtype=np.int64)  # as of `Hits`, one for each returned item
    tied: Ints = np.empty(0, dtype=np.int64)  # the same
