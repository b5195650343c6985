"""Is each rating given once and in range?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scorer.checks.base import Truthful, check
from scorer.checks.rows import places, repeated
from scorer.core.problems import Problem, Severity
from scorer.core.text import printable


@check("T505", kinds=("ratings",))
def rating_out_of_range(truthful: Truthful) -> Iterator[Problem]:
    """A rating that no prediction may reach makes every submission wrong."""
    rating = truthful.table.numbers["rating"]
    if truthful.challenge.submission.range is None:
        return
    low, high = truthful.challenge.submission.range
    rows = np.flatnonzero((rating < low) | (rating > high))
    if rows.size:
        many = f" ({rows.size:,} rows)" if rows.size > 1 else ""
        message = f"rating {rating[rows[0]]:.12g} is outside {low:.12g} to {high:.12g}{many}"
        line, times = truthful.line(rows[0]), int(rows.size)
        yield Problem("T505", message, "warning", line=line, times=times)


@check("T507", kinds=("ratings",))
def rated_twice(truthful: Truthful) -> Iterator[Problem]:
    """An item has one rating in a list."""
    table = truthful.table
    if table.once:
        return
    lists, items, rating = table.ids["list"], table.ids["item"], table.numbers["rating"]
    again, first = repeated(lists.codes, items.codes, rows=np.arange(len(table)))
    of = dict(zip(again.tolist(), first.tolist(), strict=True))

    def problem(row: int) -> Problem:
        name, item = lists.text(row), items.text(row)
        pair = f"({printable(name, 60)}, {printable(item, 60)})"
        message = f"{pair} is rated twice (first on line {truthful.line(of[row]):,})"
        alike = rating[row] == rating[of[row]]
        severity: Severity = "warning" if alike else "error"
        return Problem("T507", message, severity, line=truthful.line(row), list=name, item=item)

    yield from places(again, problem)
