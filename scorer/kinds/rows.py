"""Tables of classes or numbers, where each row is a list; and ratings of the items of lists."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl

from scorer.challenge.public import Public
from scorer.challenge.submission import Submission
from scorer.checks.classes import is_beyond_rounding
from scorer.core.arrays import Floats, Ints, Mask, at_or_missing, first_positions
from scorer.core.errors import ChallengeError
from scorer.core.problems import Findings, Problem
from scorer.core.text import join_first, quoted
from scorer.kinds.base import (
    PROBABILITY,
    Constants,
    ItemTruth,
    Kind,
    OpenTruth,
    PublicSources,
    SideTables,
    Views,
    find_lists_without_rows,
    list_rows,
)
from scorer.reading.layout import split_cell
from scorer.reading.numbers import parse_number
from scorer.reading.schema import Schema
from scorer.reading.table import Table, encode, find_indices
from scorer.views.columns import Extras, NamedColumns
from scorer.views.items import ItemsByList
from scorer.views.join import GradedItems, candidate_items, number_lists, sorted_names
from scorer.views.ranked import Names, Ties
from scorer.views.rows import Labelled, LabelledRows, Targets, indicator_matrix

FIRST_PROBABILITY = f"{PROBABILITY}[0]"  # the role of the first column of probabilities


@dataclass(kw_only=True, eq=False)
class Labels(OpenTruth):
    """A truth of classes or numbers. All arrays have one element a row, by id."""

    side: SideTables
    # Codes of classes, or indicators (rows, classes) of several labels; empty without classes.
    truth: Ints | Mask
    target: Floats  # the numbers; empty where there are classes alone
    weight: Floats | None = None  # None if all rows count alike
    columns: tuple[int, ...] = ()  # the class of each column of probabilities
    numbered: Mask | None = None  # which rows have numbers, if other rows have classes
    file_row: Ints | None = None  # of numbers, the place of each row in the truth's file
    class_shares: Floats | None = None  # (rows, classes), where a row has shares of classes
    own_views: ClassVar[frozenset[type]] = frozenset({Labelled, Targets, LabelledRows})

    @property
    def separator(self) -> str:
        """The separator of labels in a cell of a submission."""
        return self.side.separators[1] or ","

    def find_views(self, submission: Table, ties: Ties, views: frozenset[type]) -> Views:
        """Return the classes, probabilities or numbers of the submission, beside the truth.

        Of rows with the same id the first counts. Where some rows have numbers and others classes,
        each view gives the rows of the other one their true answer.
        """
        frame, classes, numbered = submission.frame, self.constants.classes, self.numbered
        row = list_rows(frame, self.lists)
        columns = self.side.further_columns("submission", submission).at_or_missing(row)
        shared: dict[str, Any] = {"names": self.lists, "answered": row >= 0, "weight": self.weight}
        shared["extras"] = self.extras._replace(submission=columns)
        found: dict[type, LabelledRows] = {}
        if numbered is not None or not classes:
            numbers = _numbers_in(frame["label"]) if classes else frame["prediction"].to_numpy()
            prediction = at_or_missing(numbers, row, np.nan)
            if numbered is not None:
                prediction = np.where(numbered, prediction, self.target)
            found[LabelledRows] = found[Targets] = Targets(
                **shared, target=self.target, prediction=prediction, file_row=self.file_row
            )
        if classes:
            label, multilabel = None, self.constants.multilabel
            if "label" in submission:
                codes = read_labels(frame["label"], classes, self.separator if multilabel else None)
                label = at_or_missing(codes, row, False if multilabel else -1)
                label = label if numbered is None else np.where(numbered, self.truth, label)
            found[LabelledRows] = found[Labelled] = Labelled(
                **shared,
                classes=classes,
                truth=self.truth,
                label=label,
                probability=self._probabilities(frame, row) if FIRST_PROBABILITY in frame else None,
                score=self._scores(frame, row) if "score" in frame else None,
                class_shares=self.class_shares,
            )
        return Views(row >= 0, found)

    def explain_views(
        self, submission: Table, ties: Ties, views: frozenset[type], at: int
    ) -> Mapping[type, Any]:
        """Return the views of all rows, with row number `at` marked."""
        found = self.find_views(submission, ties, views).views
        return {view: replace(rows, at=at) for view, rows in found.items()}

    def subset(self, lists: Ints) -> Self:
        """Return the truth of some rows alone."""
        columns = ("truth", "target", "weight", "numbered", "file_row", "class_shares")
        values = {name: getattr(self, name) for name in columns}
        parts = {name: x[lists] for name, x in values.items() if x is not None and x.size}
        return replace(super().subset(lists), **parts)

    def answers(self, roles: Collection[str]) -> dict[str, Any]:
        """Return the true class or number of each row, and its shares of the classes."""
        classes, columns = self.constants.classes, dict[str, Any](list=self.lists)
        if not classes:
            return columns | {"prediction": self.target}
        if "label" in roles:
            columns["label"] = self._label_cells()
        codes = {"score": len(classes) - 1}  # role -> the class whose share it has
        codes |= {f"{PROBABILITY}[{n}]": code for n, code in enumerate(self.columns)}
        if asked := {role: code for role, code in codes.items() if role in roles}:
            shares = self.class_shares
            if shares is None:
                shares = indicator_matrix(self.truth, len(classes))
            columns |= {role: shares[:, code] for role, code in asked.items()}
        return columns

    def _label_cells(self) -> Sequence[str] | pl.Series:
        """Return the cell of each row in a submission that names its true classes."""
        classes = pl.Series(self.constants.classes, dtype=pl.String)
        if self.constants.multilabel:
            return [self.separator.join(classes.filter(pl.Series(row))) for row in self.truth]
        cells = classes.gather(self.truth)
        if self.numbered is None:
            return cells
        rows = zip(cells, self.target.tolist(), self.numbered, strict=True)
        return [repr(number) if is_number else cell for cell, number, is_number in rows]

    def _probabilities(self, frame: pl.DataFrame, row: Ints) -> Floats:
        """Return the probability of each class in each row, shape (rows, classes)."""
        classes, multilabel = self.constants.classes, self.constants.multilabel
        if not self.columns:
            raise ChallengeError(problems=[Problem("T808", _two_classes(classes))])
        table = np.empty((frame.height, len(classes)))
        for n, code in enumerate(self.columns):
            table[:, code] = frame[f"{PROBABILITY}[{n}]"].to_numpy()
        if len(self.columns) == 1:  # of one of two classes; the other one has the rest
            table[:, 1 - self.columns[0]] = 1 - table[:, self.columns[0]]
        if not multilabel:
            total = table.sum(axis=1, keepdims=True)
            off = is_beyond_rounding(total) & (total > 0)
            table = np.divide(table, total, out=table, where=off)
        return at_or_missing(table, row, np.nan)

    def _scores(self, frame: pl.DataFrame, row: Ints) -> Floats:
        """Return the scores of both classes, shape (rows, 2): minus the column, and the column."""
        classes = self.constants.classes
        if len(classes) != 2 or self.constants.multilabel:
            message = f"a column of scores needs two classes, not {len(classes):,}"
            raise ChallengeError(problems=[Problem("T808", message)])
        score = at_or_missing(frame["score"].to_numpy(), row, np.nan)
        return np.column_stack([-score, score])


def label_shapes(rules: Submission, needed: frozenset[str]) -> tuple[Schema, ...]:
    """Return the shapes that a submission may have, with the roles that measures cannot lack."""
    columns = rules.columns
    if rules.numbers:
        return (Schema(("list", "label"), (), columns),)
    if "score" in columns:
        return (Schema(("list", "score"), (), columns),)
    if "prediction" in needed:
        return (Schema(("list", "prediction"), (), columns),)
    names = tuple(rules.probability.values()) or (PROBABILITY,)
    probabilities = {f"{PROBABILITY}[{n}]": name for n, name in enumerate(names)}
    label = ("label",) if "label" in columns else ()
    by_probability = Schema(("list", *probabilities), label, columns | probabilities)
    if PROBABILITY in needed:
        return (by_probability,)
    by_label = Schema(("list", "label"), (), columns)
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
    if names and (bare := sorted({*public.lists} - {*names})):
        message = f"{len(bare):,} of {len(public.lists):,} {word} values have no row in the truth"
        findings.add(Problem("S301", f"{message}: {join_first(bare)}", list=bare[0]))
    findings.extend(_measure_problems(table, side))
    rows = list_rows(frame, names)
    extras = Extras(side.further_columns("truth", table).at(rows), list=side.of_lists(names))
    weight = frame["weight"].to_numpy()[rows] if "weight" in table else None
    shared: dict[str, Any] = {"lists": names, "extras": extras, "side": side, "weight": weight}
    if "target" in table:
        target, constants = frame["target"].to_numpy()[rows], Constants(weighted=weight is not None)
        codes = np.empty(0, dtype=np.int64)
        return Labels(**shared, constants=constants, truth=codes, target=target, file_row=rows)
    separator = side.separators[0]
    classes = public.classes or classes_of_truth(frame, public, separator)
    truth: Ints | Mask
    target, numbered, class_shares = np.empty(0), None, None
    if side.class_columns:
        truth, class_shares = _class_shares(table, rows, classes, side, findings)
    else:
        truth = read_labels(frame["label"], classes, separator)[rows]
    if public.numbers:  # rows with numbers get class 0, and those with classes the number 1
        numbered = np.array(public.have_numbers(names), dtype=bool)
        values = _numbers_in(frame["label"])[rows]
        truth, target = np.where(numbered, 0, truth), np.where(numbered, values, 1.0)
    if side.measured_rows is not None and truth.ndim == 1:
        # The class of a row that no measure looks at does not matter.
        truth = np.where(side.measured_rows[rows] | (truth >= 0), truth, 0)
    columns, fault = _classes_of_columns(side.rules, classes, separator is not None)
    if fault is not None:
        findings.add(fault)
    constants = Constants(classes=classes, multilabel=truth.ndim == 2, weighted=weight is not None)
    return Labels(
        **shared,
        constants=constants,
        truth=truth,
        target=target,
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
    shares = np.zeros((rows.size, len(classes)))
    for n, name in enumerate(side.class_columns):
        if name in places:
            shares[:, places[name]] = table.frame[f"{PROBABILITY}[{n}]"].to_numpy()[rows]
    if side.measured_rows is not None:  # rows that no measure looks at get the first class
        shares[~side.measured_rows[rows]] = np.eye(1, len(classes))
    positive, multilabel = shares > 0, side.separators[0] is not None
    flags = bool(((shares == 0) | (shares == 1)).all())
    soft = not multilabel and bool((positive.sum(axis=1) > 1).any())
    how = "write 0 or 1, or with several labels a row multilabel: ','; shares sum to 1"
    several_shares = f"has shares of classes, and {join_first(side.single_class_metrics)} needs "
    several_shares += "one class a row"
    for wrong, what in (  # the first one that is found is reported
        ((shares < 0).any(axis=1), "has a number below 0"),
        (np.full(rows.size, multilabel and not flags), "has a number that is neither 0 nor 1"),
        (~positive.any(axis=1) & (not multilabel), "has no class"),
        ((positive.sum(axis=1) > 1) & (flags and not multilabel), "has several classes"),
        (np.full(rows.size, soft and bool(side.single_class_metrics)), several_shares),
    ):
        if wrong.any():
            at = int(np.argmax(wrong))
            name, line = table.frame["list"][int(rows[at])], table.frame["line"][int(rows[at])]
            message = f"{side.public.word('list')} {quoted(name)} {what}"
            findings.add(Problem("T809", message, line=line, list=name, help=how))
            break
    if multilabel:
        return positive, None
    total = shares.sum(axis=1, keepdims=True)
    shares = np.divide(shares, total, out=np.zeros_like(shares), where=total > 0)
    return shares.argmax(axis=1), shares if soft else None


def _two_classes(classes: Sequence[str]) -> str:
    return f"a single column of probabilities needs two classes, not {len(classes):,}"


def _classes_of_columns(
    rules: Submission, classes: Sequence[str], multilabel: bool
) -> tuple[tuple[int, ...], Problem | None]:
    """Return the code of each probability column's class, and the faults of the columns."""
    declared, places = tuple(rules.probability), {name: n for n, name in enumerate(classes)}
    if len(declared) <= 1 and not multilabel:
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
    """Return the classes that a truth names, without its numbers: sorted, as numbers if all are.

    `separator` is that between labels of a cell; None if a cell is one label.
    """
    if public.numbers:
        frame = frame.filter(
            ~pl.Series(public.have_numbers(frame["list"].to_list()), dtype=pl.Boolean)
        )
    cells = frame["label"].unique().to_list()
    names = {name for cell in cells for name in split_cell(cell, separator, are_names=True) if name}
    if all(not parse_number(name).code for name in names):
        return tuple(sorted(names, key=lambda name: (float(name), name)))
    return tuple(sorted(names))


