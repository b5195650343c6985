"""A file's rows as tables of some MiB each, in the order of the file, whatever its format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from scorer.bytes.files import drain, open_bytes, open_stored
from scorer.bytes.limits import NoTable, ReadLimits, Unreadable, limit, refuse_errors
from scorer.core.arrays import Floats, Ints
from scorer.core.problems import Findings, Problem
from scorer.formats.text import LineIndex, Request
from scorer.tables.columns import CodedColumn, JoinedColumn, TextColumn, coded, text_of
from scorer.tables.distinct import Distinct
from scorer.tables.table import Schema, Table

if TYPE_CHECKING:
    from hashlib import _Hash

    import polars as pl

    from scorer.formats.base import Format

SCATTERED = frozenset({"item", "better", "worse"})  # of other ids, equal ones stand together


class Pieces(Iterator[Table]):
    """The tables of a file, one after the other; all have one `Schema`, and codes of their own.

    Attributes:
        whole: whether all of the file has been given. Of a file that cannot be read to its
            end, or at all, the findings say why; what was given of it is no table.
        hashed: whether all bytes of the file have been read, so that a digest is of all of it.
        index: where lines of text stand, to be found again.
    """

    def __init__(self, tables: Iterator[Table] = iter(())) -> None:  # noqa: B008
        self.tables = tables
        self.whole = self.hashed = False
        self.index = LineIndex()

    def __next__(self) -> Table:
        return next(self.tables)


@contextmanager
def pieces(
    path: Path,
    format: Format,
    shapes: Sequence[Schema],
    limits: ReadLimits,
    findings: Findings,
    *,
    sha256: _Hash | None = None,
    tick: Callable[[float], None] | None = None,
) -> Iterator[Pieces]:
    """The rows of a file, in order, in tables of some MiB; a small file is one table.

    A file of which something is readable gives at least one table, even of no rows. Threads
    and processes that help are gone when the context is left.

    Args:
        findings: where problems go; complete when the tables are exhausted.
        sha256: updated with the bytes as they are stored, each once, while they are read. A file
            that is refused as too large is not read to its end.
    """
    with ExitStack() as stack:
        try:
            stream = _opened(path, format, limits, sha256, tick)
        except Unreadable as error:
            findings.add(error.problem)
            yield Pieces()
            return
        stack.callback(stream.close)
        parts = Pieces()
        request = Request(
            path, stream, shapes, findings, limits, stack, format.form, parts.index
        )  # fmt: skip
        parts.tables = _bounded(parts, request, format)
        yield parts


def _opened(
    path: Path,
    format: Format,
    limits: ReadLimits,
    sha256: _Hash | None = None,
    tick: Callable[[float], None] | None = None,
) -> BufferedReader:
    """The bytes of a file; of several in one submission, as they are stored."""
    if parts := format.form.parts:
        return open_stored(path, [name for _, name in parts], limits, sha256, tick)
    return open_bytes(path, limits, format.binary, sha256, tick)


def _bounded(parts: Pieces, request: Request, format: Format) -> Iterator[Table]:
    """The tables, as long as there are no more rows and ids than are accepted."""
    limits, rows, uncounted = request.limits, 0, 0
    ids = Distinct(limits.ids)
    try:
        for table in format.tables(request):
            if rows + len(table) > limits.rows:
                message = f"more than {limits.rows:,} rows, which is what is accepted here"
                line = int(table.line[limits.rows - rows])
                raise Unreadable(Problem("S104", message, line=line, help=limit("rows")))
            rows += len(table)
            if 2 * rows <= limits.ids:  # counting takes memory, and few files come to more
                uncounted = rows
            else:
                ids.add(table)
                if uncounted and ids.exceeds(limits.ids - uncounted):
                    _before(request, format, uncounted, ids)
                    uncounted = 0
                if ids.exceeds(limits.ids):
                    message = f"more than {limits.ids:,} different ids, as accepted here"
                    at = int(table.line[-1])
                    raise Unreadable(Problem("S104", message, line=at, help=limit("ids")))
            yield table.of_items
            refuse_errors(request.findings.errors, limits.errors)
        parts.whole = True
    except Unreadable as error:
        request.findings.add(error.problem)
        if error.problem.code in ("S101", "S104"):  # it cannot be read on, or shall not be
            return
    except NoTable:
        pass
    with suppress(Unreadable):
        drain(request.stream)
        parts.hashed = True


def _before(request: Request, format: Format, rows: int, ids: Distinct) -> None:
    """Count the ids of the first rows, which are read again: few files have so many ids."""
    with ExitStack() as stack:
        stream = stack.enter_context(_opened(request.path, format, request.limits))
        again = request._replace(stream=stream, findings=Findings(), stack=stack, lines=None)
        for table in format.tables(again):
            ids.add(table)
            rows -= len(table)
            if rows <= 0:
                break


def columns_at(
    path: Path,
    format: Format,
    shapes: Sequence[Schema],
    limits: ReadLimits,
    cells: Sequence[tuple[int, str, str]],
    index: LineIndex | None = None,
) -> list[int | None]:
    """At which character of its line each of some cells begins; the file is read again.

    A cell is the line of its row, its role, and its text. None where the format has no lines, or it
    begins on a later line than its row. With an `index`, as of `Pieces`, the blocks alone are read
    in which these lines stand, and a file of one block is not.
    """
    if format.columns is None or not cells:
        return [None] * len(cells)
    if any("text" in shape.roles for shape in shapes):
        cells = [(n, "text" if role == "item" else role, text) for n, role, text in cells]
    if index is not None and index.columns is not None:
        return index.columns(cells)
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(_opened(path, format, limits))
        except Unreadable:
            return [None] * len(cells)
        request = Request(path, stream, shapes, Findings(), limits, stack, format.form, index)
        return format.columns(request, cells)


def joined(parts: Pieces) -> Table | None:
    """All of a file's tables as one; None where it cannot be read as one."""
    first = next(parts, None)
    if first is None:
        return None
    second = next(parts, None)
    if second is None:
        return first if parts.whole else None
    texts: dict[str, list[pl.Series]] = {}
    in_runs, times = dict[str, bool](), dict[str, list[Ints]]()
    numbers: dict[str, list[Floats]] = {}
    lines: list[Ints] = []
    facts, schema = dict(first.facts), first.wanted
    for table in chain((first, second), parts):
        for role, column in table.ids.items():
            series = text_of(column)
            if role not in texts and role not in SCATTERED:
                in_runs[role] = TextColumn(series).in_runs
            if in_runs.get(role):
                runs = series.rle().struct.unnest()
                series = runs["value"]
                times.setdefault(role, []).append(runs["len"].to_numpy().astype(np.int32))
            texts.setdefault(role, []).append(series)
        for role, values in table.numbers.items():
            numbers.setdefault(role, []).append(values)
        lines.append(table.line.astype(np.int32))  # a file has fewer than 2**31 lines
        if "empty" in facts and table is not first:
            facts["empty"] += table.facts["empty"]
    if not parts.whole:
        return None
    del first, second, table  # what is not needed any more is given back before codes are made
    line = np.concatenate(lines)
    lines.clear()
    import polars as pl

    ids = dict[str, CodedColumn]()
    for role, chunks in texts.items():
        if role in in_runs:
            codes, names = coded(chunks)
            if role in times:
                codes = np.repeat(codes, np.concatenate(times[role]))
            ids[role] = CodedColumn(codes, names)
        else:
            ids[role] = JoinedColumn(pl.concat(chunks))
    return Table(
        ids, {role: np.concatenate(chunks) for role, chunks in numbers.items()}, line, schema, facts
    )
