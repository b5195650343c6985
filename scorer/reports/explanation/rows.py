"""An explanation for a spreadsheet: a row a step, or a row a cell of a step's table."""

from __future__ import annotations

from scorer.challenge.phases import EVERYTHING
from scorer.metrics.steps import Equation, Grid
from scorer.reports.base import ExactRows, Options
from scorer.reports.explanation.document import line
from scorer.results.explanation import Explanation

HEAD = ["private_measure", "step", "text", "row", "column", "value"]


def rows(explanation: Explanation, options: Options) -> ExactRows:
    """Return a row for each step, or one for each cell of a step that is a table."""
    table = list[list[object]]()
    for explained in explanation.measures:
        key = explained.id
        for n, step in enumerate(explained.steps, start=1):
            if isinstance(step, Grid):
                table += [
                    [key, n, step.title, k, column, cell]
                    for k, cells in enumerate(step.rows, start=1)
                    for column, cell in zip(step.columns, cells, strict=True)
                ]
            else:
                value = step.value if isinstance(step, Equation) else None
                table.append([key, n, line(step, options.precision), None, None, value])
        table.append([key, None, "counts as", None, None, explained.counts_as])
    if not (scope := explanation.scope):
        return ExactRows(HEAD, table)
    return ExactRows(["split", *HEAD], [[scope.split or EVERYTHING, *row] for row in table])
