"""Checks of tables: one answer for each row, by a class, probabilities, numbers or values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

import numpy as np
import polars as pl

from scorer.challenge.public import Public
from scorer.checks.base import (
    SLICE_ROWS,
    CountedProblem,
    FileRows,
    Found,
    Row,
    SubmissionRows,
    check,
    describe_range,
    distinct_ids,
    problem_per_row,
    repeated_rows,
    report_ids,
    report_rows,
)
from scorer.checks.ids import MISSING, MOST_EXPLAINED, IdFault, IdIndex, count_rows, has_name
from scorer.core.arrays import Floats, Mask
from scorer.core.problems import KEPT, Problem, Severity
from scorer.core.text import format_exact, join_first, nearest, printable, quoted
from scorer.reading.layout import row_of
from scorer.reading.numbers import parse_number

SUM_TOLERANCE = 1e-6  # of the sum of a row's probabilities, which may be rounded
ROUNDING = 1e-9  # of adding floats up
MOST_DESCRIBED = 4  # columns that a message names; if there are more, three and how many others


def is_beyond_rounding(total: Floats) -> Mask:
    """Return which sums of probabilities are further from 1 than rounding explains.

    A sum of NaN is not: it has a problem of its own.
    """
    beyond: Mask = np.abs(total - 1) > SUM_TOLERANCE + ROUNDING
    return beyond


def is_number(text: str) -> bool:
    """Return whether a cell is a number."""
    return not parse_number(text).code


def has_number_label(public: Public) -> pl.Expr:
    """Return whether a row is in a group whose labels are numbers, where others have classes."""
    lists = [name for name, group in public.groups.items() if group in public.numbers]
    return pl.col("list").is_in(lists)


def split_cell(cell: str, separator: str | None) -> list[str]:
    """Return the labels of a cell: its parts, or the whole cell if there is no separator."""
    if separator is None:
        return [cell]
    return [part.strip() for part in cell.split(separator)] if cell.strip() else []


def find_unknown_names(
    frame: pl.DataFrame, role: str, split: Callable[[str], Iterable[str]] | None, index: IdIndex
) -> pl.DataFrame:
    """Return the names in the cells of a column that an index lacks, in the order of the file.

    `split` returns the names of a cell; None if each cell is one name. The columns are `name`,
    `rows` (how many have it), and the `line`, `list` and `cell` of the first row.
    """
    cells = distinct_ids(frame, role).rename({role: "cell"})
    if split is None:
        return cells.filter(~index.contains(cells["cell"])).with_columns(name="cell")
    parts = [cells.clear().with_columns(name="cell")]
    for part in cells.iter_slices(SLICE_ROWS):
        cell_of_name, names = list[int](), list[str]()
        for number, cell in enumerate(part["cell"]):
            distinct = dict.fromkeys(split(cell))
            cell_of_name += [number] * len(distinct)
            names += distinct
        named = part[cell_of_name].with_columns(name=pl.Series(names, dtype=pl.String))
        parts.append(named.filter(~index.contains(named["name"])))
    first = ("line", "list", "cell")
    return distinct_ids(pl.concat(parts), "name", first, pl.col("rows").sum())


def describe_meaning(fault: IdFault | None, name: str) -> str:
    """Return the end of a message, on the class that a name certainly means; '' if none is."""
    if fault is None or not fault.meant:
        return ""
    if fault.code == "S312":  # its message begins with the name, as the caller's does
        return f"; it{fault.message.removeprefix(quoted(name))}"
    return f"; {fault.message}"


@check("S526", kinds=("labels", "masks", "boxes"))
def repeated_row(rows: SubmissionRows) -> Iterator[Problem]:
    """A row is answered once."""
    repeats = repeated_rows(rows.named.select("line", "list"), "list")
    name = pl.col("list")
    # If columns are the parts of lists, a line has a list in each of them, such as `like/u1`. A
    # repeated line repeats them all, and is reported once, by the name without the part.
    if "list" in rows.rules.wide:
        repeats = repeats.unique("line", keep="first", maintain_order=True)
        name = name.map_elements(row_of, return_dtype=pl.String)
    message = "{word} {name} is given twice (first on line {first_line:,})"
    repeats = repeats.with_columns(name=name)
    yield from report_rows(repeats, "S526", message, role="list", word=rows.word)


@check("S521", "S522", "S523", kinds=("labels",))
def unknown_label(rows: SubmissionRows) -> Iterator[Found]:
    """Every label is a class of the challenge."""
    public, frame, word = rows.public, rows.frame, rows.column_name("label")
    if "label" not in frame.columns or not public.classes:
        return
    if public.numbers:
        frame = frame.filter(~has_number_label(public))
    index = IdIndex(dict.fromkeys(public.classes))

    def split_unknown(cell: str) -> list[str]:
        """Return the first label of a cell that is no class."""
        labels = split_cell(cell, public.separator)
        return [label for label in labels if label not in index.names][:1]

    # A cell that is a class as a whole need not be split.
    rest = frame.filter(~index.contains(frame["label"]))
    split = None if public.separator is None else split_unknown
    labels = find_unknown_names(rest, "label", split, index)
    if labels.is_empty():
        return
    first, count = labels.row(0, named=True), int(labels["rows"].sum())
    if not all(map(is_number, public.classes)) and all(map(is_number, frame["label"].unique())):
        message = f"{word} holds numbers, such as {quoted(first['name'])}, where a class is "
        message += f"expected: {join_first(public.classes)}"
        help = "write the names of the classes (LabelEncoder: inverse_transform)"
        yield Problem("S523", message, line=first["line"], help=help)
        return
    explained = {name: index.explain(name) for name in labels["name"].head(MOST_EXPLAINED)}
    # If all labels are misspelt in the same way, they have one problem together.
    codes = {fault.code if fault and fault.meant else "" for fault in explained.values()}
    fault = explained[first["name"]]
    if fault is not None and labels.height > 1 and len(codes) == 1 and codes != {""}:
        message = f"{count:,} cells of {word} are no class of this challenge, in {labels.height:,} "
        message += f"spellings: {fault.message}"
        yield Problem("S521", message, line=first["line"], list=first["list"])
        return
    help = "predict a class for each of these rows (in pandas: fillna with one)"
    # By default pandas reads a class called `None` or `NA` as missing, and writes an empty cell.
    if any(name.casefold() in MISSING for name in public.classes):
        help = "read and write labels as text (in pandas: dtype=str, keep_default_na=False)"
    suggest, faults = index.suggestions(), dict[str, IdFault]()
    for label, fault in explained.items():
        if label.strip() and label.casefold() not in MISSING:
            hint, what = describe_meaning(fault, label) or suggest(label), quoted(label)
            faults[label] = IdFault(
                "S521", f"{word} {what} is no class of this challenge", hint=hint
            )
        else:
            what = f"reads {quoted(label)}" if label.strip() else "is empty"
            faults[label] = IdFault("S522", f"{word} {what}; every row needs a class", help=help)
    yield from report_ids(labels, "name", faults)


@check("S501", "S502", "S503", "S504", "S505", "S506", kinds=("labels",))
def number_label(rows: SubmissionRows) -> Iterator[Problem]:
    """A row of a group of numbers has a number, which lies in `submission.range`."""
    yield from find_wrong_numbers(rows, rows.rules.range or (-math.inf, math.inf))


def find_wrong_numbers(rows: FileRows, limits: tuple[float, float]) -> Iterator[Problem]:
    """Yield the problems of labels that are to be numbers within some limits."""
    if not rows.public.numbers or "label" not in rows.frame.columns:
        return
    (low, high), word = limits, rows.column_name("label")
    cells = distinct_ids(rows.frame.filter(has_number_label(rows.public)), "label")
    for row in cells.iter_rows(named=True):
        value, code, message = parse_number(row["label"])
        if not code and not low <= value <= high:
            code, message = "S505", describe_range(value, low, high)
        if code:
            message = f"{word} {message}{count_rows(row['rows'])}"
            yield Problem(code, message, line=row["line"], list=row["list"])


def _count_wrong_rows(
    rows: SubmissionRows,
    is_wrong: Mask,
    code: str,
    what: str,
    severity: Severity = "error",
    help: str | None = None,
) -> CountedProblem:
    """Return the problem of some rows, at least one, as `what` describes the first of them."""
    row = rows.frame.row(int(np.argmax(is_wrong)), named=True)
    place = {"line": row["line"], "list": row["list"], "item": row.get("item")}
    # `CountedProblem` fills in how many rows there are, as `several`.
    first = Problem(code, "{what}{several}", severity, help=help, **place)
    return CountedProblem(first, int(np.count_nonzero(is_wrong)), {"what": what})


@check("S524", "S525", kinds=("labels",))
def wrong_probability(rows: SubmissionRows) -> Iterator[CountedProblem]:
    """Probabilities lie in 0 to 1, and sum to 1 in each row."""
    frame = rows.frame
    roles = [role for role in frame.columns if role.startswith("probability[")]
    if not roles or frame.is_empty():
        return
    table = frame.select(roles).to_numpy()
    is_outside = (table < 0) | (table > 1)
    is_wrong = np.asarray(is_outside.any(axis=1))
    if is_wrong.any():
        row = int(np.argmax(is_wrong))
        column = int(np.argmax(is_outside[row]))
        what = f"{rows.column_name(roles[column])} {describe_range(table[row, column], 0, 1)}"
        is_percent = np.nanmin(table) >= 0 and np.nanmax(table) <= 100
        help = "percent? divide by 100" if is_percent else None
        yield _count_wrong_rows(rows, is_wrong, "S524", what, help=help)
        return  # Wrong sums follow from this
    # A row that may have several labels has a probability of each, with any sum.
    if len(roles) == 1 or rows.public.separator is not None:
        return
    total = table.sum(axis=1)
    is_wrong = is_beyond_rounding(total)
    is_divided = is_wrong & (total > 0) & (rows.rules.sums == "normalize")
    severity: Severity
    for severity, mask in (("error", is_wrong & ~is_divided), ("warning", is_divided)):
        if mask.any():
            row = int(np.argmax(mask))
            place = f"{rows.word} {quoted(frame['list'][row])}"
            what = f"the probabilities of {place} sum to {total[row]:.9g}, not to 1"
            what += ", and are divided by their sum" if severity == "warning" else ""
            help = "divide each row by its sum"
            yield _count_wrong_rows(rows, mask, "S525", what, severity, help)


@check("S505", kinds=("labels", "ratings", "grades"))
def out_of_range(rows: SubmissionRows) -> Iterator[CountedProblem]:
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
        if is_probability:  # `wrong_probability` reports those outside 0 to 1
            is_outside &= (numbers >= 0) & (numbers <= 1)
        if is_outside.any():
            # A file of labels may have several columns of scores or probabilities.
            needs_name = rows.public.kind == "labels" and role != "prediction"
            what = f"{rows.column_name(role)} " if needs_name else ""
            what += describe_range(numbers[np.argmax(is_outside)], low, high)
            yield _count_wrong_rows(rows, is_outside, "S505", what)


@check("S510", kinds=("labels", "ratings"))
def same_answer(rows: SubmissionRows) -> Iterator[Problem]:
    """Answers differ from row to row."""
    frame = rows.frame
    if frame.height < 2 or ("label" in frame.columns and frame["label"].n_unique() > 1):
        return
    numbers = {each.name: each.to_numpy() for each in frame if each.dtype.is_float()}
    if any((values != values[0]).any() for values in numbers.values()):
        return
    shown = {rows.column_name(role): repr(float(values[0])) for role, values in numbers.items()}
    if rows.public.kind == "ratings":
        shown = {"prediction": repr(float(numbers["prediction"][0]))}
    elif "label" in frame.columns:
        shown = {rows.column_name("label"): quoted(frame["label"][0])}
    sentences = [f"every {word} is {value}" for word, value in shown.items()]
    most = MOST_DESCRIBED if len(sentences) <= MOST_DESCRIBED else MOST_DESCRIBED - 1
    more = f" and {len(sentences) - most:,} more so" if len(sentences) > most else ""
    yield Problem("S510", ", ".join(sentences[:most]) + more, "warning")


@check("S521")
def unknown_class(rows: SubmissionRows) -> Iterator[Problem]:
    """Every box, tag and span has a class of the challenge.

    Only declared classes may be used. If a challenge declares none, the classes of its truth are
    known: others may be used beside them, and a file that uses none of them gets a warning.
    """
    found = list[Problem]()
    for column in rows.public.class_columns:
        # `split` gives the names of the classes in a cell.
        (role, split), index = column.submission, IdIndex(dict.fromkeys(column.classes))
        if role not in rows.frame.columns or not column.classes:
            continue
        word = rows.column_name(role)
        unknown = find_unknown_names(rows.frame, role, split, index)
        if rows.rules.classes:
            for row in unknown.head(KEPT).iter_rows(named=True):
                what = f": {quoted(row['name'])} is no class of this challenge"
                what = what if row["name"] else f" {quoted(row['cell'])} names no class"
                message = f"{word}{what}{count_rows(row['rows'])}"
                found.append(_class_problem(row, message, index, "error"))
        elif unknown.height:
            cells = rows.frame[role].unique()
            if not any(name in index.names for cell in cells for name in split(cell)):
                found.append(_class_warning(unknown, index, word))
    yield from dict.fromkeys(found)  # Several measures may look at one column


def _class_warning(unknown: pl.DataFrame, index: IdIndex, word: str) -> Problem:
    """Return the warning of a file whose classes are all unknown."""
    meant = (name for name in unknown["name"] if describe_meaning(index.explain(name), name))
    name = next(meant, unknown["name"][0])
    row = unknown.row(by_predicate=pl.col("name") == name, named=True)
    cell = quoted(row["cell"])
    what = f"such as {quoted(name)}" if name else f"and {cell} names none"
    what += f" ({cell})" if name and name != row["cell"] else ""
    message = f"{word}: no class in this file is a class of this challenge, {what}"
    return _class_problem(row, message, index, "warning")


def _class_problem(row: Row, message: str, index: IdIndex, severity: Severity) -> Problem:
    """Return the problem of a class, with the class that was meant or those that there are."""
    name, help = row["name"], None
    hint = describe_meaning(index.explain(name), name)
    if name and severity == "error":
        hint = hint or index.suggestions()(name)
    message += hint or f"; it has {join_first([name for name in index.names if name])}"
    if is_number(name) and not any(map(is_number, index.names)):
        help = "write the names of the classes, not their numbers"
    return Problem("S521", message, severity, line=row["line"], list=row["list"], help=help)


@check("S507", kinds=("ratings",))
def repeated_prediction(rows: SubmissionRows) -> Iterator[Problem]:
    """A rating is predicted once."""
    # An empty or missing id has a problem of its own, and may well be in several rows.
    repeats = rows.repeated_items.filter(has_name("item", None))
    message = "({list:bare}, {item:bare}) is predicted twice (first on line {first_line:,})"
    yield from report_rows(repeats, "S507", message)


@check("S508", kinds=("ratings",))
def missing_prediction(rows: SubmissionRows) -> Iterator[CountedProblem]:
    """Every (list, item) pair that the challenge asks for is predicted."""
    if (pairs := rows.ids.candidates) is None:
        return
    missing = pairs.without(rows.frame)
    # The smallest one: the order in which they are asked for may give answers away.
    name, item = next(missing.bottom_k(1, by=["list", "item"]).iter_rows(), ("", ""))
    message = "{count:,} of {total:,} predictions {are} missing; first: ({list}, {item}){note}"
    first = Problem("S508", message, rows.missing_severity, list=name, item=item)
    words = {"list": printable(name, 60), "item": printable(item, 60), "note": rows.unread_note}
    # By its shares it is no problem if all are missing: then other checks report why.
    yield CountedProblem(first, missing.height, words, len(pairs), shares=(0, 1))


@check("S509", kinds=("ratings",))
def prediction_not_asked(rows: SubmissionRows) -> Iterator[Problem]:
    """Only (list, item) pairs that the challenge asks for are predicted."""
    pairs, items = rows.ids.candidates, rows.ids.items
    if pairs is None or items is None:
        return
    # A list that is not in the challenge, or an id gone wrong, has its own problem.
    others = pairs.find_others(rows.frame, "item")
    others = others.filter(rows.ids.lists.contains(others["list"]))
    unknown = others["item"].filter(~items.contains(others["item"])).unique()
    wrong = [item for item in unknown if items.explain(item) is not None]
    # With a role, the problem would point to the cell of the item; but it is of the pair.
    others = others.filter(~pl.col("item").is_in(wrong)).drop("role")
    yield from report_rows(others, "S509", "({list:bare}, {item:bare}) is not asked for")


@check("S526", kinds=("values",))
def repeated_value(rows: SubmissionRows) -> Iterator[Problem]:
    """A value of a list is given once."""
    keys = [role for role in ("list", "measure", "system", "run") if role in rows.frame.columns]
    message = "{measure} of " if "measure" in keys else ""
    message += "{word} {list} is given twice (first on line {first_line:,})"
    repeats = repeated_rows(rows.named, *keys)
    yield from report_rows(repeats, "S526", message, role="list", word=rows.word)


@check("S505", kinds=("values",))
def value_out_of_range(rows: SubmissionRows) -> Iterator[Problem]:
    """A value lies in the challenge's range for it; so does a quotient, unless it divides by 0."""
    for name, columns in rows.rules.value_columns.items():
        low, high = rows.rules.given[name].range or (None, None)
        frame = rows.frame
        if "measure" in frame.columns:
            frame = frame.filter(pl.col("measure") == name)
        value, *divisors = (pl.col(role) for role in columns)
        frame = frame.with_columns(value=value / divisors[0] if divisors else value)
        # Polars compares NaN as the largest number. A division by 0 has no value.
        frame = frame.filter(~pl.col("value").is_nan(), *(divisor != 0 for divisor in divisors))
        below = pl.lit(False) if low is None else pl.col("value") < low
        above = pl.lit(False) if high is None else pl.col("value") > high
        shown_low = "-∞" if low is None else format_exact(low)
        shown_high = "∞" if high is None else format_exact(high)
        wrong = frame.filter(below | above).select("line", "list", "value")
        message = f"{{name}} {{value}} is outside {shown_low} to {shown_high}"
        yield from report_rows(wrong, "S505", message, name=printable(name, 60))


