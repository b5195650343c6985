"""Ranked lists against grades."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np
import polars as pl

from scorer.core.arrays import Floats, Ints
from scorer.core.problems import Findings, Problem
from scorer.core.text import quoted
from scorer.kinds.base import Constants, Kind, OpenTruth, SideTables, Views, first_rows
from scorer.reading.schema import Schema
from scorer.reading.table import Table, find_places
from scorer.views.columns import Extras, NamedColumns, placed
from scorer.views.diverse import Diverse, Subtopics
from scorer.views.join import (
    GradedItems,
    among_lists,
    answered_lists,
    graded,
    judge,
    named,
    number_lists,
    without,
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
from scorer.views.ranked import Judged, Names, Ranked, Ties
from scorer.views.recommendations import Catalogue, Returned, Scored, join_returned, join_scored
from scorer.views.texts import Texts, join_texts

JUDGED = frozenset({Judged, Ranked, Positions})  # what the judged items alone show


@dataclass(frozen=True, eq=False)
class Grades(OpenTruth):
    """A graded truth made ready.

    Attributes:
        lists: The lists that are scored.
        truth: Its grades.
        constants: What it settles.
        side: The files beside it.
        table: The table that it was made of, where a measure looks at more of it.
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
        return graded(self.truth, self.side.public.candidates or {})

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
        return _past(history.frame, self.truth.list_names, self.catalogue.named)

    @property
    def _has_extras(self) -> bool:
        return bool(self.side.extra or self.side.public.groups)

    @cached_property
    def extras(self) -> Extras:
        """Further columns: of lists one element a list, of the others one a row of the truth."""
        if not self._has_extras:
            return Extras()
        side, truth = self.side, self.truth
        of_truth = side.further("truth", self.table)
        if of_truth:
            assert self.table is not None
            of_truth = placed(of_truth, self._graded_rows(self.table.frame))
        described = self.catalogue.extra.at(find_places(truth.items, self.catalogue.named))
        return Extras(of_truth, list=side.of_lists(truth.lists), item=described)

    def _graded_rows(self, frame: pl.DataFrame) -> Ints:
        """Return the first row of the table that has the grade of each row of the truth."""
        row = self.truth.find(frame)
        grade = _grade_column(frame)
        graded_rows = np.flatnonzero(
            (row >= 0) & (grade == np.append(self.truth.grade, np.nan)[row])
        )
        first_row = np.full(self.truth.in_list.size, -1, dtype=np.int64)
        first_row[row[graded_rows[::-1]]] = graded_rows[::-1]
        return first_row

    def _further(self, submission: Table) -> Callable[[Ints], Extras] | None:
        """Return a function from the hits' rows to the further columns of `Judged`, if any."""
        if not self._has_extras:
            return None
        submission_columns = self.side.further("submission", submission)
        columns = self.extras
        return lambda rows: columns._replace(submission=submission_columns.at(rows))

    def _without_excluded(self, submission: Table) -> Table:
        return submission if self.excluded is None else without(submission, self.excluded)

    def join(self, submission: Table, ties: Ties, views: frozenset[type]) -> Views:
        """Return the views of a submission."""
        sent = self._without_excluded(submission)
        judged, answered = judge(sent, self.truth, ties, self._further(sent))
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
        columns = None if views <= JUDGED else self.side.further("submission", sent)
        if Texts in views:
            found[Texts] = join_texts(sent, self.truth, ties, judged, self.extras, columns)
        if Returned in views or Scored in views:
            returned = join_returned(
                sent, self.truth, ties, self.catalogue, self.past, self.extras, columns
            )
            found[Returned] = returned
            if Scored in views:
                found[Scored] = join_scored(sent, self.truth, ties, judged, returned)
        return Views(answered, found, partial(self.join_truth, submission.frame.columns, ties))

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
        return named(self._without_excluded(submission), truth, ties, at)


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
        kept = without(table, excluded)
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


def _grade_column(frame: pl.DataFrame) -> Floats:
    return frame["grade"].to_numpy() if "grade" in frame.columns else np.ones(frame.height)


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
        named = items.frame["item"].unique().sort()
    elif side.public.items is not None or history is None:
        named = pl.Series(list(side.public.items or ()), dtype=pl.String).unique().sort()
    else:
        named = history.frame["item"].unique().sort()
    users, features = np.zeros(len(named) + 1), np.zeros((len(named) + 1, len(side.features)))
    place = None if items is None else find_places(items.frame["item"], named)
    if items is not None:
        for n, role in enumerate(side.features):
            features[place, n] = items.frame[role].to_numpy()
    if history is not None:
        lists = history.frame["list"].unique()
        users[:-1] = np.bincount(_past(history.frame, lists, named)[1], minlength=len(named))
    elif items is not None and "users" in items:
        users[place] = items.frame["users"].to_numpy()
    catalogue = Catalogue(named, users, features)
    if items is not None and (further := side.further("items", items)):
        first = np.append(first_rows(items.frame["item"], named), -1)
        return replace(catalogue, extra=placed(further, first))
    return catalogue


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
