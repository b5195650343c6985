"""A table of classes or numbers: each row is a list of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from scorer.challenge.public import ClassNames, Public
from scorer.challenge.submission import Submission
from scorer.checks.tables import is_beyond_rounding
from scorer.core.arrays import Floats, Ints, Mask
from scorer.core.errors import ChallengeError
from scorer.core.problems import Findings, Problem
from scorer.core.text import join_first, quoted
from scorer.kinds.base import Asking, Constants, SideTables, kind
from scorer.reading.numbers import parse_number
from scorer.reading.schema import Schema
from scorer.reading.table import Table as FrameTable
from scorer.tables.columns import CodedColumn
from scorer.tables.frame import as_columns
from scorer.tables.names import names_at, names_of, same_names
from scorer.tables.table import Table
from scorer.views.extras import Extras, placed
from scorer.views.hits import Ties
from scorer.views.labelled import Labelled, LabelledRows, Targets
from scorer.views.meeting import Views
from scorer.views.names import Names

LIKELY = "probability"
CLASSES = "classes (a column for `label`)"


class Labels(NamedTuple):
    """A truth of classes or numbers made ready. All arrays have one element a row, by id."""

    lists: Sequence[str]
    constants: Constants
    truth: Ints | Mask  # codes, or indicators of several labels; none where there are numbers
    target: Floats
    weight: Floats | None
    separator: str | None  # of labels in a cell of a submission
    aids: SideTables
    extras: Extras  # of the truth and of lists, one element a row
    columns: tuple[int, ...]  # the class of each column of probabilities
    numbered: Mask | None = None  # which rows have numbers, where others have classes
    file_row: Ints | None = None  # of numbers: where each row stands in the truth's file
    soft: Floats | None = None  # (rows, classes), where a row has shares of classes

    def only(self, lists: Ints) -> Labels:
        """The truth of some rows alone."""
        if lists.size == len(self.lists):
            return self
        return self._replace(
            lists=names_at(self.lists, lists),
            truth=self.truth[lists] if len(self.truth) else self.truth,
            target=self.target[lists] if self.target.size else self.target,
            weight=None if self.weight is None else self.weight[lists],
            numbered=None if self.numbered is None else self.numbered[lists],
            file_row=None if self.file_row is None else self.file_row[lists],
            soft=None if self.soft is None else self.soft[lists],
            extras=self.extras.at(truth=lists, list=lists),
        )

    def meet(self, submission: Table, ties: Ties, views: frozenset[type]) -> Views:
        """What the submission says of each row, beside the truth.

        Classes, probabilities or numbers; of two rows of one id the first counts. `ties` and
        `views` are ignored.
        """
        row = np.full(len(self.lists), -1, dtype=np.int64)
        places = places_of(submission.ids["list"], self.lists)
        matched = np.flatnonzero(places >= 0)[::-1]
        row[places[matched]] = matched  # from the last, so that the first of two counts
        answered = row >= 0
        shared = (self.lists, answered, self.weight)
        extras = self.extras
        if "submission" in self.aids.extra:
            sent_columns = self.aids.further("submission", submission)
            extras = extras._replace(submission=placed(sent_columns, row))
        if not self.constants.classes:
            predictions = np.append(submission.numbers["prediction"], np.nan)
            numbers = Targets(
                *shared, self.target, predictions[row], extras=extras, file_row=self.file_row
            )
            return Views(answered, {Targets: numbers, LabelledRows: numbers})
        label = self._labels(submission, row) if "label" in submission.ids else None
        likely = self._likely(submission, row) if f"{LIKELY}[0]" in submission.numbers else None
        if self.numbered is not None:
            return self._mixed(submission.ids["label"], row, answered, extras)
        score = self._scores(submission, row) if "score" in self.aids.rules.columns else None
        answers = (label, likely, score)
        classes = self.constants.classes
        view = Labelled(
            *shared, classes, self.truth, *answers, extras=extras, class_shares=self.soft
        )
        return Views(answered, {Labelled: view, LabelledRows: view})

    def _mixed(self, column: CodedColumn, row: Ints, answered: Mask, extras: Extras) -> Views:
        """Views of rows of classes and of numbers; in each the other rows are predicted rightly."""
        assert self.numbered is not None
        assert isinstance(self.truth, np.ndarray)
        codes, shared = np.append(column.codes, -1)[row], (self.lists, answered, self.weight)
        label = np.append(coded(column.names, self.constants.classes), -1)[codes]
        predictions = np.append([parse_number(name).value for name in column.names], np.nan)[codes]
        label = np.where(self.numbered, self.truth, label)
        prediction = np.where(self.numbered, predictions, self.target)
        classes = Labelled(*shared, self.constants.classes, self.truth, label, extras=extras)
        numbers = Targets(*shared, self.target, prediction, extras=extras)
        return Views(answered, {Labelled: classes, Targets: numbers, LabelledRows: classes})

    def named(self, submission: Table, ties: Ties, view: type, at: int) -> Names:
        """A row has no items."""
        return Names()

    def _labels(self, submission: Table, row: Ints) -> Ints | Mask:
        """The codes of the labels in each row, -1 where there is none that is known."""
        column, classes = submission.ids["label"], self.constants.classes
        if self.truth.ndim == 2:
            cells = indicators(column.names, classes, self.separator or ",")
            return np.append(cells, np.zeros((1, len(classes)), dtype=bool), axis=0)[
                np.where(row >= 0, np.append(column.codes, -1)[row], -1)
            ]
        codes = np.append(coded(column.names, classes), -1)
        return codes[np.where(row >= 0, np.append(column.codes, -1)[row], -1)]

    def _likely(self, submission: Table, row: Ints) -> Floats:
        """The probability of each class in each row."""
        classes = self.constants.classes
        given_columns = [submission.numbers[role] for role in likely_roles(submission.numbers)]
        if not self.columns:
            raise ChallengeError(problems=[Problem("T808", _two_classes(classes))])
        table = np.empty((len(submission), len(classes)))
        for code, column in zip(self.columns, given_columns, strict=True):
            table[:, code] = column
        if len(given_columns) == 1:
            table[:, 1 - self.columns[0]] = 1 - given_columns[0]
        if self.truth.ndim == 1:
            total = table.sum(axis=1, keepdims=True)
            table = np.divide(
                table, total, out=table, where=is_beyond_rounding(total) & (total > 0)
            )
        if (row >= 0).all():
            return table[row]
        return np.append(table, np.full((1, len(classes)), np.nan), axis=0)[row]

    def _scores(self, submission: Table, row: Ints) -> Floats:
        """The score of each of two classes in each row; that of the other is its negative."""
        classes = self.constants.classes
        if len(classes) != 2 or self.truth.ndim == 2:
            message = f"a column of scores needs two classes, not {len(classes):,}"
            raise ChallengeError(problems=[Problem("T808", message)])
        score = np.append(submission.numbers["score"], np.nan)[row]
        return np.column_stack([-score, score])


def shapes(rules: Submission, needed: frozenset[str]) -> tuple[Schema, ...]:
    """What a submission may look like.

    `needed` has the roles without which a measure has no value.
    """
    if rules.numbers:
        return (Schema(("list", "label"), (), rules.columns),)
    other_columns = {role: name for role, name in rules.columns.items() if role != "label"}
    label = {role: name for role, name in rules.columns.items() if role == "label"}
    names = tuple(rules.probability.values()) or (LIKELY,)
    likely = {f"{LIKELY}[{n}]": name for n, name in enumerate(names)}
    if "score" in rules.columns:
        return (Schema(("list", "score"), (), rules.columns),)
    if "prediction" in needed:
        return (Schema(("list", "prediction"), (), rules.columns),)
    probable = Schema(
        ("list", *likely), () if not label else ("label",), other_columns | label | likely
    )
    if LIKELY in needed:
        return (probable,)
    plain = Schema(("list", "label"), (), other_columns | label)
    return (probable, plain) if rules.probability else (plain, probable)


def _answerable(public: Public, asking: Asking) -> Public:
    """The labels that there are: those of the challenge, else those of its truth."""
    separators, classes = asking.challenge.separators, public.classes
    answered = any("prediction" not in shape.roles for shape in asking.shapes)  # by classes
    if answered and not classes and (table := asking.truth()) is not None and "label" in table:
        classes = _counted_classes(as_columns(table), public, asking)
    called = {**public.called, "unit": "row"}  # where the column of lists is only called id
    return public._replace(called=called, classes=classes, separator=separators[1])


def _counted_classes(table: Table, public: Public, asking: Asking) -> tuple[str, ...]:
    """The classes that a truth names; where no label is sent, in the rows that are measured."""
    separator, rules = asking.challenge.separators[0], asking.challenge.submission
    classes, counted = named_in(table, public, separator), asking.counted()
    unlabelled = all("label" not in shape.roles for shape in asking.shapes)
    by_number = unlabelled or rules.probability or "score" in rules.columns
    if counted is None or "label" in rules.columns or not by_number:
        return classes
    measured = named_in(table, public, separator, counted)
    return tuple(name for name in classes if name in {*measured, *rules.probability})


@kind(
    "labels",
    truth=(Schema(("list", "label"), ("weight",)), Schema(("list", "target"), ("weight",))),
    known=(Schema(("list",), ("label",)),),  # of the labels only the set is public
    submission=shapes,
    public=_answerable,
)
def labels(file: FrameTable, aids: SideTables, findings: Findings) -> Labels:
    """Classes or numbers, by id."""
    table = as_columns(file)
    lists, public = table.ids["list"], aids.public
    word = public.word("list")
    held, place = lists.in_order
    names = names_of(held)
    if not len(table):
        findings.add(Problem("S103", "the truth has no rows"))
    elif bare := _rowless(public.list_names, names):
        message = f"{len(bare):,} of {len(public.lists):,} {word} values have no row in the truth"
        findings.add(Problem("S301", f"{message}: {join_first(bare)}", list=bare[0]))
    findings.extend(_unfit(table, aids))
    rows = np.empty(len(names), dtype=np.int64)
    rows[place[lists.codes[::-1]]] = np.arange(len(table))[::-1]  # of two rows the first
    extras = Extras(aids.further("truth", table).at(rows), list=aids.of_lists(names))
    weight = table.numbers["weight"][rows] if "weight" in table.numbers else None
    if "target" in table.numbers:
        target = table.numbers["target"][rows]
        none = np.empty(0, dtype=np.int64)
        constants = Constants(weighted=weight is not None)
        return Labels(names, constants, none, target, weight, None, aids, extras, (), file_row=rows)
    separators, rules = aids.separators, aids.rules
    classes = public.classes or named_in(table, public, separators[0])
    numbered = np.array(public.numbered(names), dtype=bool) if public.numbers else None
    truth: Ints | Mask
    target, soft = np.empty(0), None
    if aids.shared:
        truth, soft = _class_shares(table, rows, classes, aids, findings)
    elif separators[0] is not None:
        column = table.ids["label"]
        truth = indicators(column.names, classes, separators[0])[column.codes[rows]]
    else:
        column = table.ids["label"]
        truth = coded(column.names, classes)[column.codes[rows]]
    if numbered is not None:  # a row of the other kind counts as answered correctly
        values = np.array([parse_number(name).value for name in column.names])[column.codes[rows]]
        truth, target = np.where(numbered, 0, truth), np.where(numbered, values, 1.0)
    if aids.counted is not None and truth.ndim == 1:  # the class of the other rows is of no matter
        truth = np.where(aids.counted[rows] | (truth >= 0), truth, 0)
    columns, fault = _columns(rules, classes, separators[0] is not None)
    if fault is not None:
        findings.add(fault)
    weighted = weight is not None
    constants = Constants(classes=classes, several=truth.ndim == 2, weighted=weighted)
    return Labels(
        names,
        constants,
        truth,
        target,
        weight,
        separators[1],
        aids,
        extras,
        columns,
        numbered,
        soft=soft,
    )


def _class_shares(
    table: Table, rows: Ints, classes: Sequence[str], aids: SideTables, findings: Findings
) -> tuple[Ints | Mask, Floats | None]:
    """The classes of rows, of a column for each: codes or indicators, and the shares if any.

    Rows of 0 and 1 have one class, or with `multilabel` several; other numbers are shares, or
    votes, and are divided by their sum.
    """
    places = {name: n for n, name in enumerate(classes)}
    if strange := [name for name in aids.shared if name not in places]:
        message = f"a column of the truth for {join_first(strange)}, which no submission may name"
        findings.add(Problem("T801", message))
    shares = np.zeros((rows.size, len(classes) + 1))
    for n, name in enumerate(aids.shared):
        shares[:, places.get(name, -1)] = table.numbers[f"{LIKELY}[{n}]"][rows]
    shares = shares[:, :-1]
    if aids.counted is not None:  # in the rows that no measure looks at anything may stand
        shares[~aids.counted[rows]] = np.eye(1, len(classes))
    positive, several = shares > 0, aids.separators[0] is not None
    flags = bool(((shares == 0) | (shares == 1)).all())
    soft = not several and bool((positive.sum(axis=1) > 1).any())
    how = "write 0 or 1, or with several labels a row multilabel: ','; shares sum to 1"
    for wrong, what in (
        ((shares < 0).any(axis=1), "has a number below 0"),
        (np.full(rows.size, several and not flags), "has a number that is neither 0 nor 1"),
        (~positive.any(axis=1) & (not several), "has no class"),
        ((positive.sum(axis=1) > 1) & (flags and not several), "has several classes"),
        (np.full(rows.size, soft and bool(aids.whole)), _whole(aids)),
    ):
        if wrong.any():
            at = int(np.argmax(wrong))
            name, line = table.ids["list"].text(rows[at]), int(table.line[rows[at]])
            message = f"{aids.public.word('list')} {quoted(name)} {what}"
            findings.add(Problem("T809", message, line=line, list=name, help=how))
            break
    if several:
        return positive, None
    total = shares.sum(axis=1, keepdims=True)
    shares = np.divide(shares, total, out=np.zeros_like(shares), where=total > 0)
    return shares.argmax(axis=1), shares if soft else None


def _whole(aids: SideTables) -> str:
    return f"has shares of classes, and {join_first(aids.whole)} needs one class a row"


def _two_classes(classes: Sequence[str]) -> str:
    return f"a single column of probabilities needs two classes, not {len(classes):,}"


def _columns(
    rules: Submission, classes: Sequence[str], several: bool
) -> tuple[tuple[int, ...], Problem | None]:
    """The class of each column of probabilities, and what is wrong with them."""
    declared, places = tuple(rules.probability), {name: n for n, name in enumerate(classes)}
    if len(declared) <= 1 and not several:
        if len(classes) != 2:
            return (), Problem("T808", _two_classes(classes)) if declared else None
        positive = next((name for name in declared if name), classes[-1])
        if positive not in places:
            what = f"probability: {quoted(positive)} is not among {join_first(classes)}"
            return (1,), Problem("T808", what)
        return (places[positive],), None
    if declared and (lost := [name for name in classes if name not in declared]):
        return (), Problem("T808", f"no column of probabilities for {join_first(lost)}")
    if strange := [name for name in declared if name not in places]:
        return (), Problem("T808", f"columns of probabilities for {join_first(strange)}, no class")
    return tuple(places[name] for name in declared), None


def _unfit(table: Table, aids: SideTables) -> Iterator[Problem]:
    """Measures that look at classes where there are numbers, or the other way round."""
    if aids.public.numbers:
        return
    has, lacks = (Targets, Labelled) if "target" in table.numbers else (Labelled, Targets)
    if lacks in aids.views:
        what = {Targets: "numbers, `target`", Labelled: "classes, `label`"}
        message = f"{aids.views[lacks]} needs {what[lacks]}; this truth has {what[has]}"
        help = None
        if has in aids.views and has is Labelled and aids.public.groups:
            help = "where some groups have numbers, submission: {numbers: [GROUP]} names them"
        yield Problem("S201", message, line=1, help=help)


def _rowless(public: Sequence[str], names: Sequence[str]) -> list[str]:
    """The public names that are not among these, in order."""
    return [] if same_names(public, names) else sorted(set(public).difference(names))


def places_of(ids: CodedColumn, names: Sequence[str]) -> Ints:
    """Where each row's id stands in `names`; -1 where it is not there."""
    if same_names(names_of(ids.held), names):
        return ids.codes.astype(np.int64)
    places = dict(zip(names, range(len(names)), strict=True))
    place_of_id = np.fromiter(
        (places.get(name, -1) for name in ids.names), np.int64, len(ids.names)
    )
    return place_of_id[ids.codes]


