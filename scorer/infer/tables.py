"""Truths with an answer for each row: a class, or a number; submissions may give probabilities."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import takewhile
from typing import Any

from scorer.core.expressions import quote_name
from scorer.core.text import join_first, quoted
from scorer.infer.base import Guess, Needs, Preview
from scorer.reading.layout import part_of
from scorer.reading.numbers import DECIMAL

MOST_CLASSES = 30  # whole numbers of more than so many values are numbers, not classes
CODE_DIGITS = 6  # numbers that are as long, and come again, are codes
SEPARATORS = (",", ";", "|", " ")  # of several labels in a cell
CLASSES = ("Accuracy", "F1(average=macro)")
LABELS = ("F1(average=macro)", "F1(average=micro)")
BINARY = ("AUROC", "LogLoss")
LIKELY = ("LogLoss", "Accuracy")
NUMBERS = ("RMSE", "MAE", "R2")


def table(truth: Preview, sample: Preview | None, needs: Needs) -> Guess | None:
    """A row for each id, of which the truth has each once."""
    if not needs.allow("labels") or truth.is_trec:
        return None
    if sample is None:
        return _without_sample(truth, needs)
    key = key_columns(truth, sample)
    if key is None:
        return None
    truth_key, sample_key = key
    sent = _answers(truth, sample, key)
    if len(sent) > 1 and (guess := _by_class(truth, truth_key, sample_key, sent)) is not None:
        return guess
    if not _is_row(sent, sample_key):
        return None
    value = _value(truth, sent, truth_key)
    if value is None:
        return None
    answer_column = sample.find_name(value)
    if answer_column is None or answer_column == sample_key:
        answer_column = sample.find_role("label", (sample_key,)) or sample.find_role(
            "prediction", (sample_key,)
        )
    return _single(truth, sample, (truth_key, value), (sample_key, answer_column or sent[0]), needs)


def _without_sample(truth: Preview, needs: Needs) -> Guess | None:
    """A table without a sample: answers by a usual name, else the second of two columns."""
    key = next((name for name in truth.names if _is_id(name)), truth.names[0])
    called = truth.find_role("label", (key,)) or truth.find_role("rating", (key,))
    if truth.rows and not truth.is_unique(key):
        return None
    if called is None and not (_is_id(key) and len(truth.names) == 2):
        return None
    value = called or truth.names_except(key)[0]
    return _single(truth, None, (key, value), (key, value), needs)


def _is_row(sent: Sequence[str], key: str) -> bool:
    """Whether a row has one id; with a second column of ids it is a pair."""
    return len(sent) == 1 or (_is_id(key) and not any(map(_is_id, sent)))


def key_columns(truth: Preview, sample: Preview) -> tuple[str, str] | None:
    """The column of ids in the truth and in the sample: both have it, each id once."""
    shared = [
        (truth_name, name)
        for name in sample.names
        if (truth_name := truth.find_name(name)) is not None
    ]
    single = [
        (truth_name, sample_name)
        for truth_name, sample_name in shared
        if truth.is_unique(truth_name) and sample.is_unique(sample_name)
    ]
    called = [pair for pair in single if _is_id(pair[1])]
    first = [pair for pair in single if pair in shared[:1]] or single * (len(single) == 1)
    return next(iter(called or first), None)


def _answers(truth: Preview, sample: Preview, key: tuple[str, str]) -> list[str]:
    """The sample's columns but its ids, without those that only repeat the truth's.

    Where all do, or none is left that could be answers, they are all there are.
    """
    sent = list(sample.names_except(*key[1:]))
    ids = truth.cells(key[0])
    own: dict[str, list[str]] = {}
    for name in sent:
        if (column := truth.find_name(name)) is not None:
            true = dict(zip(ids, truth.cells(column), strict=False))
            pairs = zip(sample.cells(key[1]), sample.cells(name), strict=False)
            own[name] = [cell for row, cell in pairs if true.get(row) != cell]
    return [name for name in sent if own.get(name, [name])] or sent


def _is_id(name: str) -> bool:
    """Whether a column is called as ids of rows are: id, PassengerId, row_id, index."""
    return name.casefold().endswith("id") or name.casefold() in ("index", "row", "image", "file")


def _value(truth: Preview, sent: Sequence[str], key: str) -> str | None:
    """The truth's column of answers: one that the sample has, else what is called so."""
    shared = (column for name in sent if (column := truth.find_name(name)) not in (None, key))
    others = list(truth.names_except(key))
    return (
        next(shared, None)
        or truth.find_role("label", (key,))
        or truth.find_role("rating", (key,))
        or (others[0] if len(others) == 1 else None)
    )


def _by_class(truth: Preview, key: str, sample_key: str, sent: Sequence[str]) -> Guess | None:
    """A sample with a column for each class: called as the class, with or without a beginning."""
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(min(sent), max(sent), strict=False))
    begins = "".join(sign for sign, _ in alike)
    for value in truth.names_except(key):
        classes = set(truth.cells(value))
        for prefix in ("", begins):
            columns = {name[len(prefix) :]: name for name in sent}
            if len(classes) > 1 and classes <= columns.keys():
                probability = list(columns) if not prefix else columns
                of = {"list": sample_key, "probability": probability}
                labelled = {"columns": {"list": key, "label": value}}
                metrics = LIKELY if len(columns) > 2 else BINARY
                what = f"a table of {len(columns)} classes, with a probability of each"
                return Guess(what, labelled, {"columns": of}, metrics)
    return None


