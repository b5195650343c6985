"""Submissions made from grades: lists of items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from scorer.api.probes_of_labels import NO_ROWS, table_of
from scorer.core.arrays import Floats, Ints, ends, starts
from scorer.kinds.ranking import Grades
from scorer.metrics.notation import Measure
from scorer.reading.schema import EXTRA, NUMBER
from scorer.reading.table import Table, find_places
from scorer.scoring.open import OpenChallenge
from scorer.views.diverse import Diverse
from scorer.views.join import GradedItems, judge
from scorer.views.recommendations import Scored

USUAL_DEPTH = 10  # items of a list where nothing says how many


def of_grades(ready: OpenChallenge, truth: GradedItems) -> _OfGrades:
    """The probes of a truth of graded items."""
    return _OfGrades(ready, truth)


def with_extra_columns(ready: OpenChallenge, table: Table, true_values: bool) -> Table:
    """The table with the further columns that submissions have, where it lacks them.

    A column that the truth has, too, gets the truth's value of each item (`true_values`), or that
    of some other item; other numbers are 1, other texts empty.
    """
    extra = {
        name: kind
        for name, kind in ready.bound.challenge.submission.extra.items()
        if f"{EXTRA}{name}]" not in table and f"{NUMBER}{name}]" not in table
    }
    if not extra:
        return table
    answers, columns = ready.truth, list[pl.Series]()
    truth_columns: Mapping[str, NDArray[Any]] = {}
    if isinstance(answers, Grades):
        row = answers.truth.find(table.frame)
        if not true_values and answers.truth.in_list.size:
            row = np.random.default_rng(len(table)).integers(
                0, answers.truth.in_list.size, row.size
            )
        truth_columns = answers.extras.truth.at_or_missing(row)
    for name, kind in extra.items():
        column = truth_columns.get(name)
        if kind == "number":
            fit = column is not None and column.dtype != object
            numbers = column if fit and column is not None else np.ones(len(table))
            columns.append(pl.Series(f"{NUMBER}{name}]", numbers, dtype=pl.Float64))
        else:
            texts = map(str, column.tolist()) if column is not None else [""] * len(table)
            columns.append(pl.Series(f"{EXTRA}{name}]", list(texts), dtype=pl.String))
    return table.with_frame(table.frame.with_columns(columns))


@dataclass(frozen=True)
class _OfGrades:
    ready: OpenChallenge
    truth: GradedItems

    @cached_property
    def item(self) -> Ints:
        """The item of each row of the truth, as its place in `names`."""
        return find_places(self.truth.items, self.truth.named)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every item: the truth's by their codes, then others that are public."""
        public = self.ready.public
        public_items = [public.items or (), *(public.candidates or {}).values()]
        return tuple(
            dict.fromkeys(item for names in (self.truth.named, *public_items) for item in names)
        )

    @cached_property
    def pool(self) -> tuple[str, Ints, Mapping[str, Ints] | None]:
        """In words what a list may hold, the items, and those of each list if they differ."""
        public = self.ready.public
        code = {name: n for n, name in enumerate(self.names)}
        if public.candidates is not None:
            by_list = {
                name: np.array([code[item] for item in sorted(items)], dtype=np.int64)
                for name, items in public.candidates.items()
            }
            return "each list's own items", NO_ROWS, by_list
        if public.items is not None:
            items = np.array([code[item] for item in public.items], dtype=np.int64)
            return f"the {items.size:,} public items", items, None
        items = np.array([code[item] for item in self.truth.named.sort()], dtype=np.int64)
        return f"the {items.size:,} items that the truth names", items, None

    @property
    def drawn(self) -> str:
        return f"{self.pool[0]}, at most {self.depth:,} a list"

    @property
    def rows(self) -> int:
        return len(self.truth.lists) * self.depth

    @cached_property
    def depth(self) -> int:
        """How many items a list has: as many as it may, else as any measure or list asks."""
        length = self.ready.bound.challenge.submission.length
        if length is not None and length.max is not None:
            return length.max
        longest = int(np.bincount(self.truth.in_list).max(initial=0))
        return max(
            USUAL_DEPTH, longest, *map(deepest, self.ready.measures), (length and length.min) or 0
        )

    def perfect(self) -> list[Table]:
        # an order wants all that was judged, a set only what is relevant
        rels = {measure.params.get("rel") for measure in self.ready.measures}
        least = {np.nextafter(0, 1) if rel is None else rel for rel in rels}
        every = np.ones(self.truth.grade.size, dtype=bool)
        masks = [every, *(self.truth.grade >= rel for rel in sorted(least))]
        distinct = {mask.tobytes(): mask for mask in masks}.values()
        rows = [(self.truth.in_list[m], self.item[m]) for m in distinct]
        # and some, such as AUC, want something below it
        longest = int(np.bincount(self.truth.in_list).max(initial=0))
        more = min(self.depth, longest + USUAL_DEPTH)  # a cut-off may be a billion
        tables = [
            *(self._listed(*row_pair) for row_pair in rows),
            self._listed(*rows[0], least=more),
        ]
        tables += [self._listed(*row_pair, beside=1) for row_pair in rows]
        last = {k for measure in self.ready.measures for k in cutoffs(measure) if k > 1}
        tables += [
            self._listed(*row_pair, most=k, beside=1) for k in sorted(last) for row_pair in rows
        ]
        # correlations of orders: two items that differ, or all with the truth's own ties
        both = self._ends
        tables.append(self._listed(self.truth.in_list[both], self.item[both]))
        if Diverse in self.ready.views:
            tables.append(self._diverse())
        if Scored in self.ready.views:  # what is relevant, with the highest score
            tables += [self._listed(*row_pair, tied=True) for row_pair in rows]
        if self._scored:
            tables.append(self._listed(*rows[0], keep_worst=True))
        return [with_extra_columns(self.ready, table, true_values=True) for table in tables]

    def _diverse(self) -> Table:
        """The items in the order in which each is relevant to the most that is new."""
        assert isinstance(self.ready.truth, Grades)
        nothing = table_of({"list": (NO_ROWS, ()), "item": (NO_ROWS, ())})
        no_hits, _ = judge(nothing, self.truth)
        rel = min(m.params["rel"] for m in self.ready.measures if m.metric.view is Diverse)
        ranking = Diverse(no_hits, self.ready.truth.subtopics).best_order(rel, 0.5, None)
        rows = ranking.item[ends(ranking.item)]
        return self._listed(self.truth.in_list[rows], self.item[rows])

    @cached_property
    def _ends(self) -> Ints:
        """Rows of the best and of the worst item of each list whose grades differ."""
        in_list, grade = self.truth.in_list, self.truth.grade
        first = np.flatnonzero(starts(in_list))
        last = np.append(first[1:], in_list.size) - 1
        differing = grade[first] > grade[last] if in_list.size else first > last
        return np.stack([first[differing], last[differing]], axis=1).ravel()

    @property
    def _scored(self) -> bool:
        """Whether a submission can say that items are tied."""
        rules = self.ready.bound.challenge.submission
        ranked = "rank" in rules.columns and "score" not in rules.columns
        return rules.ties != "error" and rules.format != "lists" and not ranked

    def degraded(self, rng: np.random.Generator, share: float) -> Table:
        # each list is the perfect one, of which some items stay, interleaved with a random one
        lists, codes, _, _ = self._fitted(*self._drawn(rng))
        kept = rng.random(self.truth.in_list.size) >= share
        in_list = np.concatenate([self.truth.in_list[kept], lists])
        item = np.concatenate([self.item[kept], codes])
        place = np.concatenate([_nth(self.truth.in_list)[kept], _nth(lists)]).astype(np.float64)
        place[kept.sum() :] += (1 / max(share, 1e-9) - 1) * rng.random(lists.size)
        order = np.lexsort((place, in_list))
        in_list, item = in_list[order], item[order]
        first = np.unique(in_list * np.int64(len(self.names) + self.depth + 1) + item, True)[1]
        distinct_rows = np.sort(first)
        return self._listed(in_list[distinct_rows], item[distinct_rows], most=self.depth)

    def others(self) -> dict[str, Table]:
        truth, ties = self.truth, self.ready.bound.challenge.submission.ties
        reversed_rows = np.lexsort((-np.arange(truth.in_list.size), truth.in_list))
        relevant_counts = np.bincount(self.item[truth.grade > 0], minlength=len(self.names))
        tables = {
            "reversed": self._listed(truth.in_list[reversed_rows], self.item[reversed_rows]),
            "constant": self._pooled(
                lambda items: items[np.lexsort((items, -relevant_counts[items]))]
            ),
            "empty": self._listed(NO_ROWS, NO_ROWS),
        }
        if ties != "error":
            tables["tied"] = self._tied({"file": 0, "item-asc": 1}.get(ties, -1) * self._places)
        return tables

    def random(self, rng: np.random.Generator) -> Table:
        return self._listed(*self._drawn(rng))

    def _drawn(self, rng: np.random.Generator) -> tuple[Ints, Ints]:
        """The list and the item of each row of a random submission."""
        return self._pooled_rows(
            lambda items: rng.choice(items, min(self.depth, items.size), replace=False), anew=True
        )

    def tied(self, rng: np.random.Generator) -> Table:
        return self._tied(rng.permutation(len(self.names)))

    @cached_property
    def _places(self) -> Ints:
        """Where each item stands among their names."""
        return np.argsort(np.argsort(np.array(self.names, dtype=object)))

    def _tied(self, place: Ints) -> Table:
        """The items that come first by their places; `expected` knows that they are equal."""
        tied = self.ready.bound.challenge.submission.ties in ("expected", "mean-rank")
        return self._pooled(lambda items: items[np.argsort(place[items], kind="stable")], tied)

    def _pooled(self, chosen: Callable[[Ints], Ints], tied: bool = False) -> Table:
        """For each list the first of its items, in the order that `chosen` gives them."""
        return self._listed(*self._pooled_rows(chosen), tied)

    def _pooled_rows(self, chosen: Callable[[Ints], Ints], anew: bool = False) -> tuple[Ints, Ints]:
        """The list and the item of each row of `_pooled`.

        `anew` if `chosen` gives each list another order, though the items are the same.
        """
        _, items, by_list = self.pool
        if by_list is None and not anew:
            listed = [chosen(items)[: self.depth]] * len(self.truth.lists)
        else:
            pools = (
                items if by_list is None else by_list.get(n, NO_ROWS) for n in self.truth.lists
            )
            listed = [chosen(pool)[: self.depth] for pool in pools]
        in_list = np.repeat(np.arange(len(listed)), [part.size for part in listed])
        return in_list, np.concatenate([NO_ROWS, *listed])

    def _listed(
        self,
        in_list: Ints,
        item: Ints,
        tied: bool = False,
        least: int = 0,
        *,
        most: int | None = None,
        beside: int = 0,
        keep_worst: bool = False,
    ) -> Table:
        """Lists in the order of the rows, cut or filled up to the allowed length.

        `tied` gives all rows one score; the others are those of `_fitted`.
        """
        in_list, item, names, score = self._fitted(
            in_list, item, least, most=most, beside=beside, keep_worst=keep_worst
        )
        if tied:
            score = np.ones(in_list.size)
        return table_of({"list": (in_list, self.truth.lists), "item": (item, names)}, score=score)

    def _fitted(
        self,
        in_list: Ints,
        item: Ints,
        least: int = 0,
        *,
        most: int | None = None,
        beside: int = 0,
        keep_worst: bool = False,
    ) -> tuple[Ints, Ints, tuple[str, ...], Floats]:
        """Rows cut or filled up to the allowed length: list, item, names of items, and score.

        Args:
            in_list: the list of each row; rows of a list stand together.
            item: codes of `names`.
            least: how many items a list has at least, where there are so many.
            most: how many it has at most, beside what the challenge allows.
            beside: for how many other items room is made below.
            keep_worst: whether the last row of a list stays, and scores are the truth's grades.
        """
        length = self.ready.bound.challenge.submission.length
        at_least = np.full(len(self.truth.lists), max((length.min if length else 0) or 0, least))
        limits = [limit for limit in (length.max if length else None, most) if limit is not None]
        full, full_list = item, in_list
        score = -_nth(in_list).astype(np.float64)
        if keep_worst:
            score = self.truth.grade.astype(np.float64)
        if limits:
            kept = _nth(in_list) <= max(min(limits) - beside - keep_worst, 0)
            if keep_worst:
                kept[np.flatnonzero(np.diff(in_list, append=-1))] = True
            in_list, item, score = in_list[kept], item[kept], score[kept]
        sizes = np.bincount(in_list, minlength=len(self.truth.lists))
        if beside:
            at_least = np.maximum(at_least, np.where(sizes > 0, sizes + beside, 0))
        names: tuple[str, ...] = self.names
        short = np.maximum(at_least - sizes, 0)
        if in_list.size and short.any():
            more, others = self._fillers(full_list, full, short)
            new = max(int(others.max(initial=0)) + 1 - len(names), 0)
            names += tuple(_unused(names, new))
            lowest = (score.min() if score.size else 0.0) - _nth(more)
            in_list, item = np.append(in_list, more), np.append(item, others)
            order = np.argsort(in_list, kind="stable")
            in_list, item, score = in_list[order], item[order], np.append(score, lowest)[order]
        if Scored in self.ready.views:  # from 0 to 1, as thresholds ask
            score = 1 / (1 + score.max(initial=0.0) - score)
        return in_list, item, names, score

    def _fillers(self, in_list: Ints, item: Ints, short: Ints) -> tuple[Ints, Ints]:
        """Other items for lists that are too short: of those that a list may hold.

        Where nothing says which items there are, unknown ones are allowed, too.
        """
        _, items, by_list = self.pool
        public = self.ready.public
        closed = public.items is not None or by_list is not None
        order = np.argsort(in_list, kind="stable")
        first_rows = np.searchsorted(in_list[order], np.arange(short.size + 1))
        lists, codes = [NO_ROWS], [NO_ROWS]
        for n in np.flatnonzero(short).tolist():
            listed = item[order[first_rows[n] : first_rows[n + 1]]]
            allowed = items if by_list is None else by_list.get(self.truth.lists[n], NO_ROWS)
            fillers = allowed[: listed.size + short[n]] if by_list is None else allowed
            fillers = fillers[~np.isin(fillers, listed)][: short[n]]
            if not closed and fillers.size < short[n]:
                fillers = np.append(fillers, len(self.names) + np.arange(short[n] - fillers.size))
            lists.append(np.full(fillers.size, n))
            codes.append(fillers)
        return np.concatenate(lists), np.concatenate(codes)


def _unused(names: Sequence[str], count: int) -> Iterator[str]:
    """Names of items that are no other item's."""
    taken, number = set(names), 0
    while count:
        number += 1
        if (name := f"other-{number}") not in taken:
            count -= 1
            yield name


def deepest(measure: Measure) -> int:
    """The last rank that a measure looks at; 0 where it has no cut-off."""
    return max(cutoffs(measure), default=0)


def cutoffs(measure: Measure) -> tuple[int, ...]:
    """The ranks at which a measure stops."""
    at = measure.params.get("cutoffs") or measure.params.get("k")
    return at if isinstance(at, tuple) else (at,) if isinstance(at, int) else ()


def _nth(in_list: Ints) -> Ints:
    """1 for the first row of a list, 2 for the second; rows of a list stand together."""
    place = np.arange(in_list.size, dtype=np.int64)
    new = starts(in_list)
    return place - np.maximum.accumulate(np.where(new, place, 0)) + 1
