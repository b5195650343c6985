"""Every returned item, judged or not, beside the columns of a catalogue of items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from scorer.core.arrays import Floats, Ints, Mask, sum_by_list
from scorer.reading.table import Table, find_places
from scorer.views.columns import NO_EXTRAS, Extras, NamedColumns, WithTruthColumns, make_column
from scorer.views.join import GradedItems, order
from scorer.views.ranked import Judged, Ties, steps


@dataclass(frozen=True)
class Catalogue:
    """The items of the challenge, in the order of their ids, with their columns.

    Attributes:
        named: The ids of the items.
        users: How many past users know each item; the last element is 0, for an item that is not
            here, whose code is -1.
        features: Shape (items + 1, features); the last row is of zeros.
        extra: Further columns, with items + 1 elements.
    """

    named: pl.Series
    users: Floats
    features: Floats
    extra: NamedColumns = field(default_factory=lambda: NamedColumns({}, "item"))

    def codes(self, items: pl.Series) -> Ints:
        """Return the code of each item; -1 of one that is not here."""
        return find_places(items, self.named)

    def popularity(self) -> Ints:
        """Return each item's place, from 1, by its users; equal ones in the order of their ids."""
        place = np.full(self.users.size, self.users.size, dtype=np.int64)
        place[np.argsort(-self.users[:-1], kind="stable")] = np.arange(1, self.users.size)
        return place


@dataclass(frozen=True, slots=True)
class Returned(WithTruthColumns):
    """Every item that each list returned, judged or not, ordered by list, then by rank.

    All arrays but the history's have one element a returned item. The history is ordered by list.
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
    past_list: Ints  # the list of each pair of the history
    past_item: Ints  # and the item that it knows
    names: Sequence[str] = ()
    extras: Extras = NO_EXTRAS  # of lists one element a list, of others one a returned item

    def where(self, keep: Mask) -> Self:
        """Return the items where `keep` holds."""
        return replace(
            self,
            in_list=self.in_list[keep],
            rank=self.rank[keep],
            item=self.item[keep],
            grade=self.grade[keep],
            extras=self.extras.at(truth=keep, submission=keep, item=keep),
        )

    def top(self, k: int) -> Self:
        """Return the items at ranks 1 to k."""
        return self.where(self.rank <= k)

    def total(self, weight: ArrayLike = 1.0) -> Floats:
        """Return the sum of `weight` over each list's items, in rank order; 0 without items."""
        return sum_by_list(self.in_list, weight, self.lists)

    def pairs(self) -> Iterator[tuple[Ints, Ints]]:
        """Yield every two rows of one list, as two arrays: neighbours first, then farther ones."""
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
        """Return the view of returned items and their truth, list by list; for examples.

        Args:
            lists: The returned items and `{item: grade}` of each list.
            users: The number of past users of each item.
            features: The features of each item; the catalogue has these items and those of users.
            history: The items that each list has known, all of the catalogue.
        """
        users, features = users or {}, features or {}
        names = pl.Series(sorted({*users, *features}), dtype=pl.String)
        width = max(map(len, features.values()), default=0)
        table = np.array([features.get(name, [0.0] * width) for name in [*names, ""]], np.float64)
        counts = np.array([users.get(name, 0.0) for name in [*names, ""]], np.float64)
        catalogue = Catalogue(names, counts, table.reshape(len(names) + 1, width))
        sizes = [len(items) for items, _ in lists]
        rows = [(item, truth.get(item, np.nan)) for items, truth in lists for item in items]
        return cls(
            np.repeat(np.arange(len(lists)), sizes),
            np.array([rank for size in sizes for rank in range(1, size + 1)], dtype=np.int64),
            catalogue.codes(pl.Series([item for item, _ in rows], dtype=pl.String)),
            np.array([grade for _, grade in rows], dtype=np.float64),
            len(lists),
            catalogue,
            np.repeat(np.arange(len(history)), [len(items) for items in history]),
            catalogue.codes(pl.Series([x for past in history for x in past], dtype=pl.String)),
            tuple(map(str, range(len(lists)))),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored(Returned):
    """All that a submission returned, with the scores that it gave."""

    always_defined: ClassVar[bool] = False  # the truth can be without a target

    score: Floats  # of each row; NaN where it ranks without
    judged: Judged  # the same lists' judged items

    def where(self, keep: Mask) -> Self:
        """Return the items where `keep` holds."""
        return replace(Returned.where(self, keep), score=self.score[keep])

    @classmethod
    def of_returned(cls, returned: Returned, score: Floats, judged: Judged) -> Scored:
        """Return the returned items with their scores, (items,)."""
        fields = {name: getattr(returned, name) for name in Returned.__match_args__}
        return cls(**fields, score=score, judged=judged)

    @classmethod
    def of_scores(
        cls,
        *lists: tuple[Mapping[str, float], Mapping[str, float]],
        item: Mapping[str, Mapping[str, ArrayLike]] | None = None,
    ) -> Scored:
        """Return the view of `{item: score}` and `{item: grade}`, list by list; for examples.

        `item` has further columns of items: name -> item -> number, numbers, or text.
        """

        def best_first(values: Mapping[str, float]) -> list[str]:
            return sorted(values, key=values.__getitem__, reverse=True)

        def extras_of(items: Sequence[str]) -> Extras:
            columns = {}
            for name, of in (item or {}).items():
                row = {x: n for n, x in enumerate(of)}
                columns[name] = make_column([*of.values()])[[row[x] for x in items]]
            return Extras(item=NamedColumns(columns, "item"))

        pairs = [(best_first(scores), truth) for scores, truth in lists]
        returned, judged = Returned.of(*pairs), Judged.of(*pairs)
        score = [
            scores[x] for (scores, _), (items, _) in zip(lists, pairs, strict=True) for x in items
        ]
        rows = [x for items, _ in pairs for x in items]
        ideal = [x for _, truth in lists for x in best_first(truth)]
        return cls.of_returned(
            replace(returned, extras=extras_of(rows)),
            np.array(score, dtype=np.float64),
            replace(judged, extras=extras_of(ideal)),
        )


def join_returned(
    table: Table,
    truth: GradedItems,
    ties: Ties,
    catalogue: Catalogue,
    past: tuple[Ints, Ints],
    extras: Extras = NO_EXTRAS,
    judged: Judged | None = None,
) -> Returned:
    """Return all that the submission returned, judged or not; with its scores beside `judged`.

    Args:
        table: The submission.
        truth: The truth.
        ties: The rule for equal scores.
        catalogue: The items, with their columns.
        past: The history: lists, and the items that they know.
        extras: Further columns, with an element for each row of the truth, of the submission, and
            of its lists.
        judged: The judged items, if scores are asked for.
    """
    ordered = order(table, truth.list_names, ties)
    row = truth.find(table.frame)[ordered.row]
    code = catalogue.codes(table.frame["item"].gather(ordered.row))
    returned = Returned(
        ordered.in_list,
        ordered.rank,
        code,
        np.append(truth.grade, np.nan)[row],
        len(truth.lists),
        catalogue,
        *past,
        truth.lists,
        Extras(
            extras.truth.at_or_missing(row),
            extras.submission.at(ordered.row),
            extras.list,
            catalogue.extra.at(code),
        ),
    )
    if judged is None:
        return returned
    return Scored.of_returned(returned, submitted_scores(table)[ordered.row], judged)


def submitted_scores(table: Table) -> Floats:
    """Return the score of each row; NaN in a submission without scores."""
    return table.frame["score"].to_numpy() if "score" in table else np.full(len(table), np.nan)
