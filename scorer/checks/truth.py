"""Checks of the truth, whose problems are shown to the organizer only."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

import polars as pl

from scorer.checks.base import (
    TruthRows,
    check,
    count_id,
    distinct_ids,
    repeated_rows,
    report_rows,
    select_cells,
)
from scorer.checks.ids import (
    MISSING,
    MISSING_IN_PANDAS,
    READ_AS_TEXT,
    IdIndex,
    PublicIds,
    count_rows,
    suspect_id,
)
from scorer.checks.numbers import find_outside_domain, find_wrong_numbers, has_number_label
from scorer.checks.pairs import find_contradictions
from scorer.checks.ranked import cell_separator
from scorer.checks.texts import find_unknown_names
from scorer.core.ids import wrapped_id_regex
from scorer.core.problems import Problem, Severity, as_truth_problems
from scorer.core.text import describe_range, quoted
from scorer.reading.layout import split_cell

EMPTY_ITEM = f"{READ_AS_TEXT}; an answer that may be empty is a text: text in place of item"
NOT_IDS = ("label", "runs", "boxes")  # text columns without ids, which other checks look at
FIRST_ROWS = 1000  # rows of the truth in which quotes are looked for


@check("T302", "T305", of="truth")
def id_not_public(rows: TruthRows) -> Iterator[Problem]:
    """Every list and item of the truth is public, where some are; nobody could answer another."""
    # Without a file of lists those of the truth are the public ones.
    if rows.challenge.lists is not None:
        yield from _unknown_ids(rows, "T302", "list", rows.public.lists, "in the file of lists")
    if rows.public.items is not None and "item" in rows.frame.columns:
        yield from _unknown_ids(rows, "T305", "item", rows.public.items, "in the catalogue")


def _unknown_ids(
    rows: TruthRows, code: str, role: str, names: Mapping[str, object], place: str
) -> Iterator[Problem]:
    """Yield the problem of each id of a column that is not public, at its first row."""
    frame, index, word = rows.frame, IdIndex(names), rows.word if role == "list" else "item"
    suggest = index.make_suggester()
    unknown = frame.filter(~index.contains(frame[role]), pl.col(role) != "")
    if unknown.is_empty():
        return
    is_decimal = pl.col(role).str.ends_with(".0") | (pl.col(role) == "")
    decimals = frame.select(is_decimal.all()).item()  # whether a program made all ids decimals
    for row in distinct_ids(unknown, role).iter_rows(named=True):
        name = row[role]
        fault = index.explain(name, decimals)
        hint = f"; {count_id(row, role, fault, word).message}" if fault else suggest(name)
        message = f"{word} {quoted(name)} of the truth is not {place}{hint}"
        item = name if role == "item" else None
        yield Problem(code, message, line=row["line"], list=row["list"], item=item)


@check("T305", kinds=("ratings", "preferences"), of="truth")
def pair_not_public(rows: TruthRows) -> Iterator[Problem]:
    """Every item is among those that the public file of items has for its list."""
    public, pairs = rows.public, PublicIds(rows.public).candidates
    if pairs is None or public.items is None:
        return
    if public.kind == "ratings":
        others = select_cells(rows.frame, {"item": ~pairs.contains(rows.frame)})
        # `id_not_public` reports items that are of no list.
        others = others.filter(IdIndex(public.items).contains(others["item"]))
    else:
        others = select_cells(
            rows.frame, {role: ~pairs.contains(rows.frame, role) for role in ("better", "worse")}
        )
        others = others.unique(["list", "item"], keep="first", maintain_order=True)
    message = "item {item} is not among the items of {word} {list}"
    yield from report_rows(others.drop("role"), "T305", message, word=rows.word)


@check("T304", kinds=("grades",), of="truth")
def repeated_grade(rows: TruthRows) -> Iterator[Problem]:
    """An item has one grade in a list, or one in each of its subtopics."""
    word, frame = rows.word, rows.frame
    roles = [role for role in ("list", "item", "subtopic") if role in frame.columns]
    if "grade" not in frame.columns:
        frame = frame.with_columns(grade=1.0)
    repeats = repeated_rows(frame, [frame[role] for role in roles], first="grade")
    differs = pl.col("grade") != pl.col("first_grade")
    where = "item {item} of {word} {list}"
    where += ", subtopic {subtopic}," if "subtopic" in roles else ""
    message = " is graded {first_grade} and {grade} (first on line {first_line:,})"
    yield from report_rows(repeats.filter(differs), "T304", where + message, word=word)
    if not rows.challenge.truth.has_texts:  # Several people may have answered alike
        message = " is graded twice, with the same grade (first on line {first_line:,})"
        same = repeats.filter(~differs)
        yield from report_rows(same, "T304", where + message, "warning", word=word)


@check("T309", "T310", of="truth")
def missing_id(rows: TruthRows) -> Iterator[Problem]:
    """No id is empty; one that reads 'nan' may have been a missing value."""
    for role in rows.frame.columns:
        if rows.frame[role].dtype != pl.String or role in NOT_IDS:
            continue
        if role == "item" and rows.challenge.truth.has_texts:
            continue  # A text may be empty
        missing = rows.frame.filter(pl.col(role).is_in(["", *MISSING_IN_PANDAS]))
        for row in distinct_ids(missing, role).iter_rows(named=True):
            if (fault := suspect_id(row[role], None)) is not None:
                is_empty = fault.code == "S309"
                message = count_id(row, role, fault, rows.public.word(role)).message
                help = EMPTY_ITEM if role == "item" and is_empty else READ_AS_TEXT
                severity: Severity = "error" if is_empty else "warning"
                code = fault.code.replace("S", "T")  # S309 and S310 of a submission
                yield Problem(code, message, severity, line=row["line"], help=help)


@check("T313", kinds=("grades",), of="truth")
def item_in_quotes(rows: TruthRows) -> Iterator[Problem]:
    """Most items are not in quotes or brackets, as if a program wrote several ids into a cell."""
    rules, first = rows.challenge.submission, rows.frame.head(FIRST_ROWS)
    if rows.public.items is not None or rules.item_pattern or rows.challenge.truth.has_texts:
        return
    is_wrapped = re.compile(wrapped_id_regex(cell_separator(rules))).search
    names = [name for name in first["item"] if is_wrapped(name)]
    if names and 2 * len(names) >= first.height:
        message = f"items of the truth, such as {quoted(names[0])}, are in quotes or brackets"
        help = "if these are the ids, write submission: {item_pattern: '.+'}; else mend the truth"
        yield Problem("T313", message, line=first["line"][0], item=names[0], help=help)


@check("T505", kinds=("ratings", "labels"), of="truth")
def answer_out_of_range(rows: TruthRows) -> Iterator[Problem]:
    """A rating or target that no prediction may reach makes every submission wrong."""
    role = "rating" if "rating" in rows.frame.columns else "target"
    if rows.challenge.submission.range is None or role not in rows.frame.columns:
        return
    (low, high), number = rows.challenge.submission.range, pl.col(role)
    # Polars takes NaN for the largest number.
    outside = rows.frame.filter(((number < low) | (number > high)) & ~number.is_nan())
    if outside.height:
        first, count = outside.row(0, named=True), count_rows(outside.height)
        message = f"{role} {describe_range(first[role], low, high)}{count}"
        yield Problem("T505", message, "warning", line=first["line"])


@check("T505", kinds=("ratings", "labels"), of="truth")
def outside_domain(rows: TruthRows) -> Iterator[Problem]:
    """Numbers are such as the challenge's measures are made for."""
    yield from find_outside_domain(rows)


