"""Do the boxes, tags and spans of the truth have the classes that the challenge declares?"""

from __future__ import annotations

from collections.abc import Iterator

from scorer.challenge.public import ClassNames
from scorer.checks.base import Truthful, check
from scorer.checks.ids import Known
from scorer.checks.rows import first_rows
from scorer.core.problems import Problem
from scorer.core.text import printable, quoted


@check("T801")
def class_outside(truthful: Truthful) -> Iterator[Problem]:
    """Every box, tag and span has a class that the challenge declares, where it declares any."""
    if not truthful.challenge.submission.classes:
        return
    for column in truthful.public.class_columns:
        ids = truthful.table.ids.get(column.truth.role)
        if ids is None:
            continue
        known = Known(ClassNames.of(column.classes).places)
        strange: dict[str, str] = {}  # a cell -> its first class that is not declared
        for cell in ids.names:
            if lost := [name for name in column.truth.named(cell) if name not in known]:
                strange[cell] = lost[0]
        word, reported = printable(truthful.table.called(column.truth.role), 60), set[str]()
        for cell, row, _ in first_rows(ids, strange):
            if (name := strange[cell]) in reported:
                continue
            reported.add(name)
            message = f"{word}: {quoted(name)} is not among the declared classes{known.hint(name)}"
            line, list = truthful.line(row), truthful.table.ids["list"].text(row)
            yield Problem("T801", message, line=line, list=list)
