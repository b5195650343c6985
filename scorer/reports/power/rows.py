"""How many lists a difference takes, for a spreadsheet."""

from __future__ import annotations

from scorer.reports.base import ExactRows, Options
from scorer.results.soundness import Power


def rows(power: Power, options: Options) -> ExactRows:
    """A row for each number of submissions."""
    table = [[row.submissions, row.pairs, row.lists, row.detectable] for row in power.needed]
    head = ["submissions", "pairs", "lists", "detectable"]
    return ExactRows(head, table)
