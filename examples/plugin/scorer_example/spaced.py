"""Warns of items with a blank in their name."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from scorer.checks.base import SubmissionRows, check, report_rows
from scorer.core.problems import Problem


@check("X101", kinds=("grades",))
def spaced(rows: SubmissionRows) -> Iterator[Problem]:
    """Items have no blank in their names."""
    frame = rows.frame.select("line", "item")
    blank = frame.filter(pl.col("item").str.contains(" ", literal=True))
    yield from report_rows(blank, "X101", "item {item} has a blank in its name", "warning")
