"""Text files cut into pieces: blocks of whole lines, by polars or by the careful parser."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from functools import partial
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from scorer.bytes.limits import BOM, NoTable, Unreadable, refuse_errors, too_careful
from scorer.bytes.lines import too_long
from scorer.bytes.memory import ask_for_polars
from scorer.core.arrays import Floats
from scorer.core.problems import Findings, Problem
from scorer.core.threads import ahead, beside
from scorer.formats.blocks import Block, Lines
from scorer.formats.text import Piece, Request, TextReader
from scorer.tables.columns import CodedColumn, TextColumn
from scorer.tables.table import TEXT, Builder, Table, plain_table

SMALLEST = 1_500_000  # bytes; below, polars takes longer to import than the careful parser to run
PLAINER = 2  # times as large if all of its lines are plain, which are cut at once
SMALL = 1 << 16  # bytes; below, polars takes longer to begin than the careful parser to run
MANY = 3_000_000  # bytes of files in between, for which polars is imported
PIECE = 4 * 1024**2  # bytes read at a time
HEAD = 64 * 1024  # bytes in which a header is looked for first
THREADS = 2  # that cut, beside the one that reads and those that score


def tables(reader: TextReader, request: Request) -> Iterator[Table]:
    """The rows of a file in order, some MiB at a time.

    `NoTable` if there is none, as the findings say; `Unreadable` if it cannot be read further.
    """
    careful = 0
    for piece in _pieces(reader, request):
        error = None
        careful += piece.careful
        try:
            reader.settle(piece)
        except Unreadable as unreadable:
            error = unreadable
        request.findings.merge(piece.findings)
        if (error := error or piece.error) is not None:
            raise error
        if careful > request.limits.careful:
            raise Unreadable(too_careful(request.limits))
        yield Table(
            piece.ids, piece.numbers, piece.line, reader.shape, {**reader.facts, **piece.facts}
        )
    reader.end(request.findings)


def ready_to_read(paths: Sequence[Path], plain: bool = True) -> None:
    """Import polars where it reads these files together sooner than without it.

    `plain` counts those as well that are read without it one by one where all lines are plain.
    """
    sizes, most = 0, SMALLEST * PLAINER if plain else SMALLEST
    for path in paths:
        with suppress(OSError, ValueError):
            size = path.stat().st_size
            sizes += size if SMALL <= size < most else 0
    if sizes >= MANY:
        ask_for_polars()
        import polars  # noqa: F401


def ready_to_read_before(large: Path, path: Path) -> None:
    """Import polars where a small file is read before a large one, which is read by it anyway.

    Where there is no memory for it, reading the large file says so.
    """
    with suppress(OSError, ValueError, MemoryError):
        size, most = path.stat().st_size, SMALLEST * PLAINER
        if SMALL <= size < most <= large.stat().st_size:
            ask_for_polars()
            import polars  # noqa: F401


def _smallest() -> int:
    """How many bytes a file has that polars is to read."""
    return min(SMALL, SMALLEST) if "polars" in sys.modules else SMALLEST


def columns(
    reader: TextReader,
    request: Request,
    cells: Sequence[tuple[int, str, str]],
    whole: Block | None = None,
) -> list[int | None]:
    """At which character of its line each of some cells begins; None where that is not known.

    A cell is the line on which its record begins, its role, and its text. `whole` is all of the
    file after what `begin` is done with, where it was kept.
    """
    starts: list[int | None] = [None] * len(cells)
    waiting = deque(sorted(range(len(cells)), key=lambda n: cells[n][0]))
    blocks = _blocks_with(reader, request, lambda: cells[waiting[0]][0])
    try:
        for block in blocks if whole is None else (whole,):
            lines = Lines(block, Findings())
            while waiting and cells[waiting[0]][0] < block.first + block.count:
                n = waiting.popleft()
                line, role, cell = cells[n]
                if line >= block.first:
                    starts[n] = reader.column(lines, line - block.first, role, cell)
            if not waiting:
                break
    except (Unreadable, NoTable):
        pass  # what stands before it has been found
    return starts


def _blocks_with(
    reader: TextReader, request: Request, wanted: Callable[[], int]
) -> Iterator[Block]:
    """The first block of a file, and those that follow in which a line may stand that is `wanted`.

    Those before it are not read, where it is known at which bytes blocks begin.
    """
    blocks = _blocks(reader, request)
    begins = {} if request.lines is None else request.lines.begins
    while (block := next(blocks, None)) is not None:
        yield block
        after = block.first + block.count
        first = max((line for line in begins if line <= wanted()), default=0)
        if first > after and request.stream.seekable():
            request.stream.seek(begins[first])
            blocks = _blocks(reader, request, first, begins[first])


def _pieces(reader: TextReader, request: Request) -> Iterator[Piece]:
    """The blocks of a file, cut, in order; raises as `tables`."""
    blocks = _blocks(reader, request)
    first = next(blocks)
    if first.last and request.lines is not None:
        request.lines.columns = lambda cells: columns(reader, reader.request, cells, first)
    if first.last and (small := _small(reader, first)) is not None:
        yield small
        return
    ask_for_polars()
    if first.last:
        yield _cut(reader, first)
        return
    rest = b""
    with closing(beside(request.stack, blocks)) as read:
        whole = chain((first,), read)
        for block, cut in ahead(request.stack, partial(_cut, reader), whole, THREADS, THREADS - 1):
            if rest:  # the block does not begin with a record, as it was thought to
                start = block.first - rest.count(b"\n")
                piece = _cut(reader, Block(rest + block.data, start, block.last, block.limits))
            else:
                piece = cut()
            rest = piece.rest
            yield piece


def _blocks(
    reader: TextReader, request: Request, number: int = 1, upto: int = 0
) -> Iterator[Block]:
    """The file in blocks of whole lines, without what `begin` is done with; the last says so.

    `number` is that of the line at which the stream stands, `upto` the byte. Raises as `tables`.
    """
    stream, limits = request.stream, request.limits
    size = max(SMALLEST, PIECE)
    rest, begins, last = b"", number == 1, False
    while not last:
        read = _next_bytes(stream, size, begins)
        last, size, upto = len(read) < size, PIECE, upto + len(read)
        end = len(read) if last else read.rfind(b"\n") + 1
        data = read  # without a copy, where it is whole lines
        if rest or end < len(read):
            data = b"".join((rest, memoryview(read)[:end])) if end or last else b""
        rest = read[end:] if end or last else rest + read
        if begins and data:
            begins, data = False, data.removeprefix(BOM)
            if b"\r" in (first_line := data[: data.find(b"\n") + 1] or data):
                _refuse_lone_returns(Block(first_line, 1, last, limits))
        if (data or last) and not reader.begun:
            data, number = _begin(reader, request, data, number, last)
            if not reader.begun:  # the header is not whole
                rest, data = data + rest, b""
        if data or (last and reader.begun):
            block = Block(data, number, last, limits)
            if request.lines is not None:
                request.lines.begins.setdefault(number, upto - len(rest) - len(data))
            number += block.count
            yield block
        if len(rest) - rest.rfind(b"\n") - 1 > limits.line + 1:  # a CR may stand at the end
            raise Unreadable(too_long(rest, number + rest.count(b"\n"), limits))


def _next_bytes(stream: BufferedReader, size: int, first: bool) -> bytes:
    """Its next bytes; where few are at hand at first, these: most such files have no more."""
    if not first or len(stream.peek(1)) >= SMALL:
        return stream.read(size)
    head = stream.read1(size)
    return head + stream.read(size - len(head)) if stream.peek(1) else head


def _begin(
    reader: TextReader, request: Request, data: bytes, number: int, last: bool
) -> tuple[bytes, int]:
    """The rest of the file's first lines after `begin`, and the number of the first."""
    size = HEAD
    while True:
        end = len(data)
        if size < end:
            end = data.rfind(b"\n", 0, size) + 1 or data.find(b"\n", size) + 1 or end
        whole = end == len(data)
        block = Block(data[:end], number, whole and last, request.limits)
        decoding, findings = Findings(), Findings()
        try:
            used = reader.begin(Lines(block, decoding), block.last, findings)
        except (Unreadable, NoTable):
            request.findings.merge(decoding)
            request.findings.merge(findings)
            raise
        begun = reader.begun
        if not begun and not used:
            if whole:
                return data, number
            size *= 2
            continue
        for problem in decoding:
            if problem.line is not None and problem.line < number + used:
                request.findings.add(problem)
        request.findings.merge(findings)
        refuse_errors(request.findings.errors, request.limits.errors)
        at = 0
        for _ in range(used):
            at = data.find(b"\n", at) + 1 or len(data)
        data, number = data[at:], number + used
        if begun:
            return data, number
        if number > request.limits.careful:  # blank lines, or what else comes before the rows
            raise Unreadable(too_careful(request.limits))


