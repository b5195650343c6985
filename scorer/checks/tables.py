"""Checks of tables: one answer for each row, by a class, probabilities, numbers or values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import polars as pl

from scorer.challenge.public import Public
from scorer.checks.base import (
    MOST_EXPLAINED,
    FileRows,
    Row,
    SubmissionRows,
    Sum,
    check,
    distinct_ids,
    problem_per_row,
    repeated_rows,
    report_ids,
    report_rows,
)
from scorer.checks.ids import MISSING, IdFault, IdIndex, count_rows, has_name
from scorer.core.arrays import Floats, Mask
from scorer.core.problems import KEPT, Problem, Severity
from scorer.core.text import join_first, nearest, printable, quoted
from scorer.reading.layout import row_of
from scorer.reading.numbers import parse_number

SUM_TOLERANCE = 1e-6  # of the sum of a row's probabilities, which may be rounded
ROUNDING = 1e-9  # of the addition itself
MOST_DESCRIBED = 4  # columns with one value that a message names


def index_classes(classes: Sequence[str]) -> IdIndex:
    """Return the classes of a challenge, to look cells up among them."""
    return IdIndex(dict.fromkeys(classes))


def is_beyond_rounding(total: Floats) -> Mask:
    """Return which sums of probabilities are further from 1 than rounding explains; no NaN is."""
    beyond: Mask = np.abs(total - 1) > SUM_TOLERANCE + ROUNDING
    return beyond


def is_number(text: str) -> bool:
    """Return whether a cell is a number."""
    return not parse_number(text).code


def has_number_label(public: Public) -> pl.Expr:
    """Return whether a row's label is a number, where those of other lists are classes."""
    lists = [name for name, group in public.groups.items() if group in public.numbers]
    return pl.col("list").is_in(lists)


def split_cell(cell: str, separator: str | None) -> list[str]:
    """Return the labels of a cell; none of a blank one where a cell may have several."""
    if separator is None:
        return [cell]
    return [part.strip() for part in cell.split(separator)] if cell.strip() else []


@check("S526", kinds=("labels", "masks", "boxes"))
def repeated_row(rows: SubmissionRows) -> Iterator[Problem]:
    """A row is answered once."""
    repeats = repeated_rows(rows.named.select("line", "list"), "list")
    name = pl.col("list")
    if "list" in rows.rules.wide:  # A line is a row, whose columns are all given twice
        repeats = repeats.unique("line", keep="first", maintain_order=True)
        name = name.map_elements(row_of, return_dtype=pl.String)
    message = "{word} {name} is given twice (first on line {first_line:,})"
    repeats = repeats.with_columns(name=name)
    yield from report_rows(repeats, "S526", message, role="list", word=rows.word)


def find_unknown_names(
    frame: pl.DataFrame, role: str, split: Callable[[str], Iterable[str]], index: IdIndex
) -> pl.DataFrame:
    """Return the names in the cells of a column that are not in an index, in the file's order.

    Args:
        frame: The rows of the file.
        role: The column.
        split: Returns the names that a cell holds.
        index: The known names.

    Returns:
        `name`, `rows` (how many have it), and the first row's `line`, `list` and cell (`role`).
    """
    cells = distinct_ids(frame, role)
    names = pl.Series([list(split(cell)) for cell in cells[role]], dtype=pl.List(pl.String))
    cells = cells.with_columns(name=names.list.unique(maintain_order=True)).explode("name")
    cells = cells.drop_nulls("name")
    cells = cells.filter(~index.contains(cells["name"]))
    first = pl.col("line", "list", role).first()
    return cells.group_by("name", maintain_order=True).agg(first, pl.col("rows").sum())


