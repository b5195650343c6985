"""Checks of tables of values that another tool computed: one for each list, or each value of it."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from scorer.checks.base import (
    Row,
    SubmissionRows,
    check,
    problem_per_row,
    repeated_rows,
    report_rows,
)
from scorer.core.problems import Problem
from scorer.core.text import format_exact, join_first, printable, quoted, suggest


@check("S526", kinds=("values",))
def repeated_value(rows: SubmissionRows) -> Iterator[Problem]:
    """A value of a list is given once."""
    keys = [role for role in ("list", "measure", "system", "run") if role in rows.frame.columns]
    message = "{measure} of " if "measure" in keys else ""
    message += "{word} {list} is given twice (first on line {first_line:,})"
    repeats = repeated_rows(rows.named, [rows.named[role] for role in keys])
    yield from report_rows(repeats, "S526", message, role="list", word=rows.word)


@check("S505", kinds=("values",))
def value_out_of_range(rows: SubmissionRows) -> Iterator[Problem]:
    """A value lies in the challenge's range for it; so does a quotient, unless it divides by 0."""
    for name, columns in rows.rules.value_columns.items():
        low, high = rows.rules.all_values[name].range or (None, None)
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
    names = [*rows.rules.all_values]

    def describe(row: Row) -> Problem:
        name = row["measure"]
        hint = suggest(name, names, f" ({join_first(names)})")
        message = f"{quoted(name)} is no value of this challenge{hint}"
        return Problem("S527", message, line=row["line"], list=row["list"])

    yield from problem_per_row(rows.frame.filter(~pl.col("measure").is_in(names)), describe)


@check("S528", kinds=("values",))
def several_systems(rows: SubmissionRows) -> Iterator[Problem]:
    """All rows of a submission are of one system, and of one run of it."""
    frame = rows.frame
    if frame.is_empty():
        return
    for role in ("system", "run"):
        if role in frame.columns:
            first = frame.item(0, role)
            others = frame.filter(pl.col(role) != first).select("line", "list", other=role).head(1)
            message = "{word} is {other}, and {first} in earlier rows"
            word = rows.column_name(role)
            yield from report_rows(others, "S528", message, word=word, first=quoted(first))