@check("S527", kinds=("values",))
def unknown_measure(rows: SubmissionRows) -> Iterator[Problem]:
    """A row is of a value that the challenge names."""
    if "measure" not in rows.frame.columns:
        return
    names = [*rows.rules.given]

    def describe(row: Row) -> Problem:
        name = row["measure"]
        close = nearest(name, names)
        hint = f"; did you mean {quoted(close)}?" if close else f" ({join_first(names)})"
        message = f"{quoted(name)} is no value of this challenge{hint}"
        return Problem("S527", message, line=row["line"], list=row["list"])

    yield from problem_per_row(rows.frame.filter(~pl.col("measure").is_in(names)), describe)


@check("S528", kinds=("values",))
def several_systems(rows: SubmissionRows) -> Iterator[Problem]:
    """All rows of a submission are of one system, and of one run of it."""
    frame = rows.frame
    # A table with numbers that cannot be read is not split into its systems.
    if rows.has_unread_number or frame.is_empty():
        return
    for role in ("system", "run"):
        if role in frame.columns:
            first = frame.item(0, role)
            others = frame.filter(pl.col(role) != first).select("line", "list", other=role).head(1)
            message, word = "{word} is {other}, and {first} in earlier rows", rows.column_name(role)
            yield from report_rows(others, "S528", message, word=word, first=quoted(first))
