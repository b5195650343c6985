"""Checks of the truth: what an organizer is told of the answers."""

from __future__ import annotations

import re
from collections.abc import Iterator

import polars as pl

from scorer.checks.base import Row, TruthRows, check, distinct_ids, problem_per_row, repeated_rows
from scorer.checks.ids import (
    MISSING,
    MISSING_IN_PANDAS,
    READ_AS_TEXT,
    IdFault,
    IdIndex,
    PublicIds,
)
from scorer.checks.pairs import find_contradictions
from scorer.checks.ranked import cell_separator
from scorer.checks.tables import (
    count_rows,
    format_pair,
    has_number_label,
    index_classes,
    split_cell,
)
from scorer.core.ids import wrapped_id_regex
from scorer.core.problems import Problem, Severity, as_truth_problems
from scorer.core.text import printable, quoted
from scorer.reading.numbers import parse_number

MAY_BE_EMPTY = f"{READ_AS_TEXT}; an answer that may be empty is a text: text in place of item"
OTHER_CELLS = ("label", "runs", "boxes")  # columns whose empty cells have checks of their own
FIRST_ROWS = 1000  # of the truth, which are looked at for quotes


@check("T302", of="truth")
def list_not_public(rows: TruthRows) -> Iterator[Problem]:
    """Every list of the truth is in the public file of lists: nobody could answer it."""
    if rows.challenge.lists is None:  # They are the truth's own
        return
    word, index = rows.public.word("list"), IdIndex(rows.public.lists)
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
def graded_twice(rows: TruthRows) -> Iterator[Problem]:
    """An item has one grade in a list, or one in each of its subtopics."""
    word, frame = rows.public.word("list"), rows.frame
    roles = [role for role in ("list", "item", "subtopic") if role in frame.columns]
    if "grade" not in frame.columns:
        frame = frame.with_columns(grade=1.0)
    repeats = repeated_rows(frame, *roles, first="grade")
    differs = pl.col("grade") != pl.col("first_grade")

    def describe(row: Row) -> Problem:
        name, item, line = row["list"], row["item"], row["first_line"]
        where = f"item {quoted(item)} of {word} {quoted(name)}"
        if "subtopic" in row:
            where += f", subtopic {quoted(row['subtopic'])},"
        conflict = row["grade"] != row["first_grade"]
        grades = "is graded twice, with the same grade"
        if conflict:
            grades = f"is graded {row['first_grade']:.12g} and {row['grade']:.12g}"
        severity: Severity = "error" if conflict else "warning"
        message = f"{where} {grades} (first on line {line:,})"
        return Problem("T304", message, severity, line=row["line"], list=name, item=item)

    yield from problem_per_row(repeats.filter(differs), describe)
    if not rows.challenge.truth.texts:  # Several people may have answered alike
        yield from problem_per_row(repeats.filter(~differs), describe)


@check("T309", "T310", of="truth")
def no_id(rows: TruthRows) -> Iterator[Problem]:
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


@check("T505", kinds=("ratings",), of="truth")
def rating_out_of_range(rows: TruthRows) -> Iterator[Problem]:
    """A rating that no prediction may reach makes every submission wrong."""
    yield from _out_of_range(rows, "rating")


@check("T505", kinds=("labels",), of="truth")
def target_out_of_range(rows: TruthRows) -> Iterator[Problem]:
    """A target that no prediction may reach makes every submission wrong."""
    if "target" in rows.frame.columns:
        yield from _out_of_range(rows, "target")


def _out_of_range(rows: TruthRows, role: str) -> Iterator[Problem]:
    if rows.challenge.submission.range is None:
        return
    (low, high), number = rows.challenge.submission.range, pl.col(role)
    # Polars takes NaN for the largest number.
    outside = rows.frame.filter(((number < low) | (number > high)) & ~number.is_nan())
    if outside.height:
        first, count = outside[role][0], outside.height
        message = f"{role} {first:.12g} is outside {low:.12g} to {high:.12g}{count_rows(count)}"
        yield Problem("T505", message, "warning", line=outside["line"][0], times=count)


@check("T507", kinds=("ratings",), of="truth")
def rated_twice(rows: TruthRows) -> Iterator[Problem]:
    """An item has one rating in a list."""

    def describe(row: Row) -> Problem:
        name, item, line = row["list"], row["item"], row["first_line"]
        message = f"{format_pair(name, item)} is rated twice (first on line {line:,})"
        severity: Severity = "warning" if row["rating"] == row["first_rating"] else "error"
        return Problem("T507", message, severity, line=row["line"], list=name, item=item)

    yield from problem_per_row(repeated_rows(rows.frame, "list", "item", first="rating"), describe)


