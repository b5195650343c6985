"""Warns of items with a blank in their name."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from scorer.checks.base import Row, SubmissionRows, check, problem_per_row
from scorer.core.problems import Problem
from scorer.core.text import quoted


@check("X101", kinds=("grades",))
def spaced(rows: SubmissionRows) -> Iterator[Problem]:
    """Items have no blank in their names."""
    blank = rows.frame.filter(pl.col("item").str.contains(" ", literal=True))

    def describe(row: Row) -> Problem:
        message = f"item {quoted(row['item'])} has a blank in its name"
        return Problem("X101", message, "warning", line=row["line"], item=row["item"])

    yield from problem_per_row(blank, describe)
