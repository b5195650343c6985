"""Are the items of the truth in the catalogue, and can a submission name them?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from scorer.checks.base import Truthful, check
from scorer.checks.ids import Known
from scorer.checks.rows import describe_fault, first_rows, unknown
from scorer.core.ids import wrapped_id_regex
from scorer.core.problems import Problem
from scorer.core.text import quoted
from scorer.reading.layout import separator_of

FIRST_ROWS = 1000  # of the truth, which are looked at


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


@check("T313", kinds=("grades",))
def item_in_quotes(truthful: Truthful) -> Iterator[Problem]:
    """Ids in quotes or brackets are the truth's own, or a program wrote several as one."""
    rules, ids = truthful.challenge.submission, truthful.table.ids["item"]
    if truthful.public.items is not None or rules.item_pattern or truthful.challenge.truth.texts:
        return
    mark = rules.cells.get("item")
    found = re.compile(wrapped_id_regex(None if mark is None else separator_of(mark))).search
    rows = range(min(len(truthful.table), FIRST_ROWS))
    names = [name for name in dict.fromkeys(map(ids.text, rows)) if found(name)]
    if names and 2 * sum(ids.text(row) in names for row in rows) >= len(rows):
        message = f"items of the truth, such as {quoted(names[0])}, are in quotes or brackets"
        help = "if these are the ids, write submission: {item_pattern: '.+'}; else mend the truth"
        yield Problem("T313", message, line=truthful.line(0), item=names[0], help=help)
