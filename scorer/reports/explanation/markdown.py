"""An explanation as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from scorer.metrics.explain.steps import Grid
from scorer.reports.base import EXPLAINED, Options, form
from scorer.reports.explanation.cells import cells, end, line, right, title
from scorer.reports.syntax.markdown import escaped, piped
from scorer.results.explanation import Explanation


@form("explanation", "markdown")
def markdown(found: Explanation, options: Options) -> str:
    """The same for a page."""
    return "\n".join(_page(found, options.precision)) + "\n"


def _page(found: Explanation, precision: int) -> Iterator[str]:
    yield from (f"**{EXPLAINED}**", "")
    for each in found.explained:
        yield f"## {escaped(title(found, each))}"
        for step in each.working.steps:
            yield ""
            if not isinstance(step, Grid) or not step.rows:
                yield escaped(line(step, precision))
                continue
            yield f"{escaped(step.title)}:"
            yield ""
            head = [escaped(column) for column in step.columns]
            rows = [[escaped(cell) for cell in row] for row in cells(step, precision)]
            yield from piped(head, rows, {n for n, number in enumerate(right(step)) if not number})
        yield from ("", *(escaped(note) for note in each.notes))
        yield f"**{escaped(end(each, precision))}**"
        yield ""
