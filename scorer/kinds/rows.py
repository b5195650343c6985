"""Tables of classes or numbers, where each row is a list; and ratings of the items of lists."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import polars as pl

from scorer.challenge.public import ClassNames, Public
from scorer.challenge.submission import Submission
from scorer.checks.tables import is_beyond_rounding
from scorer.core.arrays import Floats, Ints, Mask, first_positions
from scorer.core.errors import ChallengeError
from scorer.core.problems import Findings, Problem
from scorer.core.text import join_first, quoted
from scorer.kinds.base import (
    Constants,
    FoundViews,
    Kind,
    OpenTruth,
    PublicSources,
    SideTables,
    list_rows,
)
from scorer.reading.numbers import parse_number
from scorer.reading.schema import Schema
from scorer.reading.table import Table, encode, find_places
from scorer.views.columns import Extras, NamedColumns
from scorer.views.items import ItemsByList
from scorer.views.join import GradedItems, number_lists, sorted_names
from scorer.views.ranked import Names, Ties
from scorer.views.rows import Labelled, LabelledRows, Targets, indicator_matrix, join_ratings

LIKELY = "probability"


@dataclass(frozen=True, eq=False)
class Labels(OpenTruth):
    """A truth of classes or numbers. All arrays have one element a row, by id.

    Attributes:
        lists: The ids of the rows.
        constants: The classes, and whether rows have several of them, or weights.
        truth: Codes of classes, or indicators (rows, classes) of several labels; empty where
            there are numbers alone.
        target: The numbers; empty where there are classes alone.
        weight: The weight of each row; None if all count alike.
        separator: The separator of labels in a cell of a submission.
        side: The files beside it.
        extras: Further columns of the truth and of lists.
        columns: The class of each column of probabilities.
        numbered: Which rows have numbers, if other rows have classes; else None.
        file_row: Of numbers, the place of each row in the truth's file.
        class_shares: (rows, classes), where a row has shares of classes.
    """

    lists: tuple[str, ...]
    constants: Constants
    truth: Ints | Mask
    target: Floats
    weight: Floats | None
    separator: str | None
    side: SideTables
    extras: Extras
    columns: tuple[int, ...]
    numbered: Mask | None = None
    file_row: Ints | None = None
    class_shares: Floats | None = None
    own_views: ClassVar[frozenset[type]] = frozenset({Labelled, Targets, LabelledRows})

    def find_views(self, submission: Table, ties: Ties, views: frozenset[type]) -> FoundViews:
        """Return the classes, probabilities or numbers of the submission, beside the truth.

        Of rows with the same id the first counts. A row that is left out has the index -1, which
        selects an element appended to each column.
        """
        frame, classes, numbered = submission.frame, self.constants.classes, self.numbered
        row = list_rows(frame, self.lists)
        answered, extras = row >= 0, self.extras
        if "submission" in self.side.extra:
            columns = self.side.further_columns("submission", submission)
            extras = extras._replace(submission=columns.at_or_missing(row))
        shared = (self.lists, answered, self.weight)
        if not classes:
            prediction = np.append(frame["prediction"].to_numpy(), np.nan)[row]
            numbers = Targets(
                *shared, self.target, prediction, extras=extras, file_row=self.file_row
            )
            return FoundViews(answered, {Targets: numbers, LabelledRows: numbers})
        label = self._labels(frame["label"], row) if "label" in submission else None
        if numbered is not None:  # each view gives the rows of the other one their true answer
            prediction = np.append(_numbers_in(frame["label"]), np.nan)[row]
            numbers = Targets(
                *shared, self.target, np.where(numbered, prediction, self.target), extras=extras
            )
            assert label is not None
            labelled = Labelled(
                *shared, classes, self.truth, np.where(numbered, self.truth, label), extras=extras
            )
            return FoundViews(
                answered, {Labelled: labelled, Targets: numbers, LabelledRows: labelled}
            )
        view = Labelled(
            *shared,
            classes,
            self.truth,
            label,
            self._probabilities(frame, row) if f"{LIKELY}[0]" in submission else None,
            self._scores(frame, row) if "score" in self.side.rules.columns else None,
            extras=extras,
            class_shares=self.class_shares,
        )
        return FoundViews(answered, {Labelled: view, LabelledRows: view})

    def explain_views(
        self, submission: Table, ties: Ties, views: frozenset[type], at: int
    ) -> Mapping[type, Any]:
        """Return the views of all rows, with row number `at` marked."""
        found = self.find_views(submission, ties, views).views
        return {view: rows.mark(at) for view, rows in found.items()}

    def subset(self, lists: Ints) -> Labels:
        """Return the truth of some rows alone."""
        columns = ("truth", "target", "weight", "numbered", "file_row", "class_shares")
        values = {name: getattr(self, name) for name in columns}
        parts = {name: x[lists] for name, x in values.items() if x is not None and x.size}
        names = self.names_of(lists)
        extras = self.extras.at(truth=lists, list=lists)
        return replace(self, lists=names, extras=extras, **parts)

    def answers(self, roles: Collection[str]) -> dict[str, Any]:
        """Return the true class or number of each row, and its shares of the classes."""
        classes, columns = self.constants.classes, dict[str, Any](list=self.lists)
        if not classes:
            return columns | {"prediction": self.target}
        if "label" in roles:
            columns["label"] = self._label_cells()
        if "score" in roles or f"{LIKELY}[0]" in roles:
            shares = self.class_shares
            if shares is None:
                shares = indicator_matrix(self.truth, len(classes))
            columns["score"] = shares[:, -1]
            columns |= {f"{LIKELY}[{n}]": shares[:, code] for n, code in enumerate(self.columns)}
        return columns

    def _label_cells(self) -> Sequence[str] | pl.Series:
        """Return the cell of each row in a submission that names its true classes."""
        classes = pl.Series(self.constants.classes, dtype=pl.String)
        if self.truth.ndim == 2:
            separator = self.separator or ","
            return [separator.join(classes.filter(pl.Series(row))) for row in self.truth]
        cells = classes.gather(self.truth)
        if self.numbered is None:
            return cells
        rows = zip(cells, self.target.tolist(), self.numbered, strict=True)
        return [repr(number) if is_number else cell for cell, number, is_number in rows]

    def truth_columns(self) -> NamedColumns:
        """Return the further columns of the truth, one element a row."""
        return self.extras.truth

    def _labels(self, cells: pl.Series, row: Ints) -> Ints | Mask:
        """Return the codes of the labels in each row; -1 of an unknown or missing one."""
        classes = self.constants.classes
        if self.truth.ndim == 2:
            indicated = indicators(cells, classes, self.separator or ",")
            return np.append(indicated, np.zeros((1, len(classes)), dtype=bool), axis=0)[row]
        return np.append(class_codes(cells, classes), -1)[row]

    def _probabilities(self, frame: pl.DataFrame, row: Ints) -> Floats:
        """Return the probability of each class in each row, shape (rows, classes)."""
        classes, roles = self.constants.classes, probability_roles(frame.columns)
        if not self.columns:
            raise ChallengeError(problems=[Problem("T808", _two_classes(classes))])
        table = np.empty((frame.height, len(classes)))
        for code, role in zip(self.columns, roles, strict=True):
            table[:, code] = frame[role].to_numpy()
        if len(roles) == 1:  # of one of two classes; the other one has the rest
            table[:, 1 - self.columns[0]] = 1 - frame[roles[0]].to_numpy()
        if self.truth.ndim == 1:
            total = table.sum(axis=1, keepdims=True)
            off = is_beyond_rounding(total) & (total > 0)
            table = np.divide(table, total, out=table, where=off)
        if (row >= 0).all():
            return table[row]
        return np.append(table, np.full((1, len(classes)), np.nan), axis=0)[row]

    def _scores(self, frame: pl.DataFrame, row: Ints) -> Floats:
        """Return the scores of both classes, shape (rows, 2): minus the column, and the column."""
        classes = self.constants.classes
        if len(classes) != 2 or self.truth.ndim == 2:
            message = f"a column of scores needs two classes, not {len(classes):,}"
            raise ChallengeError(problems=[Problem("T808", message)])
        score = np.append(frame["score"].to_numpy(), np.nan)[row]
        return np.column_stack([-score, score])


def label_shapes(rules: Submission, needed: frozenset[str]) -> tuple[Schema, ...]:
    """Return the shapes that a submission may have, with the roles that measures cannot lack."""
    if rules.numbers:
        return (Schema(("list", "label"), (), rules.columns),)
    other_columns = {role: name for role, name in rules.columns.items() if role != "label"}
    label = {role: name for role, name in rules.columns.items() if role == "label"}
    names = tuple(rules.probability.values()) or (LIKELY,)
    probabilities = {f"{LIKELY}[{n}]": name for n, name in enumerate(names)}
    if "score" in rules.columns:
        return (Schema(("list", "score"), (), rules.columns),)
    if "prediction" in needed:
        return (Schema(("list", "prediction"), (), rules.columns),)
    columns = other_columns | label | probabilities
    by_probability = Schema(("list", *probabilities), ("label",) if label else (), columns)
    if LIKELY in needed:
        return (by_probability,)
    by_label = Schema(("list", "label"), (), other_columns | label)
    return (by_probability, by_label) if rules.probability else (by_label, by_probability)


def _complete_classes(public: Public, sources: PublicSources) -> Public:
    """Return the public part with the labels that the challenge declares, else its truth has."""
    separators, classes = sources.challenge.separators, public.classes
    answered = any("prediction" not in shape.roles for shape in sources.shapes)  # by classes
    if answered and not classes and (table := sources.truth()) is not None and "label" in table:
        classes = _measured_classes(table.frame, public, sources)
    called = {**public.called, "unit": "row"}  # where the column of lists is only called id
    return public._replace(called=called, classes=classes, separator=separators[1])


def _measured_classes(
    frame: pl.DataFrame, public: Public, sources: PublicSources
) -> tuple[str, ...]:
    """Return the classes of a truth; of its measured rows alone, if submissions have no labels."""
    separator, rules = sources.challenge.separators[0], sources.challenge.submission
    classes, measured_rows = classes_of_truth(frame, public, separator), sources.measured_rows()
    unlabelled = all("label" not in shape.roles for shape in sources.shapes)
    by_number = unlabelled or rules.probability or "score" in rules.columns
    if measured_rows is None or "label" in rules.columns or not by_number:
        return classes
    measured = classes_of_truth(frame.filter(measured_rows), public, separator)
    return tuple(name for name in classes if name in {*measured, *rules.probability})


def open_labels(table: Table, side: SideTables, findings: Findings) -> Labels:
    """Return the truth, by id, after adding its problems to the findings."""
    frame, public = table.frame, side.public
    word, names = public.word("list"), sorted_names(frame["list"])
    if not len(table):
        findings.add(Problem("S103", "the truth has no rows"))
    elif bare := sorted({*public.lists} - {*names}):
        message = f"{len(bare):,} of {len(public.lists):,} {word} values have no row in the truth"
        findings.add(Problem("S301", f"{message}: {join_first(bare)}", list=bare[0]))
    findings.extend(_measure_problems(table, side))
    rows = list_rows(frame, names)
    extras = Extras(side.further_columns("truth", table).at(rows), list=side.of_lists(names))
    weight = frame["weight"].to_numpy()[rows] if "weight" in table else None
    if "target" in table:
        target = frame["target"].to_numpy()[rows]
        none = np.empty(0, dtype=np.int64)
        constants = Constants(weighted=weight is not None)
        return Labels(names, constants, none, target, weight, None, side, extras, (), file_row=rows)
    separators, rules = side.separators, side.rules
    classes = public.classes or classes_of_truth(frame, public, separators[0])
    numbered = np.array(public.numbered(names), dtype=bool) if public.numbers else None
    truth: Ints | Mask
    target, class_shares = np.empty(0), None
    if side.class_columns:
        truth, class_shares = _class_shares(table, rows, classes, side, findings)
    elif separators[0] is not None:
        truth = indicators(frame["label"], classes, separators[0])[rows]
    else:
        truth = class_codes(frame["label"], classes)[rows]
    if numbered is not None:  # rows with numbers get class 0, and those with classes the number 1
        values = _numbers_in(frame["label"])[rows]
        truth, target = np.where(numbered, 0, truth), np.where(numbered, values, 1.0)
    if side.measured_rows is not None and truth.ndim == 1:
        # The class of a row that no measure looks at does not matter.
        truth = np.where(side.measured_rows[rows] | (truth >= 0), truth, 0)
    columns, fault = _classes_of_columns(rules, classes, separators[0] is not None)
    if fault is not None:
        findings.add(fault)
    constants = Constants(classes=classes, several=truth.ndim == 2, weighted=weight is not None)
    return Labels(
        lists=names,
        constants=constants,
        truth=truth,
        target=target,
        weight=weight,
        separator=separators[1],
        side=side,
        extras=extras,
        columns=columns,
        numbered=numbered,
        class_shares=class_shares,
    )


def _class_shares(
    table: Table, rows: Ints, classes: Sequence[str], side: SideTables, findings: Findings
) -> tuple[Ints | Mask, Floats | None]:
    """Return the codes or indicators of classes that have a column each, and any shares.

    Rows of 0 and 1 have one class, or with `multilabel` several; other numbers are shares, or
    votes, and are divided by their sum.
    """
    places = {name: n for n, name in enumerate(classes)}
    if strange := [name for name in side.class_columns if name not in places]:
        message = f"a column of the truth for {join_first(strange)}, which no submission may name"
        findings.add(Problem("T801", message))
    shares = np.zeros((rows.size, len(classes) + 1))  # the last column is of strange classes
    for n, name in enumerate(side.class_columns):
        shares[:, places.get(name, -1)] = table.frame[f"{LIKELY}[{n}]"].to_numpy()[rows]
    shares = shares[:, :-1]
    if side.measured_rows is not None:  # rows that no measure looks at get the first class
        shares[~side.measured_rows[rows]] = np.eye(1, len(classes))
    positive, several = shares > 0, side.separators[0] is not None
    flags = bool(((shares == 0) | (shares == 1)).all())
    soft = not several and bool((positive.sum(axis=1) > 1).any())
    how = "write 0 or 1, or with several labels a row multilabel: ','; shares sum to 1"
    several_shares = f"has shares of classes, and {join_first(side.single_class_metrics)} needs "
    several_shares += "one class a row"
    for wrong, what in (  # the first one that is found is reported
        ((shares < 0).any(axis=1), "has a number below 0"),
        (np.full(rows.size, several and not flags), "has a number that is neither 0 nor 1"),
        (~positive.any(axis=1) & (not several), "has no class"),
        ((positive.sum(axis=1) > 1) & (flags and not several), "has several classes"),
        (np.full(rows.size, soft and bool(side.single_class_metrics)), several_shares),
    ):
        if wrong.any():
            at = int(np.argmax(wrong))
            name, line = table.frame["list"][int(rows[at])], table.frame["line"][int(rows[at])]
            message = f"{side.public.word('list')} {quoted(name)} {what}"
            findings.add(Problem("T809", message, line=line, list=name, help=how))
            break
    if several:
        return positive, None
    total = shares.sum(axis=1, keepdims=True)
    shares = np.divide(shares, total, out=np.zeros_like(shares), where=total > 0)
    return shares.argmax(axis=1), shares if soft else None


def _two_classes(classes: Sequence[str]) -> str:
    return f"a single column of probabilities needs two classes, not {len(classes):,}"


def _classes_of_columns(
    rules: Submission, classes: Sequence[str], several: bool
) -> tuple[tuple[int, ...], Problem | None]:
    """Return the code of each probability column's class, and what is wrong with the columns."""
    declared, places = tuple(rules.probability), {name: n for n, name in enumerate(classes)}
    if len(declared) <= 1 and not several:
        if len(classes) != 2:
            return (), Problem("T808", _two_classes(classes)) if declared else None
        positive = next((name for name in declared if name), classes[-1])
        if positive not in places:
            what = f"probability: {quoted(positive)} is not among {join_first(classes)}"
            return (1,), Problem("T808", what)  # any class: the challenge is refused
        return (places[positive],), None
    if declared and (lost := [name for name in classes if name not in declared]):
        return (), Problem("T808", f"no column of probabilities for {join_first(lost)}")
    if strange := [name for name in declared if name not in places]:
        return (), Problem("T808", f"columns of probabilities for {join_first(strange)}, no class")
    return tuple(places[name] for name in declared), None


