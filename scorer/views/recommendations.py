"""Every returned item, judged or not, beside the columns of a catalogue of items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import ClassVar, Self

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from scorer.core.arrays import Floats, Ints, Mask
from scorer.reading.table import Table, find_places
from scorer.views.columns import (
    NO_EXTRAS,
    Extras,
    NamedColumns,
    WithTruthColumns,
    placed,
)
from scorer.views.join import GradedItems, order
from scorer.views.ranked import Judged, Ties, steps


@dataclass(frozen=True)
class Catalogue:
    """The items of the challenge, in the order of their ids, with their columns.

    The last element of `users` and `features` is of every item that is not here,
    whose code is -1: nobody knows it, and it has no features.
    """

    named: pl.Series
    users: Floats  # how many past users know each item
    features: Floats  # shape (items + 1, features)
    extra: NamedColumns = field(
        default_factory=lambda: NamedColumns({}, "item")
    )  # columns of items + 1 rows

    def codes(self, items: pl.Series) -> Ints:
        """The code of each item; -1 of one that is not here."""
        return find_places(items, self.named)

    def popularity(self) -> Ints:
        """Each item's place, from 1, by how many know it; equal ones in the order of their ids."""
        place = np.full(self.users.size, self.users.size, dtype=np.int64)
        place[np.argsort(-self.users[:-1], kind="stable")] = np.arange(1, self.users.size)
        return place


