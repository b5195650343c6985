"""Are masks and boxes of the form that the challenge says, and inside the image?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scorer.challenge.submission import Submission
from scorer.checks.base import Submitted, check
from scorer.core.problems import Problem
from scorer.core.text import quoted


def _cell_fault(cell: str, role: str, rules: Submission) -> tuple[str, str] | None:
    """The code of what is wrong with a cell, and what it is."""
    # imported here: other challenges need none of them
    from scorer.views.boxes import BoxFault, boxes_of
    from scorer.views.masks import RunFault, runs_of

    try:
        if role == "runs":
            runs = runs_of(cell)
            ends = [*runs[:1, 0].tolist(), *(runs[-1:, 1] - 1).tolist()]
        else:
            ends = [x for box in boxes_of(cell, rules.each or ()) for x in box.corners]
    except (RunFault, BoxFault) as fault:
        return getattr(fault, "code", "S541"), str(fault)
    low, high = rules.range or (-np.inf, np.inf)
    if beyond := [end for end in ends if not low <= end <= high]:
        return "S543", f"{beyond[0]:,.12g} is outside {low:,.12g} to {high:,.12g}"
    return None


@check("S541", "S542", "S543", kinds=("masks", "boxes"))
def misshapen(submitted: Submitted) -> Iterator[Problem]:
    """Every cell can be read, has its runs in order, and lies in the image."""
    role = "runs" if "runs" in submitted.table.ids else "boxes"
    column, lists = submitted.table.ids[role], submitted.lists
    for row in np.flatnonzero(submitted.in_named).tolist():
        if (fault := _cell_fault(column.text(row), role, submitted.rules)) is not None:
            code, message = fault
            name, line = lists.text(row), submitted.line(row)
            message = f"{role} of {quoted(name)}: {message}"
            yield Problem(code, message, line=line, list=name, role=role)
