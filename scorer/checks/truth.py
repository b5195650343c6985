"""Checks of the truth: what an organizer is told of the answers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace

import polars as pl

from scorer.checks.base import (
    Row,
    TruthRows,
    check,
    distinct_ids,
    repeated_rows,
    report_rows,
)
from scorer.checks.ids import (
    MISSING,
    MISSING_IN_PANDAS,
    READ_AS_TEXT,
    IdFault,
    IdIndex,
    PublicIds,
    count_rows,
)
from scorer.checks.pairs import find_contradictions
from scorer.checks.ranked import cell_separator
from scorer.checks.tables import (
    find_unknown_names,
    find_wrong_numbers,
    has_number_label,
    index_classes,
    split_cell,
)
from scorer.core.ids import wrapped_id_regex
from scorer.core.problems import Problem, Severity, as_truth_problems
from scorer.core.text import quoted

MAY_BE_EMPTY = f"{READ_AS_TEXT}; an answer that may be empty is a text: text in place of item"
OTHER_CELLS = ("label", "runs", "boxes")  # columns whose empty cells have checks of their own
FIRST_ROWS = 1000  # of the truth, which are looked at for quotes


@check("T302", of="truth")
def list_not_public(rows: TruthRows) -> Iterator[Problem]:
    """Every list of the truth is in the public file of lists: nobody could answer it."""
    if rows.challenge.lists is None:  # They are the truth's own
        return
    word, index = rows.word, IdIndex(rows.public.lists)
    for row, hint in _unknown_ids(rows, "list", index, word):
        name = row["list"]
        message = f"{word} {quoted(name)} of the truth is not in the file of lists{hint}"
        yield Problem("T302", message, line=row["line"], list=name)


@check("T305", kinds=("grades", "ratings"), of="truth")
def item_not_public(rows: TruthRows) -> Iterator[Problem]:
    """Every item of the truth is in the catalogue: nobody could return it."""
    if rows.public.items is None:
        return
    for row, hint in _unknown_ids(rows, "item", IdIndex(rows.public.items), "item"):
        item = row["item"]
        message = f"item {quoted(item)} of the truth is not in the catalogue{hint}"
        yield Problem("T305", message, line=row["line"], list=row["list"], item=item)


def _unknown_ids(
    rows: TruthRows, role: str, index: IdIndex, word: str
) -> Iterator[tuple[Row, str]]:
    """Yield the first row of each id that is not public, and a hint of what was meant."""
    frame, suggest = rows.frame, index.suggestions()
    unknown = frame.filter(~index.contains(frame[role]), pl.col(role) != "")
    if unknown.is_empty():
        return
    decimals = frame.select((pl.col(role).str.ends_with(".0") | (pl.col(role) == "")).all()).item()
    for row in distinct_ids(unknown, role).iter_rows(named=True):
        fault = index.explain(row[role], decimals)
        yield row, f"; {fault.describe(word, row['rows'])}" if fault else suggest(row[role])


@check("T304", kinds=("grades",), of="truth")
def repeated_grade(rows: TruthRows) -> Iterator[Problem]:
    """An item has one grade in a list, or one in each of its subtopics."""
    word, frame = rows.word, rows.frame
    roles = [role for role in ("list", "item", "subtopic") if role in frame.columns]
    if "grade" not in frame.columns:
        frame = frame.with_columns(grade=1.0)
    repeats = repeated_rows(frame, *roles, first="grade")
    differs = pl.col("grade") != pl.col("first_grade")
    where = "item {item} of {word} {list}"
    where += ", subtopic {subtopic}," if "subtopic" in roles else ""
    message = " is graded {first_grade:.12g} and {grade:.12g} (first on line {first_line:,})"
    yield from report_rows(repeats.filter(differs), "T304", where + message, word=word)
    if not rows.challenge.truth.texts:  # Several people may have answered alike
        message = " is graded twice, with the same grade (first on line {first_line:,})"
        same = repeats.filter(~differs)
        yield from report_rows(same, "T304", where + message, "warning", word=word)


@check("T309", "T310", of="truth")
def missing_id(rows: TruthRows) -> Iterator[Problem]:
    """No id is empty; one that reads 'nan' may have been a missing value."""
    for role in rows.frame.columns:
        if rows.frame[role].dtype != pl.String or role in OTHER_CELLS:
            continue
        if role == "item" and rows.challenge.truth.texts:
            continue  # A text may be empty
        lost = rows.frame.filter(pl.col(role).is_in(["", *MISSING_IN_PANDAS]))
        for row in distinct_ids(lost, role).iter_rows(named=True):
            name = row[role]
            fault = IdFault("S310", f"id reads {quoted(name)}") if name else IdFault("S309", "")
            severity: Severity = "warning" if name else "error"
            code = "T310" if name else "T309"
            help = MAY_BE_EMPTY if role == "item" and not name else READ_AS_TEXT
            message = fault.describe(rows.public.word(role), row["rows"])
            yield Problem(code, message, severity, line=row["line"], help=help)


@check("T313", kinds=("grades",), of="truth")
def item_in_quotes(rows: TruthRows) -> Iterator[Problem]:
    """Ids in quotes or brackets are the truth's own, or a program wrote several as one."""
    rules, first = rows.challenge.submission, rows.frame.head(FIRST_ROWS)
    if rows.public.items is not None or rules.item_pattern or rows.challenge.truth.texts:
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
        first, count = outside[role][0], outside.height
        message = f"{role} {first:.12g} is outside {low:.12g} to {high:.12g}{count_rows(count)}"
        yield Problem("T505", message, "warning", line=outside["line"][0], times=count)