@dataclass(frozen=True, slots=True)
class Returned(WithTruthColumns):
    """Every item that each list returned, judged or not, ordered by list, then by rank.

    All arrays but the history's have one element a returned item.
    """

    kinds: ClassVar[frozenset[str]] = frozenset({"grades"})
    in_order: ClassVar[bool] = True  # so that the rule for equal scores matters
    always_defined: ClassVar[bool] = True  # a list without a value has none because of its items

    in_list: Ints
    rank: Ints
    item: Ints  # its code in the catalogue
    grade: Floats  # NaN: unjudged
    lists: int
    catalogue: Catalogue
    past_list: Ints  # the history, ordered by list: which list knows
    past_item: Ints  # which item
    names: Sequence[str] = ()
    extras: Extras = (
        NO_EXTRAS  # `extras.item["group"]`; of lists one a list, else one a returned item
    )

    def where(self, keep: Mask) -> Self:
        """Only the items where `keep` holds."""
        return replace(
            self,
            in_list=self.in_list[keep],
            rank=self.rank[keep],
            item=self.item[keep],
            grade=self.grade[keep],
            extras=self.extras.at(truth=keep, submission=keep, item=keep),
        )

    def top(self, k: int) -> Self:
        """The items at ranks 1 to k."""
        return self.where(self.rank <= k)

    def total(self, weight: ArrayLike = 1.0) -> Floats:
        """The sum of `weight` over each list's items, in rank order; 0 where there are none."""
        weights = np.broadcast_to(np.asarray(weight, dtype=np.float64), self.rank.shape)
        return np.bincount(self.in_list, weights, minlength=self.lists).astype(np.float64)

    def pairs(self) -> Iterator[tuple[Ints, Ints]]:
        """Every two rows of one list, as two arrays: neighbours first, then those further apart."""
        for distance in range(1, int(self.rank.max(initial=0))):
            row = np.flatnonzero(self.in_list[distance:] == self.in_list[:-distance])
            yield row, row + distance

    def past(self) -> Iterator[tuple[Ints, Ints]]:
        """Yield rows and item codes, so that every row meets every item of its list's history."""
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
        """From returned items and their truth, list by list: for examples and tests.

        Args:
            users: the number of past users of each item; items that are here or in `features` make
                the catalogue.
            history: the items, all of the catalogue, that each list has known.
        """
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
        table = np.array(described).reshape(len(names) + 1, width)
        catalogue = Catalogue(pl.Series(names, dtype=pl.String), np.array(counts), table)
        return cls(
            in_list.astype(np.int64), rank.astype(np.int64), item.astype(np.int64), grade,
            len(lists), catalogue, past_list, past_item, tuple(map(str, range(len(lists)))),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Scored(Returned):
    """All that a submission returned, with the scores that it gave."""

    kinds: ClassVar[frozenset[str]] = frozenset({"grades"})
    always_defined: ClassVar[bool] = False  # the truth can be without a target

    score: Floats = ...  # type: ignore[assignment]  # of each row; NaN where it ranks without
    judged: Judged = ...  # type: ignore[assignment]  # the same lists' judged items

    def where(self, keep: Mask) -> Scored:
        """Only the items where `keep` holds."""
        return replace(Returned.where(self, keep), score=self.score[keep])

    @classmethod
    def of_returned(cls, returned: Returned, score: Floats, judged: Judged) -> Scored:
        """Add scores, (items,), to the returned items; NaN where the submission has none."""
        columns = {f.name: getattr(returned, f.name) for f in fields(type(returned))}
        return cls(**columns, score=score, judged=judged)

    @classmethod
    def of_scores(
        cls,
        *lists: tuple[Mapping[str, float], Mapping[str, float]],
        item: Mapping[str, Mapping[str, ArrayLike]] | None = None,
    ) -> Scored:
        """From `{item: score}` and `{item: grade}`, list by list; for examples and tests.

        `item` has more columns of items: name -> item -> number, numbers, or text.
        """
        pairs = [
            (sorted(scores, key=lambda x, scores=scores: -scores[x]), truth)  # type: ignore[misc]
            for scores, truth in lists
        ]
        returned, judged = Returned.of(*pairs), Judged.of(*pairs)
        score = [
            scores[x] for (scores, _), (items, _) in zip(lists, pairs, strict=True) for x in items
        ]
        rows = [x for items, _ in pairs for x in items]
        ideal_items = [x for _, truth in pairs for x in sorted(truth, key=lambda x, t=truth: -t[x])]  # type: ignore[misc]

        def columns(items: Sequence[str]) -> NamedColumns:
            values_by_name = {}
            for name, of in (item or {}).items():
                example = np.asarray(next(iter(of.values())))
                kind = object if example.dtype.kind == "U" else np.float64
                values = np.array([of[x] for x in items], dtype=kind)
                values_by_name[name] = values.reshape(len(items), *example.shape)
            return NamedColumns(values_by_name, "item")

        return cls.of_returned(
            replace(returned, extras=Extras(item=columns(rows))),
            np.array(score, dtype=np.float64),
            replace(judged, extras=Extras(item=columns(ideal_items))),
        )


def join_returned(
    table: Table,
    truth: GradedItems,
    ties: Ties,
    catalogue: Catalogue,
    past: tuple[Ints, Ints],
    columns: Extras = NO_EXTRAS,
    submission_columns: NamedColumns | None = None,
) -> Returned:
    """Return all that the submission returned, judged or not, with the columns of the items.

    `past` is the history; `columns` of the truth have one element a row of it and of its lists,
    `submission_columns` one a row of the submission.
    """
    ordered = order(table, truth.list_names, ties)
    row = truth.find(table.frame)[ordered.row]
    grade = np.append(truth.grade, np.nan)[row]
    code = catalogue.codes(table.frame["item"].gather(ordered.row))
    extras = Extras(
        placed(columns.truth, row),
        columns.submission if submission_columns is None else submission_columns.at(ordered.row),
        columns.list,
        catalogue.extra.at(code),
    )
    return Returned(
        ordered.in_list, ordered.rank, code, grade, len(truth.lists), catalogue, *past, truth.lists,
        extras,
    )  # fmt: skip


def join_scored(
    table: Table, truth: GradedItems, ties: Ties, judged: Judged, all_returned: Returned
) -> Scored:
    """Return the returned items with their scores.

    `all_returned` has all items, in the order of `order`.
    """
    rows = order(table, truth.list_names, ties).row
    return Scored.of_returned(all_returned, submitted_scores(table)[rows], judged)


def submitted_scores(table: Table) -> Floats:
    """Return the score of each row; NaN where the submission has none."""
    return table.frame["score"].to_numpy() if "score" in table else np.full(len(table), np.nan)
