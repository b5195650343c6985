"""Every returned item, judged or not, beside the columns of a catalogue of items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from scorer.core.arrays import Floats, Ints, Mask, at_or_missing, sum_by_list
from scorer.reading.table import Table, find_indices
from scorer.views.columns import NO_EXTRAS, Extras, NamedColumns, View
from scorer.views.join import GradedItems, rank_rows
from scorer.views.ranked import Judged, Ties


@dataclass(slots=True, eq=False)
class Catalogue:
    """The items of the challenge, in the order of their ids, with their columns.

    The code of an item is its index here; -1 means an item outside the catalogue.
    """

    ids: pl.Series  # sorted
    users: Floats  # how many past users know each item, shape (items,)
    features: Floats  # shape (items, features)
    extra: NamedColumns = field(default_factory=lambda: NamedColumns({}, "item"))

    def codes(self, items: pl.Series) -> Ints:
        """Return the code of each item; -1 for one outside the catalogue."""
        return find_indices(items, self.ids)

    def users_of(self, codes: Ints) -> Floats:
        """Return how many past users know each item; 0 for one outside the catalogue."""
        return at_or_missing(self.users, codes, 0.0)

    def features_of(self, codes: Ints) -> Floats:
        """Return the features of each item, (codes, features); 0 outside the catalogue."""
        return at_or_missing(self.features, codes, 0.0)


@dataclass(slots=True, kw_only=True, eq=False)
class Returned(View):
    """Every item that each list returned, judged or not, ordered by list, then by rank.

    Arrays have one element per returned item; `past_*` one per pair of the history, by list.
    """

    kinds: ClassVar[frozenset[str]] = frozenset({"grades"})
    in_order: ClassVar[bool] = True
    truth_defines_all: ClassVar[bool] = True

    names: Sequence[str]
    in_list: Ints
    rank: Ints
    item: Ints  # its code in the catalogue
    grade: Floats  # NaN: unjudged
    score: Floats  # NaN if the submission has no scores
    catalogue: Catalogue
    past_list: Ints  # the list of each pair of the history
    past_item: Ints  # the code of the item that this list has known
    extras: Extras = NO_EXTRAS  # `list` has one element per list, the others per returned item

    def where(self, keep: Mask) -> Self:
        """Return the items where `keep` holds."""
        arrays = ("in_list", "rank", "item", "grade", "score")
        extras = self.extras.at(truth=keep, submission=keep, item=keep)
        return replace(self, extras=extras, **{name: getattr(self, name)[keep] for name in arrays})

    def top(self, k: int) -> Self:
        """Return the items at ranks 1 to k."""
        return self.where(self.rank <= k)

    def total(self, weight: ArrayLike = 1.0) -> Floats:
        """Return the sum of `weight` over each list's items, in rank order; 0 without items."""
        return sum_by_list(self.in_list, weight, self.lists)

    def pairs(self) -> Iterator[tuple[Ints, Ints]]:
        """Yield the pairs of items of the same list as two arrays of rows, nearest pairs first."""
        for distance in range(1, int(self.rank.max(initial=0))):
            row = np.flatnonzero(self.in_list[distance:] == self.in_list[:-distance])
            yield row, row + distance


@dataclass(slots=True, kw_only=True, eq=False)
class Scored(Returned):
    """All that a submission returned, with the scores that it gave."""

    truth_defines_all: ClassVar[bool] = False

    judged: Judged  # the same lists' judged items


def join_returned(
    table: Table,
    truth: GradedItems,
    ties: Ties,
    catalogue: Catalogue,
    history: tuple[Ints, Ints],
    extras: Extras,
    judged: Judged | None,
) -> Returned:
    """Return all that the submission returned, judged or not; a `Scored` if `judged` is given.

    `history` has the lists and the item codes of its pairs, ordered by list. `extras` have one
    element a row of the truth or of `table`, or a list.
    """
    past_list, past_item = history
    ordered = rank_rows(table, truth.list_names, ties)
    row = truth.find(table.frame)[ordered.row]
    code = catalogue.codes(table.frame["item"].gather(ordered.row))
    shared: dict[str, Any] = {
        "names": truth.lists,
        "in_list": ordered.in_list,
        "rank": ordered.rank,
        "item": code,
        "grade": at_or_missing(truth.grade, row, np.nan),
        "score": submitted_scores(table)[ordered.row],
        "catalogue": catalogue,
        "past_list": past_list,
        "past_item": past_item,
        "extras": Extras(
            extras.truth.at_or_missing(row),
            extras.submission.at(ordered.row),
            extras.list,
            catalogue.extra.at_or_missing(code),
        ),
    }
    return Returned(**shared) if judged is None else Scored(**shared, judged=judged)


def submitted_scores(table: Table) -> Floats:
    """Return the score of each row; NaN in a submission without scores."""
    return table.frame["score"].to_numpy() if "score" in table else np.full(len(table), np.nan)
