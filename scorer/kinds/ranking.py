"""Ranked lists against grades."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import polars as pl

from scorer.core.arrays import Ints, first_positions
from scorer.core.problems import Findings, Problem
from scorer.core.text import quoted
from scorer.kinds.base import Constants, FoundViews, Kind, OpenTruth, SideTables
from scorer.reading.schema import Schema
from scorer.reading.table import Table, find_places
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


@dataclass(frozen=True, eq=False)
class Grades(OpenTruth):
    """A truth of graded items.

    Attributes:
        lists: The lists that are scored.
        truth: Its grades.
        constants: What it settles.
        side: The files beside it.
        table: Its table, if a measure looks at further columns of it.
        excluded: The pairs that are taken out of submissions.
    """

    lists: tuple[str, ...]
    truth: GradedItems
    constants: Constants
    side: SideTables
    table: Table | None = None
    excluded: GradedItems | None = None
    own_views: ClassVar[frozenset[type]] = frozenset({Judged, Diverse, Texts})

    @cached_property
    def candidates(self) -> GradedItems:
        """The truth with the candidates of each list, which need not be judged."""
        return with_candidates(self.truth, self.side.public.candidates or {})

    @cached_property
    def preferences(self) -> TruePreferences:
        """The truth as preferences: the better grade is preferred."""
        items, likely = self.candidates, self.side.tables.get("likelihood")
        return TruePreferences.of(
            PairLayout.of(items.in_list, self.lists),
            Ranking(items.grade),
            None if likely is None else read_likelihood(likely.frame, items),
        )

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
    def past(self) -> tuple[Ints, Ints]:
        """Which list has known which item of the catalogue."""
        if (history := self.side.tables.get("history")) is None:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        return _past(history.frame, self.truth.list_names, self.catalogue.ids)

    @property
    def _has_extras(self) -> bool:
        return bool(self.side.extra or self.side.public.groups)

    @cached_property
    def extras(self) -> Extras:
        """Further columns: of lists one element a list, of the others one a row of the truth."""
        if not self._has_extras:
            return Extras()
        side, truth = self.side, self.truth
        of_truth = side.further_columns("truth", self.table)
        if of_truth:
            assert self.table is not None
            of_truth = of_truth.at_or_missing(self._graded_rows(self.table.frame))
        described = self.catalogue.extra.at(find_places(truth.items, self.catalogue.ids))
        return Extras(of_truth, list=side.of_lists(truth.lists), item=described)

    def _graded_rows(self, frame: pl.DataFrame) -> Ints:
        """Return the first row of the table that has the grade of each row of the truth."""
        row = self.truth.find(frame)
        grade = frame["grade"].to_numpy() if "grade" in frame.columns else np.ones(frame.height)
        is_grade = grade == np.append(self.truth.grade, np.nan)[row]
        return first_positions(np.where(is_grade, row, -1), self.truth.in_list.size)

    def _without_excluded(self, submission: Table) -> Table:
        return submission if self.excluded is None else anti_join(submission, self.excluded)

    def find_views(self, submission: Table, ties: Ties, views: frozenset[type]) -> FoundViews:
        """Return the views of a submission."""
        sent = self._without_excluded(submission)
        extras = self.extras
        if self._has_extras:
            extras = extras._replace(submission=self.side.further_columns("submission", sent))
        judged, answered = judge(sent, self.truth, ties, lambda row: extras.at(submission=row))
        if self.excluded is not None:
            answered = answered_lists(submission.frame, self.truth.list_names)
        found: dict[type, object] = {Judged: judged}
        if Positions in views:
            found[Positions] = Positions.of(judged)
        if Preferred in views:
            stated = read_preferences(sent, self.candidates)
            found[Preferred] = Preferred(self.preferences, stated)
        if Diverse in views:
            found[Diverse] = self.subtopics.of_judged(judged)
        if Texts in views:
            found[Texts] = join_texts(sent, self.truth, ties, judged, extras)
        if Returned in views or Scored in views:
            scored = judged if Scored in views else None
            found[Returned] = found[Scored] = join_returned(
                sent, self.truth, ties, self.catalogue, self.past, extras, scored
            )
        return FoundViews(answered, found)

    def subset(self, lists: Ints) -> Grades:
        """Return the truth of some lists alone."""
        truth = self.truth.subset(lists)
        return replace(self, lists=truth.lists, truth=truth)

    def answers(self, roles: Collection[str]) -> dict[str, Any]:
        """Return every judged item, the best first."""
        truth = self.truth
        lists = truth.list_names.gather(truth.in_list)
        return {"list": lists, "item": truth.items, "score": -truth.ideal.rank}

    def truth_columns(self) -> NamedColumns:
        """Return the further columns of the truth, one element a judged item."""
        return self.extras.truth

    def item_names(self, submission: Table, ties: Ties, view: type, at: int) -> Names:
        """Return the truth's items, best first, and the returned ones."""
        truth = self.candidates if view is Preferred else self.truth
        return item_names(self._without_excluded(submission), truth, ties, at)