@check("T507", kinds=("ratings",), of="truth")
def repeated_rating(rows: TruthRows) -> Iterator[Problem]:
    """An item has one rating in a list."""
    repeats = repeated_rows(rows.frame, [rows.frame["list"], rows.frame["item"]], first="rating")
    message = "({list:bare}, {item:bare}) is rated twice (first on line {first_line:,})"
    differs = pl.col("rating") != pl.col("first_rating")
    yield from report_rows(repeats.filter(differs), "T507", message)
    yield from report_rows(repeats.filter(~differs), "T507", message, "warning")


@check("T701", "T702", "T703", "T705", kinds=("preferences",), of="truth")
def contradictions(rows: TruthRows) -> Iterator[Problem]:
    """Nothing is preferred to itself, not even by way of other items."""
    yield from as_truth_problems(find_contradictions(rows.frame, rows.word))


@check("T801", "T802", kinds=("labels",), of="truth")
def undeclared_label(rows: TruthRows) -> Iterator[Problem]:
    """Every label is among the classes that the challenge declares, and none is empty."""
    challenge, frame = rows.challenge, rows.frame
    if "label" not in frame.columns:
        return
    declared = rows.public.classes if challenge.classes or challenge.submission.classes else ()
    index, word = IdIndex(dict.fromkeys(declared)), rows.column_name("label")
    suggest = index.make_suggester()
    if rows.counted is not None:  # The other rows count for no measure
        frame = frame.filter(rows.counted)
    if rows.public.numbers:
        frame = frame.filter(~has_number_label(rows.public))
    separator = challenge.separators[0]  # that of the truth
    for row in distinct_ids(frame, "label").iter_rows(named=True):
        labels = split_cell(row["label"], separator, are_names=True)
        unknown = [label for label in labels if label not in index.names]
        if not declared:
            unknown = [label for label in unknown if not label or label.casefold() in MISSING]
        if not unknown:
            continue
        label, count = unknown[0], count_rows(row["rows"])
        line, name = row["line"], row["list"]
        if label and declared:
            message = f"{word} {quoted(label)} is not among the declared classes{count}"
            yield Problem("T801", message + suggest(label), line=line, list=name)
        else:
            what = f"reads {quoted(label)}" if label else "is empty"
            severity: Severity = "warning" if label else "error"
            yield Problem("T802", f"{word} {what}{count}", severity, line=line, list=name)