def _measure_problems(table: Table, side: SideTables) -> Iterator[Problem]:
    """Yield a problem if a measure needs classes and the truth has numbers, or the reverse."""
    if side.public.numbers:
        return
    has, lacks = (Targets, Labelled) if "target" in table else (Labelled, Targets)
    if lacks in side.views:
        what = {Targets: "numbers, `target`", Labelled: "classes, `label`"}
        message = f"{side.views[lacks]} needs {what[lacks]}; this truth has {what[has]}"
        help = None
        if has in side.views and has is Labelled and side.public.groups:
            help = "where some groups have numbers, submission: {numbers: [GROUP]} names them"
        yield Problem("S201", message, line=1, help=help)


def classes_of_truth(frame: pl.DataFrame, public: Public, separator: str | None) -> tuple[str, ...]:
    """Return the classes that a truth names, without its numbers.

    `separator` is that between labels of a cell; None if a cell is one label.
    """
    if public.numbers:
        frame = frame.filter(~pl.Series(public.numbered(frame["list"].to_list()), dtype=pl.Boolean))
    return tuple(sort_classes(frame["label"].unique().to_list(), separator))


def sort_classes(cells: Sequence[str], separator: str | None) -> list[str]:
    """Return the distinct labels of these cells; sorted as numbers if all are, else as text."""
    names = {name for cell in cells for name in split_labels(cell, separator) if name}
    if all(not parse_number(name).code for name in names):
        return sorted(names, key=lambda name: (float(name), name))
    return sorted(names)


