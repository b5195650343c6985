"""Checks of numbers: their range, predicted ratings, and numbers where other rows have classes."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import polars as pl

from scorer.challenge.public import Domain, Public
from scorer.checks.base import (
    CountedProblem,
    FileRows,
    SubmissionRows,
    TruthRows,
    check,
    distinct_ids,
    report_rows,
)
from scorer.checks.ids import count_rows, has_name
from scorer.core.arrays import Mask
from scorer.core.problems import Problem, Severity
from scorer.core.text import describe_range, format_exact, printable, quoted
from scorer.reading.numbers import parse_number

ROUNDING = 1e-9  # of numbers that were added up
MOST_DESCRIBED = 4  # columns that a message names; if there are more, three and how many others


def is_number(text: str) -> bool:
    """Return whether a cell is a number."""
    return not parse_number(text).code


def has_number_label(public: Public) -> pl.Expr:
    """Return whether a row is in a group whose labels are numbers, where others have classes."""
    lists = [name for name, group in public.groups.items() if group in public.numbers]
    return pl.col("list").is_in(lists)


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


def count_wrong_rows(
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
            yield count_wrong_rows(rows, is_outside, "S505", what)


@check("S505", kinds=("labels", "ratings", "grades"))
def outside_domain(rows: SubmissionRows) -> Iterator[CountedProblem]:
    """Numbers are such as the challenge's measures are made for."""
    for what, is_outside in _find_outside(rows):
        yield count_wrong_rows(rows, is_outside, "S505", what)


def find_outside_domain(rows: TruthRows) -> Iterator[Problem]:
    """Yield a warning for each column of the truth with numbers that a measure is not made for."""
    for what, is_outside in _find_outside(rows):
        line = rows.frame["line"][int(np.argmax(is_outside))]
        count = count_rows(int(np.count_nonzero(is_outside)))
        yield Problem("T505", f"{what}{count}", "warning", line=line)


def _find_outside(rows: FileRows) -> Iterator[tuple[str, Mask]]:
    """Yield which rows have a number that a measure is not made for, and words for the first."""
    for domain in rows.public.domains:
        if domain.role not in rows.frame.columns:
            continue
        numbers = rows.frame[domain.role].to_numpy()
        is_outside = (numbers < domain.low - ROUNDING) | (numbers > domain.high + ROUNDING)
        if is_outside.any():
            name = rows.column_name(domain.role)
            yield describe_domain(name, numbers[is_outside][0], domain), is_outside


def describe_domain(column: str, number: float, domain: Domain) -> str:
    """Return the words for a number that a measure is not made for."""
    if math.isinf(domain.high):
        limit = f"below {format_exact(domain.low)}"
        return f"{column} {format_exact(number)} is {limit}, the least that {domain.measure} takes"
    range_of_number = describe_range(number, domain.low, domain.high)
    return f"{column} {range_of_number}, the numbers that {domain.measure} takes"


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
    others = rows.find_other_items()
    unknown = others["item"].filter(~items.contains(others["item"])).unique()
    wrong = [item for item in unknown if items.explain(item) is not None]
    # With a role, the problem would point to the cell of the item; but it is of the pair.
    others = others.filter(~pl.col("item").is_in(wrong)).drop("role")
    yield from report_rows(others, "S509", "({list:bare}, {item:bare}) is not asked for")
