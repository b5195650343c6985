"""A submission seen through the truth: what a metric may know.

Everything is flat: one row a hit, for all lists at once, so that a metric is
a few array expressions and never a loop. `Hits.total` brings rows back to
lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

Ties = Literal["item-desc", "item-asc", "file", "expected", "error"]  # equal scores


@dataclass(frozen=True, slots=True)
class Hits:
    """Judged items met going down each list, ordered by list, then by rank.

    All arrays have one element a hit.
    """

    in_list: Ints  # the list a hit is in, from 0
    rank: Ints  # its place there, from 1
    grade: Floats  # what the truth gave it
    place: Ints  # its place in the list's ideal, from 1; equal grades as in the truth file
    before: Ints  # how many items the submission scored higher, hit or not
    tied: Ints  # how many it scored the same, the hit itself included
    lists: int  # how many lists there are, hit or not
    spread: bool = False  # `ties: expected`: a tied item stands at each rank of its group alike

    def where(self, keep: Mask) -> Hits:
        """Only the hits where `keep` holds."""
        rows = np.flatnonzero(keep)
        return Hits(
            self.in_list[rows],
            self.rank[rows],
            self.grade[rows],
            self.place[rows],
            self.before[rows],
            self.tied[rows],
            self.lists,
            self.spread,
        )

    def top(self, k: int | None) -> Hits:
        """The hits at ranks 1 to k; all without a k."""
        if k is None or self.rank.max(initial=0) <= k:
            return self
        return self.where(self.rank <= k)

    def relevant(self, rel: float) -> Hits:
        """The hits with at least that grade."""
        keep = self.grade >= rel
        return self if keep.all() else self.where(keep)

    def nth(self) -> Ints:
        """1 for a list's first hit, 2 for its second, and so on."""
        place = np.arange(1, self.rank.size + 1, dtype=np.int64)
        return place - self.starts()[self.in_list]

    def count(self, rel: float) -> Floats:
        """How many of each list's hits have at least that grade."""
        keep = self.grade >= rel
        found = self.in_list if keep.all() else self.in_list[keep]
        return np.bincount(found, minlength=self.lists).astype(np.float64)

    def total(self, weight: ArrayLike = 1.0) -> Floats:
        """The sum of `weight` over each list's hits, in rank order; 0 where there are none."""
        weights = np.broadcast_to(np.asarray(weight, dtype=np.float64), self.rank.shape)
        return np.bincount(self.in_list, weights, minlength=self.lists).astype(np.float64)

    def at(self, weight: Callable[[Floats], Floats], k: ArrayLike | None = None) -> Floats:
        """Each hit's `weight` at its rank, 0 below `k` (one for all hits, or one a hit).

        Where tied items are spread, it is the mean over the ranks of the tie
        group (McSherry and Najork, ECIR 2008).
        """
        if not self.spread:
            return self._down_to(k, self._by_rank(weight))
        last = self.before + self.tied
        sums = np.zeros(int(last.max(initial=0)) + 1)
        np.cumsum(weight(np.arange(1, sums.size, dtype=np.float64)), out=sums[1:])
        end = last if k is None else np.minimum(last, np.asarray(k).astype(np.int64))
        means: Floats = (sums[np.maximum(end, self.before)] - sums[self.before]) / self.tied
        return means

    def discounted(
        self, gain: Floats, by: Callable[[Floats], Floats], k: ArrayLike | None = None
    ) -> Floats:
        """Each hit's `gain` divided by what `by` makes of its rank, 0 below `k`; as `at`."""
        if self.spread:
            return gain * self.at(lambda rank: 1 / by(rank), k)
        shares = self._by_rank(by)
        np.divide(gain, shares, out=shares)  # divided, as trec_eval does, to the bit
        return self._down_to(k, shares)

    def _by_rank(self, weight: Callable[[Floats], Floats]) -> Floats:
        """Each hit's `weight` at its rank, worked out once for each rank there is."""
        weights = np.zeros(int(self.rank.max(initial=0)) + 1)
        weights[1:] = weight(np.arange(1, weights.size, dtype=np.float64))
        found: Floats = weights[self.rank]
        return found

    def _down_to(self, k: ArrayLike | None, weights: Floats) -> Floats:
        """The same weights, made 0 below `k`."""
        if k is not None:
            weights[self.rank > np.asarray(k)] = 0.0
        return weights

    def within(self, k: ArrayLike | None = None) -> Floats:
        """1 for each hit at ranks 1 to k, 0 below; its chance to be there where ties are spread."""
        if self.spread or k is None:
            return self.at(np.ones_like, k)
        return (self.rank <= np.asarray(k)).astype(np.float64)

    def first(self, weight: Callable[[Floats], Floats], k: int | None = None) -> Floats:
        """The `weight` at the rank of each list's first hit, 0 where none is at ranks 1 to k.

        Where tied items are spread, it is the mean over their orders: going
        down the first tie group with a hit, the chance that none came yet
        shrinks by the share of hits among the items left.
        """
        if not self.spread:
            heads = self.where(np.diff(self.in_list, prepend=-1) != 0)
            return heads.total(heads.at(weight, k))
        heads, found, prior = self.groups()
        heads, found = heads.where(prior == 0), found[prior == 0]
        means, none = np.zeros(found.size), np.ones(found.size)
        deepest = heads.tied - found + 1
        for step, at in steps(deepest if k is None else np.minimum(deepest, k - heads.before)):
            chance = none[at] * found[at] / (heads.tied[at] - step + 1)
            means[at] += chance * weight((heads.before[at] + step).astype(np.float64))
            none[at] *= 1 - found[at] / (heads.tied[at] - step + 1)
        return heads.total(means)

    def groups(self) -> tuple[Hits, Ints, Ints]:
        """The first hit of each tie group, how many the group has, and how many are above it."""
        new = np.ones(self.rank.size, dtype=bool)
        new[1:] = (np.diff(self.in_list) != 0) | (np.diff(self.before) != 0)
        found = np.diff(np.append(np.flatnonzero(new), new.size))
        return self.where(new), found, self.nth()[new] - 1

    def ordered(self, key: ArrayLike) -> tuple[Ints, Ints]:
        """How many hits of its list have a lower `key` than each hit, and how many the same."""
        keys = np.asarray(key)
        by = np.lexsort((keys, self.in_list))
        new = np.ones(by.size, dtype=bool)
        new[1:] = (np.diff(self.in_list) != 0) | (np.diff(keys[by]) != 0)
        size = np.diff(np.append(np.flatnonzero(new), by.size))
        lower, same = np.empty_like(self.rank), np.empty_like(self.rank)
        lower[by] = np.repeat(self.nth()[new] - 1, size)
        same[by] = np.repeat(size, size)
        return lower, same

    def earlier(self, place: Ints) -> Ints:
        """How many of the hits before each hit in its list have a lower `place`.

        Bit by bit, the highest first: of two places that agree so far, the
        lower has a 0 where the other has a 1.
        """
        count, by, alike = np.zeros_like(place), np.arange(place.size), self.in_list
        for bit in reversed(range(int(place.max(initial=0)).bit_length())):
            one = place[by] >> bit & 1
            zeros = np.append(0, np.cumsum(1 - one))
            count[by] += one * (zeros[:-1] - zeros[np.searchsorted(alike, alike)])
            alike = 2 * alike + one
            order = np.argsort(alike, kind="stable")
            by, alike = by[order], alike[order]
        return count

    def product(self, factor: Floats) -> Floats:
        """The product of `factor` over the hits above each hit in its list; 1 for the first."""
        nth = self.nth()
        product = np.ones(nth.size)
        product[1:] = np.where(nth[1:] > 1, factor[:-1], 1.0)
        step = 1
        while step < nth.max(initial=0):  # each product reaches twice as far up as before
            product[step:] *= np.where(nth[step:] > step, product[:-step], 1.0)
            step *= 2
        return product

    def starts(self) -> Ints:
        """Where each list's hits begin; one more element than lists."""
        sizes = np.bincount(self.in_list, minlength=self.lists)
        return np.concatenate([[0], sizes.cumsum()])

    def spans(self) -> Iterator[slice]:
        """Where each list's hits lie."""
        return (slice(a, b) for a, b in pairwise(self.starts().tolist()))