def split_labels(cell: str, separator: str | None) -> list[str]:
    """Return the labels in a cell."""
    return [cell] if separator is None else [part.strip() for part in cell.split(separator)]


def class_codes(cells: pl.Series, classes: Sequence[str]) -> Ints:
    """Return the place of each cell among the classes; -1 of an unknown one."""
    distinct, codes = encode(cells)
    places = ClassNames.of(classes).places
    return np.array([places.get(name, -1) for name in distinct], dtype=np.int64)[codes]


def indicators(cells: pl.Series, classes: Sequence[str], separator: str) -> Mask:
    """Return which classes each cell names: shape (cells, classes).

    `separator` is between labels of a cell.
    """
    distinct, codes = encode(cells)
    places = {name: n for n, name in enumerate(classes)}
    indicated = np.zeros((len(distinct), len(classes)), dtype=bool)
    for row, cell in enumerate(distinct):
        for name in split_labels(cell, separator):
            if (place := places.get(name)) is not None:
                indicated[row, place] = True
    return indicated[codes]


def _numbers_in(cells: pl.Series) -> Floats:
    """Return each cell as a number; NaN of another text."""
    distinct, codes = encode(cells)
    return np.array([parse_number(cell).value for cell in distinct], dtype=np.float64)[codes]


def probability_roles(roles: Sequence[str]) -> list[str]:
    """Return the roles of probabilities among these, in the order of the classes."""
    return [f"{LIKELY}[{n}]" for n in range(sum(role.startswith(LIKELY) for role in roles))]


