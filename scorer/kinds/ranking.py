"""Truths of graded items, for submissions of ranked lists."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import polars as pl

from scorer.core.arrays import Ints, at_or_missing, first_positions
from scorer.core.problems import Findings, Problem
from scorer.core.text import quoted
from scorer.kinds.base import Constants, ItemTruth, Kind, SideTables, Views
from scorer.reading.schema import Schema
from scorer.reading.table import Table, find_indices
from scorer.views.columns import Extras, NamedColumns
from scorer.views.diverse import Diverse, Subtopics
from scorer.views.join import (
    GradedItems,
    among_lists,
    answered_lists,
    anti_join,
    item_names,
    judge,
    number_lists,
    with_candidates,
)
from scorer.views.preferences import (
    PairLayout,
    Positions,
    Preferred,
    Ranking,
    TruePreferences,
    read_likelihood,
    read_preferences,
)
from scorer.views.ranked import Judged, Names, Ties
from scorer.views.recommendations import Catalogue, Returned, Scored, join_returned
from scorer.views.texts import Texts, join_texts


@dataclass(kw_only=True, eq=False)
class Grades(ItemTruth):
    """A graded truth, prepared to be joined with submissions."""

    side: SideTables  # the challenge's other files
    table: Table | None = None  # the truth's, if a measure needs its subtopics
    excluded: GradedItems | None = None  # the pairs that are removed from submissions
    # `OpenTruth` says what these are. A submission may also have the other views of `find_views`.
    own_views: ClassVar[frozenset[type]] = frozenset({Judged, Diverse, Texts})

    @cached_property
    def candidates(self) -> GradedItems:
        """The truth with the candidates of each list, which need not be judged."""
        return with_candidates(self.truth, self.side.public.candidates or {})

    @cached_property
    def preferences(self) -> TruePreferences:
        """The truth as preferences: the better grade is preferred."""
        items = self.candidates
        likelihood = None
        if (table := self.side.tables.get("likelihood")) is not None:
            likelihood = read_likelihood(table.frame, items)
        layout = PairLayout.of(items.in_list, self.lists)
        return TruePreferences.of(layout, Ranking(items.grade), likelihood)

    @cached_property
    def subtopics(self) -> Subtopics:
        """The subtopics that each row of the truth was judged for."""
        assert self.table is not None
        return Subtopics.of(self.table.frame, self.truth)

    @cached_property
    def catalogue(self) -> Catalogue:
        """The items of the challenge, with their columns."""
        return _catalogue(self.side)

    @cached_property
    def history(self) -> tuple[Ints, Ints]:
        """The pairs of the history, ordered by list: the list of each, and its item's code."""
        if (history := self.side.tables.get("history")) is None:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        return _history_pairs(history.frame, self.truth.list_names, self.catalogue.ids)

    def _without_excluded(self, submission: Table) -> Table:
        return submission if self.excluded is None else anti_join(submission, self.excluded)

    def find_views(self, submission: Table, ties: Ties, views: frozenset[type]) -> Views:
        """Return the views of a submission."""
        table = self._without_excluded(submission)
        columns = self.side.further_columns("submission", table)
        extras = self.extras._replace(submission=columns)
        judged, answered = judge(table, self.truth, ties, lambda row: extras.at(submission=row))
        if self.excluded is not None:  # a list is answered even if all of its items are excluded
            answered = answered_lists(submission.frame, self.truth.list_names)
        by_type: dict[type, object] = {Judged: judged}
        if Positions in views:
            by_type[Positions] = Positions.of(judged)
        if Preferred in views:
            stated = read_preferences(table, self.candidates)
            by_type[Preferred] = Preferred(self.preferences, stated)
        if Diverse in views:
            by_type[Diverse] = Diverse(judged, self.subtopics)
        if Texts in views:
            by_type[Texts] = join_texts(table, self.truth, ties, extras)
        if Returned in views or Scored in views:
            scored = judged if Scored in views else None
            returned = join_returned(
                table, self.truth, ties, self.catalogue, self.history, extras, scored
            )
            by_type[Returned] = returned
            by_type[Scored] = returned  # a Scored is a Returned, too
        return Views(answered, by_type)

    def answers(self, roles: Collection[str]) -> dict[str, Any]:
        """Return every judged item, the best first."""
        truth = self.truth
        lists = truth.list_names.gather(truth.in_list)
        return {"list": lists, "item": truth.items, "score": -truth.ideal.rank}

    def item_names(self, submission: Table, ties: Ties, view: type, at: int) -> Names:
        """Return the truth's items, best first, and the returned ones."""
        truth = self.candidates if view is Preferred else self.truth
        return item_names(self._without_excluded(submission), truth, ties, at)


