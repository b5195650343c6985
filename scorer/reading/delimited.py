"""Delimited files: CSV and its kin, with a header and one record a row.

Quotes follow RFC 4180, and blanks round an unquoted field mean nothing. Polars cuts the
plain lines at once. A line with a quote, a stray CR or another number of fields goes through
`Dialect.parse_record`, which finds faults and their places.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import polars as pl

from scorer.core.problems import Findings, Problem
from scorer.core.text import printable
from scorer.reading.clean import scan_clean
from scorer.reading.dialect import WHITESPACE_FIELD, Dialect
from scorer.reading.formats import Format, Rows
from scorer.reading.header import (
    IN_QUOTES,
    LEAVE_OUT_QUOTES,
    SAMPLE_ROWS,
    SEPARATOR_NAMES,
    Record,
    SchemaMatch,
    find_separator,
    match_header,
    refuse_wrong_first_line,
)
from scorer.reading.layout import NO_SEPARATOR, WHITESPACE, Layout, separator_of
from scorer.reading.limits import (
    CHUNK_LINES,
    ReportedError,
    UnreadableError,
    refuse_many_slow_lines,
)
from scorer.reading.lines import BLANKS, first_content, read_lines
from scorer.reading.numbers import join_decimal_commas
from scorer.reading.schema import holds_text
from scorer.reading.table import CellPlace, Cells, LineTexts, ReadRequest, cells_frame, merge_rows
from scorer.reading.write import csv_text

SAMPLE_LINES = 10_000  # after the header, in which the rows of the sample are looked for
HEAD_LINES = SAMPLE_ROWS + 1  # the header and the rows of the sample, of a clean file
FEWEST_QUOTED = 1_000  # lines with quotes that are worth a second pass of polars
# A cell, quoted or not, as a regex of polars; SEPARATOR is replaced by the separator.
WELL_FORMED = r'(?:"(?:[^"\r]|"")*"|[^"\rSEPARATOR]*)'


class FileForm(NamedTuple):
    """How a file is cut, and its columns, as its first lines show.

    Attributes:
        positions: role -> its column, from 0.
        body_line: The first line that can be a row.
        keeps_blank_rows: Whether a line of separators alone is a row: with `layout.lines`, each
            line belongs to a row of a public file.
    """

    dialect: Dialect
    header: Record
    match: SchemaMatch
    positions: Mapping[str, int]
    body_line: int
    keeps_blank_rows: bool = False

    def find_cells(self, texts: LineTexts, line: int, role: str) -> list[CellPlace]:
        """Return the cell of a role in the record that begins on a line."""
        if role not in self.positions:
            return []
        record, position = self.dialect.parse_record(texts, line), self.positions[role]
        return [CellPlace(record.fields[position], *record.places[position])]

    def as_cells(self, frame: pl.DataFrame) -> Cells:
        """Return the cells of the rows of the file."""
        names, first = tuple(self.header.fields), self.body_line
        schema, find = self.match.schema, self.find_cells
        return Cells(frame, schema, names, find_cells=find, first_line=first)


def read_clean_delimited(data: bytes, request: ReadRequest) -> Cells | None:
    """Return the cells of a delimited file, or None if the file is not clean.

    The problems of the header are reported if the file is clean.
    """
    layout = request.layout
    # Between quotes, separators and line ends belong to the cell. Polars would take lines that are
    # skipped, and comments, for rows. With `layout.lines`, `reshape` needs the lines anyway.
    if b'"' in data or layout.skip or layout.comment or layout.lines:
        return None
    findings = Findings(request.findings.path)
    first_lines = b"".join(islice(io.BytesIO(data), HEAD_LINES))
    try:
        lines = read_lines(first_lines, findings, request.limits)
        head = request._replace(findings=findings, texts=lambda: lines["text"])
        form = read_form(lines, head)
    except (UnreadableError, ReportedError):
        return None
    dialect = form.dialect
    # Polars takes each line below the header for a row, also a blank one. As `scan_clean` counts
    # the separators of the lines above the rows, too, only the header may stand there.
    if not dialect.quotes or form.body_line != (1 if layout.header else 2):
        return None
    frame = scan_clean(
        data,
        dialect.separator,
        dialect.width,
        form.positions,
        request.limits,
        first_line=form.body_line,
    )
    if frame is None:
        return None
    # A header that is repeated would be a row. No column is of numbers then.
    header = data[: data.find(b"\n")].rstrip(b"\r")
    if pl.Float64 not in frame.dtypes and b"\n" + header in data:
        return None
    request.findings.merge(findings)
    return form.as_cells(frame)


def write_delimited(rows: Rows, columns: Mapping[str, str]) -> bytes:
    """Return a header, and a line for each row."""
    # Blanks round a cell without quotes mean nothing.
    has_blanks = any(str(cell) != str(cell).strip() for row in rows for cell in row.values())
    roles = list(rows[0]) if rows else ["list", "item"]
    lines: list[list[object]] = [[columns.get(role, role) for role in roles]]
    lines += ([row[role] for role in roles] for row in rows)
    return csv_text(lines, quotes_all=has_blanks).encode()


def read_delimited(lines: pl.DataFrame, request: ReadRequest) -> Cells:
    """Return the cells of a delimited file."""
    form = read_form(lines, request)
    body = lines.filter(pl.col("line") >= form.body_line)
    frames = [pl.DataFrame(schema={"line": pl.UInt32} | dict.fromkeys(form.positions, pl.String))]
    slow_lines: list[int] = []  # that are parsed one by one
    for chunk in body.iter_slices(CHUNK_LINES):
        plain, quoted, others = _split_lines(chunk, form)
        frames.append(_cut_plain(plain, form))
        if quoted.height >= FEWEST_QUOTED and form.dialect.quotes:
            rows, quoted = _cut_quoted(quoted, form)
            frames.append(rows)
        slow_lines += [*quoted["line"], *others["line"]]
    refuse_many_slow_lines(len(slow_lines))
    parsed, covered = _parse_lines(sorted(slow_lines), form, request)
    if covered:  # these lines belong to records that begin above them
        frames = [frame.filter(~pl.col("line").is_in(covered)) for frame in frames]
    rows = merge_rows([*frames, parsed])
    return form.as_cells(_drop_repeated_headers(rows, form, request))


def read_form(lines: pl.DataFrame, request: ReadRequest) -> FileForm:
    """Return how a file is cut, and its columns, after reporting the faults of its first lines.

    Raises:
        ReportedError: There is no header, or it fits no schema; the findings say why.
        UnreadableError: As ReportedError, but the error has the problem, not the findings.
    """
    layout, texts, numbers = request.layout, request.texts(), lines["line"]
    first_line, first_text = first_content(lines)
    if not layout.header:
        refuse_wrong_first_line(first_line, first_text, request)
    separator = NO_SEPARATOR
    # A separator says nothing of one column, unless it separates the values in its cells, too.
    if len(layout.header) != 1 or (layout.separator and layout.cells):
        separator = find_separator(first_line, first_text, request)
    has_quotes = separator not in (WHITESPACE, NO_SEPARATOR)
    dialect = Dialect(separator, has_quotes, longest=request.limits.line)
    if layout.header:
        if dialect.parse_record(texts, first_line).fields == list(layout.header):
            shown = printable(first_text, 60)
            message = f"the first line names the columns ({shown}); it has none here"
            raise UnreadableError("S212", message, first_line, help="begin with the first row")
        # Above the first cell, blank lines can belong to rows of a public file.
        body_line = first_line if layout.lines is None else numbers[0]
        header = Record(0, body_line, list(layout.header))
    else:
        header = _find_header(numbers, first_line, dialect, request)
    # If the header fits, these faults are reported when the rows are read.
    faults, sample = Findings(), list[Record]()
    for record in _records(numbers, header.next_line, dialect, texts):
        if record.line >= header.next_line + SAMPLE_LINES or len(sample) == SAMPLE_ROWS:
            break
        if record.fault is not None:
            faults.add(record.fault)
        elif not record.is_empty:
            sample.append(record)
    try:
        match = match_header(header, sample, separator, request)
    except (UnreadableError, ReportedError):
        request.findings.merge(faults)
        raise
    names = header.fields
    positions = {role: names.index(name) for role, name in match.names.items()}
    dialect = _complete_dialect(dialect, len(names), positions, layout)
    keeps_blank_rows = layout.lines is not None
    return FileForm(dialect, header, match, positions, header.next_line, keeps_blank_rows)


def _find_header(
    numbers: pl.Series, first_line: int, dialect: Dialect, request: ReadRequest
) -> Record:
    """Return the first record that is neither blank nor wrong, after reporting those before it."""
    for record in _records(numbers, first_line, dialect, request.texts()):
        if record.fault is not None:
            request.findings.add(record.fault)
            refuse_many_slow_lines(record.next_line - first_line)
        elif not record.is_empty:
            return record
    if request.findings.fatal:
        raise ReportedError
    raise UnreadableError("S102", "no line of the file has a cell that is not empty")


def _records(
    numbers: pl.Series, first_line: int, dialect: Dialect, texts: LineTexts
) -> Iterator[Record]:
    """Yield the records from a line on; `numbers` are the lines on which one can begin."""
    next_line = first_line
    for at in range(int(numbers.search_sorted(first_line)), len(numbers)):
        if numbers[at] >= next_line:
            record = dialect.parse_record(texts, numbers[at])
            next_line = record.next_line
            yield record


def _complete_dialect(
    dialect: Dialect, width: int, positions: Mapping[str, int], layout: Layout
) -> Dialect:
    """Return the dialect of a file whose columns are known.

    The last field takes the rest of a line if it holds several ids with the separator of the
    columns between them. With a separator of one character this holds only if the file has no
    header; under a header, such a field must be quoted.
    """
    # A column whose cells hold several ids has the role cell[...].
    separators = {f"cell[{role}]": separator_of(mark) for role, mark in layout.cells}
    last_role = next((role for role, position in positions.items() if position == width - 1), "")
    cell_separator = separators.get(last_role)
    if dialect.separator in (WHITESPACE, NO_SEPARATOR):
        takes_rest = cell_separator in (WHITESPACE, " ")
    else:
        takes_rest = cell_separator == dialect.separator and bool(layout.header)
    return dialect._replace(
        quotes=dialect.quotes and not takes_rest,
        width=width,
        takes_rest=takes_rest,
        exact_field=positions.get("text") if dialect.quotes else None,
    )


def _split_lines(
    lines: pl.DataFrame, form: FileForm
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Return (plain, quoted, others), without the blank lines.

    Polars can cut the plain lines. The quoted ones hold a quote or a CR, and the others have a
    wrong number of fields.
    """
    dialect, text = form.dialect, pl.col("text")
    separator, width = dialect.separator, dialect.width
    quoted = lines.clear()
    if dialect.quotes:
        quoted, lines = _partition(lines, text.str.contains('["\r]'))
    elif dialect.takes_rest:  # which may be in quotes
        quoted, lines = _partition(lines, text.str.contains('"', literal=True))
    # A line of separators alone is blank, too.
    marks = separator if len(separator) == 1 and not form.keeps_blank_rows else ""
    lines = lines.filter(text.str.contains(f"[^ \t\r{re.escape(marks)}]"))
    if separator == WHITESPACE:
        count = text.str.count_matches(WHITESPACE_FIELD.pattern)
    elif separator == NO_SEPARATOR:
        count = pl.lit(1)
    else:
        count = text.str.count_matches(separator, literal=True) + 1
    plain, others = _partition(lines, count >= width if dialect.takes_rest else count == width)
    return plain, quoted, others


