"""Is an item named once in each list?"""

from __future__ import annotations

from collections.abc import Iterator

from scorer.checks.base import Submitted, check, places, repeated_items
from scorer.core.problems import Problem
from scorer.core.text import quoted


@check("S304", kinds=("grades", "preferences"))
def duplicate_item(submitted: Submitted) -> Iterator[Problem]:
    """A list names an item once."""
    table, public = submitted.table, submitted.public
    if "item" not in table.ids:
        return
    again, first = repeated_items(submitted, public.items if public.kind == "grades" else None)
    of = dict(zip(again.tolist(), first.tolist(), strict=True))
    lists, items = submitted.lists, table.ids["item"]

    def problem(row: int) -> Problem:
        name, item = lists.text(row), items.text(row)
        message = (
            f"item {quoted(item)} is given twice in {public.word('list')} "
            f"{quoted(name)} (first on line {submitted.line(of[row]):,})"
        )
        return Problem("S304", message, line=submitted.line(row), list=name, item=item, role="item")

    yield from places(again, problem)