@dataclass(frozen=True, eq=False)
class Ratings(OpenTruth):
    """A truth of ratings.

    Attributes:
        lists: The lists that are scored.
        truth: The ratings in the place of grades, by list and then by item.
        constants: The defaults.
        side: The files beside it.
        extras: Of lists one element a list, of the others one a row of the truth.
    """

    lists: tuple[str, ...]
    truth: GradedItems
    constants: Constants
    side: SideTables
    extras: Extras
    own_views: ClassVar[frozenset[type]] = frozenset({Targets})

    def find_views(self, submission: Table, ties: Ties, views: frozenset[type]) -> FoundViews:
        """Return the predictions beside the ratings; what was not asked for is left out."""
        columns = self.side.further_columns("submission", submission)
        view = join_ratings(submission, self.truth, self.extras._replace(submission=columns))
        return FoundViews(view.answered, {Targets: view})

    def subset(self, lists: Ints) -> Ratings:
        """Return the truth of some lists alone."""
        rows, truth = np.isin(self.truth.in_list, lists), self.truth.subset(lists)
        extras = self.extras.at(truth=rows, list=lists, item=rows)
        return replace(self, lists=truth.lists, truth=truth, extras=extras)

    def answers(self, roles: Collection[str]) -> dict[str, Any]:
        """Return the ratings as predictions, and as both ends of the predicted intervals."""
        truth = self.truth
        columns: dict[str, Any] = {"list": truth.list_names.gather(truth.in_list)}
        numbers = dict.fromkeys(("prediction", "low", "high"), truth.grade)
        return columns | {"item": truth.items} | numbers

    def truth_columns(self) -> NamedColumns:
        """Return the further columns of the truth, one element a rating."""
        return self.extras.truth

    def item_names(self, submission: Table, ties: Ties, view: type, at: int) -> Names:
        """Return the items whose ratings were predicted."""
        row = self.truth.find(submission.frame)
        predicted = np.isin(np.arange(self.truth.in_list.size), row) & (self.truth.in_list == at)
        return Names(tuple(self.truth.items.filter(predicted)))