def _partition(lines: pl.DataFrame, condition: pl.Expr) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the lines that meet a condition, and those that do not."""
    is_met = lines.select(condition).to_series()
    return lines.filter(is_met), lines.filter(~is_met)


def _cut_plain(lines: pl.DataFrame, form: FileForm) -> pl.DataFrame:
    """Return the rows of lines without quotes that have all fields."""
    dialect, text = form.dialect, pl.col("text")
    separator, width = dialect.separator, dialect.width
    # The first width - 1 stretches of blanks, one in each pass, become a character that no line
    # holds. Later ones stay: they are inside a last field that takes the rest.
    if separator == WHITESPACE:
        separator = "\0"
        text = text.str.strip_chars(BLANKS)
        for _ in range(width - 1):
            text = text.str.replace("[ \t]+", separator)
    if separator == NO_SEPARATOR or width == 1:
        fields = lines.select("line", text.alias("0"))
    else:
        parts = text.str.splitn(separator, width)
        names = [str(n) for n in range(width)]
        fields = lines.select("line", parts.struct.rename_fields(names)).unnest("text")
    return _select_roles(fields, lines, form)


def _cut_quoted(lines: pl.DataFrame, form: FileForm) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the rows of lines with well-formed quotes, and the lines that are left."""
    dialect = form.dialect
    cell = WELL_FORMED.replace("SEPARATOR", dialect.separator)
    record = f"^{cell}(?:[{dialect.separator}]{cell}){{{dialect.width - 1}}}$"
    good, others = _partition(lines, pl.col("text").str.contains(record))
    # Polars keeps blanks beside quotes, and drops a byte-order mark at the beginning.
    odd, good = _partition(good, pl.col("text").str.contains('"[ \t]|[ \t]"|\ufeff'))
    fields = pl.read_csv(
        good["text"].str.join("\n").item().encode(),
        separator=dialect.separator,
        has_header=False,
        schema={str(n): pl.String for n in range(dialect.width)},
        empty_string_is_null=False,
        raise_if_empty=False,
    )
    rows = _select_roles(fields.insert_column(0, good["line"]), good, form)
    return rows, merge_rows([others, odd])


