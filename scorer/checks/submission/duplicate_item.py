"""Is an item named once in each list?"""

from __future__ import annotations

from collections.abc import Iterator

from scorer.checks.base import Submitted, check
from scorer.checks.rows import repeated_items, reported
from scorer.checks.tally import OverflowCount
from scorer.core.arrays import Ints
from scorer.core.problems import Problem
from scorer.core.text import printable, quoted


@check("S304", kinds=("grades", "preferences"))
def duplicate_item(submitted: Submitted) -> Iterator[Problem | OverflowCount]:
    """A list names an item once, unless `submission.repeats` says that the first counts."""
    table, public = submitted.table, submitted.public
    if "item" not in table.ids or submitted.firsts:
        return
    again, first = repeated_items(submitted, public.items if public.kind == "grades" else None)
    word, rules = public.word("list"), submitted.rules
    item = printable(rules.columns.get("text", "text"), 60) if rules.texts else "item"

    def problems(positions: Ints) -> Iterator[Problem]:
        rows = again[positions]
        lists, items = submitted.lists.texts(rows), table.ids["item"].texts(rows)
        lines, before = table.line[rows].tolist(), table.line[first[positions]].tolist()
        for line, earlier, name, again_item in zip(lines, before, lists, items, strict=True):
            message = (
                f"{item} {quoted(again_item)} is given twice in {word} "
                f"{quoted(name)} (first on line {earlier:,})"
            )
            yield Problem("S304", message, line=line, list=name, item=again_item, role="item")

    yield from reported(submitted, "S304", again, problems)
