"""Is an item named once in each list?"""

from __future__ import annotations

from collections.abc import Iterator

from scorer.checks.base import Submitted, check, places, repeated_items
from scorer.core.problems import KEPT, Problem
from scorer.core.text import quoted


@check("S304", kinds=("grades", "preferences"))
def duplicate_item(submitted: Submitted) -> Iterator[Problem]:
    """A list names an item once."""
    table, public = submitted.table, submitted.public
    if "item" not in table.ids:
        return
    again, first = repeated_items(submitted, public.items if public.kind == "grades" else None)
    reported = again[: KEPT + 1]
    lists, items = submitted.lists.texts(reported), table.ids["item"].texts(reported)
    of = dict(zip(reported.tolist(), zip(first.tolist(), lists, items, strict=False), strict=True))
    word = public.word("list")

    def problem(row: int) -> Problem:
        before, name, item = of[row]
        message = (
            f"item {quoted(item)} is given twice in {word} "
            f"{quoted(name)} (first on line {submitted.line(before):,})"
        )
        return Problem("S304", message, line=submitted.line(row), list=name, item=item, role="item")

    yield from places(again, problem)