def open_grades(table: Table, side: SideTables, findings: Findings) -> Grades:
    """Return judged items, best first; a list without any is in the public lists file."""
    if side.truth_is_order and "grade" not in table:
        table = _grade_by_place(table)
    frame = table.frame
    if not len(table):
        findings.add(Problem("S103", "the truth has no rows"))
    elif "grade" in table and not (frame["grade"] > 0).any():
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
        float(truth.grade.max(initial=0.0)),
        None if side.public.items is None else len(side.public.items),
        None if history is None else history.frame["list"].n_unique(),
    )
    looked_at = "truth" in side.extra or Diverse in side.views
    return Grades(truth.lists, truth, constants, side, table if looked_at else None, excluded)


def _grade_by_place(table: Table) -> Table:
    """Return the table with grades that fall from item to item of a list, as they stand."""
    place = pl.int_range(pl.len(), 0, -1).over("list")
    return table.with_frame(table.frame.with_columns(grade=place.cast(pl.Float64)))


def _equal_grades(truth: GradedItems, side: SideTables) -> Iterator[Problem]:
    """Yield problems of lists with equal grades, for metrics that need a strict order."""
    same = (np.diff(truth.in_list) == 0) & (np.diff(truth.grade) == 0)
    last_list = -1
    for n in np.flatnonzero(same).tolist():
        if (in_list := int(truth.in_list[n])) == last_list:
            continue
        last_list, name = in_list, truth.lists[in_list]
        message = (
            f"{', '.join(side.strict)} needs an order as truth: {side.public.word('list')} "
            f"{quoted(name)} grades {quoted(truth.items[n])} and "
            f"{quoted(truth.items[n + 1])} both {truth.grade[n]:g}"
        )
        yield Problem("T706", message, list=name)


def _catalogue(side: SideTables) -> Catalogue:
    """Return the challenge's items, else those of its history, in the order of their ids."""
    items, history = side.tables.get("items"), side.tables.get("history")
    if items is not None:
        ids = items.frame["item"]
    elif side.public.items is not None or history is None:
        ids = pl.Series(list(side.public.items or ()), dtype=pl.String)
    else:
        ids = history.frame["item"]
    named = ids.unique().sort()
    users, features = np.zeros(len(named) + 1), np.zeros((len(named) + 1, len(side.features)))
    extra = NamedColumns({}, "item")
    if items is not None:
        place = find_places(ids, named)
        for n, role in enumerate(side.features):
            features[place, n] = items.frame[role].to_numpy()
        if "users" in items:
            users[place] = items.frame["users"].to_numpy()
        rows = np.append(first_positions(place, len(named)), -1)
        extra = side.further_columns("items", items).at_or_missing(rows)
    if history is not None:
        lists = history.frame["list"].unique()
        users[:-1] = np.bincount(_past(history.frame, lists, named)[1], minlength=len(named))
    return Catalogue(named, users, features, extra)


def _past(history: pl.DataFrame, lists: pl.Series, items: pl.Series) -> tuple[Ints, Ints]:
    """Return the pairs of the history that concern these lists and items, each once, in order."""
    in_list, item = number_lists(history["list"], lists), find_places(history["item"], items)
    ours = (in_list >= 0) & (item >= 0)
    pairs = np.unique(in_list[ours] * max(len(items), 1) + item[ours])
    return pairs // max(len(items), 1), pairs % max(len(items), 1)


GRADES = Kind(
    "grades",
    truth=(Schema(("list", "item"), ("grade", "subtopic")), Schema(("list", "text"), ("grade",))),
    public_truth=(Schema(("list",)),),
    submission=(Schema(("list", "item"), ("rank", "score", "tag")), Schema(("list", "text"))),
    open=open_grades,
)
