"""Truths with a row for each id: classes, numbers, and probabilities of classes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from os.path import commonprefix
from typing import Any, NamedTuple

from scorer.core.expressions import quote_name
from scorer.core.text import join_first, quoted
from scorer.infer.base import Guess, Measure, Needs, Preview, are_numbers, columns_section
from scorer.infer.ranked import RATINGS, find_numbered_prefix
from scorer.reading.layout import part_of

MOST_CLASSES = 30  # whole numbers of more than so many values are numbers, not classes
CODE_DIGITS = 6  # numbers with as many digits or more each, which come again, are codes of classes
LEAST_TARGETS = 3  # columns of numbers that are targets though they are not numbered
ROUNDED = 0.01  # how far the sum of a row's probabilities may be from 1
SEPARATORS = (",", ";", "|", " ")  # of several labels in a cell
ID_NAMES = ("index", "row", "image", "file")  # what columns of ids are called, if not ..id
F1_MACRO = {"id": "F1 macro", "metric": "F1(average=macro)"}
F1_MICRO = {"id": "F1 micro", "metric": "F1(average=micro)"}
TWO_PROBABILITIES = ("AUROC", "LogLoss")
PROBABILITIES = ("LogLoss", "Accuracy")
NUMBERS = ("RMSE", "MAE", "R2")


class KeyColumns(NamedTuple):
    """The column of ids in the truth and in the sample."""

    truth: str
    sample: str


class AnswerColumns(NamedTuple):
    """The columns of ids and of answers in the truth and in the sample."""

    truth_key: str
    truth_value: str
    key: str
    value: str

    def guess(
        self, description: str, role: str, measures: Sequence[Measure], **extra: Any
    ) -> Guess:
        """Return a guess whose answers have the same role in truth and submission.

        `extra` are further keys of the section `truth`.
        """
        truth = {"columns": {"list": self.truth_key, role: self.truth_value}, **extra}
        return Guess(description, truth, self.submission(role), measures)

    def submission(self, role: str) -> dict[str, Any]:
        """Return the section `submission`, where the answers have a role."""
        return {"columns": {"list": self.key, role: self.value}}


def find_key_columns(truth: Preview, sample: Preview) -> KeyColumns | None:
    """Return the column of ids, which both files have and where each id is once; None without.

    It is a column with the name of an id, else the first that both files have, else the only one
    with each id once.
    """
    pairs = [(truth.find_name(name), name) for name in sample.names]
    shared = [KeyColumns(own, name) for own, name in pairs if own is not None]
    unique = [key for key in shared if truth.is_unique(key.truth) and sample.is_unique(key.sample)]
    if id_columns := [key for key in unique if _is_id(key.sample)]:
        return id_columns[0]
    if unique and (unique[0] == shared[0] or len(unique) == 1):
        return unique[0]
    return None


def _is_id(name: str) -> bool:
    """Return whether a column is called as ids of rows are: id, PassengerId, row_id, index."""
    return name.casefold().endswith("id") or name.casefold() in ID_NAMES


def recognize_table(truth: Preview, sample: Preview, needs: Needs) -> Guess | None:
    """Return the guess for a table that has each id in one row."""
    if not sample.names:
        return _recognize_truth_alone(truth, needs)
    if (key := find_key_columns(truth, sample)) is None:
        return None
    candidates = _answer_candidates(truth, sample, key)
    if len(candidates) > 1 and (guess := _recognize_probabilities(truth, key, candidates)):
        return guess
    # With a second column of ids, a row would be about a pair.
    if len(candidates) > 1 and (not _is_id(key.sample) or any(map(_is_id, candidates))):
        return None
    if (truth_value := _truth_value(truth, candidates, key.truth)) is None:
        return None
    value = sample.find_name(truth_value)
    if value is None or value == key.sample:
        taken = (key.sample,)
        usual_name = sample.find_role("label", taken) or sample.find_role("prediction", taken)
        value = usual_name or candidates[0]
    columns = AnswerColumns(key.truth, truth_value, key.sample, value)
    return _guess_answers(truth, sample, columns, needs)


def _recognize_truth_alone(truth: Preview, needs: Needs) -> Guess | None:
    """Return the guess without a sample: answers have a usual name, or stand alone beside ids."""
    key = next((name for name in truth.names if _is_id(name)), truth.names[0])
    if truth.rows and not truth.is_unique(key):
        return None
    value = truth.find_role("label", (key,)) or truth.find_role("rating", (key,))
    if value is None and _is_id(key) and len(truth.names) == 2:
        value = truth.names_except(key)[0]
    if value is None:
        return None
    return _guess_answers(truth, Preview(()), AnswerColumns(key, value, key, value), needs)


def _answer_candidates(truth: Preview, sample: Preview, key: KeyColumns) -> list[str]:
    """Return the sample's columns beside its ids that do not merely repeat a column of the truth.

    If all of them repeat one, all are returned.
    """
    names = sample.names_except(key.sample)
    ids = truth.cells(key.truth)

    def repeats_truth(name: str) -> bool:
        column = truth.find_name(name)
        if column is None:
            return False
        true = dict(zip(ids, truth.cells(column), strict=False))
        rows = zip(sample.cells(key.sample), sample.cells(name), strict=False)
        return all(true.get(row) == cell for row, cell in rows)

    return [name for name in names if not repeats_truth(name)] or names


def _truth_value(truth: Preview, candidates: Sequence[str], key: str) -> str | None:
    """Return the truth's column of answers: one that the sample has, else one with a usual name.

    Else it is the only column beside the ids.
    """
    shared = (truth.find_name(name) for name in candidates)
    others = truth.names_except(key)
    return (
        next((name for name in shared if name not in (None, key)), None)
        or truth.find_role("label", (key,))
        or truth.find_role("rating", (key,))
        or (others[0] if len(others) == 1 else None)
    )


def _recognize_probabilities(
    truth: Preview, key: KeyColumns, columns: Sequence[str]
) -> Guess | None:
    """Return the guess for a column for each class, called as the class, or with a prefix."""
    common = commonprefix(list(columns))  # noqa: RUF071  of characters, not of paths
    for value in truth.names_except(key.truth):
        classes = set(truth.cells(value))
        for prefix in dict.fromkeys(("", common)):
            by_class = {name.removeprefix(prefix): name for name in columns}
            if len(classes) < 2 or not classes <= by_class.keys():
                continue
            return Guess(
                f"a table of {len(by_class)} classes, with a probability of each",
                {"columns": {"list": key.truth, "label": value}},
                {
                    "columns": {
                        "list": key.sample,
                        "probability": by_class if prefix else list(by_class),
                    }
                },
                PROBABILITIES if len(by_class) > 2 else TWO_PROBABILITIES,
            )
    return None


def _guess_answers(truth: Preview, sample: Preview, columns: AnswerColumns, needs: Needs) -> Guess:
    """Return the guess for one column of answers: classes, numbers, or probabilities of a class."""
    cells = truth.cells(columns.truth_value)
    sample_cells = sample.cells(columns.value) if sample.names else []
    if sample.names and not needs.columns and (parts := _find_parts(truth, columns)):
        return _guess_parts(parts, columns)
    classes = sorted(set(cells))
    is_numeric = are_numbers(cells)
    is_code = is_numeric and _are_long_codes(cells)
    is_quantity = is_numeric and not is_code and not _are_classes(classes)
    has_usual_name = sample.find_role("probability") == columns.value
    is_probability = "probability" in needs.columns or (
        len(classes) == 2 and _are_probabilities(sample_cells, has_usual_name or not is_numeric)
    )
    if "prediction" in needs.columns or (is_quantity and not is_probability):
        truth_columns = {"list": columns.truth_key, "target": columns.truth_value}
        submission = columns.submission("prediction")
        return Guess("a table of numbers", {"columns": truth_columns}, submission, NUMBERS)
    if is_probability:
        return _guess_probability(columns, classes, is_numeric)
    separator = None if is_numeric or are_numbers(sample_cells) else find_label_separator(cells)
    if separator is not None:
        description = "a table of rows with several labels each"
        return columns.guess(description, "label", (F1_MACRO, F1_MICRO), multilabel=separator)
    guess = columns.guess("a table of classes", "label", ("Accuracy", F1_MACRO))
    return guess._replace(doubt=_doubt_classes(cells, is_numeric, is_code))


def _doubt_classes(cells: Sequence[str], is_numeric: bool, is_code: bool) -> str:
    """Return what the answers of a table may be if they are no classes; "" if nothing is known."""
    if is_code:
        return "numbers are taken for codes of classes, since they are as long and come again"
    different = set(cells)
    if is_numeric and len(different) > 2:  # two are yes and no
        low = min(different, key=int)
        high = max(different, key=int)
        return (
            f"whole numbers from {low} to {high} are taken for classes; if they are numbers, write "
            "target in place of label in truth, prediction in submission, and RMSE as a metric"
        )
    if not is_numeric and 1 < len(cells) == len(different):
        return (
            "no answer comes again, as classes would; if they are free texts, write text in place "
            "of label, and ExactMatch as a metric"
        )
    return ""


def _guess_probability(columns: AnswerColumns, classes: Sequence[str], is_numeric: bool) -> Guess:
    """Return the guess for the probability of one of two classes.

    If the classes are numbers, it is that of the greater one; of words, that of the last, with a
    doubt.
    """
    truth = {"columns": {"list": columns.truth_key, "label": columns.truth_value}}
    description = "a table of two classes, with the probability of one"
    submission = columns.submission("probability")
    if is_numeric:
        return Guess(description, truth, submission, TWO_PROBABILITIES)
    name = columns.value
    positive = classes[-1]
    submission["columns"]["probability"] = {positive: name}
    doubt = f"{name} is taken for the probability of {quoted(positive)}, the last of the classes"
    if len(classes) == 2:
        doubt += f"; if it is that of {quoted(classes[0])}, write probability: "
        doubt += f"{{{quote_name(classes[0])}: {quote_name(name)}}}"
    return Guess(description, truth, submission, TWO_PROBABILITIES, doubt)


def _are_classes(numbers: Collection[str]) -> bool:
    """Return whether different numbers are codes of classes: few, whole and short."""
    return len(numbers) <= MOST_CLASSES and all(
        cell.lstrip("+-").isdigit() and len(cell) < 4 for cell in numbers
    )


def _are_long_codes(cells: Sequence[str]) -> bool:
    """Return whether numbers are codes of classes: of one length, and most occur again."""
    is_code = len({*map(len, cells)}) == 1 and all(map(str.isdigit, cells))
    return is_code and len(cells[0]) >= CODE_DIGITS and 2 * len({*cells}) <= len(cells)


def _are_probabilities(cells: Sequence[str], allow_integers: bool) -> bool:
    """Return whether cells are numbers from 0 to 1, some of them fractions or `allow_integers`."""
    if not are_numbers(cells) or not all(0 <= float(cell) <= 1 for cell in cells):
        return False
    return allow_integers or not all(float(cell).is_integer() for cell in cells)


def find_label_separator(cells: Sequence[str]) -> str | None:
    """Return the separator of cells with several labels; None if the cells are something else.

    Labels are few: they come again in other cells, but not twice in one.
    """
    for sign in SEPARATORS:
        rows = [[label.strip() for label in cell.split(sign)] for cell in cells]
        labels = {label for row in rows for label in row}
        has_several = sum(len(row) > 1 for row in rows) > 1
        are_different = all(len(row) == len(set(row)) and all(row) for row in rows)
        come_again = 2 * len(labels) <= sum(map(len, rows)) and len(labels) <= len(set(cells))
        if has_several and are_different and come_again:
            return sign
    return None


def _find_parts(truth: Preview, columns: AnswerColumns) -> dict[str, bool]:
    """Return part of a ZIP archive -> whether its answers are numbers; {} unless both occur."""
    cells: dict[str, list[str]] = {part: [] for part in truth.layout.get("parts", ())}
    key = truth.names.index(columns.truth_key)
    value = truth.names.index(columns.truth_value)
    for row in truth.rows:
        part = part_of(row[key])
        if part in cells and len(row) > value:
            cells[part].append(row[value].strip())
    parts = {
        part: are_numbers(answers) and not _are_classes(set(answers))
        for part, answers in cells.items()
    }
    return parts if len(set(parts.values())) > 1 else {}


def _guess_parts(parts: dict[str, bool], columns: AnswerColumns) -> Guess:
    """Return the guess for parts with classes beside parts with numbers: the mean over parts."""
    of_parts = [
        {"id": part, "metric": "Spearman" if is_number else "Accuracy", "group": part}
        for part, is_number in parts.items()
    ]
    mean = {"id": "mean", "score": f"({' + '.join(map(quote_name, parts))}) / {len(parts)}"}
    numbers = [part for part, is_number in parts.items() if is_number]
    truth = {"columns": {"list": columns.truth_key, "label": columns.truth_value}}
    submission = {**columns.submission("label"), "numbers": numbers}
    description = f"classes, and numbers in {join_first(numbers)}"
    return Guess(description, truth, submission, [mean, *of_parts])


def recognize_class_columns(truth: Preview, sample: Preview, needs: Needs) -> Guess | None:
    """Return the guess for a column for each class in both files, with probabilities in the sample.

    The truth has 0 and 1, or shares or votes.
    """
    key = find_key_columns(truth, sample)
    if key is None or "header" in truth.layout:
        return None
    names = sample.names_except(key.sample)
    if len(names) < 2 or not set(names).issubset(truth.names):
        return None
    if not all(table.is_numeric(name) for table in (truth, sample) for name in names):
        return None
    true = _number_rows(truth, names)
    submitted = _number_rows(sample, names)
    are_counts = all(number.is_integer() and number >= 0 for row in true for number in row)
    if not are_counts or not all(0 <= number <= 1 for row in submitted for number in row):
        return None
    is_binary = {number for row in true for number in row} <= {0, 1}
    sum_to_one = all(abs(sum(row) - 1) < ROUNDED for row in submitted)
    if not is_binary and not sum_to_one:
        return None
    truth_keys: dict[str, Any] = {"columns": {"list": key.truth, "probability": names}}
    sample_keys = {"columns": {"list": key.sample, "probability": names}}
    description = f"a table of {len(names)} classes, a column for each"
    if not is_binary:
        description += ", with shares or votes in the truth"
        return Guess(description, truth_keys, sample_keys, ("KL", "LogLoss"))
    if sum_to_one and all(sum(row) == 1 for row in true):
        return Guess(description, truth_keys, sample_keys, PROBABILITIES)
    unused = (sign for sign in SEPARATORS if not any(sign in name for name in names))
    truth_keys["multilabel"] = next(unused, "|")
    description += ", of which a row may have several"
    return Guess(description, truth_keys, sample_keys, ("AUROC",))


def _number_rows(table: Preview, names: Sequence[str]) -> list[list[float]]:
    """Return the numbers of some columns, row by row."""
    return [list(map(float, row)) for row in zip(*map(table.cells, names), strict=False)]


def recognize_number_columns(truth: Preview, sample: Preview, needs: Needs) -> Guess | None:
    """Return the guess for a row for each id whose numbers, such as days, have a column each."""
    key = next((name for name in sample.names if name in truth.names), None)
    if key is None or {"header", "json"} & truth.layout.keys():
        return None
    if not truth.is_unique(key) or not sample.is_unique(key):
        return None
    names = sample.names_except(key)
    if len(names) < 2 or not set(names) < set(truth.names):
        return None
    if not all(table.is_numeric(name) for table in (truth, sample) for name in names):
        return None
    prefix = find_numbered_prefix(names)
    if prefix is not None and needs.allow("ratings"):
        description = f"a table of numbers, in columns {prefix}1 and so on"
        wide = {"wide": {"item": f"{prefix}*"}}
        truth_keys: dict[str, Any] = {"columns": {"list": key, "rating": "rating"}, **wide}
        return Guess(description, truth_keys, columns_section({"list": key}) | wide, RATINGS)
    if len(names) < LEAST_TARGETS or not needs.allow("labels"):
        return None
    has_same_columns = len(truth.names) == len(sample.names)
    truth_keys = {
        "columns": {"list": key, "target": "target"},
        "wide": {"list": "*" if has_same_columns else names},
    }
    sample_keys = {"columns": {"list": key}, "wide": {"list": "*"}}
    return Guess(f"a table of numbers, in {len(names)} columns", truth_keys, sample_keys, RATINGS)
