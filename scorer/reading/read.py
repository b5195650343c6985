"""Files read as tables: their bytes, lines and cells in turn."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import polars as pl

from scorer.core.problems import Findings, ProblemCell
from scorer.reading.formats import Format, find_format
from scorer.reading.layout import PLAIN, FileSchema, Layout, RowKeys, RowKeysFile, separator_of
from scorer.reading.limits import (
    DEFAULT_LIMITS,
    MOST_DOCUMENT,
    UNBOUNDED,
    ReadLimits,
    ReportedError,
    TextBounds,
    UnreadableError,
    accept_rows,
    most_lines,
    refuse_many_errors,
)
from scorer.reading.lines import NO_LINES, StoredLines, find_long_line, read_lines, read_some_lines
from scorer.reading.numbers import cast_numbers
from scorer.reading.open import file_digest
from scorer.reading.parts import LINES_OF_PART, join_parts, renumber_line
from scorer.reading.reshape import drop_lines, reshape
from scorer.reading.schema import Schema
from scorer.reading.signatures import BOM
from scorer.reading.table import IN_LINE, NO_TEXTS, Cells, FindCells, LineTexts, ReadRequest, Table
from scorer.reading.unpack import check_parts, read_bytes, read_head, table_suffix
from scorer.reading.write import csv_text

HEADER_WORD = re.compile(r"[^\s,;|\"{}:]+")


class FileTable(NamedTuple):
    """What was read of a file."""

    table: Table | None  # None if it cannot be read as one
    sha256: str | None  # of the file as it is stored; None if it was not read to its end


def read_file(
    path: Path,
    format: Format | str | None,
    schemas: Sequence[Schema],
    findings: Findings,
    limits: ReadLimits = DEFAULT_LIMITS,
    layout: Layout = PLAIN,
) -> FileTable:
    """Return the table and the digest of a file; a column `text` becomes the column `item`.

    Args:
        format: Its format, or the format's name; None if the file's suffix says it.
        schemas: The shapes that it may have, the likeliest first.
    """
    request = ReadRequest(path, schemas, findings, limits, layout)
    table, digest = None, None
    try:
        if layout.parts:
            return _read_parts(request, format)
        found = find_format(path, format, layout, limits.protected)
        is_binary, bounds = found.read_bytes is not None, _text_bounds(found, limits)
        data, digest, _ = read_bytes(path, limits, is_binary=is_binary, bounds=bounds)
        table = _parse_table(data, found, request).with_items()
    except UnreadableError as error:
        findings.add(error.problem)
    except ReportedError:
        pass
    return FileTable(table, None if digest is None else digest())


def _read_parts(request: ReadRequest, format: Format | str | None) -> FileTable:
    """Return the table of several files, after reporting the problems of all of them."""
    path, limits, parts = request.path, request.limits, request.layout.parts
    check_parts(path, [part.file for part in parts], limits)
    sha256 = hashlib.sha256() if path.is_dir() else None
    unpacked = 0
    tables = []
    for n, (part, file) in enumerate(parts):
        findings, layout = Findings(), request.layout._replace(parts=())
        if layout.lines is not None:
            layout = layout._replace(lines=layout.lines._replace(part=part))
        part_request = request._replace(path=path / file, findings=findings, layout=layout)
        try:
            found = find_format(Path(file), format, layout, limits.protected)
            bounds = _text_bounds(found, limits)
            stored = read_bytes(
                path, limits, part=file, unpacked=unpacked, sha256=sha256, bounds=bounds
            )
            unpacked += stored.unpacked
            stored.digest()  # before that of the next part
            tables.append(_parse_table(stored.data, found, part_request))
        except UnreadableError as error:
            findings.add(error.problem)
        except ReportedError:
            pass
        request.findings.extend(renumber_line(problem, n) for problem in findings)
    digest = file_digest(path, limits.protected) if sha256 is None else sha256.hexdigest()
    if len(tables) < len(parts):
        return FileTable(None, digest)
    return FileTable(join_parts(tables, parts).with_items(), digest)


def _text_bounds(format: Format, limits: ReadLimits) -> TextBounds:
    """Return the bounds of a text beyond which the format's reader refuses it in any case."""
    if format.read_bytes is not None:
        return UNBOUNDED
    if format.is_document:  # a character has at most 4 bytes
        return TextBounds(lines=most_lines(limits), size=4 * MOST_DOCUMENT)
    return TextBounds(limits.line + len(b"\r\n"), most_lines(limits))


