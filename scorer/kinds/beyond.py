"""What graded lists show beyond their judged items: all that was returned, pairs, subtopics, texts.

Most challenges ask for nothing of it, so that it is imported where it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from scorer.challenge.public import ids_of
from scorer.core.arrays import Ints
from scorer.kinds.base import SideTables
from scorer.tables.columns import CodedColumn
from scorer.tables.table import Table
from scorer.views.beyond import Subtopics, likelihood, returned, scored, stated, texts
from scorer.views.diverse import Diverse
from scorer.views.extras import Extras, placed
from scorer.views.hits import Judged, Ties
from scorer.views.join import GradedItems, graded
from scorer.views.pairwise import PairLayout, Preferred, Ranking, TruePreferences
from scorer.views.returned import Catalogue, Returned
from scorer.views.scored import Scored
from scorer.views.texts import Texts

NO_CODES = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class SideViews:
    """What a graded truth has for these views, made when a view first needs it."""

    truth: GradedItems
    aids: SideTables
    table: Table | None  # what the truth was made of

    @cached_property
    def items(self) -> GradedItems:
        """The truth with the candidates of each list, which need not be judged."""
        return graded(self.truth, self.aids.public.candidates or {})

    @cached_property
    def orders(self) -> TruePreferences:
        """The truth as preferences: the better grade is preferred."""
        layout, chances = PairLayout.of(self.items.in_list, self.truth.lists), self.aids.tables
        likely = likelihood(chances["likelihood"], self.items) if "likelihood" in chances else None
        return TruePreferences.of(layout, Ranking(self.items.grade), likely)

    @cached_property
    def subtopics(self) -> Subtopics:
        """The subtopics that each row of the truth was judged for."""
        assert self.table is not None
        return Subtopics.of(self.table, self.truth)

    @cached_property
    def catalogue(self) -> Catalogue:
        """The items of the challenge, with their columns."""
        return _catalogue(self.aids)

    @cached_property
    def past(self) -> tuple[Ints, Ints]:
        """Which list has known which item of the catalogue."""
        if (history := self.aids.tables.get("history")) is None:
            return NO_CODES, NO_CODES
        places = {name: n for n, name in enumerate(self.truth.lists)}
        return _past(history, places, self.catalogue.items)

    def whole_lists(self, views: frozenset[type]) -> bool:
        """Whether a view has all items of a list, in their order."""
        return Returned in views or Scored in views

    def named_in(self, view: type) -> GradedItems:
        """The truth whose items a view is about; those of preferences are the candidates too."""
        return self.items if view is Preferred else self.truth

    def seen(
        self, submission: Table, ties: Ties, judged: Judged, views: frozenset[type], extras: Extras
    ) -> dict[type, object]:
        """The views of a submission that need more than its judged items."""
        seen_by_view = dict[type, object]()
        if Preferred in views:
            seen_by_view[Preferred] = Preferred(self.orders, stated(submission, self.items))
        if Diverse in views:
            seen_by_view[Diverse] = self.subtopics.of_judged(judged)
        if Texts in views:
            sent_columns = self.aids.further("submission", submission)
            seen_by_view[Texts] = texts(submission, self.truth, ties, judged, extras, sent_columns)
        if self.whole_lists(views):
            sent_columns = self.aids.further("submission", submission)
            all_returned = returned(
                submission, self.truth, ties, self.catalogue, self.past, extras, sent_columns
            )
            seen_by_view[Returned] = all_returned
            if Scored in views:
                seen_by_view[Scored] = scored(submission, self.truth, ties, judged, all_returned)
        return seen_by_view


def _catalogue(aids: SideTables) -> Catalogue:
    """The challenge's items, else those of its history, in the order of their ids."""
    items, history = aids.tables.get("items"), aids.tables.get("history")
    if items is not None:
        items_column = items.ids["item"]
    elif aids.public.items is not None or history is None:
        items_column = CodedColumn(NO_CODES, ids_of(aids.public.items or {}))
    else:
        items_column = history.ids["item"]
    names, code = items_column.in_order
    users, features = np.zeros(len(names) + 1), np.zeros((len(names) + 1, len(aids.features)))
    if items is not None:
        row = code[items.ids["item"].codes]
        for n, role in enumerate(aids.features):
            features[row, n] = items.numbers[role]
    catalogue = Catalogue(names, users, features)
    if history is not None:
        places = {name: n for n, name in enumerate(history.ids["list"].names)}
        users[:-1] = np.bincount(_past(history, places, catalogue.items)[1], minlength=len(names))
    elif items is not None and "users" in items.numbers:
        users[row] = items.numbers["users"]
    if items is not None and (further := aids.further("items", items)):
        first = np.full(len(names) + 1, -1, dtype=np.int64)
        first[row[::-1]] = np.arange(row.size)[::-1]
        return replace(catalogue, extra=placed(further, first))
    return catalogue


def _past(history: Table, lists: Mapping[str, int], items: Mapping[str, int]) -> tuple[Ints, Ints]:
    """The pairs of the history that concern these lists and items, each once, in order."""
    in_list, item = (
        np.array([codes.get(name, -1) for name in ids.names], dtype=np.int64)[ids.codes]
        for codes, ids in ((lists, history.ids["list"]), (items, history.ids["item"]))
    )
    ours = (in_list >= 0) & (item >= 0)
    pairs = np.unique(in_list[ours] * max(len(items), 1) + item[ours])
    return pairs // max(len(items), 1), pairs % max(len(items), 1)
