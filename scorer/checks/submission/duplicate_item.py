"""Is an item named once in each list?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scorer.checks.base import Submitted, check
from scorer.checks.rows import places, repeated_items
from scorer.core.problems import Problem
from scorer.core.text import printable, quoted


@check("S304", kinds=("grades", "preferences"))
def duplicate_item(submitted: Submitted) -> Iterator[Problem]:
    """A list names an item once, unless `submission.repeats` says that the first counts."""
    table, public = submitted.table, submitted.public
    if "item" not in table.ids or submitted.firsts:
        return
    again, first = repeated_items(submitted, public.items if public.kind == "grades" else None)
    word, rules = public.word("list"), submitted.rules
    item = printable(rules.columns.get("text", "text"), 60) if rules.texts else "item"

    def problem(at: int) -> Problem:
        row = int(again[at])
        name, text = submitted.lists.text(row), table.ids["item"].text(row)
        message = (
            f"{item} {quoted(text)} is given twice in {word} "
            f"{quoted(name)} (first on line {submitted.line(first[at]):,})"
        )
        line = submitted.line(row)
        return Problem("S304", message, line=line, list=name, item=text, role="item")

    yield from places(np.arange(again.size), problem)