@check("S521", "S522", "S523", kinds=("labels",))
def unknown_label(rows: SubmissionRows) -> Iterator[Problem]:
    """Every label is a class of the challenge."""
    classes, frame, word = rows.public.classes, rows.frame, rows.column_name("label")
    if "label" not in frame.columns or not classes:
        return
    if rows.public.numbers:
        frame = frame.filter(~has_number_label(rows.public))
    index = index_classes(classes)

    def split_unknown(cell: str) -> list[str]:
        """Return the first label of a cell that is no class."""
        labels = split_cell(cell, rows.public.separator)
        return [label for label in labels if label not in index.names][:1]

    # A cell that is a class as a whole need not be split.
    rest = frame.filter(~index.contains(frame["label"]))
    labels = find_unknown_names(rest, "label", split_unknown, index)
    if labels.is_empty():
        return
    first = labels.row(0, named=True)
    if not all(map(is_number, classes)) and all(map(is_number, frame["label"].unique())):
        message = f"{word} holds numbers, such as {quoted(first['name'])}, where a class is "
        help = "write the names of the classes (LabelEncoder: inverse_transform)"
        message += f"expected: {join_first(classes)}"
        yield Problem("S523", message, line=first["line"], help=help)
        return
    faults = [index.explain(name) for name in labels["name"].head(MOST_EXPLAINED)]
    fault, codes = faults[0], {fault.code if fault and fault.meant else None for fault in faults}
    if labels.height > 1 and len(codes) == 1 and fault is not None and fault.meant:
        count = int(labels["rows"].sum())  # All differ from a class by the same alone
        message = f"{count:,} cells of {word} are no class of this challenge, in {labels.height:,} "
        message += f"spellings: {fault.message}"
        yield Problem("S521", message, line=first["line"], list=first["list"], times=count)
        return
    help = "predict a class for each of these rows (in pandas: fillna with one)"
    if any(name.casefold() in MISSING for name in classes):
        help = "read and write labels as text (in pandas: dtype=str, keep_default_na=False)"
    suggest = index.suggestions()

    def as_label_fault(label: str, fault: IdFault | None) -> IdFault:
        if not label.strip() or label.casefold() in MISSING:
            what = f"reads {quoted(label)}" if label.strip() else "is empty"
            return IdFault("S522", f"{word} {what}; every row needs a class", help=help)
        hint = describe_likeness(fault, label) or suggest(label)
        message = f"{word} {quoted(label)} is no class of this challenge"
        return IdFault("S521", message, hint=hint)

    label_faults = {
        name: as_label_fault(name, fault)
        for name, fault in zip(labels["name"], faults, strict=False)
    }
    yield from report_ids(labels, "name", label_faults)


def describe_likeness(fault: IdFault | None, name: str) -> str:
    """Return the words on the class that a name certainly means; '' if none is certain."""
    if fault is None or not fault.meant:
        return ""
    is_alike = fault.code == "S312"
    return f"; it{fault.message.removeprefix(quoted(name))}" if is_alike else f"; {fault.message}"


@check("S501", "S502", "S503", "S504", "S505", "S506", kinds=("labels",))
def number_beside_classes(rows: SubmissionRows) -> Iterator[Problem]:
    """A row of a group of numbers has a number, which lies in `submission.range`."""
    yield from find_wrong_numbers(rows, rows.rules.range or (-math.inf, math.inf))


def find_wrong_numbers(rows: FileRows, limits: tuple[float, float]) -> Iterator[Problem]:
    """Yield the problems of labels that are to be numbers within some limits."""
    if not rows.public.numbers or "label" not in rows.frame.columns:
        return
    (low, high), word = limits, rows.column_name("label")
    cells = distinct_ids(rows.frame.filter(has_number_label(rows.public)), "label")
    for row in cells.iter_rows(named=True):
        number = parse_number(row["label"])
        code, message = number.code, number.message
        if not code and not low <= number.value <= high:
            code = "S505"
            message = f"{number.value:.12g} is outside {low:.12g} to {high:.12g}"
        if code:
            message = f"{word} {message}{count_rows(row['rows'])}"
            times = row["rows"]
            yield Problem(code, message, line=row["line"], list=row["list"], times=times)


def _problem_of_rows(
    rows: SubmissionRows,
    is_wrong: Mask,
    code: str,
    what: str,
    severity: Severity = "error",
    help: str | None = None,
) -> Sum:
    """Return one problem for some rows, at the first of them.

    Args:
        rows: The submission.
        is_wrong: Which rows are meant, shape (rows,); at least one.
        code: The code of the problem.
        what: What is wrong with the first of them.
        severity: The severity of the problem.
        help: What to do.
    """
    row = rows.frame.row(int(np.argmax(is_wrong)), named=True)
    problem = Problem(
        code, what, severity, line=row["line"], list=row["list"], item=row.get("item"), help=help
    )
    numbers = {"rows": int(np.count_nonzero(is_wrong))}
    return Sum((code, severity), numbers, partial(_describe_rows, problem))


