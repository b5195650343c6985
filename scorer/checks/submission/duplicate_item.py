"""Is an item named once in each list?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scorer.checks.base import Submitted, check, nameless, places, repeated
from scorer.core.problems import Problem
from scorer.core.text import quoted


@check("S304", kinds=("grades", "preferences"))
def duplicate_item(submitted: Submitted) -> Iterator[Problem]:
    """A list names an item once."""
    table, public = submitted.table, submitted.public
    if "item" not in table.ids:
        return
    lists, items = submitted.lists, table.ids["item"]
    known = public.items if public.kind == "grades" else None
    named = np.array([not nameless(name, known) for name in items.names], dtype=bool)
    rows = np.flatnonzero(submitted.in_named & (named[items.codes] if named.size else False))
    again, first = repeated(lists.codes, items.codes, rows=rows)
    of = dict(zip(again.tolist(), first.tolist(), strict=True))

    def problem(row: int) -> Problem:
        name, item = lists.text(row), items.text(row)
        message = (
            f"item {quoted(item)} is given twice in {public.word('list')} "
            f"{quoted(name)} (first on line {submitted.line(of[row]):,})"
        )
        return Problem("S304", message, line=submitted.line(row), list=name, item=item)

    yield from places(again, problem)
