"""A value worked out, as text."""

from __future__ import annotations

from itertools import zip_longest

from rich import box
from rich.table import Table
from rich.text import Text

from scorer.core.text import printable
from scorer.metrics.explain.steps import Formula, Grid
from scorer.reports.base import EXPLAINED, Options, form
from scorer.reports.explanation.cells import cells, end, line, right, title
from scorer.reports.syntax.terminal import TextReport
from scorer.results.explanation import Explanation


@form("explanation", "text")
def text(explanation: Explanation, options: Options) -> str:
    """As a person would write it."""
    paper = TextReport(options.width, options.colour)

    def table(step: Grid) -> Table:
        view = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, safe_box=True)
        for column, number in zip(step.columns, right(step), strict=True):
            view.add_column(Text(printable(column)), justify="right" if number else "left")
        for row in cells(step, options.precision):
            view.add_row(*(Text(printable(cell, 100)) for cell in row))
        return view

    paper.say(EXPLAINED, "red")
    paper.say()
    for explained in explanation.explained:
        paper.say(printable(title(explanation, explained), 1000), "bold")
        paper.say()
        steps = explained.working.steps
        for step, after in zip_longest(steps, steps[1:]):
            if isinstance(step, Grid) and step.rows:
                paper.say(f"{printable(step.title, 1000)}:")
                paper.show(table(step))
            else:
                paper.say(line(step, options.precision), fold=False)
            if isinstance(step, Grid) or (
                isinstance(step, Formula) and not isinstance(after, Formula)
            ):
                paper.say()
        for note in explained.notes:
            paper.say(printable(note, 1000))
        paper.say(end(explained, options.precision), "bold")
        paper.say()
    return paper.text
