"""Several files as one submission: the tables of each part, its lists named PART/LIST.

A line of the n-th part is counted from n times `LINES_OF_PART`, so that rows of all parts have
lines of their own; problems name the file and the line in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from scorer.bytes.files import open_part, unpacked_bytes
from scorer.bytes.limits import NoTable, Unreadable
from scorer.core.problems import Findings, Problem
from scorer.formats.form import PART, PLAIN
from scorer.formats.text import Request
from scorer.tables.columns import CodedColumn, TextColumn
from scorer.tables.table import Table

if TYPE_CHECKING:
    from scorer.formats.base import Format

LINES_OF_PART = 1 << 26  # lines that a part may have
LINES = re.compile(r"\b(lines? )(\d[\d,]*)( and (\d[\d,]*))?")

FormatOf = Callable[[str], "Format"]


def part_tables(request: Request, format_of: FormatOf) -> Iterator[Table]:
    """The tables of all parts, one part after the other.

    `NoTable` if a part has none, as findings say; `Unreadable` if one cannot be read further.
    """
    unpacked, fatal = 0, False
    for n, (part, name) in enumerate(request.form.parts):
        findings, count = Findings(), 0
        try:
            with ExitStack() as stack:
                stream = open_part(request.path, name, request.limits, unpacked)
                stack.callback(stream.close)
                part_request = request._replace(
                    stream=stream, findings=findings, stack=stack, form=PLAIN
                )
                format = format_of(name)
                part_request = part_request._replace(
                    form=format.form, path=request.path / name, lines=None
                )
                for table in format.tables(part_request):
                    if len(table) and int(table.line[-1]) >= LINES_OF_PART:
                        message = f"{name} has more than {LINES_OF_PART:,} lines"
                        raise Unreadable(Problem("S104", message))
                    yield _named(table, part, n)
                    count += len(table)
                unpacked += unpacked_bytes(stream)
        except NoTable:
            fatal = True
        except Unreadable as error:
            findings.add(error.problem)
            fatal = True
        for problem in findings:
            line = 0 if problem.code == "S213" else n * LINES_OF_PART + (problem.line or 0)
            request.findings.add(replace(problem, line=line or None) if line else problem)
    if fatal:
        raise NoTable


def _named(table: Table, part: str, n: int) -> Table:
    """The table of a part, with its lists named by it and lines of its own."""
    column, prefix = table.ids["list"], f"{part}{PART}"
    named: CodedColumn
    if isinstance(column, TextColumn):
        import polars as pl

        named = TextColumn(pl.Series([prefix], dtype=pl.String) + column.series)
    else:
        named = CodedColumn(column.codes, tuple(prefix + name for name in column.names))
    facts = dict(table.facts)
    if "empty" in facts:
        facts["empty"] = tuple(
            (prefix + name, n * LINES_OF_PART + line) for name, line in facts["empty"]
        )
    else:
        facts["empty"] = ()
    return replace(
        table, ids={**table.ids, "list": named}, line=table.line + n * LINES_OF_PART, facts=facts
    )


def part_columns(
    request: Request, format_of: FormatOf, cells: Sequence[tuple[int, str, str]]
) -> list[int | None]:
    """At which character of its line each cell begins, in whatever part it is.

    A cell is its line, counted as in the tables, its role, and its text.
    """
    columns: list[int | None] = [None] * len(cells)
    for n, (part, name) in enumerate(request.form.parts):
        in_part = [k for k, (line, _, _) in enumerate(cells) if line // LINES_OF_PART == n]
        format = format_of(name)
        if not in_part or format.columns is None:
            continue
        part_cells = [
            (
                line % LINES_OF_PART,
                role,
                text.removeprefix(f"{part}{PART}") if role == "list" else text,
            )
            for line, role, text in (cells[k] for k in in_part)
        ]
        with ExitStack() as stack:
            try:
                stream = stack.enter_context(open_part(request.path, name, request.limits))
            except Unreadable:
                continue
            part_request = request._replace(
                path=request.path / name,
                stream=stream,
                findings=Findings(),
                stack=stack,
                form=format.form,
                lines=None,
            )
            for k, column in zip(in_part, format.columns(part_request, part_cells), strict=True):
                columns[k] = column
    return columns


def by_part(findings: Findings, parts: Sequence[tuple[str, str]]) -> None:
    """Give each problem the file of the submission that it is in, and the line in that file."""
    if not parts:
        return

    def local(match: re.Match[str]) -> str:
        first, second = match[2].replace(",", ""), (match[4] or "0").replace(",", "")
        if int(first) < LINES_OF_PART and int(second) < LINES_OF_PART:
            return match[0]
        more = f" and {int(second) % LINES_OF_PART:,}" if match[4] else ""
        return f"{match[1]}{int(first) % LINES_OF_PART:,}{more}"

    def placed(problem: Problem) -> Problem:
        if problem.line is None:
            return problem
        part, line = divmod(problem.line, LINES_OF_PART)
        path = f"{problem.path}/{parts[part][1]}" if problem.path else parts[part][1]
        message = LINES.sub(local, problem.message)
        return replace(problem, path=path, line=line or None, message=message)

    findings.replace(placed)
