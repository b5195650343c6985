"""Is each rating that is asked for predicted, once and in range?"""

from __future__ import annotations

from collections.abc import Iterator, Set

import numpy as np

from scorer.checks.base import Submitted, check, nameless, places, repeated
from scorer.checks.ids import Known
from scorer.core.problems import Problem, Severity
from scorer.core.text import printable
from scorer.io.table import CodedColumn

Pair = tuple[str, str]


@check("S505", kinds=("ratings",))
def out_of_range(submitted: Submitted) -> Iterator[Problem]:
    """A prediction lies in `submission.range`."""
    if submitted.rules.range is None:
        return
    low, high = submitted.rules.range
    predicted = submitted.table.numbers["prediction"]
    rows = np.flatnonzero((predicted < low) | (predicted > high))
    if rows.size:
        row = int(rows[0])
        many = f" ({rows.size:,} rows)" if rows.size > 1 else ""
        message = f"{predicted[row]:.12g} is outside {low:.12g} to {high:.12g}{many}"
        where = submitted.lists.text(row), submitted.table.ids["item"].text(row)
        yield Problem("S505", message, "error", None, submitted.line(row), None, *where,
                      times=rows.size)  # fmt: skip


@check("S507", kinds=("ratings",))
def twice(submitted: Submitted) -> Iterator[Problem]:
    """A rating is predicted once."""
    lists, items = submitted.lists, submitted.table.ids["item"]
    rows = np.flatnonzero(submitted.in_named & _named(items))
    again, first = repeated(lists.codes, items.codes, rows=rows)
    of = dict(zip(again.tolist(), first.tolist(), strict=True))

    def problem(row: int) -> Problem:
        name, item = lists.text(row), items.text(row)
        message = (
            f"{_said(name, item)} is predicted twice (first on line {submitted.line(of[row]):,})"
        )
        return Problem("S507", message, line=submitted.line(row), list=name, item=item)

    yield from places(again, problem)


@check("S508", "S509", kinds=("ratings",))
def asked(submitted: Submitted) -> Iterator[Problem]:
    """What is asked for is predicted, and nothing else."""
    public, rules, wanted = submitted.public, submitted.rules, submitted.public.asked
    lists, items = submitted.lists, submitted.table.ids["item"]
    if wanted is None or not len(submitted.table):
        return
    names, titles = lists.names, items.names
    given = [
        (names[name], titles[item])
        for name, item in zip(lists.codes.tolist(), items.codes.tolist(), strict=True)
    ]
    keys: Set[Pair] = wanted.keys()
    distinct = set(given)
    missing = keys - distinct
    # no list of this challenge at all is one problem, not a hundred thousand
    if missing and not distinct.isdisjoint(keys):
        # the least, so that the order in which they are asked for tells nothing
        name, item = min(missing)
        are = "is" if len(missing) == 1 else "are"
        message = (
            f"{len(missing):,} of {len(keys):,} predictions {are} missing; "
            f"first: {_said(name, item)}"
        )
        if submitted.partial:
            message += " (or stand in lines that could not be read)"
        strict = rules.missing_list in (None, "error")
        severity: Severity = "error" if strict else "warning"
        yield Problem("S508", message, severity, list=name, item=item)
    strange = distinct - keys
    if not strange:
        return
    known = Known(dict.fromkeys(item for _, item in keys))
    # an id gone wrong, or a list that is not in the challenge, has its own problem
    plain = {
        (name, item)
        for name, item in strange
        if name in public.lists and (item in known or known.fault(item) is None)
    }
    rows = np.array([row for row, pair in enumerate(given) if pair in plain], dtype=np.int64)

    def problem(row: int) -> Problem:
        message = f"{_said(*given[row])} is not asked for"
        return Problem("S509", message, line=submitted.line(row), list=given[row][0],
                       item=given[row][1])  # fmt: skip

    yield from places(rows, problem)


def _said(name: str, item: str) -> str:
    return f"({printable(name, 60)}, {printable(item, 60)})"


def _named(items: CodedColumn) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    named = np.array([not nameless(name, None) for name in items.names], dtype=bool)
    return named[items.codes] if items.codes.size else np.empty(0, dtype=bool)
