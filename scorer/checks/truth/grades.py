"""Is each item graded once?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scorer.checks.base import Truthful, check
from scorer.checks.rows import places, repeated
from scorer.core.problems import Problem, Severity
from scorer.core.text import quoted


@check("T304", kinds=("grades",))
def graded_twice(truthful: Truthful) -> Iterator[Problem]:
    """An item has one grade in a list, or one in each of its subtopics."""
    table, word = truthful.table, truthful.public.word("list")
    if table.once:
        return
    lists, items = table.ids["list"], table.ids["item"]
    keys = [table.ids[role].codes for role in ("list", "item", "subtopic") if role in table.ids]
    again, first = repeated(*keys, rows=np.arange(len(table)))
    of = dict(zip(again.tolist(), first.tolist(), strict=True))
    grade = table.numbers.get("grade", np.ones(len(table)))
    differs = grade[again] != grade[first]

    def problem(row: int, conflict: bool) -> Problem:
        name, item, before = lists.text(row), items.text(row), of[row]
        where = f"item {quoted(item)} of {word} {quoted(name)}"
        if "subtopic" in table.ids:
            where += f", subtopic {quoted(table.ids['subtopic'].text(row))},"
        grades = (
            f"is graded {grade[before]:.12g} and {grade[row]:.12g}"
            if conflict
            else "is graded twice, with the same grade"
        )
        message = f"{where} {grades} (first on line {truthful.line(before):,})"
        line = truthful.line(row)
        severity: Severity = "error" if conflict else "warning"
        return Problem("T304", message, severity, line=line, list=name, item=item)

    yield from places(again[differs], lambda row: problem(row, True))
    if not truthful.challenge.truth.texts:  # where several people may have answered alike
        yield from places(again[~differs], lambda row: problem(row, False))
