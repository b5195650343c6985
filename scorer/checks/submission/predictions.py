"""Is each rating that is asked for predicted, once and in range?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scorer.checks.base import Submitted, check
from scorer.checks.rows import places, repeated_items
from scorer.core.arrays import distinct
from scorer.core.problems import Problem, Severity
from scorer.core.text import printable


@check("S505", kinds=("ratings", "grades"))
def out_of_range(submitted: Submitted) -> Iterator[Problem]:
    """A prediction, or the score of an item, lies in `submission.range`."""
    numbers = submitted.table.numbers
    predicted = numbers.get("prediction", numbers.get("score"))
    if submitted.rules.range is None or predicted is None:
        return
    low, high = submitted.rules.range
    rows = np.flatnonzero((predicted < low) | (predicted > high))
    if not rows.size:
        return
    row = int(rows[np.argmin(submitted.table.line[rows])])
    name, item = submitted.lists.text(row), submitted.table.ids["item"].text(row)
    many = f" ({rows.size:,} rows)" if rows.size > 1 else ""
    message = f"{predicted[row]:.12g} is outside {low:.12g} to {high:.12g}{many}"
    line = submitted.line(row)
    yield Problem("S505", message, line=line, list=name, item=item, times=int(rows.size))


@check("S507", kinds=("ratings",))
def twice(submitted: Submitted) -> Iterator[Problem]:
    """A rating is predicted once."""
    again, first = repeated_items(submitted, None)

    def problem(at: int) -> Problem:
        row, earlier = int(again[at]), submitted.line(first[at])
        name, item = submitted.lists.text(row), submitted.table.ids["item"].text(row)
        message = f"{_pair_words(name, item)} is predicted twice (first on line {earlier:,})"
        return Problem("S507", message, line=submitted.line(row), list=name, item=item)

    yield from places(np.arange(again.size), problem)


@check("S508", kinds=("ratings",))
def asked(submitted: Submitted) -> Iterator[Problem]:
    """What is asked for is predicted."""
    if (pairs := submitted.known.asked) is None:
        return
    members, row = pairs.members, submitted.asked[1]
    given = np.zeros(len(members.item), dtype=bool)
    given[row[row >= 0]] = True
    lost = np.flatnonzero(~given)
    # no list of this challenge at all is one problem, not a hundred thousand
    if not given.any() or not lost.size:
        return
    # the least, so that the order in which they are asked for tells nothing
    in_list = np.searchsorted(members.starts, lost, side="right") - 1
    place = min(distinct(in_list).tolist(), key=members.lists.__getitem__)
    first = int(lost[np.argmax(in_list == place)] - members.starts[place])
    name, item = members.lists[place], members.at(place)[first]
    are = "is" if lost.size == 1 else "are"
    message = (
        f"{lost.size:,} of {given.size:,} predictions {are} missing; "
        f"first: {_pair_words(name, item)}"
    )
    if submitted.partial:
        message += " (or are in lines that could not be read)"
    strict = submitted.rules.missing_list in (None, "error")
    severity: Severity = "error" if strict else "warning"
    yield Problem("S508", message, severity, list=name, item=item)


@check("S509", kinds=("ratings",))
def not_asked(submitted: Submitted) -> Iterator[Problem]:
    """Nothing else is predicted."""
    known = submitted.known.items
    if submitted.known.asked is None or known is None:
        return
    lists, items = submitted.lists, submitted.table.ids["item"]
    # a list that is not in the challenge, or an id gone wrong, has its own problem
    public = submitted.number[lists.codes] >= 0 if lists.codes.size else np.empty(0, dtype=bool)
    rows = np.flatnonzero(public & (submitted.asked[1] < 0))
    other = rows[~known.has(items, rows)]
    wrong = [known.fault(item) is not None for item in items.texts(other)] if other.size else []
    rows = np.setdiff1d(rows, other[np.array(wrong, dtype=bool)])
    rows = rows[np.argsort(submitted.table.line[rows], kind="stable")]

    def problem(row: int) -> Problem:
        name, item = lists.text(row), items.text(row)
        message = f"{_pair_words(name, item)} is not asked for"
        return Problem("S509", message, line=submitted.line(row), list=name, item=item)

    yield from places(rows, problem)


def _pair_words(name: str, item: str) -> str:
    return f"({printable(name, 60)}, {printable(item, 60)})"
