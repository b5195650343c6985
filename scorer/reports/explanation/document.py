"""An explanation as a document: the steps from what a list holds to its value."""

from __future__ import annotations

import math
from collections.abc import Iterator

from scorer.core.text import printable, quoted
from scorer.metrics.steps import Cell as Given
from scorer.metrics.steps import Equation, Grid, NamedItems, Sentence, Step, Write
from scorer.reports.base import Options
from scorer.reports.document import Block, Cell, Column, Document, Heading, Paragraph, Row, Table
from scorer.reports.leaderboard.remarks import scope
from scorer.results.explanation import EXPLAINED, ExplainedMeasure, Explanation

CONTRIBUTIONS = ("contribution", "costs")  # columns that add up to a value, or show what is lost


def document(explanation: Explanation, options: Options) -> Document:
    """Return the confusion matrix of classes, then a section a measure."""
    name = f"{explanation.called.get('list', 'list')} {quoted(explanation.list)}".capitalize()
    what = f"{name} in" if explanation.list is not None else "The worst of"
    title = f"{what} {explanation.submission}" if options.page else ""
    blocks: list[Block] = []
    if explanation.scope:
        blocks.append(Paragraph(scope(explanation.scope, explanation.called), "soft"))
    if explanation.confusion:
        blocks.append(Heading(explanation.confusion.title))
        counts = table(explanation.confusion, 0)
        blocks.append(counts._replace(caption="How often each class was taken for which"))
    blocks += [
        block
        for explained in explanation.measures
        for block in _section(explanation, explained, options)
    ]
    return Document(title, blocks, EXPLAINED, skip="Skip to the steps")


def _section(
    explanation: Explanation, explained: ExplainedMeasure, options: Options
) -> Iterator[Block]:
    """The title of a measure, its steps, remarks, and the value that they end in."""
    yield Heading(title(explanation, explained))
    lines, steps, precision = list[str](), explained.steps, options.precision
    for n, step in enumerate(steps):
        if not isinstance(step, Grid) or not step.rows:
            lines.append(line(step, precision))
        else:
            if not options.page:  # there the table shows its caption
                lines.append(f"{printable(step.title, 1000)}:")
            if lines:
                yield Paragraph("\n".join(lines), "steps")
            yield table(step, precision)
            lines = []
        ends = isinstance(step, Equation) and not isinstance([*steps, None][n + 1], Equation)
        if lines and (ends or isinstance(step, Grid)):
            yield Paragraph("\n".join(lines), "steps")
            lines = []
    lines += [printable(note, 1000) for note in explained.notes]
    worst = [step.rows for step in steps if isinstance(step, Grid) and "costs" in step.columns]
    if worst and explanation.list is None and not options.standalone:
        lines.append(f"--list {printable(worst[0][0][0])} shows how its value arises.")
    if lines:
        yield Paragraph("\n".join(lines), "steps")
    yield Paragraph(end(explained, precision), "strong")


def table(step: Grid, precision: int) -> Table:
    """A table of a working; of a long one the rows that matter."""
    columns = [
        Column(name, "number" if number else "text", drawn=name in CONTRIBUTIONS)
        for name, number in zip(step.columns, right(step), strict=True)
    ]
    return Table(
        printable(step.title, 1000),
        columns,
        [Row(list(map(Cell, row))) for row in cells(step, precision)],
    )


def title(explanation: Explanation, explained: ExplainedMeasure) -> str:
    """Return the name of the measure with the list and the submission it is computed for."""
    if explanation.list is None:
        return f"{explained.title} in {explanation.submission}"
    list_ = f"{explanation.called.get('list', 'list')} {quoted(explanation.list)}"
    return f"{explained.title} of {list_} in {explanation.submission}"


def end(explained: ExplainedMeasure, precision: int) -> str:
    """The value that an explanation ends with, and what it counts as."""
    write = _writer(precision)
    message = f"{explained.id} = {write(explained.value)}"
    if not math.isnan(explained.counts_as) and explained.counts_as != explained.value:
        message += f", counted as {write(explained.counts_as)}"
    return printable(message, 1000)


def line(step: Step, precision: int) -> str:
    """A step that is no table, or one without rows."""
    write = _writer(precision)
    match step:
        case Sentence(text):
            return printable(text, 1000)
        case Grid(title):
            return f"{printable(title)}: nothing"
        case NamedItems(name):
            return printable(f"{name}: {step}", 100_000)
        case Equation(name, symbols, _, _, value):
            parts = [name, symbols, step.write_numbers(write), write(value)]
            different = [
                part for n, part in enumerate(parts) if part and part not in parts[n + 1 : n + 2]
            ]
            return printable(" = ".join(different), 10_000)


def cells(step: Grid, precision: int) -> Iterator[list[str]]:
    """Yield the rows as texts; a column has decimals if any of its numbers has."""
    numbers = zip(*step.rows, strict=True) if step.rows else [()] * len(step.columns)
    decimals = [
        0 if all(isinstance(c, str) or c is None or c == int(c) for c in column) else precision
        for column in numbers
    ]

    def cell_text(cell: Given, digits: int) -> str:
        return cell or "" if cell is None or isinstance(cell, str) else f"{cell:z.{digits}f}"

    for row in step.abbreviated():
        if isinstance(row, int):
            yield ["…", f"{row:,} left out", *[""] * (len(step.columns) - 2)][: len(step.columns)]
        else:
            yield [cell_text(cell, digits) for cell, digits in zip(row, decimals, strict=True)]


def right(step: Grid) -> list[bool]:
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
        rounded = f"{value:z.{precision}f}"
        if value and not float(rounded):
            return f"{value:.{max(precision, 1)}g}"
        return rounded.rstrip("0").rstrip(".") if "." in rounded else rounded

    return write