@dataclass(frozen=True, slots=True)
class Judged:
    """The hits of every list, beside the best that could have been."""

    kinds: ClassVar[frozenset[str]] = frozenset({"grades"})

    hits: Hits
    ideal: Hits  # the same lists' judged items, best grade first
    returned: Ints  # how long each returned list is, judged or not
    names: Sequence[str] = ()  # what the lists are called, for messages

    @property
    def lists(self) -> int:
        """How many lists there are."""
        return self.hits.lists

    def only_judged(self) -> Judged:
        """As if the items nobody judged (or judged below 0) had not been returned."""
        hits, ideal = (h.where(h.grade >= 0) for h in (self.hits, self.ideal))
        before, tied = hits.ordered(hits.before)
        hits = replace(hits, rank=hits.nth(), before=before, tied=tied)
        returned = hits.total().astype(np.int64)
        return Judged(hits, ideal, returned, self.names)

    def each(self) -> Iterator[Ranked]:
        """The lists one by one, for metrics written for one."""
        spans = zip(self.hits.spans(), self.ideal.spans(), strict=True)
        for n, (mine, best) in enumerate(spans):
            grades = np.full(self.returned[n], np.nan)
            grades[self.hits.rank[mine] - 1] = self.hits.grade[mine]
            name = self.names[n] if self.names else str(n)
            yield Ranked(grades, self.ideal.grade[best], name)

    @classmethod
    def of(cls, *lists: tuple[Sequence[str], Mapping[str, float]]) -> Judged:
        """From returned items and their truth, list by list: for examples and tests."""
        hits, ideal = [], []
        for n, (items, truth) in enumerate(lists):
            best = sorted(truth, key=lambda item: -truth[item])
            places = {item: place for place, item in enumerate(best, start=1)}
            hits += [
                (n, rank, truth[item], places[item])
                for rank, item in enumerate(items, start=1)
                if item in truth
            ]
            ideal += [(n, places[item], truth[item], places[item]) for item in best]
        returned = np.array([len(items) for items, _ in lists], dtype=np.int64)
        return cls(_hits(hits, len(lists)), _hits(ideal, len(lists)), returned)