def _describe_rows(problem: Problem, rows: int) -> Problem:
    return replace(problem, message=problem.message + count_rows(rows), times=rows)


@check("S524", "S525", kinds=("labels",))
def no_probability(rows: SubmissionRows) -> Iterator[Sum]:
    """Probabilities lie in 0 to 1, and those of a row sum to 1."""
    frame, public = rows.frame, rows.public
    roles = [role for role in frame.columns if role.startswith("probability[")]
    if not roles or frame.is_empty():
        return
    table = frame.select(roles).to_numpy()
    is_outside = (table < 0) | (table > 1)
    is_wrong = np.asarray(is_outside.any(axis=1))
    if is_wrong.any():
        row = int(np.argmax(is_wrong))
        column = int(np.argmax(is_outside[row]))
        what = f"{rows.column_name(roles[column])} {table[row, column]:.12g} is outside 0 to 1"
        is_percent = np.nanmin(table) >= 0 and np.nanmax(table) <= 100
        help = "percent? divide by 100" if is_percent else None
        yield _problem_of_rows(rows, is_wrong, "S524", what, help=help)
        return  # Sums that are wrong have their reason then
    if len(roles) == 1 or public.separator is not None:
        return
    total = table.sum(axis=1)
    is_wrong = is_beyond_rounding(total)
    is_divided = is_wrong & (total > 0) & (rows.rules.sums == "normalize")
    severity: Severity
    for severity, mask in (("error", is_wrong & ~is_divided), ("warning", is_divided)):
        if mask.any():
            more = ", and are divided by their sum" if severity == "warning" else ""
            row = int(np.argmax(mask))
            place = f"{rows.word} {quoted(frame['list'][row])}"
            what = f"the probabilities of {place} sum to {total[row]:.9g}, not to 1{more}"
            help = "divide each row by its sum"
            yield _problem_of_rows(rows, mask, "S525", what, severity, help)


@check("S505", kinds=("labels", "ratings", "grades"))
def out_of_range(rows: SubmissionRows) -> Iterator[Sum]:
    """Predicted numbers, scores and probabilities lie in `submission.range`."""
    if rows.rules.range is None:
        return
    low, high = rows.rules.range
    for role in rows.frame.columns:
        is_probability = role.startswith("probability[")
        if role not in ("prediction", "score") and not is_probability:
            continue
        numbers = rows.frame[role].to_numpy()
        is_outside = (numbers < low) | (numbers > high)
        if is_probability:  # One that is none is a fault of its own
            is_outside &= (numbers >= 0) & (numbers <= 1)
        if is_outside.any():
            is_one_of_several = rows.public.kind == "labels" and role != "prediction"
            what = f"{rows.column_name(role)} " if is_one_of_several else ""
            what += f"{numbers[np.argmax(is_outside)]:.12g} is outside {low:.12g} to {high:.12g}"
            yield _problem_of_rows(rows, is_outside, "S505", what)


@check("S510", kinds=("labels",))
def same_answer(rows: SubmissionRows) -> Iterator[Problem]:
    """Answers differ from row to row."""
    frame = rows.frame
    if frame.height < 2 or ("label" in frame.columns and frame["label"].n_unique() > 1):
        return
    numbers = {
        role: frame[role].to_numpy() for role in frame.columns if frame[role].dtype.is_float()
    }
    if any((values != values[0]).any() for values in numbers.values()):
        return
    if "label" in frame.columns:
        constants = {"label": quoted(frame["label"][0])}
    else:
        constants = {role: repr(float(values[0])) for role, values in numbers.items()}
    sentences = [f"every {rows.column_name(role)} is {value}" for role, value in constants.items()]
    if len(sentences) > MOST_DESCRIBED:
        more = len(sentences) - MOST_DESCRIBED + 1
        sentences[MOST_DESCRIBED - 1 :] = []
        sentences[-1] += f" and {more:,} more so"
    yield Problem("S510", ", ".join(sentences), "warning")


@check("S521")
def class_outside(rows: SubmissionRows) -> Iterator[Problem]:
    """Every box, tag and span has a class of the challenge."""
    # Several measures may look at one column, and want the same of it.
    yield from dict.fromkeys(_unknown_classes(rows))


