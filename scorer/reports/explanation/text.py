"""A value worked out, as text: for a terminal, as Markdown and as JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from scorer.core.text import quoted, shown
from scorer.metrics.explain.steps import Cell, Formula, Grid, Items, Sentence, Step, Write
from scorer.reports.leaderboard.markdown import escaped, piped
from scorer.reports.syntax.json import dumped, known
from scorer.reports.syntax.terminal import Paper
from scorer.results.explanation import Explained, Explanation


def text(found: Explanation, precision: int, width: int = 80, colour: bool = False) -> str:
    """As a person would write it."""
    paper = Paper(width, colour)

    def table(step: Grid) -> Table:
        view = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, safe_box=True)
        for column, right in zip(step.columns, _right(step), strict=True):
            view.add_column(Text(shown(column)), justify="right" if right else "left")
        for row in _cells(step, precision):
            view.add_row(*(Text(shown(cell, 100)) for cell in row))
        return view

    for each in found.found:
        paper.say(shown(_title(found, each), 1000), "bold")
        paper.say()
        steps = each.working.steps
        for step, after in zip_longest(steps, steps[1:]):
            if isinstance(step, Grid) and step.rows:
                paper.say(f"{shown(step.title, 1000)}:")
                paper.show(table(step))
            else:
                paper.say(_line(step, precision), fold=False)
            if isinstance(step, Grid) or (
                isinstance(step, Formula) and not isinstance(after, Formula)
            ):
                paper.say()
        for note in each.notes:
            paper.say(shown(note, 1000))
        paper.say(_end(each, precision), "bold")
        paper.say()
    return paper.text


def markdown(found: Explanation, precision: int, *_: object) -> str:
    """The same for a page."""
    return "\n".join(_page(found, precision)) + "\n"


def as_json(found: Explanation, *_: object) -> str:
    """The same as numbers, every digit of them; nothing is abbreviated."""
    return dumped(_data(found)) + "\n"


def _page(found: Explanation, precision: int) -> Iterator[str]:
    for each in found.found:
        yield f"## {escaped(_title(found, each))}"
        for step in each.working.steps:
            yield ""
            if not isinstance(step, Grid) or not step.rows:
                yield escaped(_line(step, precision))
                continue
            yield f"{escaped(step.title)}:"
            yield ""
            head = [escaped(column) for column in step.columns]
            rows = [[escaped(cell) for cell in row] for row in _cells(step, precision)]
            yield from piped(head, rows, {n for n, right in enumerate(_right(step)) if not right})
        yield from ("", *(escaped(note) for note in each.notes))
        yield f"**{escaped(_end(each, precision))}**"
        yield ""


def _data(found: Explanation) -> dict[str, Any]:
    return {
        "submission": found.submission,
        "list": found.list,
        "measures": [
            {
                "id": each.measure.id,
                "value": known(each.working.value),
                "counts_as": known(each.counts),
                "notes": list(each.notes),
                "steps": [_step(step) for step in each.working.steps],
            }
            for each in found.found
        ],
    }


def _step(step: Step) -> dict[str, Any]:
    match step:
        case Sentence(text):
            return {"text": text}
        case Items(name, items):
            return {"set": name, "items": list(items)}
        case Grid(title, columns, rows):
            return {"table": title, "columns": list(columns), "rows": [list(row) for row in rows]}
        case Formula(name, symbols, _, _, value):
            return {
                "name": name,
                "formula": symbols,
                "numbers": step.put_in(_exactly),
                "value": known(value),
            }


def _title(found: Explanation, each: Explained) -> str:
    word = found.called.get("list", "list")
    return f"{each.working.title} of {word} {quoted(found.list)} in {found.submission}"


def _end(each: Explained, precision: int) -> str:
    write = _writer(precision)
    said = f"{each.measure.id} = {write(each.working.value)}"
    if each.counts == each.counts and each.counts != each.working.value:
        said += f", counted as {write(each.counts)}"
    return shown(said, 1000)


def _line(step: Step, precision: int) -> str:
    """A step that is no table, or one without rows."""
    write = _writer(precision)
    match step:
        case Sentence(text):
            return shown(text, 1000)
        case Grid(title):
            return f"{shown(title)}: nothing"
        case Items(name):
            return shown(f"{name}: {step}", 100_000)
        case Formula(name, symbols, _, _, value):
            parts = [name, symbols, step.put_in(write), write(value)]
            kept = [
                part for n, part in enumerate(parts) if part and part not in parts[n + 1 : n + 2]
            ]
            return shown(" = ".join(kept), 10_000)


def _cells(step: Grid, precision: int) -> Iterator[list[str]]:
    """The rows to show as text; a column has decimals where any of its numbers does."""
    numbers = zip(*step.rows, strict=True) if step.rows else [()] * len(step.columns)
    whole = [
        all(isinstance(c, str) or c is None or c == int(c) for c in column) for column in numbers
    ]

    def said(cell: Cell, is_whole: bool) -> str:
        if cell is None or isinstance(cell, str):
            return cell or ""
        return f"{cell:.0f}" if is_whole else f"{cell:.{precision}f}"

    for row in step.abbreviated():
        if isinstance(row, int):
            yield ["…", f"{row:,} left out", *[""] * (len(step.columns) - 2)][: len(step.columns)]
        else:
            yield [said(cell, is_whole) for cell, is_whole in zip(row, whole, strict=True)]


def _right(step: Grid) -> list[bool]:
    """Which columns hold numbers."""
    return [
        name != "item" and not any(isinstance(c, str) for c in column)
        for name, column in zip(
            step.columns, zip(*step.rows, strict=True) if step.rows else step.columns, strict=True
        )
    ]


def _writer(precision: int) -> Write:
    def write(value: float) -> str:
        if math.isnan(value):
            return "undefined"
        rounded = f"{value:.{precision}f}"
        if value and not float(rounded):
            return f"{value:.{max(precision, 1)}g}"
        return rounded.rstrip("0").rstrip(".") if "." in rounded else rounded

    return write


def _exactly(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)


WRITERS: dict[str, Callable[[Explanation, int, int, bool], str]] = {
    "text": text,
    "json": as_json,
    "markdown": markdown,
}