def _select_roles(fields: pl.DataFrame, lines: pl.DataFrame, form: FileForm) -> pl.DataFrame:
    """Return the columns of the roles, without the blanks round their cells."""
    has_blanks = lines["text"].str.contains("[ \t]").any()
    cells = []
    for role, position in form.positions.items():
        cell = pl.col(str(position))
        if has_blanks and position != form.dialect.exact_field:
            cell = cell.str.strip_chars(form.dialect.field_blanks)
        cells.append(cell.alias(role))
    return fields.select("line", *cells)


def _parse_lines(
    lines: Sequence[int], form: FileForm, request: ReadRequest
) -> tuple[pl.DataFrame, list[int]]:
    """Return the rows of the records that begin on `lines`, and the further lines of the records.

    What is wrong with a record is reported.
    """
    dialect, texts, findings = form.dialect, request.texts(), request.findings
    rows: list[tuple[int, list[str]]] = []
    covered: list[int] = []
    next_line = 0
    for line in lines:
        if line < next_line:
            continue
        record = dialect.parse_record(texts, line)
        next_line = record.next_line
        covered.extend(range(line + 1, next_line))
        count = len(record.fields)
        if record.fault is not None:
            findings.add(record.fault)
        elif record.is_empty and not (form.keeps_blank_rows and count > 1):
            continue
        elif count == dialect.width:
            rows.append((line, record.fields))
        elif not findings.count_if_full("S207"):
            findings.add(_width_problem(record, form))
    columns = {role: [fields[n] for _, fields in rows] for role, n in form.positions.items()}
    return cells_frame([line for line, _ in rows], columns), covered


