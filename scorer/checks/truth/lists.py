"""Are the lists of the truth public?"""

from __future__ import annotations

from collections.abc import Iterator

from scorer.checks.base import Truthful, check
from scorer.checks.ids import Known
from scorer.checks.rows import describe_fault, first_rows, unknown
from scorer.core.problems import Problem
from scorer.core.text import quoted


@check("T302")
def list_not_public(truthful: Truthful) -> Iterator[Problem]:
    """Every list of the truth is in the public file of lists: nobody could answer it."""
    if truthful.challenge.lists is None:  # they are the truth's own
        return
    public, known = truthful.public, Known(truthful.public.lists)
    word, ids = public.word("list"), truthful.table.ids["list"]
    faults = unknown(ids, known)
    for name, row, rows in first_rows(ids, faults):
        if not name:
            continue
        why = faults[name]
        hint = f"; {describe_fault(why, word, rows)}" if why else known.hint(name)
        message = f"{word} {quoted(name)} of the truth is not in the file of lists{hint}"
        yield Problem("T302", message, line=truthful.line(row), list=name)
