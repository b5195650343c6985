"""Can the masks and boxes of the truth be read?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from scorer.checks.base import Truthful, check
from scorer.core.problems import Problem
from scorer.core.text import quoted


@check("T541", "T542", kinds=("masks", "boxes"))
def unreadable(truthful: Truthful) -> Iterator[Problem]:
    """Every cell is of the form that the challenge says."""
    # imported here: other challenges need none of them
    from scorer.views.boxes import BoxFault, box_of_row, boxes_of
    from scorer.views.masks import RunFault, runs_of

    table, each = truthful.table, truthful.challenge.each[0]
    role = "runs" if "runs" in table.ids else "boxes"
    column, lists = table.ids.get(role), table.ids["list"]
    read: Mapping[str, Callable[[str], object]] = {
        "runs": runs_of,
        "boxes": lambda cell: boxes_of(cell, each),
    }
    for row in range(len(table)):
        try:
            box_of_row(table, row) if column is None else read[role](column.text(row))
        except (RunFault, BoxFault) as fault:
            code = getattr(fault, "code", "S541").replace("S", "T")
            message = f"{role} of {quoted(lists.text(row))}: {fault}"
            yield Problem(code, message, line=truthful.line(row), list=lists.text(row))