def _single(
    truth: Preview, sample: Preview | None, of: tuple[str, str], sent: tuple[str, str], needs: Needs
) -> Guess:
    """A sample with one column of answers; `of` are the truth's columns of ids and answers."""
    cells, sample_cells = truth.cells(of[1]), sample.cells(sent[1]) if sample is not None else []
    classes = sorted(set(cells))

    def guess(
        what: str, role: str, sent_role: str, metrics: Sequence[str], more: dict[str, Any]
    ) -> Guess:
        columns = {"columns": {"list": of[0], role: of[1]}} | more
        return Guess(what, columns, {"columns": {"list": sent[0], sent_role: sent[1]}}, metrics)

    if sample is not None and not needs.columns and (parts := _numeric_parts(truth, of)):
        return _beside(truth, parts, of, sent)
    numbers = _numeric(cells)
    codes = numbers and _long_codes(cells)
    counts = numbers and not (_coded(classes) or codes)
    likely = len(classes) == 2 and sample is not None and _likely(sample, sent[1], numbers)
    probable = likely or "probability" in needs.columns
    if "prediction" in needs.columns or (counts and not probable):
        return guess("a table of numbers", "target", "prediction", NUMBERS, {})
    if probable:
        what = "a table of two classes, with the probability of one"
        probable_guess = guess(what, "label", "probability", BINARY, {})
        return probable_guess if numbers else _with_positive_class(probable_guess, classes)
    separator = None if numbers or _numeric(sample_cells) else _label_separator(cells)
    if separator is not None:
        what = "a table of rows with several labels each"
        return guess(what, "label", "label", LABELS, {"multilabel": separator})
    classed = guess("a table of classes", "label", "label", CLASSES, {})
    if not codes:
        return classed
    unsure = "numbers are taken for codes of classes, since they are as long and come again"
    return classed._replace(doubt=unsure)


def _with_positive_class(guess: Guess, classes: Sequence[str]) -> Guess:
    """Return the guess with the name of the class whose probability is sent: the last one."""
    columns = dict(guess.submission["columns"])
    column, positive = columns["probability"], classes[-1]
    unsure = f"{column} is taken for the probability of {quoted(positive)}, the last of the classes"
    if len(classes) == 2:
        unsure += f"; if it is that of {quoted(classes[0])}, write probability: "
        unsure += f"{{{quote_name(classes[0])}: {quote_name(column)}}}"
    return guess._replace(
        submission={**guess.submission, "columns": {**columns, "probability": {positive: column}}},
        doubt=unsure,
    )


def _numeric_parts(truth: Preview, of: tuple[str, str]) -> dict[str, bool]:
    """The parts of a table, each with whether its answers are numbers; none if all are alike."""
    if "parts" not in truth.layout:
        return {}
    cells: dict[str, list[str]] = {part: [] for part in truth.layout["parts"]}
    key, value = (truth.names.index(name) for name in of)
    for row in truth.rows:
        part = part_of(row[key])
        if part in cells and len(row) > value:
            cells[part].append(row[value].strip())
    numeric = {p: _numeric(values) and not _coded(sorted({*values})) for p, values in cells.items()}
    return numeric if len({*numeric.values()}) > 1 else {}


def _beside(
    truth: Preview, parts: dict[str, bool], of: tuple[str, str], sent: tuple[str, str]
) -> Guess:
    """Parts with classes beside parts with numbers, each with a measure, and their mean."""
    group_measures = [
        {"id": part, "metric": "Spearman" if number else "Accuracy", "group": part}
        for part, number in parts.items()
    ]
    mean = {"id": "mean", "score": f"({' + '.join(map(quote_name, parts))}) / {len(parts)}"}
    numbers = [part for part, number in parts.items() if number]
    return Guess(
        f"classes, and numbers in {join_first(numbers)}",
        {"columns": {"list": of[0], "label": of[1]}},
        {"columns": {"list": sent[0], "label": sent[1]}, "numbers": numbers},
        [mean, *group_measures],
    )


def _coded(classes: Collection[str]) -> bool:
    """Whether different numbers are codes of classes: few, and whole."""
    return len(classes) <= MOST_CLASSES and all(
        cell.lstrip("+-").isdigit() and len(cell) < 4 for cell in classes
    )


def _long_codes(cells: Sequence[str]) -> bool:
    """Whether numbers are long codes of classes: all have as many digits, and most come again."""
    same = len({len(cell) for cell in cells}) == 1 and all(map(str.isdigit, cells))
    return same and len(cells[0]) >= CODE_DIGITS and 2 * len({*cells}) <= len(cells)


def _likely(sample: Preview, name: str, numbers: bool) -> bool:
    """Whether a column has probabilities: shares, or any numbers where the classes are words."""
    cells = sample.cells(name)
    if not _numeric(cells) or not all(0 <= float(cell) <= 1 for cell in cells):
        return False
    whole = all(float(cell).is_integer() for cell in cells)
    return not whole or not numbers or sample.find_role("probability") == name


def _label_separator(cells: Sequence[str]) -> str | None:
    """The separator of several labels in a cell, where few labels make many cells."""
    for sign in SEPARATORS:
        labels = {label.strip() for cell in cells for label in cell.split(sign)}
        if any(sign in cell for cell in cells) and 2 * len(labels) <= len(set(cells)):
            return sign
    return None


def _numeric(cells: Collection[str]) -> bool:
    return bool(cells) and all(DECIMAL.fullmatch(cell) for cell in cells)