def _complete_requested(public: Public, sources: PublicSources) -> Public:
    """Return the public part with the items to be predicted: of its file, else of the truth."""
    items = public.candidates
    if items is None and (table := sources.truth()) is not None:
        items = ItemsByList.of_columns(table.frame, "item")
    return public._replace(candidates=ItemsByList.of(items or {}).subset(public.list_names))


def open_ratings(table: Table, side: SideTables, findings: Findings) -> Ratings:
    """Return ratings, by list and then by item, whatever the order of the file."""
    frame, names = table.frame, sorted_names(table.frame["list"], side.public.list_names)
    known = set(frame["list"].unique())
    if not known:
        findings.add(Problem("S103", "the truth has no rows"))
    elif bare := [name for name in side.public.lists if name not in known]:
        message = f"{len(bare):,} lists have no rating in the truth: {join_first(bare)}"
        findings.add(Problem("S301", message, "warning", list=bare[0]))
    in_list = pl.Series("in_list", number_lists(frame["list"], names))
    rows = frame.select("item", "rating", in_list).with_row_index("row")
    rows = rows.unique(["in_list", "item"], keep="first").sort("in_list", "item")
    row = rows["row"].to_numpy().astype(np.int64)
    items, described = rows["item"], side.further_columns("items", side.tables.get("items"))
    if described:
        names_of_items, codes = encode(items)
        row_of = find_places(side.tables["items"].frame["item"], names_of_items)
        described = described.at_or_missing(first_positions(row_of, len(names_of_items))[codes])
    extras = Extras(
        side.further_columns("truth", table).at(row), list=side.of_lists(names), item=described
    )
    truth = GradedItems(names, items, rows["in_list"].to_numpy(), rows["rating"].to_numpy(), row)
    return Ratings(truth.lists, truth, Constants(), side, extras)


LABELS = Kind(
    "labels",
    truth=(Schema(("list", "label"), ("weight",)), Schema(("list", "target"), ("weight",))),
    public_truth=(Schema(("list",), ("label",)),),  # of the labels only the set is public
    submission=label_shapes,
    open=open_labels,
    complete_public=_complete_classes,
)
RATINGS = Kind(
    "ratings",
    truth=(Schema(("list", "item", "rating")),),
    public_truth=(Schema(("list", "item")),),
    submission=(Schema(("list", "item", "prediction"), ("low", "high")),),
    open=open_ratings,
    complete_public=_complete_requested,
)