def _refuse_lone_returns(block: Block) -> None:
    """Refuse a file whose first line has a CR in it."""
    if b"\r" in block.data:
        findings = Findings()
        _, text = Lines(block, findings)[0]
        hint = "save the file with the line ends of Unix (LF) or Windows (CRLF)"
        message = "the lines end in CR alone, as old Macs wrote them"
        place = text.index("\r") + 1
        raise Unreadable(Problem("S207", message, line=1, column=place, help=hint))


def _small(reader: TextReader, block: Block) -> Piece | None:
    """All rows of a small file, without polars; None where polars reads it sooner."""
    size, most = len(block.data), _smallest()
    if size < most * PLAINER and (piece := _of_plain_lines(reader, block)) is not None:
        return piece
    if size >= most:
        return None
    findings, notes = Findings(), reader.notes()
    lines = Lines(block, findings)
    lines.all_at_once()
    table, _, error = _parsed(reader, block, range(block.count), lines, findings, notes)
    ids, numbers = dict(table.ids), dict(table.numbers)
    return Piece(block, ids, numbers, table.line, findings, notes, error)


def _of_plain_lines(reader: TextReader, block: Block) -> Piece | None:
    """All rows of a small file whose lines are all plain, else None."""
    notes = reader.notes()
    if not block.count or (cells := reader.plain_cells(block, notes)) is None:
        return None
    table = plain_table(reader.shape, dict(zip(reader.roles, cells, strict=True)), block.first)
    if table is None:
        return None
    return Piece(block, dict(table.ids), dict(table.numbers), table.line, Findings(), notes)


