"""Ranked lists against grades."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from scorer.core.arrays import Ints, Mask
from scorer.core.problems import Findings, Problem
from scorer.core.text import quoted
from scorer.kinds.base import Constants, SideTables, kind
from scorer.reading.schema import Schema
from scorer.reading.table import Table as FrameTable
from scorer.tables.frame import as_columns
from scorer.tables.table import Table
from scorer.views.extras import Extras, placed
from scorer.views.hits import Judged, Ranked, Ties
from scorer.views.join import GradedItems, among_lists, judge, named, present, without
from scorer.views.meeting import Views
from scorer.views.names import Names
from scorer.views.positions import Positions

if TYPE_CHECKING:
    from scorer.kinds.beyond import SideViews

JUDGED = frozenset({Judged, Ranked, Positions})  # what the judged items alone show


@dataclass(frozen=True, eq=False)
class Grades:
    """A graded truth made ready."""

    truth: GradedItems
    constants: Constants
    aids: SideTables
    table: Table | None = None  # what it was made of, where a measure looks at more of it
    gone: GradedItems | None = None  # pairs that are taken out of submissions

    @property
    def lists(self) -> Sequence[str]:
        """The lists that are scored."""
        return self.truth.lists

    @cached_property
    def beyond(self) -> SideViews:
        """What views show that look at more than the judged items; most challenges have none."""
        from scorer.kinds.beyond import SideViews

        return SideViews(self.truth, self.aids, self.table)

    @cached_property
    def extras(self) -> Extras:
        """Further columns: of lists one element a list, of the others one a row of the truth."""
        if not (self.aids.extra or self.aids.public.groups):
            return Extras()
        aids, truth = self.aids, self.truth
        of_truth = aids.further("truth", self.table)
        if of_truth:
            assert self.table is not None
            row = truth.rows(self.table.ids["list"], self.table.ids["item"])
            grade = self.table.numbers.get("grade", np.ones(row.size))
            first_row = np.full(truth.in_list.size, -1, dtype=np.int64)
            graded_rows = np.flatnonzero(
                (row >= 0) & (grade == np.append(truth.grade, np.nan)[row])
            )
            first_row[row[graded_rows[::-1]]] = graded_rows[::-1]
            of_truth = placed(of_truth, first_row)
        catalogue = self.beyond.catalogue
        item_codes = catalogue.items
        code = np.array([item_codes.get(name, -1) for name in truth.named], dtype=np.int64)
        return Extras(
            of_truth, list=aids.of_lists(truth.lists), item=catalogue.extra.at(code[truth.item])
        )

    def further(self, submission: Table) -> Callable[[Ints], Extras] | None:
        """From the hits' rows to the further columns of `Judged`; None where none is declared."""
        if not (self.aids.extra or self.aids.public.groups):
            return None
        sent_columns = self.aids.further("submission", submission)
        columns = self.extras
        return lambda rows: columns._replace(submission=sent_columns.at(rows))

    def residual(self, submission: Table) -> tuple[Table, Ints | None]:
        """A submission without the excluded items, and its rows that are left; None for all."""
        return (submission, None) if self.gone is None else without(submission, self.gone)

    def meet(self, submission: Table, ties: Ties, views: frozenset[type]) -> Views:
        """The views of a submission."""
        original, (submission, rows) = submission, self.residual(submission)
        judged, answered = judge(submission, self.truth, ties, self.further(submission))
        if rows is not None:
            answered = present(original, self.lists)
        seen_by_view = dict(met(judged, answered, views).views)
        if not views <= JUDGED:
            seen_by_view |= self.beyond.seen(submission, ties, judged, views, self.extras)
        return Views(answered, seen_by_view)

    def named(self, submission: Table, ties: Ties, view: type, at: int) -> Names:
        """The truth's items, best first, and the returned ones."""
        sent, _ = self.residual(submission)
        return named(sent, self.beyond.named_in(view), ties, at)


def met(judged: Judged, answered: Mask, views: frozenset[type]) -> Views:
    """The views that the judged items of a submission give, in the lists that it `answered`."""
    seen_by_view: dict[type, object] = {Judged: judged}
    if Positions in views:
        seen_by_view[Positions] = Positions.of(judged)
    return Views(answered, seen_by_view)


@kind(
    "grades",
    truth=(Schema(("list", "item"), ("grade", "subtopic")), Schema(("list", "text"), ("grade",))),
    known=(Schema(("list",)),),
    submission=(Schema(("list", "item"), ("rank", "score", "tag")), Schema(("list", "text"))),
)
def grades(file: FrameTable, aids: SideTables, findings: Findings) -> Grades:
    """Judged items, best first; a list without any is in the public lists file."""
    table = as_columns(file)
    grade = table.numbers.get("grade")
    if grade is None and aids.orders:
        table = _by_place(table)
    if not len(table):
        findings.add(Problem("S103", "the truth has no rows"))
    elif grade is not None and not (grade > 0).any():
        findings.add(Problem("S304", "nothing is relevant in any list", "warning"))
    truth = GradedItems.of(table, aids.public.list_names)
    gone = None
    if (excluded := aids.tables.get("exclude")) is not None:
        gone = among_lists(excluded, truth.lists)
        kept_table, _ = without(table, gone)
        truth = GradedItems.of(kept_table, truth.lists)
        if not len(kept_table):
            findings.add(Problem("S103", "exclude takes out every row of the truth"))
    if aids.strict:
        findings.extend(_equal(truth, aids))
    highest = float(truth.grade.max(initial=0.0))
    catalogue = None if aids.public.items is None else len(aids.public.items)
    history = aids.tables.get("history")
    users = None if history is None else len(history.ids["list"].names)
    kept_truth = table if "truth" in aids.extra or _of_subtopics(aids) else None
    return Grades(truth, Constants(highest, catalogue, users), aids, kept_truth, gone)


def _by_place(table: Table) -> Table:
    """The table with grades that fall from item to item of a list, as they stand in the file."""
    lists = table.ids["list"].codes
    by = np.lexsort((table.line, lists))
    grade = np.empty(len(table))
    ends = np.searchsorted(lists[by], lists[by], side="right")
    grade[by] = ends - np.arange(len(table))
    return replace(table, numbers={**table.numbers, "grade": grade})


def _of_subtopics(aids: SideTables) -> bool:
    if JUDGED.issuperset(aids.views):
        return False
    from scorer.views.diverse import Diverse

    return Diverse in aids.views


def _equal(truth: GradedItems, aids: SideTables) -> Iterator[Problem]:
    """Problems of lists with equal grades, for metrics that need a strict order."""
    same = (np.diff(truth.in_list) == 0) & (np.diff(truth.grade) == 0)
    names = list(truth.items)
    last_list = -1
    for n in np.flatnonzero(same).tolist():
        if (in_list := int(truth.in_list[n])) == last_list:
            continue
        last_list, name = in_list, truth.lists[in_list]
        message = (
            f"{', '.join(aids.strict)} needs an order as truth: {aids.public.word('list')} "
            f"{quoted(name)} grades {quoted(names[truth.item[n]])} and "
            f"{quoted(names[truth.item[n + 1]])} both {truth.grade[n]:g}"
        )
        yield Problem("T706", message, list=name)