@check("T507", kinds=("ratings",), of="truth")
def repeated_rating(rows: TruthRows) -> Iterator[Problem]:
    """An item has one rating in a list."""
    repeats = repeated_rows(rows.frame, "list", "item", first="rating")
    message = "({list:bare}, {item:bare}) is rated twice (first on line {first_line:,})"
    is_same = pl.col("rating") == pl.col("first_rating")
    yield from report_rows(repeats.filter(~is_same), "T507", message)
    yield from report_rows(repeats.filter(is_same), "T507", message, "warning")


@check("T305", kinds=("ratings",), of="truth")
def rating_not_asked(rows: TruthRows) -> Iterator[Problem]:
    """Every rating is of an item that the public file of items gives its list."""
    public, pairs = rows.public, PublicIds(rows.public).candidates
    if pairs is not None and public.items is not None:
        known = rows.frame.filter(IdIndex(public.items).contains(rows.frame["item"]))
        yield from _items_of_other_lists(known.filter(~pairs.contains(known)), rows.word)


@check("T305", kinds=("preferences",), of="truth")
def preference_not_public(rows: TruthRows) -> Iterator[Problem]:
    """Every preference is of items that the public file of items gives its list."""
    public, pairs = rows.public, PublicIds(rows.public).candidates
    if pairs is None or public.items is None:
        return
    frame = pl.concat(
        rows.frame.filter(~pairs.contains(rows.frame, role)).select("line", "list", item=role)
        for role in ("better", "worse")
    )
    frame = frame.unique(["list", "item"], keep="first", maintain_order=True)
    yield from _items_of_other_lists(frame, rows.word)


def _items_of_other_lists(frame: pl.DataFrame, word: str) -> Iterator[Problem]:
    message = "item {item} is not among the items of {word} {list}"
    yield from report_rows(frame.select("line", "list", "item"), "T305", message, word=word)


@check("T701", "T702", "T703", "T705", kinds=("preferences",), of="truth")
def contradictions(rows: TruthRows) -> Iterator[Problem]:
    """Nothing is preferred to itself, not even by way of other items."""
    yield from as_truth_problems(find_contradictions(rows.frame, rows.word))


@check("T801", "T802", kinds=("labels",), of="truth")
def label_that_is_no_class(rows: TruthRows) -> Iterator[Problem]:
    """Every label is among the classes that the challenge declares, and none is empty."""
    challenge, frame = rows.challenge, rows.frame
    if "label" not in frame.columns:
        return
    declared = rows.public.classes if challenge.classes or challenge.submission.classes else ()
    index, word = index_classes(declared), rows.column_name("label")
    suggest = index.suggestions()
    if rows.counted is not None:
        frame = frame.filter(rows.counted)
    if rows.public.numbers:
        frame = frame.filter(~has_number_label(rows.public))
    for row in distinct_ids(frame, "label").iter_rows(named=True):
        labels = split_cell(row["label"], challenge.separators[0])
        label = next((each for each in labels if _is_wrong(each, index)), None)
        if label is None:
            continue
        many, line, name = count_rows(row["rows"]), row["line"], row["list"]
        if not label or (label.casefold() in MISSING and not declared):
            what = f"reads {quoted(label)}" if label else "is empty"
            severity: Severity = "warning" if label else "error"
            yield Problem("T802", f"{word} {what}{many}", severity, line=line, list=name)
        else:
            message = f"{word} {quoted(label)} is not among the declared classes{many}"
            yield Problem("T801", message + suggest(label), line=line, list=name)


def _is_wrong(label: str, declared: IdIndex) -> bool:
    """Return whether a label is empty, missing or not declared, where classes are declared."""
    if not label or label in declared.names:
        return not label
    return bool(declared.names) or label.casefold() in MISSING


@check("T501", "T502", "T503", "T504", "T506", kinds=("labels",), of="truth")
def number_beside_classes(rows: TruthRows) -> Iterator[Problem]:
    """A row of a group of numbers has a number."""
    for problem in as_truth_problems(find_wrong_numbers(rows, (-math.inf, math.inf))):
        yield replace(problem, times=1)


@check("T806", kinds=("labels", "masks", "boxes"), of="truth")
def repeated_row(rows: TruthRows) -> Iterator[Problem]:
    """A row stands once, unless it is one box of several."""
    if rows.challenge.truth.box_columns:
        return
    message = "{word} {list} stands twice in the truth (first on line {first_line:,})"
    repeats = repeated_rows(rows.frame.select("line", "list"), "list")
    yield from report_rows(repeats, "T806", message, word=rows.word)


@check("T807", kinds=("labels",), of="truth")
def weight_below_zero(rows: TruthRows) -> Iterator[Problem]:
    """Weights are not negative, and not all 0."""
    if "weight" not in rows.frame.columns or rows.frame.is_empty():
        return
    word, weight = rows.column_name("weight"), pl.col("weight")
    negative = rows.frame.filter(weight < 0).select("line", "weight")
    yield from report_rows(negative, "T807", "{word} {weight:.12g} is below 0", word=word)
    if rows.frame.filter((weight > 0) & ~weight.is_nan()).is_empty():
        yield Problem("T807", f"every {word} is 0")


@check("T801", of="truth")
def class_outside(rows: TruthRows) -> Iterator[Problem]:
    """Every box, tag and span has a class that the challenge declares, where it declares any."""
    if not rows.challenge.submission.classes:
        return
    for column in rows.public.class_columns:
        role, split = column.truth
        if role not in rows.frame.columns:
            continue
        index, word = index_classes(column.classes), rows.column_name(role)
        suggest = index.suggestions()
        for row in find_unknown_names(rows.frame, role, split, index).iter_rows(named=True):
            name = row["name"]
            message = f"{word}: {quoted(name)} is not among the declared classes{suggest(name)}"
            yield Problem("T801", message, line=row["line"], list=row["list"])