@dataclass(frozen=True, slots=True)
class Ranked:
    """One list: the grade at each rank (NaN: unjudged), and the grades of the best list."""

    kinds: ClassVar[frozenset[str]] = frozenset({"grades"})

    grades: Floats
    ideal: Floats
    name: str = ""


def ratio(part: ArrayLike, whole: ArrayLike) -> Floats:
    """`part / whole`, and NaN, meaning undefined for this list, where there is no whole."""
    top, bottom = np.broadcast_arrays(
        np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    )
    values: Floats = np.full(top.shape, np.nan)
    np.divide(top, bottom, out=values, where=bottom > 0)
    return values


def steps(limit: Ints) -> Iterator[tuple[int, Ints]]:
    """1, 2, 3, .., each with the places where `limit` is at least that."""
    by = np.argsort(-limit, kind="stable")
    ends = np.searchsorted(-limit[by], -np.arange(1, limit.max(initial=0) + 1), side="right")
    return ((step, by[:end]) for step, end in enumerate(ends.tolist(), start=1))


def ranked_hits(in_list: Ints, grade: Floats, lists: int) -> Hits:
    """Hits that follow one another in each list, ranks 1, 2, ..: such as an ideal."""
    none, one = (np.broadcast_to(np.int64(number), in_list.shape) for number in (0, 1))
    hits = Hits(in_list, none, grade, none, none, one, lists)
    rank = hits.nth()
    return replace(hits, rank=rank, place=rank, before=rank - 1)