@check("T501", "T502", "T503", "T504", "T506", kinds=("labels",), of="truth")
def number_label(rows: TruthRows) -> Iterator[Problem]:
    """Every label is a number in the groups of lists whose answers are numbers."""
    yield from as_truth_problems(find_wrong_numbers(rows, (-math.inf, math.inf)))


@check("T806", kinds=("labels", "masks", "boxes"), of="truth")
def repeated_row(rows: TruthRows) -> Iterator[Problem]:
    """Every list has one row, unless a row is one box of several."""
    if rows.challenge.truth.box_columns:
        return
    message = "{word} {list} stands twice in the truth (first on line {first_line:,})"
    repeats = repeated_rows(rows.frame, [rows.frame["list"]])
    yield from report_rows(repeats, "T806", message, word=rows.word)


@check("T807", kinds=("labels",), of="truth")
def weight_below_zero(rows: TruthRows) -> Iterator[Problem]:
    """Weights are not negative, and not all 0."""
    if "weight" not in rows.frame.columns or rows.frame.is_empty():
        return
    word, weight = rows.column_name("weight"), pl.col("weight")
    negative = rows.frame.filter(weight < 0).select("line", "weight")
    yield from report_rows(negative, "T807", "{word} {weight} is below 0", word=word)
    if rows.frame.filter((weight > 0) & ~weight.is_nan()).is_empty():
        yield Problem("T807", f"every {word} is 0")


@check("T801", of="truth")
def undeclared_class(rows: TruthRows) -> Iterator[Problem]:
    """Every box, tag and span has a class that the challenge declares, if it declares any."""
    if not rows.challenge.submission.classes:
        return
    for column in rows.public.class_columns:
        role = column.truth.role
        if role in rows.frame.columns:
            index, word = IdIndex(dict.fromkeys(column.classes)), rows.column_name(role)
            suggest = index.make_suggester()
            unknown = find_unknown_names(rows.frame, role, column.truth.find_classes, index)
            for row in unknown.iter_rows(named=True):
                name, line = row["name"], row["line"]
                message = f"{word}: {quoted(name)} is not among the declared classes{suggest(name)}"
                yield Problem("T801", message, line=line, list=row["list"])