def _parse_table(data: bytes, format: Format, request: ReadRequest) -> Table:
    """Return the table of the bytes of a file."""
    findings, limits = request.findings, request.limits
    longest = len(data) if format.is_document else limits.line  # a document may be one line

    @cache
    def lines() -> pl.DataFrame:
        return read_lines(data, findings, limits._replace(line=longest))

    @cache
    def stored_lines() -> StoredLines:
        return StoredLines(data)

    request = request._replace(texts=lambda: lines()["text"])
    cells = None
    if format.read_bytes is not None:
        cells = format.read_bytes(data, request)
    else:
        data = data.removeprefix(BOM)
        if format.read_clean is not None and find_long_line(data, longest) is None:
            cells = format.read_clean(data, request)
    if cells is None:
        assert format.read_lines is not None
        cells = format.read_lines(drop_lines(lines(), request.layout), request)
    answer_lines = NO_LINES
    if request.layout.lines is not None:
        answer_lines = drop_lines(lines(), request.layout)
    return accept_cells(cells, request, answer_lines, stored_lines)


def accept_cells(
    cells: Cells,
    request: ReadRequest,
    lines: pl.DataFrame = NO_LINES,
    texts: Callable[[], LineTexts] = lambda: NO_TEXTS,
) -> Table:
    """Return the table of the cells of a file or data frame, with its rows and numbers.

    Args:
        cells: The cells, from which the layout makes rows.
        request: Receives the problems: too many rows, and cells that are no numbers.
        lines: `line` and `text` of each line that may be a row, if the layout adds ids to lines.
        texts: Returns the texts of all lines; no texts for a data frame.
    """
    findings, limits, layout = request.findings, request.limits, request.layout
    if isinstance(cells.schema, FileSchema):
        line_keys = None if layout.lines is None else read_row_keys(layout.lines)
        candidates = None if layout.candidates is None else read_row_keys(layout.candidates)
        cells = reshape(cells, lines, line_keys, candidates, request)
    accepted = accept_rows(cells.frame["line"], limits, findings)
    cells = replace(cells, frame=cells.frame.head(accepted))
    frame = cast_numbers(cells, texts, findings).drop(IN_LINE, strict=False)
    refuse_many_errors(findings.errors)
    return Table(
        frame, cells.schema, cells.header, cells.empty_lists, cells.find_cells, cells.facts
    )


def find_columns(
    path: Path,
    find_cells: FindCells | None,
    cells: Sequence[ProblemCell],
    limits: ReadLimits,
    layout: Layout = PLAIN,
) -> list[int | None]:
    """Return the character of its line at which each cell begins, from 1; read the file again.

    It is None if it is not known, or if the cell begins on a later line than its row.

    Args:
        path: The file.
        find_cells: `Table.find_cells` of the file.
        cells: The cells.
        limits: The limits of reading.
        layout: How the file is written. Its parts are files, whose lines `join_parts` has numbered.
    """
    if find_cells is None:
        return [None] * len(cells)

    lines_of_part = defaultdict[int, list[int]](list)
    for line, _, _ in cells:
        part, line_in_part = divmod(line, LINES_OF_PART)
        lines_of_part[part].append(line_in_part)

    @cache
    def texts_of_part(part: int) -> StoredLines:
        lines = lines_of_part[part]
        file = layout.parts[part].file if layout.parts else None
        try:
            return read_some_lines(path, min(lines), max(lines), limits, file)
        except UnreadableError:
            return StoredLines(b"")

    @cache  # a line may hold very many cells
    def columns_by_text(line: int, role: str) -> dict[str, int | None]:
        part, line_in_part = divmod(line, LINES_OF_PART)
        texts = texts_of_part(part)
        places = find_cells(texts, line, role) if line_in_part <= len(texts) else ()
        # Reversed, so that of cells with the same text the first one stays.
        return {place.text: place.column for place in reversed(places) if place.line == line}

    return [columns_by_text(line, role).get(text) for line, role, text in cells]


