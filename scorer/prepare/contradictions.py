"""Rows of public files that contradict each other: items described twice, lists in two groups."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scorer.core.problems import Findings, Problem
from scorer.core.text import printable, quoted
from scorer.tables.table import Table


def contradictory(items: Table) -> Iterator[Problem]:
    """Items that are described twice, and not alike; counts below 0."""
    item = items.ids["item"]
    first = np.empty(len(item.held), dtype=np.int64)
    first[item.codes[::-1]] = np.arange(len(items))[::-1]
    earlier = first[item.codes]
    negative = {role: (numbers < 0) & (role == "users") for role, numbers in items.numbers.items()}
    other = {  # not of NaN
        role: np.abs(numbers - numbers[earlier]) > 0 for role, numbers in items.numbers.items()
    }
    wrong = [*negative.values(), *other.values()]
    for row in np.flatnonzero(np.logical_or.reduce(wrong)).tolist() if wrong else ():
        name, line = item.text(row), int(items.line[row])
        for role, numbers in items.numbers.items():
            message = (
                f"{printable(items.called(role), 60)} of item {quoted(name)} is {numbers[row]:.12g}"
            )
            if negative[role][row]:
                yield Problem("S505", f"{message}, below 0", line=line, item=name)
            if other[role][row]:
                before = earlier[row]
                message += f" here and {numbers[before]:.12g} on line {items.line[before]:,}"
                yield Problem("S304", message, line=line, item=name)


def list_labels(table: Table, role: str, path: str, findings: Findings) -> dict[str, str]:
    """The group or cluster of each list; a list can be in one only."""
    group_of: dict[str, str] = {}
    for row, line in enumerate(table.line.tolist()):
        name, group = table.ids["list"].text(row), table.ids[role].text(row)
        if group_of.setdefault(name, group) != group:
            message = (
                f"{quoted(name)} is in two {role}s, {quoted(group_of[name])} and {quoted(group)}"
            )
            findings.add(Problem("T304", message, path=path, line=line, list=name))
    return group_of
