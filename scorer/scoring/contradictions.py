"""Rows of public files that contradict each other: items described twice, lists in two groups."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from scorer.core.problems import Findings, Problem
from scorer.core.text import format_exact, printable, quoted
from scorer.reading.table import Table


def contradictory(items: Table) -> Iterator[Problem]:
    """Yield the items that are described twice, and not alike; and counts below 0."""
    frame = items.frame
    roles = [role for role, dtype in frame.schema.items() if role != "line" and dtype.is_float()]
    firsts = frame.select(pl.col("line", *roles).first().over("item"))
    for row, first in zip(frame.iter_rows(named=True), firsts.iter_rows(named=True), strict=True):
        for role in roles:
            number, line = row[role], row["line"]
            message = f"{printable(items.column_name(role), 60)} of item {quoted(row['item'])}"
            message += f" is {format_exact(number)}"
            if role == "users" and number < 0:
                yield Problem("S505", f"{message}, below 0", line=line, item=row["item"])
            if abs(number - first[role]) > 0:  # which is false of NaN
                message += f" here and {format_exact(first[role])} on line {first['line']:,}"
                yield Problem("S304", message, line=line, item=row["item"])


def list_labels(table: Table, role: str, path: str, findings: Findings) -> dict[str, str]:
    """Return the group or cluster of each list; a list can be in one only."""
    group_of: dict[str, str] = {}
    for line, name, group in table.frame.select("line", "list", role).iter_rows():
        if group_of.setdefault(name, group) != group:
            message = (
                f"{quoted(name)} is in two {role}s, {quoted(group_of[name])} and {quoted(group)}"
            )
            findings.add(Problem("T304", message, path=path, line=line, list=name))
    return group_of