def _unknown_classes(rows: SubmissionRows) -> Iterator[Problem]:
    """Yield the problems of the classes in each column that a measure looks at."""
    for column in rows.public.class_columns:
        (role, split), classes = column.submission, column.classes
        if role not in rows.frame.columns or not classes:
            continue
        index, word = index_classes(classes), rows.column_name(role)
        unknown = find_unknown_names(rows.frame, role, split, index)
        if rows.rules.classes:
            for row in unknown.head(KEPT).iter_rows(named=True):
                yield _class_error(row, role, index, word)
        elif unknown.height:
            cells = rows.frame[role].unique()
            if not any(name in index.names for cell in cells for name in split(cell)):
                yield _class_warning(unknown, role, index, word)


def _class_error(row: Row, role: str, index: IdIndex, word: str) -> Problem:
    """Return the error of a class that is not among the declared ones."""
    name, many, classes = row["name"], count_rows(row["rows"]), _list_classes(index)
    if not name:
        message = f"{word} {quoted(row[role])} names no class{many}; {classes}"
    else:
        hint = describe_likeness(index.explain(name), name) or index.suggestions()(name)
        message = f"{word}: {quoted(name)} is no class of this challenge{many}"
        message += hint or f"; {classes}"
    help = _help_with_numbers(index, name)
    return Problem("S521", message, line=row["line"], list=row["list"], help=help)


def _class_warning(unknown: pl.DataFrame, role: str, index: IdIndex, word: str) -> Problem:
    """Return the warning of a file of which no class is in the truth."""
    hints = {name: describe_likeness(index.explain(name), name) for name in unknown["name"] if name}
    alike = next((name for name, hint in hints.items() if hint), unknown["name"][0])
    row = unknown.row(by_predicate=pl.col("name") == alike, named=True)
    cell = f" ({quoted(row[role])})" if alike and alike != row[role] else ""
    what = f"such as {quoted(alike)}{cell}" if alike else f"and {quoted(row[role])} names none"
    message = f"{word}: no class in this file is a class of this challenge, {what}"
    message += hints.get(alike) or f"; {_list_classes(index)}"
    help, line, name = _help_with_numbers(index, alike), row["line"], row["list"]
    return Problem("S521", message, "warning", line=line, list=name, help=help)


def _list_classes(index: IdIndex) -> str:
    return f"it has {join_first([name for name in index.names if name])}"


def _help_with_numbers(index: IdIndex, name: str) -> str | None:
    """Return what helps where numbers stand for the names of classes."""
    if is_number(name) and not any(map(is_number, index.names)):
        return "write the names of the classes, not their numbers"
    return None


@check("S507", kinds=("ratings",))
def repeated_prediction(rows: SubmissionRows) -> Iterator[Problem]:
    """A rating is predicted once."""
    repeats = rows.repeated_items.filter(has_name("item", None))
    message = "({list:bare}, {item:bare}) is predicted twice (first on line {first_line:,})"
    yield from report_rows(repeats, "S507", message)


@check("S508", kinds=("ratings",))
def missing_prediction(rows: SubmissionRows) -> Iterator[Sum]:
    """What is asked for is predicted."""
    if (pairs := rows.ids.candidates) is None:
        return
    missing = pairs.without(rows.frame)
    # The least, so that the order in which they are asked for tells nothing.
    first = missing.bottom_k(1, by=["list", "item"]).rows()
    more = " (or are in lines that could not be read)" if rows.partial else ""
    severity: Severity = "error" if rows.rules.missing_list in (None, "error") else "warning"
    describe = partial(_describe_missing, severity, first, more)
    yield Sum(("S508",), {"missing": missing.height, "asked": len(pairs)}, describe)


def _describe_missing(
    severity: Severity, first: Sequence[tuple[str, str]], more: str, missing: int, asked: int
) -> Problem | None:
    if not first or missing == asked:
        return None  # No list of this challenge at all is one problem, not a hundred thousand
    [(name, item)] = first
    message = f"{missing:,} of {asked:,} predictions {'is' if missing == 1 else 'are'} missing; "
    message += f"first: ({printable(name, 60)}, {printable(item, 60)}){more}"
    return Problem("S508", message, severity, list=name, item=item)


