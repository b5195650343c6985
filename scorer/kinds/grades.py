"""Ranked lists against grades."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from scorer.challenge.public import ids_of
from scorer.core.arrays import Ints, Mask
from scorer.core.problems import Findings, Problem
from scorer.core.text import quoted
from scorer.io.table import CodedColumn, Schema, Table, in_order
from scorer.kinds.base import Constants, Meeting, SideTables, kind
from scorer.views.diverse import Diverse
from scorer.views.extras import Extras, placed
from scorer.views.hits import Judged, Ranked, Ties
from scorer.views.join import (
    Subtopics,
    Truth,
    Unsettled,
    among_lists,
    graded,
    judge,
    likelihood,
    named,
    present,
    returned,
    scored,
    stated,
    texts,
    tied_rows,
    without,
)
from scorer.views.meeting import Views
from scorer.views.names import Names
from scorer.views.pairwise import Layout, Orders, Preferred, Ranking
from scorer.views.positions import Positions
from scorer.views.ranked import spans
from scorer.views.returned import Catalogue, Returned
from scorer.views.scored import Scored
from scorer.views.texts import Texts

NO_CODES = np.empty(0, dtype=np.int64)
JUDGED = frozenset({Judged, Ranked, Positions})  # what the judged items alone show


@dataclass(frozen=True)
class Grades:
    """A graded truth made ready."""

    truth: Truth
    constants: Constants
    aids: SideTables
    table: Table | None = None  # what it was made of, where a measure looks at more of it
    gone: Truth | None = None  # pairs that are taken out of submissions
    whole: Grades | None = None  # of which this has some lists
    numbers: Ints | None = None  # which of its lists these are

    @property
    def lists(self) -> tuple[str, ...]:
        """The lists that are scored."""
        return self.truth.lists

    def only(self, lists: Ints) -> Grades:
        """The truth of some lists alone."""
        if lists.size == len(self.lists):
            return self
        gone = None if self.gone is None else self.gone.only(lists)
        return Grades(self.truth.only(lists), self.constants, self.aids, None, gone, self, lists)

    @cached_property
    def items(self) -> Truth:
        """The truth with the candidates of each list, which need not be judged."""
        if self.whole is not None and self.numbers is not None:
            return self.whole.items.only(self.numbers)
        return graded(self.truth, self.aids.public.candidates or {})

    @cached_property
    def orders(self) -> Orders:
        """The truth as preferences: the better grade is preferred."""
        if self.whole is not None and self.numbers is not None:
            return self.whole.orders.only(self.numbers)
        layout, chances = Layout.of(self.items.in_list, self.lists), self.aids.tables
        likely = likelihood(chances["likelihood"], self.items) if "likelihood" in chances else None
        return Orders.of(layout, Ranking(self.items.grade), likely)

    @cached_property
    def subtopics(self) -> Subtopics:
        """The subtopics that each row of the truth was judged for."""
        if self.whole is not None and self.numbers is not None:
            first, last = (self.whole.truth.starts[self.numbers + n] for n in (0, 1))
            return self.whole.subtopics.only(spans(first, last - first))
        assert self.table is not None
        return Subtopics.of(self.table, self.truth)

    @cached_property
    def catalogue(self) -> Catalogue:
        """The items of the challenge, with their columns."""
        return _catalogue(self.aids) if self.whole is None else self.whole.catalogue

    @cached_property
    def past(self) -> tuple[Ints, Ints]:
        """Which list has known which item of the catalogue."""
        if self.whole is not None and self.numbers is not None:
            return _of_lists(*self.whole.past, self.numbers)
        if (history := self.aids.tables.get("history")) is None:
            return NO_CODES, NO_CODES
        places = {name: n for n, name in enumerate(self.truth.lists)}
        return _past(history, places, self.catalogue.items)

    @cached_property
    def extras(self) -> Extras:
        """Further columns: of lists one element a list, of the others one a row of the truth."""
        if self.whole is not None and self.numbers is not None:
            first, last = (self.whole.truth.starts[self.numbers + n] for n in (0, 1))
            rows = spans(first, last - first)
            return self.whole.extras.at(truth=rows, list=self.numbers, item=rows)
        if not (self.aids.extra or self.aids.public.groups):
            return Extras()
        aids, truth = self.aids, self.truth
        of_truth = aids.further("truth", self.table)
        if of_truth:
            assert self.table is not None
            row = truth.rows(self.table.ids["list"], self.table.ids["item"])
            grade = self.table.numbers.get("grade", np.ones(row.size))
            first_row = np.full(truth.item.size, -1, dtype=np.int64)
            graded_rows = np.flatnonzero(
                (row >= 0) & (grade == np.append(truth.grade, np.nan)[row])
            )
            first_row[row[graded_rows[::-1]]] = graded_rows[::-1]
            of_truth = placed(of_truth, first_row)
        item_codes = self.catalogue.items
        code = np.array([item_codes.get(name, -1) for name in truth.named], dtype=np.int64)
        return Extras(
            of_truth,
            list=aids.of_lists(truth.lists),
            item=self.catalogue.extra.at(code[truth.item]),
        )

    def further(self, submission: Table) -> Callable[[Ints], Extras] | None:
        """From the hits' rows to the further columns of `Judged`; None where none is declared."""
        if not (self.aids.extra or self.aids.public.groups):
            return None
        sent_columns = self.aids.further("submission", submission)
        columns = self.extras
        return lambda rows: columns._replace(submission=sent_columns.at(rows))

    def begin(self, submission: Table, ties: Ties, views: frozenset[type]) -> Meeting | None:
        """The meeting in views of judged items alone; None for others.

        Args:
            submission: rows of whole lists.
            ties: how equal scores are ordered.
            views: the types of view that the measures look at.
        """
        if not views <= JUDGED:
            return None
        sent, rows = self.residual(submission)
        unsettled = Unsettled.of(sent, self.truth, ties)
        answered = unsettled.returned > 0 if rows is None else present(submission, self.lists)
        further = self.further(sent)  # what is made later does not hold the table
        return Meeting(
            unsettled.wanted if rows is None else rows[unsettled.wanted],
            lambda names: met(unsettled.judged(names, further), answered, views),
        )

    def asks(self, submission: Table, ties: Ties, views: frozenset[type]) -> Ints:
        """The rows whose items' ids are needed to join a submission.

        Args:
            submission: rows of whole lists.
            ties: how equal scores are ordered.
            views: the types of view that the measures look at.

        Returns:
            Row indices of the submission.
        """
        sent, rows = self.residual(submission)
        if Returned in views or Scored in views:
            wanted = tied_rows(sent, self.lists, ties)
        else:
            wanted = Unsettled.of(sent, self.truth, ties).wanted
        return wanted if rows is None else rows[wanted]

    def residual(self, submission: Table) -> tuple[Table, Ints | None]:
        """A submission without the excluded items, and its rows that are left; None for all."""
        return (submission, None) if self.gone is None else without(submission, self.gone)

    def meet(self, submission: Table, ties: Ties, views: frozenset[type]) -> Views:
        """The views of a submission.

        Args:
            submission: rows of whole lists.
            ties: how equal scores are ordered.
            views: the types of view that the measures look at.
        """
        original, (submission, rows) = submission, self.residual(submission)
        judged, answered = judge(submission, self.truth, ties, self.further(submission))
        if rows is not None:
            answered = present(original, self.lists)
        seen_by_view = dict(met(judged, answered, views).views)
        if Preferred in views:
            seen_by_view[Preferred] = Preferred(self.orders, stated(submission, self.items))
        if Diverse in views:
            seen_by_view[Diverse] = self.subtopics.of_judged(judged)
        if Texts in views:
            seen_by_view[Texts] = texts(submission, self.truth, ties, judged)
        if Returned in views or Scored in views:
            sent_columns = self.aids.further("submission", submission)
            all_returned = returned(
                submission, self.truth, ties, self.catalogue, self.past, self.extras, sent_columns
            )
            seen_by_view[Returned] = all_returned
            if Scored in views:
                seen_by_view[Scored] = scored(submission, self.truth, ties, judged, all_returned)
        return Views(answered, seen_by_view)

    def named(self, submission: Table, ties: Ties, view: type, at: int) -> Names:
        """The truth's items, best first, and the returned ones.

        Args:
            submission: rows of whole lists, that one among them.
            ties: how equal scores are ordered.
            view: the type of view; that of preferences has the candidates too.
            at: the number of the list.
        """
        sent, _ = self.residual(submission)
        return named(sent, self.items if view is Preferred else self.truth, ties, at)