def _hits(rows: list[tuple[int, int, float, int]], lists: int) -> Hits:
    in_list, rank, grade, place = np.array(rows, dtype=np.float64).reshape(-1, 4).T
    ranks = rank.astype(np.int64)
    return Hits(
        in_list.astype(np.int64),
        ranks,
        grade,
        place.astype(np.int64),
        ranks - 1,
        np.ones_like(ranks),
        lists,
    )


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a whole-challenge figure is made of: rows that each belong to a list.

    Any set of lists has its figure, from the rows of those lists in list order,
    so a split of the lists can be scored in parts and put together again.
    """

    in_list: Ints  # shape (rows,), in list order
    rows: Floats  # shape (rows, width)
    lists: int

    def of(self, keep: Mask) -> Statistics:
        """Only the rows of those lists; `keep` has one element a list."""
        mine = keep[self.in_list]
        return Statistics(self.in_list[mine], self.rows[mine], int(keep.sum()))

    def share(self) -> float:
        """The sum of the first column over that of the second; NaN where there is no such sum."""
        part, whole = self.rows[:, 0].sum(), self.rows[:, 1].sum()
        return float(part / whole) if whole > 0 else float("nan")


@dataclass(frozen=True, slots=True)
class Rated:
    """Predictions beside the ratings they were to meet, ordered by list, then by item.

    All arrays have one element a rating that was predicted.
    """

    kinds: ClassVar[frozenset[str]] = frozenset({"ratings"})

    in_list: Ints
    rating: Floats
    prediction: Floats
    low: Floats  # where the prediction's interval begins and ends; NaN without one
    high: Floats
    lists: int
    names: Sequence[str] = ()

    def total(self, weight: ArrayLike = 1.0) -> Floats:
        """The sum of `weight` over each list's ratings; 0 where there are none."""
        weights = np.broadcast_to(np.asarray(weight, dtype=np.float64), self.rating.shape)
        return np.bincount(self.in_list, weights, minlength=self.lists).astype(np.float64)

    def mean(self, weight: ArrayLike, pooled: bool = False) -> Floats | Statistics:
        """The mean of `weight` over each list's ratings, or what their mean is made of."""
        part, whole = self.total(weight), self.total()
        return self.pooled(part, whole) if pooled else ratio(part, whole)

    def pooled(self, *columns: Floats) -> Statistics:
        """Statistics with one row a list."""
        every = np.arange(self.lists, dtype=np.int64)
        return Statistics(every, np.column_stack(columns), self.lists)

    def spread(self) -> tuple[Floats, Floats]:
        """The mean of each list's ratings, and the sum of their squared distances from it."""
        first = np.zeros(self.lists)
        first[self.in_list[::-1]] = self.rating[::-1]
        # from the first one on, so that equal ratings are exactly 0 apart
        apart = self.rating - first[self.in_list]
        middle = np.nan_to_num(ratio(self.total(apart), self.total()))
        return first + middle, self.total((apart - middle[self.in_list]) ** 2)

    @classmethod
    def of(
        cls, *lists: tuple[Sequence[float], Sequence[float | tuple[float, float, float]]]
    ) -> Rated:
        """From ratings and their predictions (or prediction, low, high), list by list."""
        rows = [
            (n, rating, *(said if isinstance(said, tuple) else (said, np.nan, np.nan)))
            for n, (ratings, predictions) in enumerate(lists)
            for rating, said in zip(ratings, predictions, strict=True)
        ]
        in_list, rating, prediction, low, high = np.array(rows, dtype=np.float64).reshape(-1, 5).T
        names = tuple(map(str, range(len(lists))))
        return cls(in_list.astype(np.int64), rating, prediction, low, high, len(lists), names)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The items there are, in the order of their ids, and what is known of them.

    The last element of `users` and `features` is of every item that is not here,
    whose code is -1: nobody knows it, and it has no features.
    """

    items: Mapping[str, int]  # id -> code
    users: Floats  # how many past users know each item
    features: Floats  # shape (items + 1, features)

    def popularity(self) -> Ints:
        """Each item's place, from 1, by how many know it; equal ones in the order of their ids."""
        place = np.full(self.users.size, self.users.size, dtype=np.int64)
        place[np.argsort(-self.users[:-1], kind="stable")] = np.arange(1, self.users.size)
        return place