def _cut(reader: TextReader, block: Block) -> Piece:
    """The rows of a block: the plain lines by polars, the others by the careful parser."""
    findings, notes = Findings(), reader.notes()
    columns, at, odd, usual = reader.plain(block, notes)
    if at.size and not odd.size:
        ids, numbers = _coded_columns(columns, usual)
        at += block.first
        return Piece(block, ids, numbers, at, findings, notes)
    lines = Lines(block, findings)
    table, records, error = _parsed(reader, block, odd.tolist(), lines, findings, notes)
    rest = b""
    if records and records[-1].stop > block.count:  # the record is not whole
        rest = block.data[int(block.starts[records[-1].start]) :]
    read = max(odd.size, len(table))
    if not at.size:
        ids, numbers = dict(table.ids), dict(table.numbers)
        return Piece(block, ids, numbers, table.line, findings, notes, error, rest, read)
    import polars as pl

    plain = np.ones(block.count, dtype=bool)
    for record in records:
        plain[record.start : record.stop] = False
    plain = plain[at]
    line = np.concatenate([at[plain] + block.first, table.line])
    order = np.argsort(line, kind="stable")
    for role, column in columns.items():
        if role in TEXT:
            careful = pl.Series(table.ids[role].names, dtype=pl.String).gather(
                table.ids[role].codes
            )
            columns[role] = pl.concat([column.filter(plain), careful]).gather(order)
        else:
            columns[role] = np.concatenate([column[plain], table.numbers[role]])[order]
    ids, numbers = _coded_columns(columns)
    return Piece(block, ids, numbers, line[order], findings, notes, error, rest, read)


def _coded_columns(
    columns: Mapping[str, Any], usual: bool = False
) -> tuple[dict[str, CodedColumn], dict[str, Floats]]:
    ids: dict[str, CodedColumn] = {
        role: TextColumn(column, usual) for role, column in columns.items() if role in TEXT
    }
    return ids, {role: column for role, column in columns.items() if role not in TEXT}


def _parsed(
    reader: TextReader,
    block: Block,
    odd: Sequence[int],
    lines: Lines,
    findings: Findings,
    notes: Any,
) -> tuple[Table, list[range], Unreadable | None]:
    """The rows that begin on some lines of a block, by the careful parser.

    Returns:
        The rows; the lines of each record that takes several, which go beyond the block
        where it is not whole; and what ended the reading.
    """
    builder = Builder(
        reader.shape, reader.roles, findings, reader.place, reader.lenient, reader.called
    )
    records: list[range] = []
    error, after = None, 0
    try:
        for line in odd:
            if line < after:
                continue
            after, rows = reader.parse(lines, line, block.last, findings, notes)
            if after == line:
                records.append(range(line, block.count + 1))
                break
            if after > line + 1:
                records.append(range(line, after))
            for row in rows:
                builder.row(*row)
    except Unreadable as unreadable:
        error = unreadable
    return builder.table(), records, error