def open_grades(table: Table, side: SideTables, findings: Findings) -> Grades:
    """Return the graded truth; the public file of lists adds lists without judged items."""
    if side.truth_is_order and "grade" not in table:
        table = _grade_by_place(table)
    frame = table.frame
    if len(table) and "grade" in table and not (frame["grade"] > 0).any():
        findings.add(Problem("S304", "nothing is relevant in any list", "warning"))
    truth = GradedItems.of(frame, side.public.list_names)
    excluded = None
    if (excluded_table := side.tables.get("exclude")) is not None:
        excluded = among_lists(excluded_table.frame, truth.lists)
        kept = anti_join(table, excluded)
        truth = GradedItems.of(kept.frame, truth.lists)
        if not len(kept):
            findings.add(Problem("S103", "exclude takes out every row of the truth"))
    if side.strict:
        findings.extend(_equal_grades(truth, side))
    history = side.tables.get("history")
    constants = Constants(
        max_grade=float(truth.grade.max(initial=0.0)),
        catalogue=None if side.public.items is None else len(side.public.items),
        users=None if history is None else history.frame["list"].n_unique(),
    )
    return Grades(
        lists=truth.lists,
        constants=constants,
        extras=_extras_of(truth, table, side),
        truth=truth,
        side=side,
        table=table if Diverse in side.views else None,
        excluded=excluded,
    )


def _extras_of(truth: GradedItems, table: Table, side: SideTables) -> Extras:
    """Return the further columns of the truth's items, and of its lists."""
    truth_columns = side.further_columns("truth", table)
    if truth_columns:
        # An item may be in several rows: its first row with the grade that counts is taken.
        frame = table.frame
        item = truth.find(frame)
        grade = frame["grade"].to_numpy() if "grade" in frame else np.ones(frame.height)
        has_grade = grade == at_or_missing(truth.grade, item, np.nan)  # excluded pairs have none
        rows = first_positions(np.where(has_grade, item, -1), truth.in_list.size)
        truth_columns = truth_columns.at_or_missing(rows)
    item_columns = NamedColumns({}, "item")
    if side.extra.get("items"):
        catalogue = _catalogue(side)
        item_columns = catalogue.extra.at_or_missing(catalogue.codes(truth.items))
    return Extras(truth_columns, list=side.of_lists(truth.lists), item=item_columns)


def _grade_by_place(table: Table) -> Table:
    """Return the table with grades n, .., 2, 1 for a list's n items, in the order of its rows."""
    place = pl.int_range(pl.len(), 0, -1).over("list")
    return table.with_frame(table.frame.with_columns(grade=place.cast(pl.Float64)))


def _equal_grades(truth: GradedItems, side: SideTables) -> Iterator[Problem]:
    """Yield problems of lists with equal grades, for metrics that need a strict order."""
    same = (np.diff(truth.in_list) == 0) & (np.diff(truth.grade) == 0)
    last_list = -1
    for n in np.flatnonzero(same).tolist():
        if (in_list := int(truth.in_list[n])) == last_list:
            continue
        last_list = in_list
        name = truth.lists[in_list]
        message = (
            f"{', '.join(side.strict)} needs an order as truth: {side.public.word('list')} "
            f"{quoted(name)} grades {quoted(truth.items[n])} and "
            f"{quoted(truth.items[n + 1])} both {truth.grade[n]:g}"
        )
        yield Problem("T706", message, list=name)


def _catalogue(side: SideTables) -> Catalogue:
    """Return the challenge's items, else its history's, in the order of their ids."""
    items = side.tables.get("items")
    history = side.tables.get("history")
    if items is not None:
        ids = items.frame["item"]
    elif side.public.items is not None or history is None:
        ids = pl.Series(list(side.public.items or ()), dtype=pl.String)
    else:
        ids = history.frame["item"]
    names = ids.unique().sort()
    users = np.zeros(len(names))
    features = np.zeros((len(names), len(side.features)))
    extra = NamedColumns({}, "item")
    if items is not None:
        place = find_indices(ids, names)
        for n, role in enumerate(side.features):
            features[place, n] = items.frame[role].to_numpy()
        if "users" in items:
            users[place] = items.frame["users"].to_numpy()
        extra = side.further_columns("items", items).at(first_positions(place, len(names)))
    if history is not None:  # counts replace the column `users`
        lists = history.frame["list"].unique()
        _, known_items = _history_pairs(history.frame, lists, names)
        users = np.bincount(known_items, minlength=len(names)).astype(np.float64)
    return Catalogue(names, users, features, extra)


def _history_pairs(history: pl.DataFrame, lists: pl.Series, items: pl.Series) -> tuple[Ints, Ints]:
    """Return the history's pairs of these lists and items, each once, ordered, as indices."""
    in_list = number_lists(history["list"], lists)
    item = find_indices(history["item"], items)
    is_known = (in_list >= 0) & (item >= 0)
    count = max(len(items), 1)
    pairs = np.unique(in_list[is_known] * count + item[is_known])  # one number for each pair
    return pairs // count, pairs % count


GRADES = Kind(
    "grades",
    truth=(Schema(("list", "item"), ("grade", "subtopic")), Schema(("list", "text"), ("grade",))),
    public_truth=(Schema(("list",)),),
    submission=(Schema(("list", "item"), ("rank", "score", "tag")), Schema(("list", "text"))),
    open=open_grades,
)