def read_labels(cells: pl.Series, classes: Sequence[str], separator: str | None) -> Ints | Mask:
    """Return the place of each cell among the classes; -1 of an unknown one.

    With a separator of labels, return which classes each cell names: shape (cells, classes).
    """
    if separator is None:
        return find_indices(cells, classes)
    distinct, codes = encode(cells)
    places = {name: n for n, name in enumerate(classes)}
    named = np.zeros((len(distinct), len(classes)), dtype=bool)
    for row, cell in enumerate(distinct):
        for name in split_cell(cell, separator, are_names=True):
            if (place := places.get(name)) is not None:
                named[row, place] = True
    return named[codes]


def _numbers_in(cells: pl.Series) -> Floats:
    """Return each cell as a number; NaN of another text."""
    distinct, codes = encode(cells)
    return np.array([parse_number(cell).value for cell in distinct], dtype=np.float64)[codes]


@dataclass(kw_only=True, eq=False)
class Ratings(ItemTruth):
    """A truth of ratings, which are kept as grades, by list and then by item."""

    side: SideTables
    own_views: ClassVar[frozenset[type]] = frozenset({Targets})

    def find_views(self, submission: Table, ties: Ties, views: frozenset[type]) -> Views:
        """Return the predictions beside the ratings; ratings without one are left out.

        Of two predictions for one rating the first counts.
        """
        frame, truth = submission.frame, self.truth
        place = truth.find(frame)
        row = first_positions(place, truth.in_list.size)
        is_predicted = row >= 0
        row, rated_list = row[is_predicted], truth.in_list[is_predicted].astype(np.int64)
        # the ends of a prediction's interval, which metrics read as further columns
        ends = {end: frame[end].to_numpy()[row] for end in ("low", "high") if end in submission}
        columns = self.side.further_columns("submission", submission).at(row)
        columns = NamedColumns({**ends, **columns}, "submission", columns.levels)
        extras = self.extras.at(truth=is_predicted, item=is_predicted)
        answered = np.bincount(rated_list, minlength=len(truth.lists)) > 0
        view = Targets(
            truth.lists,
            answered,
            weight=None,
            target=truth.grade[is_predicted],
            prediction=frame["prediction"].to_numpy()[row],
            rated_list=rated_list,
            extras=extras._replace(submission=columns),
        )
        return Views(answered, {Targets: view}, found=self._count_requested(frame, place))

    def _count_requested(self, frame: pl.DataFrame, place: Ints) -> int:
        """Return how many predictions are expected, given the index of each among the ratings.

        The public file of items may ask for some that have no rating.
        """
        unrated = np.flatnonzero(place < 0)
        if not unrated.size:
            return place.size
        requested = candidate_items(self.side.public.candidates or {}, self.lists)
        is_requested = requested.find(frame.select("list", "item")[unrated]) >= 0
        return place.size - unrated.size + int(np.count_nonzero(is_requested))

    def answers(self, roles: Collection[str]) -> dict[str, Any]:
        """Return the ratings as predictions, and as both ends of the predicted intervals."""
        truth = self.truth
        columns: dict[str, Any] = {"list": truth.list_names.gather(truth.in_list)}
        numbers = dict.fromkeys(("prediction", "low", "high"), truth.grade)
        return columns | {"item": truth.items} | numbers

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
    findings.extend(find_lists_without_rows(frame, side.public, "rating"))
    in_list = pl.Series("in_list", number_lists(frame["list"], names))
    rows = frame.select("item", "rating", in_list).with_row_index("row")
    rows = rows.unique(["in_list", "item"], keep="first").sort("in_list", "item")
    row = rows["row"].to_numpy().astype(np.int64)
    items, described = rows["item"], side.further_columns("items", side.tables.get("items"))
    if described:
        names_of_items, codes = encode(items)
        row_of = find_indices(side.tables["items"].frame["item"], names_of_items)
        described = described.at_or_missing(first_positions(row_of, len(names_of_items))[codes])
    extras = Extras(
        side.further_columns("truth", table).at(row), list=side.of_lists(names), item=described
    )
    truth = GradedItems(names, items, rows["in_list"].to_numpy(), rows["rating"].to_numpy(), row)
    return Ratings(lists=truth.lists, extras=extras, truth=truth, side=side)


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