def met(judged: Judged, answered: Mask, views: frozenset[type]) -> Views:
    """The views that the judged items of a submission alone can give.

    Args:
        judged: the judged items.
        answered: shape (lists,): which lists the submission has.
        views: the types of view that the measures look at.
    """
    seen_by_view: dict[type, object] = {Judged: judged}
    if Positions in views:
        seen_by_view[Positions] = Positions.of(judged)
    return Views(answered, seen_by_view)


@kind(
    "grades",
    truth=(Schema(("list", "item"), ("grade", "subtopic")),),
    known=(Schema(("list",)),),
    submission=(Schema(("list", "item"), ("rank", "score", "tag")),),
)
def grades(table: Table, aids: SideTables, findings: Findings) -> Grades:
    """Judged items, best first; a list without any is in the public lists file.

    Args:
        table: the truth.
        aids: the challenge's other files.
        findings: the problems of the truth go there.
    """
    grade = table.numbers.get("grade")
    if not len(table):
        findings.add(Problem("S103", "the truth has no rows"))
    elif grade is not None and not (grade > 0).any():
        findings.add(Problem("S304", "nothing is relevant in any list", "warning"))
    truth = Truth.of(table, tuple(aids.public.lists))
    gone = None
    if (excluded := aids.tables.get("exclude")) is not None:
        gone = among_lists(excluded, truth.lists)
        kept_table, _ = without(table, gone)
        truth = Truth.of(kept_table, truth.lists)
        if not len(kept_table):
            findings.add(Problem("S103", "exclude takes out every row of the truth"))
    if aids.strict:
        findings.extend(_equal(truth, aids))
    longest = int(np.bincount(truth.in_list).max(initial=0))
    for name, least in aids.judged.items() if longest else ():
        if longest < least:
            message = (
                f"{name} has no value for any list: it needs {least} judged items in a list, and "
                f"none has more than {longest}"
            )
            findings.add(Problem("T511", message, "warning"))
    highest = float(truth.grade.max(initial=0.0))
    catalogue = None if aids.public.items is None else len(aids.public.items)
    history = aids.tables.get("history")
    users = None if history is None else len(history.ids["list"].names)
    kept_truth = table if Diverse in aids.views or "truth" in aids.extra else None
    return Grades(truth, Constants(highest, catalogue, users), aids, kept_truth, gone)


def _catalogue(aids: SideTables) -> Catalogue:
    """The challenge's items, else those of its history, in the order of their ids."""
    items, history = aids.tables.get("items"), aids.tables.get("history")
    if items is not None:
        items_column = items.ids["item"]
    elif aids.public.items is not None or history is None:
        items_column = CodedColumn(NO_CODES, ids_of(aids.public.items or {}))
    else:
        items_column = history.ids["item"]
    names, code = in_order(items_column)
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


def _of_lists(past_list: Ints, past_item: Ints, numbers: Ints) -> tuple[Ints, Ints]:
    """The history of some lists alone, which get numbers from 0."""
    first, last = (np.searchsorted(past_list, numbers, side) for side in ("left", "right"))
    return np.repeat(np.arange(numbers.size), last - first), past_item[spans(first, last - first)]


def _equal(truth: Truth, aids: SideTables) -> Iterator[Problem]:
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