@check("T305", kinds=("ratings",), of="truth")
def rating_not_asked(rows: TruthRows) -> Iterator[Problem]:
    """Every rating is of an item that the public file of items gives its list."""
    public, pairs = rows.public, PublicIds(rows.public).asked
    if pairs is not None and public.items is not None:
        known = rows.frame.filter(IdIndex(public.items).contains(rows.frame["item"]))
        yield from _items_of_other_lists(known.filter(~pairs.contains(known)), public.word("list"))


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
    yield from _items_of_other_lists(frame, public.word("list"))


def _items_of_other_lists(frame: pl.DataFrame, word: str) -> Iterator[Problem]:
    for line, name, item in frame.select("line", "list", "item").iter_rows():
        message = f"item {quoted(item)} is not among the items of {word} {quoted(name)}"
        yield Problem("T305", message, line=line, list=name, item=item)


@check("T701", "T702", "T703", "T705", kinds=("preferences",), of="truth")
def contradictions(rows: TruthRows) -> Iterator[Problem]:
    """Nothing is preferred to itself, not even by way of other items."""
    yield from as_truth_problems(find_contradictions(rows.frame, rows.public.word("list")))


@check("T801", "T802", kinds=("labels",), of="truth")
def label_that_is_no_class(rows: TruthRows) -> Iterator[Problem]:
    """Every label is among the classes that the challenge declares, and none is empty."""
    challenge, frame = rows.challenge, rows.frame
    if "label" not in frame.columns:
        return
    declared = rows.public.classes if challenge.classes or challenge.submission.classes else ()
    index, word = index_classes(declared), printable(rows.table.column_name("label"), 60)
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
    if not rows.public.numbers or "label" not in rows.frame.columns:
        return
    word = printable(rows.table.column_name("label"), 60)
    for row in distinct_ids(rows.frame.filter(has_number_label(rows.public)), "label").iter_rows(
        named=True
    ):
        if (number := parse_number(row["label"])).code:
            message = f"{word} {number.message}{count_rows(row['rows'])}"
            yield Problem(f"T{number.code[1:]}", message, line=row["line"], list=row["list"])


@check("T806", kinds=("labels", "masks", "boxes"), of="truth")
def stands_twice(rows: TruthRows) -> Iterator[Problem]:
    """A row stands once, unless it is one box of several."""
    if rows.challenge.truth.box_columns:
        return
    word = rows.public.word("list")

    def describe(row: Row) -> Problem:
        name, first = row["list"], row["first_line"]
        message = f"{word} {quoted(name)} stands twice in the truth (first on line {first:,})"
        return Problem("T806", message, line=row["line"], list=name)

    yield from problem_per_row(repeated_rows(rows.frame, "list"), describe)


@check("T807", kinds=("labels",), of="truth")
def weight_below_zero(rows: TruthRows) -> Iterator[Problem]:
    """Weights are not negative, and not all 0."""
    if "weight" not in rows.frame.columns or rows.frame.is_empty():
        return
    word, weight = printable(rows.table.column_name("weight"), 60), pl.col("weight")

    def describe(row: Row) -> Problem:
        return Problem("T807", f"{word} {row['weight']:.12g} is below 0", line=row["line"])

    yield from problem_per_row(rows.frame.filter(weight < 0), describe)
    if rows.frame.filter((weight > 0) & ~weight.is_nan()).is_empty():
        yield Problem("T807", f"every {word} is 0")


@check("T801", of="truth")
def class_outside(rows: TruthRows) -> Iterator[Problem]:
    """Every box, tag and span has a class that the challenge declares, where it declares any."""
    if not rows.challenge.submission.classes:
        return
    for column in rows.public.class_columns:
        role = column.truth.role
        if role not in rows.frame.columns:
            continue
        index, word = index_classes(column.classes), printable(rows.table.column_name(role), 60)
        suggest, reported = index.suggestions(), set[str]()
        for row in distinct_ids(rows.frame, role).iter_rows(named=True):
            named = column.truth.named(row[role])
            name = next((name for name in named if name not in index.names), None)
            if name is None or name in reported:
                continue
            reported.add(name)
            message = f"{word}: {quoted(name)} is not among the declared classes{suggest(name)}"
            yield Problem("T801", message, line=row["line"], list=row["list"])
