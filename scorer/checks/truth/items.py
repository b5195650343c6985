"""Are the items of the truth in the catalogue?"""

from __future__ import annotations

from collections.abc import Iterator

from scorer.checks.base import Truthful, check
from scorer.checks.ids import Known
from scorer.checks.rows import describe_fault, first_rows, unknown
from scorer.core.problems import Problem
from scorer.core.text import quoted


@check("T305", kinds=("grades", "ratings"))
def item_not_public(truthful: Truthful) -> Iterator[Problem]:
    """Every item of the truth is in the catalogue: nobody could return it."""
    public, ids = truthful.public, truthful.table.ids["item"]
    if public.items is None:
        return
    known = Known(public.items)
    faults = unknown(ids, known)
    for name, row, rows in first_rows(ids, faults):
        if not name:
            continue
        why = faults[name]
        hint = f"; {describe_fault(why, 'item', rows)}" if why else known.hint(name)
        message = f"item {quoted(name)} of the truth is not in the catalogue{hint}"
        where = truthful.table.ids["list"].text(row)
        yield Problem("T305", message, line=truthful.line(row), list=where, item=name)