def _drop_repeated_headers(
    rows: pl.DataFrame, form: FileForm, request: ReadRequest
) -> pl.DataFrame:
    """Return the rows without those that repeat the header, after reporting these.

    A line that repeats a single name is no header: it may be an id.
    """
    if not form.header.line or form.dialect.width < 2:
        return rows
    names = form.match.names.items()  # a byte-order mark begins a file that was put behind others
    is_header = pl.all_horizontal(pl.col(r).str.strip_chars_start("\ufeff") == n for r, n in names)
    for line in rows.filter(is_header)["line"]:
        message = "this line repeats the header; were files put together?"
        request.report("S212", message, line, help="leave it out; score check --fix does")
    return rows.filter(~is_header)


def _width_problem(record: Record, form: FileForm) -> Problem:
    """Return the problem of a record with more or fewer fields than the header has."""
    dialect, width = form.dialect, form.dialect.width
    if record.is_in_quotes(dialect.separator):
        begin = record.places[0]
        return Problem("S207", IN_QUOTES, line=begin[0], column=begin[1], help=LEAVE_OUT_QUOTES)
    message = f"{len(record.fields):,} fields, expected {width:,}"
    line, column, help = record.line, None, None
    if len(record.fields) > width:
        line, column = record.places[width]
        if dialect.quotes:
            help = f"an unquoted {SEPARATOR_NAMES.get(dialect.separator, 'separator')}?"
    numbers = sorted(n for role, n in form.positions.items() if not holds_text(role))
    if dialect.separator == "," and join_decimal_commas(record.fields, numbers, width):
        help = "decimal commas? write points"
    return Problem("S207", message, line=line, column=column, help=help)


FORMAT = Format("csv", write_delimited, read_delimited, read_clean=read_clean_delimited)