@check("S509", kinds=("ratings",))
def prediction_not_asked(rows: SubmissionRows) -> Iterator[Problem]:
    """Nothing else is predicted."""
    pairs, items = rows.ids.candidates, rows.ids.items
    if pairs is None or items is None:
        return
    frame = rows.frame.select("line", "list", "item")
    frame = frame.filter(~pairs.contains(frame))
    # A list that is not in the challenge, or an id gone wrong, has its own problem.
    frame = frame.filter(rows.ids.lists.contains(frame["list"]))
    unknown = frame["item"].filter(~items.contains(frame["item"])).unique()
    wrong = [item for item in unknown if items.explain(item) is not None]
    frame = frame.filter(~pl.col("item").is_in(wrong))
    yield from report_rows(frame, "S509", "({list:bare}, {item:bare}) is not asked for")


@check("S510", kinds=("ratings",))
def same_predictions(rows: SubmissionRows) -> Iterator[Problem]:
    """Predictions differ from each other."""
    predicted = rows.frame["prediction"].to_numpy()
    if predicted.size > 1 and (predicted == predicted[0]).all():
        yield Problem("S510", f"every prediction is {float(predicted[0])!r}", "warning")


@check("S526", kinds=("values",))
def repeated_value(rows: SubmissionRows) -> Iterator[Problem]:
    """A value of a list is given once."""
    keys = [role for role in ("list", "measure", "system", "run") if role in rows.frame.columns]
    message = "{measure} of " if "measure" in keys else ""
    message += "{word} {list} is given twice (first on line {first_line:,})"
    repeats, word = repeated_rows(rows.named, *keys), rows.word
    yield from report_rows(repeats, "S526", message, role="list", word=word)


@check("S505", kinds=("values",))
def value_out_of_range(rows: SubmissionRows) -> Iterator[Problem]:
    """A value lies in the range that the challenge says; a quotient where its whole is not 0."""
    for name, columns in rows.rules.value_columns.items():
        low, high = rows.rules.given[name].range or (None, None)
        frame = rows.frame
        if "measure" in frame.columns:
            frame = frame.filter(pl.col("measure") == name)
        value, *whole = (pl.col(role) for role in columns)
        frame = frame.with_columns(value=value / whole[0] if whole else value)
        # Polars takes NaN for the largest number; a part of 0 is no value.
        frame = frame.filter(~pl.col("value").is_nan(), *(of != 0 for of in whole))
        below = pl.lit(False) if low is None else pl.col("value") < low
        above = pl.lit(False) if high is None else pl.col("value") > high
        ends = "-∞" if low is None else f"{low:.12g}", "∞" if high is None else f"{high:.12g}"
        yield from report_rows(
            frame.filter(below | above).select("line", "list", "value"),
            "S505",
            "{name} {value:.12g} is outside {ends}",
            name=printable(name, 60),
            ends=" to ".join(ends),
        )


@check("S527", kinds=("values",))
def unknown_measure(rows: SubmissionRows) -> Iterator[Problem]:
    """A row is of a value that the challenge names."""
    if "measure" not in rows.frame.columns:
        return
    known = rows.rules.given

    def describe(row: Row) -> Problem:
        name = row["measure"]
        close = nearest(name, known)
        hint = f"; did you mean {quoted(close)}?" if close else f" ({join_first(list(known))})"
        message = f"{quoted(name)} is no value of this challenge{hint}"
        return Problem("S527", message, line=row["line"], list=row["list"])

    yield from problem_per_row(rows.frame.filter(~pl.col("measure").is_in([*known])), describe)


@check("S528", kinds=("values",))
def several_systems(rows: SubmissionRows) -> Iterator[Problem]:
    """All rows of a submission are of one system, and of one run of it."""
    frame = rows.frame
    if rows.has_unread_number or frame.is_empty():
        return
    for role in ("system", "run"):
        if role not in frame.columns:
            continue
        first = frame[role][0]
        others = frame.filter(pl.col(role) != first).select(role, "line", "list").head(1)
        for other, line, name in others.iter_rows():
            word = rows.column_name(role)
            message = f"{word} is {quoted(other)}, and {quoted(first)} in earlier rows"
            yield Problem("S528", message, line=line, list=name)