@dataclass(frozen=True, slots=True)
class Returned:
    """Every item that each list returned, judged or not, ordered by list, then by rank.

    All arrays but the history's have one element a returned item.
    """

    kinds: ClassVar[frozenset[str]] = frozenset({"grades"})

    in_list: Ints
    rank: Ints
    item: Ints  # its code in the catalogue
    grade: Floats  # NaN: unjudged
    lists: int
    catalogue: Catalogue
    past_list: Ints  # the history, ordered by list: which list knows
    past_item: Ints  # which item
    names: Sequence[str] = ()

    def where(self, keep: Mask) -> Returned:
        """Only the items where `keep` holds."""
        return replace(
            self,
            in_list=self.in_list[keep],
            rank=self.rank[keep],
            item=self.item[keep],
            grade=self.grade[keep],
        )

    def top(self, k: int) -> Returned:
        """The items at ranks 1 to k."""
        return self.where(self.rank <= k)

    def total(self, weight: ArrayLike = 1.0) -> Floats:
        """The sum of `weight` over each list's items, in rank order; 0 where there are none."""
        weights = np.broadcast_to(np.asarray(weight, dtype=np.float64), self.rank.shape)
        return np.bincount(self.in_list, weights, minlength=self.lists).astype(np.float64)

    def spread(self) -> Statistics:
        """Which items of the catalogue were returned, a row for each time."""
        known = self.item >= 0
        rows = self.item[known].astype(np.float64)[:, np.newaxis]
        return Statistics(self.in_list[known], rows, self.lists)

    def pairs(self) -> Iterator[tuple[Ints, Ints]]:
        """Every two rows of one list, as two arrays: neighbours first, then those further apart."""
        for apart in range(1, int(self.rank.max(initial=0))):
            row = np.flatnonzero(self.in_list[apart:] == self.in_list[:-apart])
            yield row, row + apart

    def past(self) -> Iterator[tuple[Ints, Ints]]:
        """Every row with every item that its list's history holds: rows, and item codes."""
        starts = np.searchsorted(self.past_list, np.arange(self.lists + 1))
        for step, rows in steps(np.diff(starts)[self.in_list]):
            yield rows, self.past_item[starts[self.in_list[rows]] + step - 1]

    @classmethod
    def of(
        cls,
        *lists: tuple[Sequence[str], Mapping[str, float]],
        users: Mapping[str, float] | None = None,
        features: Mapping[str, Sequence[float]] | None = None,
        history: Sequence[Sequence[str]] = (),
    ) -> Returned:
        """From returned items and their truth, list by list: for examples and tests."""
        names = sorted({*(users or {}), *(features or {})})
        codes = {name: code for code, name in enumerate(names)}
        width = max(map(len, (features or {}).values()), default=0)
        described = [list((features or {}).get(name, [0.0] * width)) for name in [*names, ""]]
        counts = [float((users or {}).get(name, 0.0)) for name in [*names, ""]]
        rows = [
            (n, rank, codes.get(item, -1), truth.get(item, np.nan))
            for n, (items, truth) in enumerate(lists)
            for rank, item in enumerate(items, start=1)
        ]
        in_list, rank, item, grade = np.array(rows, dtype=np.float64).reshape(-1, 4).T
        past = [(n, codes[item]) for n, items in enumerate(history) for item in items]
        past_list, past_item = np.array(past, dtype=np.int64).reshape(-1, 2).T
        catalogue = Catalogue(
            codes, np.array(counts), np.array(described).reshape(len(names) + 1, width)
        )
        return cls(
            in_list.astype(np.int64), rank.astype(np.int64), item.astype(np.int64), grade,
            len(lists), catalogue, past_list, past_item, tuple(map(str, range(len(lists)))),
        )  # fmt: skip
