"""Checks of tables: one answer for each row, by a class, probabilities, numbers or values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl

from scorer.challenge.public import ClassColumn, Public
from scorer.checks.base import (
    Row,
    SubmissionRows,
    check,
    distinct_ids,
    problem_per_row,
    repeated_rows,
)
from scorer.checks.ids import MISSING, IdIndex, has_name
from scorer.core.arrays import Floats, Mask
from scorer.core.problems import KEPT, Problem, Severity
from scorer.core.text import join_first, nearest, printable, quoted
from scorer.reading.layout import row_of
from scorer.reading.numbers import parse_number

SUM_TOLERANCE = 1e-6  # of the sum of a row's probabilities, which may be rounded
ROUNDING = 1e-9  # of the addition itself
MOST_CLASSES = 2 * KEPT  # cells that are no class and are explained one by one
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


def count_rows(rows: int) -> str:
    """Return ` (12 rows)`, or nothing for one row."""
    return f" ({rows:,} rows)" if rows > 1 else ""


@check("S526", kinds=("labels", "masks", "boxes"))
def row_twice(rows: SubmissionRows) -> Iterator[Problem]:
    """A row is answered once."""
    word, is_wide = rows.public.word("list"), "list" in rows.rules.wide
    repeats = repeated_rows(rows.named.select("line", "list"), "list")
    if is_wide:  # A line is a row, whose columns are all given twice
        repeats = repeats.unique("line", keep="first", maintain_order=True)

    def describe(row: Row) -> Problem:
        name = row["list"]
        shown = quoted(row_of(name) if is_wide else name)
        message = f"{word} {shown} is given twice (first on line {row['first_line']:,})"
        return Problem("S526", message, line=row["line"], list=name, role="list")

    yield from problem_per_row(repeats, describe)


class WrongLabel(NamedTuple):
    """A label that is no class: how many rows have it, and where the first of them is."""

    label: str
    rows: int
    line: int
    list: str


@check("S521", "S522", "S523", kinds=("labels",))
def unknown_label(rows: SubmissionRows) -> Iterator[Problem]:
    """Every label is a class of the challenge."""
    public, frame = rows.public, rows.frame
    if "label" not in frame.columns or not public.classes:
        return
    if public.numbers:
        frame = frame.filter(~has_number_label(public))
    cells, index = distinct_ids(frame, "label"), index_classes(public.classes)
    # Of many labels of a cell, the first that is no class counts.
    wrong = cells.filter(~index.contains(cells["label"]))
    labels, more = dict[str, WrongLabel](), 0
    for cell, line, name, count in wrong.select("label", "line", "list", "rows").iter_rows():
        parts = split_cell(cell, public.separator)
        label = next((part for part in parts if part not in index.names), None)
        if label is None:
            continue
        if (known := labels.get(label)) is not None:
            labels[label] = known._replace(rows=known.rows + count)
        elif len(labels) < MOST_CLASSES:
            labels[label] = WrongLabel(label, count, line, name)
        else:
            more += 1
    if not labels:
        return
    word, found = printable(rows.table.column_name("label"), 60), [*labels.values()]
    if not all(map(is_number, public.classes)) and all(map(is_number, cells["label"])):
        message = (
            f"{word} holds numbers, such as {quoted(found[0].label)}, where a class is expected: "
            f"{join_first(public.classes)}"
        )
        help = "write the names of the classes (LabelEncoder: inverse_transform)"
        yield Problem("S523", message, line=found[0].line, help=help)
    elif (problem := _same_difference(found, index, word)) is not None:
        yield problem
    else:
        yield from _wrong_labels(found, more, index, word)


def _same_difference(found: Sequence[WrongLabel], index: IdIndex, word: str) -> Problem | None:
    """Return one problem for all labels, where several differ from a class by the same alone."""
    faults = [index.explain(each.label) for each in found]
    first, codes = faults[0], {fault.code if fault and fault.meant else None for fault in faults}
    if len(found) < 2 or len(codes) > 1 or first is None or first.meant is None:
        return None
    rows = sum(each.rows for each in found)
    message = (
        f"{rows:,} cells of {word} are no class of this challenge, in {len(found):,} "
        f"spellings: {first.message}"
    )
    return Problem("S521", message, line=found[0].line, list=found[0].list, times=rows)


def _wrong_labels(
    found: Sequence[WrongLabel], more: int, index: IdIndex, word: str
) -> Iterator[Problem]:
    """Yield a problem for each label, and one for `more` cells that are not explained."""
    suggest, problem = index.suggestions(), None
    for label, rows, line, name in found:
        if not label.strip() or label.casefold() in MISSING:
            what = f"reads {quoted(label)}" if label.strip() else "is empty"
            message = f"{word} {what}; every row needs a class{count_rows(rows)}"
            problem = Problem(
                "S522", message, line=line, list=name, help=_help_with_missing(index.names)
            )
        else:
            fault = index.explain(label)
            if fault is None or fault.meant is None:
                hint = suggest(label)
            elif fault.code == "S312":
                hint = f"; it {fault.message.removeprefix(quoted(label)).strip()}"
            else:
                hint = f"; {fault.message}"
            message = f"{word} {quoted(label)} is no class of this challenge{count_rows(rows)}"
            problem = Problem("S521", message + hint, line=line, list=name)
        yield problem
    if problem is not None and more:
        yield replace(problem, times=more)


def _help_with_missing(classes: Iterable[str]) -> str:
    """Return what helps with labels that are missing; a class may be called so."""
    if any(name.casefold() in MISSING for name in classes):
        return "read and write labels as text (in pandas: dtype=str, keep_default_na=False)"
    return "predict a class for each of these rows (in pandas: fillna with one)"


@check("S501", "S502", "S503", "S504", "S505", "S506", kinds=("labels",))
def number_beside_classes(rows: SubmissionRows) -> Iterator[Problem]:
    """A row of a group of numbers has a number, which lies in `submission.range`."""
    if not rows.public.numbers or "label" not in rows.frame.columns:
        return
    low, high = rows.rules.range or (-math.inf, math.inf)
    word = printable(rows.table.column_name("label"), 60)
    cells = distinct_ids(rows.frame.filter(has_number_label(rows.public)), "label")
    problem, described = None, 0
    for cell, line, name, count in cells.select("label", "line", "list", "rows").iter_rows():
        number = parse_number(cell)
        code, message = number.code, number.message
        if not code and not low <= number.value <= high:
            code = "S505"
            message = f"{number.value:.12g} is outside {low:.12g} to {high:.12g}"
        if code and described < MOST_CLASSES:
            message = f"{word} {message}{count_rows(count)}"
            problem = Problem(code, message, line=line, list=name, times=count)
            yield problem
        elif code and problem is not None:
            yield replace(problem, times=1)
        described += bool(code)


def _first_of(
    rows: SubmissionRows, wrong: Mask, code: str, what: str, severity: Severity = "error"
) -> Problem:
    """Return one problem for all rows that are wrong, at the first of them.

    Args:
        rows: The submission.
        wrong: Which rows are meant, shape (rows,); at least one.
        code: The code of the problem.
        what: What is wrong with the first of them.
        severity: The severity of the problem.
    """
    line, name = rows.frame.select("line", "list").row(int(np.argmax(wrong)))
    count = int(np.count_nonzero(wrong))
    return Problem(code, what + count_rows(count), severity, line=line, list=name, times=count)


@check("S524", "S525", kinds=("labels",))
def no_probability(rows: SubmissionRows) -> Iterator[Problem]:
    """Probabilities lie in 0 to 1, and those of a row sum to 1."""
    frame, public = rows.frame, rows.public
    roles = [role for role in frame.columns if role.startswith("probability[")]
    if not roles or frame.is_empty():
        return
    likely = frame.select(roles).to_numpy()
    outside = (likely < 0) | (likely > 1)
    wrong = np.asarray(outside.any(axis=1))
    if wrong.any():
        row = int(np.argmax(wrong))
        column = int(np.argmax(outside[row]))
        name = printable(rows.table.column_name(roles[column]), 60)
        problem = _first_of(
            rows, wrong, "S524", f"{name} {likely[row, column]:.12g} is outside 0 to 1"
        )
        is_percent = np.nanmin(likely) >= 0 and np.nanmax(likely) <= 100
        yield replace(problem, help="percent? divide by 100" if is_percent else None)
        return  # Sums that are wrong have their reason then
    if len(roles) == 1 or public.separator is not None:
        return
    total = likely.sum(axis=1)
    wrong = is_beyond_rounding(total)
    divided = wrong & (total > 0) & (rows.rules.sums == "normalize")
    severity: Severity
    for severity, mask in (("error", wrong & ~divided), ("warning", divided)):
        if mask.any():
            more = ", and are divided by their sum" if severity == "warning" else ""
            row = int(np.argmax(mask))
            place = f"{public.word('list')} {quoted(frame['list'][row])}"
            what = f"the probabilities of {place} sum to {total[row]:.9g}, not to 1{more}"
            problem = _first_of(rows, mask, "S525", what, severity)
            yield replace(problem, help="divide each row by its sum")


@check("S505", kinds=("labels",))
def number_out_of_range(rows: SubmissionRows) -> Iterator[Problem]:
    """Predicted numbers, scores and probabilities lie in `submission.range`."""
    if rows.rules.range is None:
        return
    low, high = rows.rules.range
    for role in rows.frame.columns:
        is_probability = role.startswith("probability[")
        if role not in ("prediction", "score") and not is_probability:
            continue
        numbers = rows.frame[role].to_numpy()
        wrong = (numbers < low) | (numbers > high)
        if is_probability:  # One that is none is a fault of its own
            wrong &= (numbers >= 0) & (numbers <= 1)
        if wrong.any():
            of = "" if role == "prediction" else f"{printable(rows.table.column_name(role), 60)} "
            number = numbers[np.argmax(wrong)]
            what = f"{of}{number:.12g} is outside {low:.12g} to {high:.12g}"
            yield _first_of(rows, wrong, "S505", what)


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
    sentences = [
        f"every {printable(rows.table.column_name(role), 60)} is {value}"
        for role, value in constants.items()
    ]
    if len(sentences) > MOST_DESCRIBED:
        more = len(sentences) - MOST_DESCRIBED + 1
        sentences[MOST_DESCRIBED - 1 :] = []
        sentences[-1] += f" and {more:,} more so"
    yield Problem("S510", ", ".join(sentences), "warning")


class UnknownClass(NamedTuple):
    """A class that the challenge does not have: how many rows name it, and the first of them."""

    rows: int
    line: int
    list: str
    cell: str


@check("S521")
def class_outside(rows: SubmissionRows) -> Iterator[Problem]:
    """Every box, tag and span has a class of the challenge."""
    # Several measures may look at one column, and want the same of it.
    yield from dict.fromkeys(_unknown_of_columns(rows))


def _unknown_of_columns(rows: SubmissionRows) -> Iterator[Problem]:
    """Yield the problems of the classes in each column that a measure looks at."""
    for column in rows.public.class_columns:
        role = column.submission.role
        if role not in rows.frame.columns or not column.classes:
            continue
        unknown, has_known = _unknown_classes(rows.frame, column)
        word = printable(rows.table.column_name(role), 60)
        if rows.rules.classes:
            for name, first in unknown.items():
                yield _class_error(column, word, name, first)
        elif unknown and not has_known:
            yield _class_warning(column, word, unknown)


def _unknown_classes(
    frame: pl.DataFrame, column: ClassColumn
) -> tuple[dict[str, UnknownClass], bool]:
    """Return the first `KEPT` classes that the challenge lacks, and whether it has any other."""
    role, classes = column.submission.role, frozenset(column.classes)
    unknown, has_known = dict[str, UnknownClass](), False
    cells = distinct_ids(frame, role).select(role, "line", "list", "rows")
    for cell, line, name_of_list, rows in cells.iter_rows():
        for name in dict.fromkeys(column.submission.named(cell)):
            if name in classes:
                has_known = True
            elif (before := unknown.get(name)) is not None:
                unknown[name] = before._replace(rows=before.rows + rows)
            elif len(unknown) < KEPT:
                unknown[name] = UnknownClass(rows, line, name_of_list, cell)
    return unknown, has_known


def _class_error(column: ClassColumn, word: str, name: str, first: UnknownClass) -> Problem:
    """Return the error of a class that is not among the declared ones."""
    many = count_rows(first.rows)
    if not name:
        message = f"{word} {quoted(first.cell)} names no class{many}; {_list_classes(column)}"
    else:
        index = index_classes(column.classes)
        hint = _likeness(index, name) or index.suggestions()(name) or f"; {_list_classes(column)}"
        message = f"{word}: {quoted(name)} is no class of this challenge{many}{hint}"
    help = _help_with_numbers(column, name)
    return Problem("S521", message, line=first.line, list=first.list, help=help)


def _class_warning(column: ClassColumn, word: str, unknown: Mapping[str, UnknownClass]) -> Problem:
    """Return the warning of a file of which no class is in the truth."""
    index = index_classes(column.classes)
    alike = next((name for name in unknown if _likeness(index, name)), None)
    name = next(iter(unknown)) if alike is None else alike
    first, hint = unknown[name], _likeness(index, name) or f"; {_list_classes(column)}"
    cell = f" ({quoted(first.cell)})" if name and name != first.cell else ""
    what = f"such as {quoted(name)}{cell}" if name else f"and {quoted(first.cell)} names none"
    message = f"{word}: no class in this file is a class of this challenge, {what}{hint}"
    help = _help_with_numbers(column, name)
    return Problem("S521", message, "warning", line=first.line, list=first.list, help=help)


def _likeness(index: IdIndex, name: str) -> str:
    """Return how a name differs from the class that it certainly means; '' if none is certain."""
    fault = index.explain(name) if name else None
    if fault is None or not fault.meant:
        return ""
    return f"; it {fault.message.removeprefix(quoted(name)).strip()}"


def _list_classes(column: ClassColumn) -> str:
    return f"it has {join_first([name for name in column.classes if name])}"


def _help_with_numbers(column: ClassColumn, name: str) -> str | None:
    """Return what helps where numbers stand for the names of classes."""
    if is_number(name) and not any(map(is_number, column.classes)):
        return "write the names of the classes, not their numbers"
    return None


@check("S505", kinds=("ratings", "grades"))
def out_of_range(rows: SubmissionRows) -> Iterator[Problem]:
    """A prediction, or the score of an item, lies in `submission.range`."""
    frame = rows.frame
    role = "prediction" if "prediction" in frame.columns else "score"
    if rows.rules.range is None or role not in frame.columns:
        return
    low, high = rows.rules.range
    numbers = frame[role].to_numpy()
    wrong = (numbers < low) | (numbers > high)
    if wrong.any():
        first = int(np.argmax(wrong))
        what = f"{numbers[first]:.12g} is outside {low:.12g} to {high:.12g}"
        yield replace(_first_of(rows, wrong, "S505", what), item=frame["item"][first])


@check("S507", kinds=("ratings",))
def twice(rows: SubmissionRows) -> Iterator[Problem]:
    """A rating is predicted once."""

    def describe(row: Row) -> Problem:
        name, item, line = row["list"], row["item"], row["first_line"]
        message = f"{format_pair(name, item)} is predicted twice (first on line {line:,})"
        return Problem("S507", message, line=row["line"], list=name, item=item)

    yield from problem_per_row(rows.repeated_items.filter(has_name("item", None)), describe)


@check("S508", kinds=("ratings",))
def asked(rows: SubmissionRows) -> Iterator[Problem]:
    """What is asked for is predicted."""
    if (pairs := rows.ids.asked) is None:
        return
    missing, count = pairs.without(rows.frame), len(pairs)
    if missing.is_empty() or missing.height == count:
        return  # No list of this challenge at all is one problem, not a hundred thousand
    # The least, so that the order in which they are asked for tells nothing.
    name, item = missing.row(0) if missing.height == 1 else missing.sort("list", "item").row(0)
    verb = "is" if missing.height == 1 else "are"
    message = f"{missing.height:,} of {count:,} predictions {verb} missing; "
    message += f"first: {format_pair(name, item)}"
    if rows.partial:
        message += " (or are in lines that could not be read)"
    severity: Severity = "error" if rows.rules.missing_list in (None, "error") else "warning"
    yield Problem("S508", message, severity, list=name, item=item)


@check("S509", kinds=("ratings",))
def not_asked(rows: SubmissionRows) -> Iterator[Problem]:
    """Nothing else is predicted."""
    pairs, items = rows.ids.asked, rows.ids.items
    if pairs is None or items is None:
        return
    frame = rows.frame.select("line", "list", "item")
    frame = frame.filter(~pairs.contains(frame))
    # A list that is not in the challenge, or an id gone wrong, has its own problem.
    frame = frame.filter(rows.ids.lists.contains(frame["list"]))
    others = frame["item"].filter(~items.contains(frame["item"])).unique()
    explained = [item for item in others if items.explain(item) is not None]

    def describe(row: Row) -> Problem:
        name, item = row["list"], row["item"]
        message = f"{format_pair(name, item)} is not asked for"
        return Problem("S509", message, line=row["line"], list=name, item=item)

    yield from problem_per_row(frame.filter(~pl.col("item").is_in(explained)), describe)


@check("S510", kinds=("ratings",))
def same_predictions(rows: SubmissionRows) -> Iterator[Problem]:
    """Predictions differ from each other."""
    predicted = rows.frame["prediction"].to_numpy()
    if predicted.size > 1 and (predicted == predicted[0]).all():
        yield Problem("S510", f"every prediction is {float(predicted[0])!r}", "warning")


def format_pair(name: str, item: str) -> str:
    """Return a list and an item for a message: `(q1, a)`."""
    return f"({printable(name, 60)}, {printable(item, 60)})"


@check("S526", kinds=("values",))
def value_twice(rows: SubmissionRows) -> Iterator[Problem]:
    """A value of a list is given once."""
    word = rows.public.word("list")
    keys = [role for role in ("list", "measure", "system", "run") if role in rows.frame.columns]

    def describe(row: Row) -> Problem:
        name = row["list"]
        what = f"{quoted(row['measure'])} of " if "measure" in row else ""
        first = f"first on line {row['first_line']:,}"
        message = f"{what}{word} {quoted(name)} is given twice ({first})"
        return Problem("S526", message, line=row["line"], list=name, role="list")

    yield from problem_per_row(repeated_rows(rows.named, *keys), describe)


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
        ends = (
            f"{'-∞' if low is None else f'{low:.12g}'} to {'∞' if high is None else f'{high:.12g}'}"
        )

        def describe(row: Row, name: str = name, ends: str = ends) -> Problem:
            message = f"{printable(name, 60)} {row['value']:.12g} is outside {ends}"
            return Problem("S505", message, line=row["line"], list=row["list"])

        below = pl.lit(False) if low is None else pl.col("value") < low
        above = pl.lit(False) if high is None else pl.col("value") > high
        yield from problem_per_row(frame.filter(below | above), describe)


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
            word = printable(rows.table.column_name(role), 60)
            message = f"{word} is {quoted(other)}, and {quoted(first)} in earlier rows"
            yield Problem("S528", message, line=line, list=name)
