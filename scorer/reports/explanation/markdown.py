"""An explanation as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from scorer.metrics.explain.steps import Grid
from scorer.reports.base import EXPLAINED, Options, form
from scorer.reports.explanation.cells import cells, end, line, right, title
from scorer.reports.syntax.markdown import escaped, piped
from scorer.results.explanation import Explanation


@form("explanation", "markdown")
def markdown(explanation: Explanation, options: Options) -> str:
    """The same for a page."""
    return "\n".join(_page(explanation, options.precision)) + "\n"


def _page(explanation: Explanation, precision: int) -> Iterator[str]:
    yield from (f"**{EXPLAINED}**", "")
    for explained in explanation.explained:
        yield f"## {escaped(title(explanation, explained))}"
        for step in explained.working.steps:
            yield ""
            if not isinstance(step, Grid) or not step.rows:
                yield escaped(line(step, precision))
                continue
            yield f"{escaped(step.title)}:"
            yield ""
            head = [escaped(column) for column in step.columns]
            rows = [[escaped(cell) for cell in row] for row in cells(step, precision)]
            yield from piped(head, rows, {n for n, number in enumerate(right(step)) if not number})
        yield from ("", *(escaped(note) for note in explained.notes))
        yield f"**{escaped(end(explained, precision))}**"
        yield ""