def named_in(
    table: Table, public: Public, separator: str | None, counted: Mask | None = None
) -> tuple[str, ...]:
    """The classes that a truth names, without its numbers; in the rows of `counted` alone.

    `separator` is that between labels of a cell; None if a cell is one label.
    """
    column, ids = table.ids["label"], table.ids["list"]
    if public.numbers:
        counted = ~_numbered_rows(public, ids) & (True if counted is None else counted)
    if counted is not None:
        column = column.where(np.flatnonzero(counted))
        used = np.unique(column.codes).tolist()
        return tuple(classes_of([column.names[code] for code in used], separator))
    return tuple(classes_of(column.names, separator))


def _numbered_rows(public: Public, lists: CodedColumn) -> Mask:
    """Which rows have a number to be predicted, where others have a class."""
    return np.array(public.numbered(lists.names), dtype=bool)[lists.codes]


def classes_of(cells: Sequence[str], separator: str | None) -> list[str]:
    """The distinct labels of these cells, whole numbers by their size, else as text."""
    names = {name for cell in cells for name in split(cell, separator) if name}
    if all(not parse_number(name).code for name in names):
        return sorted(names, key=lambda name: (float(name), name))
    return sorted(names)


def split(cell: str, separator: str | None) -> list[str]:
    """The labels in a cell."""
    return [cell] if separator is None else [part.strip() for part in cell.split(separator)]


def coded(cells: Sequence[str], classes: Sequence[str]) -> Ints:
    """The place of each cell among the classes, -1 where it is none."""
    places = ClassNames.of(classes).places
    return np.array([places.get(name, -1) for name in cells], dtype=np.int64)


def indicators(cells: Sequence[str], classes: Sequence[str], separator: str) -> Mask:
    """Which classes each cell names: shape (cells, classes).

    `separator` is between labels of a cell.
    """
    places = {name: n for n, name in enumerate(classes)}
    indicated = np.zeros((len(cells), len(classes)), dtype=bool)
    for row, cell in enumerate(cells):
        for name in split(cell, separator):
            if (place := places.get(name)) is not None:
                indicated[row, place] = True
    return indicated


def likely_roles(numbers: Mapping[str, object]) -> list[str]:
    """The roles of probabilities, in the order of the classes."""
    return [f"{LIKELY}[{n}]" for n in range(sum(role.startswith(LIKELY) for role in numbers))]