def find_row_cells(
    path: Path,
    find_cells: FindCells,
    lines: Collection[int],
    roles: Collection[str],
    limits: ReadLimits,
) -> dict[int, dict[str, str]]:
    """Return line -> role -> cell of rows that were left out, as far as they have these cells."""
    texts = read_some_lines(path, min(lines), max(lines), limits)
    found: dict[int, dict[str, str]] = {line: {} for line in lines}
    for line, cells in found.items():
        for role in roles:
            with suppress(ValueError, IndexError):  # the line is no object, or lacks the cell
                cells.update((role, place.text) for place in find_cells(texts, line, role)[:1])
    return found


def line_texts(path: Path, numbers: Collection[int]) -> dict[int, str]:
    """Return the texts of some lines of a file, by their numbers from 1."""
    try:
        lines = StoredLines(read_bytes(path).data)
    except UnreadableError:
        return {}
    return {number: lines[number - 1] for number in sorted(numbers) if 0 < number <= len(lines)}


def header_words(path: Path, format: str | None, layout: Layout = PLAIN) -> frozenset[str]:
    """Return the words of a file's first line that is not blank, which may be names of columns.

    They show which columns a file may have before its rows are read. Of several parts, the first
    one is looked at. The set is empty if the file cannot be read.
    """
    if layout.header:
        return frozenset(layout.header)
    found = find_format(path, format, layout)
    try:
        if found.read_names is not None:
            return frozenset(found.read_names(read_bytes(path, is_binary=True).data))
        part = layout.parts[0].file if layout.parts else None
        head = read_head(path, DEFAULT_LIMITS.line, part=part)
    except UnreadableError:
        return frozenset()
    lines = head.removeprefix(BOM).decode("utf-8", "replace").split("\n")
    first = next((line for line in lines if line.strip()), "")
    return frozenset(HEADER_WORD.findall(first))


def read_as_csv(
    path: Path, format: str | None, layout: Layout, limits: ReadLimits = DEFAULT_LIMITS
) -> str | None:
    """Return the text of a delimited file with a header, as CSV with commas; None of other files.

    Raises:
        UnreadableError: It cannot be read.
    """
    is_plain = not (layout.reshapes or layout.header or layout.parts)
    if not is_plain or find_format(path, format, layout, limits.protected).name != "csv":
        return None
    text = read_bytes(path, limits).data.removeprefix(BOM).decode("utf-8", "replace")
    is_tabbed = table_suffix(path) == ".tsv"
    separator = separator_of(layout.separator or ("tab" if is_tabbed else "comma"))
    if separator == ",":
        return text
    return csv_text(csv.reader(io.StringIO(text), delimiter=separator))


def read_row_keys(keys: RowKeysFile) -> RowKeys:
    """Return the lists and the items that the rows of a public file name, in their order.

    The lines or values of a submission, which hold no ids, follow these rows.

    Raises:
        UnreadableError: The file cannot be read.
    """
    findings = Findings(str(keys.file))
    schema = Schema(("list",), ("item",), dict(keys.columns))
    layout = keys.layout or PLAIN
    table = read_file(keys.file, keys.format, [schema], findings, layout=layout).table
    if table is None or findings.fatal:
        error = next(problem for problem in findings if problem.severity == "error")
        raise UnreadableError(
            error.code, error.message, error.line, error.column, error.help, error.path
        )
    frame = table.frame
    items = frame["item"].to_list() if "item" in table else None
    return RowKeys(frame["list"].to_list(), items, keys.file.name).of_part(keys.part)
