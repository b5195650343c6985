"""A value worked out, as text: for a terminal, as Markdown and as JSON."""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest

from rich import box
from rich.table import Table
from rich.text import Text

from scorer.core.text import printable
from scorer.metrics.explain.steps import Formula, Grid
from scorer.reports.explanation.cells import _right, _title, cells, end, line
from scorer.reports.explanation.json import as_json
from scorer.reports.explanation.markdown import markdown
from scorer.reports.syntax.terminal import TextReport
from scorer.results.explanation import Explanation


def text(found: Explanation, precision: int, width: int = 80, colour: bool = False) -> str:
    """As a person would write it."""
    paper = TextReport(width, colour)

    def table(step: Grid) -> Table:
        view = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, safe_box=True)
        for column, right in zip(step.columns, _right(step), strict=True):
            view.add_column(Text(printable(column)), justify="right" if right else "left")
        for row in cells(step, precision):
            view.add_row(*(Text(printable(cell, 100)) for cell in row))
        return view

    for each in found.found:
        paper.say(printable(_title(found, each), 1000), "bold")
        paper.say()
        steps = each.working.steps
        for step, after in zip_longest(steps, steps[1:]):
            if isinstance(step, Grid) and step.rows:
                paper.say(f"{printable(step.title, 1000)}:")
                paper.show(table(step))
            else:
                paper.say(line(step, precision), fold=False)
            if isinstance(step, Grid) or (
                isinstance(step, Formula) and not isinstance(after, Formula)
            ):
                paper.say()
        for note in each.notes:
            paper.say(printable(note, 1000))
        paper.say(end(each, precision), "bold")
        paper.say()
    return paper.text


WRITERS: dict[str, Callable[[Explanation, int, int, bool], str]] = {
    "text": text,
    "json": as_json,
    "markdown": markdown,
}
