"""Warns of items with a blank in their name."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scorer.checks.base import Submitted, check
from scorer.checks.rows import places
from scorer.core.problems import Problem
from scorer.core.text import quoted


@check("X101", kinds=("grades",))
def spaced(submitted: Submitted) -> Iterator[Problem]:
    """Items have no blank in their names."""
    table = submitted.table
    items = table.ids["item"]
    blank = np.array([" " in name for name in items.names], dtype=bool)

    def told(row: int) -> Problem:
        message = f"item {quoted(items.text(row))} has a blank in its name"
        return Problem("X101", message, "warning", line=submitted.line(row), item=items.text(row))

    yield from places(np.flatnonzero(blank[items.codes]), told)
