"""Delimited files: CSV and its kin, with a header and one record a row.

Quotes are those of RFC 4180, and blanks round an unquoted field mean nothing. Polars cuts the
plain lines at once. A line with a quote, a stray CR or another number of fields goes through
`parse_record`, which says what is wrong and where.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import polars as pl

from scorer.core.problems import Findings, Problem
from scorer.core.text import printable
from scorer.reading.clean import scan_clean
from scorer.reading.formats import Rows, format
from scorer.reading.header import (
    SAMPLE_ROWS,
    SEPARATOR_NAMES,
    Header,
    SampleRow,
    SchemaMatch,
    find_separator,
    match_header,
    refuse_other_beginnings,
)
from scorer.reading.layout import NO_SEPARATOR, WHITESPACE, Layout, separator_of
from scorer.reading.limits import ReportedError, UnreadableError, refuse_many_careful
from scorer.reading.lines import first_content, read_lines
from scorer.reading.numbers import join_decimal_commas
from scorer.reading.schema import TEXT
from scorer.reading.table import CellPlace, Cells, LineTexts, ReadRequest, cells_frame, merge_rows

BLANKS = " \t"
SAMPLE_LINES = 10_000  # in which the sample is looked for
MOST_RECORD_LINES = 10_000  # of one record
CHUNK_LINES = 1_000_000  # that are cut together, so that their copies stay small
HEAD_LINES = SAMPLE_ROWS + 1  # the header and the rows of the sample, of a clean file
FEWEST_QUOTED = 1_000  # lines with quotes for which polars is asked
FIELD = re.compile(r"[^ \t]+")
QUOTED_REST = re.compile('"[^"]*"')
TWICE = 'a quote inside a quoted value is written twice: ""'
UNCLOSED = ("S208", "the quote opened here is never closed", TWICE)
TEXT_AFTER = ("S208", "text or a blank follows the end of the quote opened here", TWICE)
TAB_BEFORE = ("S208", "a tab stands before the quote opened here", "leave the tab out")
STRAY_RETURN = ("S207", "a CR follows this value, and no LF", "end lines with LF or CRLF")

# A cell, quoted or not, as a regex of polars; FIELD stands for the separator.
WELL_FORMED = r'(?:"(?:[^"\r]|"")*"|[^"\rFIELD]*)'

Place = tuple[int, int]  # a line, from 1, and a character in it, from 1


class Fault(NamedTuple):
    """What is wrong with a record."""

    place: Place
    code: str
    message: str
    help: str | None

    def as_problem(self) -> Problem:
        """Return the problem of the fault."""
        line, column = self.place
        return Problem(self.code, self.message, line=line, column=column, help=self.help)


@dataclass
class Record:
    """The fields of a record, up to a fault if it has one.

    Attributes:
        line: The line on which it begins, from 1.
        next_line: The line after it, or after its fault.
        fields: The text of each field.
        places: Where each field begins, its quote included.
        is_quoted: Whether a field is quoted, so that even an empty one is a cell.
        fault: What is wrong with it.
    """

    line: int
    next_line: int
    fields: list[str]
    places: list[Place]
    is_quoted: bool = False
    fault: Fault | None = None

    @property
    def is_empty(self) -> bool:
        """Whether it has no cell, as blank lines and the last rows of a spreadsheet have none."""
        return not self.is_quoted and not any(self.fields)


@dataclass(frozen=True)
class Dialect:
    """How the lines of a file are cut into fields.

    Attributes:
        separator: One character, `whitespace` or `none`.
        quotes: Whether fields can be quoted; else a line is cut by its separators alone.
        width: How many fields a record has; 0 if that is not known yet.
        takes_rest: Whether the last field takes the rest of the line, which holds separators.
        exact_field: The field, from 0, that keeps the blanks round it: a text; None if there is
            none.
        longest: How many characters a record of several lines may have.
    """

    separator: str
    quotes: bool = True
    width: int = 0
    takes_rest: bool = False
    exact_field: int | None = None
    longest: int = 1024**2

    @property
    def field_blanks(self) -> str:
        """The characters that mean nothing round a field."""
        return " " if self.separator == "\t" and self.quotes else BLANKS

    def parse_record(self, texts: LineTexts, line: int) -> Record:
        """Return the record that begins on a line.

        Args:
            texts: The texts of all lines; that of line n stands at n - 1.
            line: The line, from 1.
        """
        text = texts[line - 1]
        if not self.quotes:
            return self._cut_unquoted(text, line)
        if '"' not in text and "\r" not in text:
            return self._cut_plain(text, line)
        return _RecordParser(self, texts, line).parse()

    def _cut_plain(self, text: str, line: int) -> Record:
        fields, places, start = [], [], 0
        for n, field in enumerate(text.split(self.separator)):
            bare = field.strip(self.field_blanks)
            fields.append(field if n == self.exact_field else bare)
            places.append((line, _bare_start(field, start, self.field_blanks)))
            start += len(field) + 1
        return Record(line, line + 1, fields, places)

    def _cut_unquoted(self, text: str, line: int) -> Record:
        """Return the record of a line that is cut by its separators alone."""
        most = self.width - 1 if self.takes_rest else -1
        if self.separator == NO_SEPARATOR:
            spans = [(0, len(text))]
        elif self.separator == WHITESPACE:
            spans = [match.span() for match in FIELD.finditer(text)]
        else:
            ends = [*(m.start() for m in re.finditer(re.escape(self.separator), text)), len(text)]
            spans = list(zip([0, *(end + 1 for end in ends)], ends, strict=False))
        if most >= 0 and len(spans) > most + 1:
            spans = [*spans[:most], (spans[most][0], len(text))]
        fields = [text[start:end].strip(BLANKS) for start, end in spans]
        if self.takes_rest and len(fields) == self.width and QUOTED_REST.fullmatch(fields[-1]):
            fields[-1] = fields[-1][1:-1]  # as pandas writes it
        places = [(line, _bare_start(text[start:end], start, BLANKS)) for start, end in spans]
        return Record(line, line + 1, fields, places)


def _bare_start(field: str, start: int, blanks: str) -> int:
    """Return the first character, from 1, of a field that is not blank; of a blank one its end."""
    return start + len(field) - len(field.lstrip(blanks)) + 1


class _RecordParser:
    """Parses one record with quotes, which may go on in the lines below."""

    def __init__(self, dialect: Dialect, texts: LineTexts, line: int) -> None:
        self.dialect, self.texts, self.line = dialect, texts, line
        self.text = texts[line - 1]
        self.at = 0  # in the text of the current line
        self.size = len(self.text)  # characters of the record so far
        self.record = Record(line, line + 1, [], [])

    def parse(self) -> Record:
        """Return the record."""
        record, separator = self.record, self.dialect.separator
        while record.fault is None:
            self._parse_field()
            if self.text[self.at : self.at + 1] != separator:
                break
            self.at += 1
        record.next_line = self.line + 1
        return record

    def _parse_field(self) -> None:
        text, start, blanks = self.text, self.at, self.dialect.field_blanks
        is_exact = len(self.record.fields) == self.dialect.exact_field
        first = start
        while not is_exact and text[first : first + 1] in tuple(blanks):
            first += 1
        if text[first : first + 1] == '"':
            if "\t" in text[start:first] and "\t" in blanks:
                self._add_fault(TAB_BEFORE, first)
            else:
                self._parse_quoted(first)
            return
        end = text.find(self.dialect.separator, start)
        end = len(text) if end < 0 else end
        field = text[start:end]
        if "\r" in field:
            self._add_fault(STRAY_RETURN, first)
            return
        self._add_field(field if is_exact else field.strip(blanks), first)
        self.at = end

    def _parse_quoted(self, first: int) -> None:
        """Add the field whose quote is opened at a character of the current line."""
        opened = (self.line, first)
        pieces, at = [], first + 1
        while True:
            end = self.text.find('"', at)
            if end < 0:
                pieces.append(self.text[at:])
                if not self._next_line():
                    self.line = opened[0]
                    self._add_fault(UNCLOSED, first)
                    return
                pieces.append("\n")
                at = 0
            elif self.text[end + 1 : end + 2] == '"':
                pieces.append(self.text[at : end + 1])
                at = end + 2
            else:
                pieces.append(self.text[at:end])
                self.at = end + 1
                break
        following = self.text[self.at : self.at + 1]
        if following in ("", self.dialect.separator):
            self._add_field("".join(pieces), first, opened[0])
            self.record.is_quoted = True
            return
        self.line = opened[0]
        self._add_fault(STRAY_RETURN if following == "\r" else TEXT_AFTER, first)

    def _next_line(self) -> bool:
        """Go to the next line of the record; return False if it may not have one more."""
        if self.line >= len(self.texts) or self.line - self.record.line >= MOST_RECORD_LINES:
            return False
        self.text = self.texts[self.line]
        self.line += 1
        self.size += len(self.text) + 1
        return self.size <= self.dialect.longest

    def _add_field(self, field: str, first: int, line: int = 0) -> None:
        self.record.fields.append(field)
        self.record.places.append((line or self.line, first + 1))

    def _add_fault(self, fault: tuple[str, str, str], first: int) -> None:
        place = self.line, first + 1
        self.record.places.append(place)
        self.record.fault = Fault(place, *fault)


@dataclass(frozen=True)
class Start:
    """What the first lines of a file say of all others.

    Attributes:
        dialect: How the lines are cut.
        header: The names of the columns.
        match: The schema and the roles.
        positions: role -> its column, from 0.
        body_line: The first line that can be a row.
        keeps_empty: Whether a line of separators alone is a row: lines stand for those of a public
            file then, so that none may be left out.
    """

    dialect: Dialect
    header: Header
    match: SchemaMatch
    positions: Mapping[str, int]
    body_line: int
    keeps_empty: bool = False

    def is_row(self, record: Record) -> bool:
        """Return whether a record is a row."""
        return not record.is_empty or (self.keeps_empty and len(record.fields) > 1)

    def find_cells(self, texts: LineTexts, line: int, role: str) -> list[CellPlace]:
        """Return the cell of a role in the record that begins on a line."""
        if role not in self.positions:
            return []
        record = self.dialect.parse_record(texts, line)
        position = self.positions[role]
        return [CellPlace(record.fields[position], *record.places[position])]

    def as_cells(self, frame: pl.DataFrame) -> Cells:
        """Return the cells of the rows of the file."""
        return Cells(
            frame,
            self.match.schema,
            tuple(self.header.names),
            find_cells=self.find_cells,
            first_line=self.body_line,
        )


def read_clean_delimited(data: bytes, request: ReadRequest) -> Cells | None:
    """Return the cells of a delimited file, or None if the file is not clean.

    The problems of the header are reported if the file is clean.

    Args:
        data: The unpacked file, without a byte-order mark.
        request: What is asked of the file.
    """
    layout = request.layout
    # Between quotes, separators and line ends belong to the cell.
    if b'"' in data or layout.skip or layout.comment or layout.lines:
        return None
    findings = Findings(request.findings.path)
    try:
        lines = read_lines(_first_lines(data, HEAD_LINES), findings, request.limits)
        head = request._replace(findings=findings, texts=lambda: lines["text"])
        start = read_start(lines, head)
    except (UnreadableError, ReportedError):
        return None
    if not start.dialect.quotes or start.body_line != (1 if layout.header else 2):
        return None
    frame = scan_clean(
        data,
        start.dialect.separator,
        len(start.header.names),
        start.positions,
        request.limits,
        first_line=start.body_line,
    )
    if frame is None:
        return None
    request.findings.merge(findings)
    return start.as_cells(frame)


def _first_lines(data: bytes, count: int) -> bytes:
    end = 0
    for _ in range(count):
        end = data.find(b"\n", end) + 1
        if not end:
            return data
    return data[:end]


def write_delimited(rows: Rows, columns: Mapping[str, str]) -> bytes:
    """Return a header, and a line for each row."""
    # Blanks round a cell without quotes mean nothing.
    is_bare = all(str(cell) == str(cell).strip() for row in rows for cell in row.values())
    text = io.StringIO()
    quoting: Literal[0, 1] = csv.QUOTE_MINIMAL if is_bare else csv.QUOTE_ALL
    lines = csv.writer(text, lineterminator="\n", quoting=quoting)
    roles = list(rows[0]) if rows else ["list", "item"]
    lines.writerow([columns.get(role, role) for role in roles])
    lines.writerows([row[role] for role in roles] for row in rows)
    return text.getvalue().encode()


@format("csv", ".csv", ".tsv", ".txt", read_clean=read_clean_delimited, write=write_delimited)
def read_delimited(lines: pl.DataFrame, request: ReadRequest) -> Cells:
    """Return the cells of a delimited file.

    Args:
        lines: `line` and `text` of each physical line that the layout does not leave out.
        request: What is asked of the file.
    """
    start = read_start(lines, request)
    body = lines.filter(pl.col("line") >= start.body_line)
    frames = [_empty_frame(start)]
    others: list[pl.Series] = []
    for chunk in body.iter_slices(CHUNK_LINES):
        plain, quoted, odd = _split_lines(chunk, start)
        rows, left = _cut_quoted(quoted, start)
        frames += [_cut_plain(plain, start), rows]
        others += [odd["line"], left["line"]]
    odd_lines = sorted(line for lines_of_chunk in others for line in lines_of_chunk)
    refuse_many_careful(len(odd_lines))
    parsed, covered = _parse_lines(odd_lines, start, request)
    if covered:  # they are inside records that begin above them
        frames = [frame.filter(~pl.col("line").is_in(covered)) for frame in frames]
    return start.as_cells(merge_rows([*frames, parsed]))


def read_start(lines: pl.DataFrame, request: ReadRequest) -> Start:
    """Return what the first lines of a file say, after reporting what is wrong with them.

    Args:
        lines: `line` and `text` of each line that the layout does not leave out.
        request: What is asked of the file.

    Raises:
        ReportedError: There is no header, or it fits no schema, as the findings say.
        UnreadableError: The same, with a problem.
    """
    layout, texts = request.layout, request.texts()
    first_line, first_text = first_content(lines)
    if not layout.header:
        refuse_other_beginnings(first_line, first_text, request)
    is_lone = len(layout.header) == 1 and not layout.separator
    separator = NO_SEPARATOR if is_lone else find_separator(first_line, first_text, request)
    longest = request.limits.line
    dialect = Dialect(separator, separator not in (WHITESPACE, NO_SEPARATOR), longest=longest)
    numbers = lines["line"]
    if layout.header:
        _refuse_named_columns(dialect.parse_record(texts, first_line), first_text, layout)
        header, body_line = Header(layout.header, "", None), first_line
    else:
        record = _find_header(numbers, first_line, dialect, request)
        text = "\n".join(texts[record.line - 1 : record.next_line - 1])
        header = Header(record.fields, text, record.line, record.places)
        body_line = record.next_line
    faults = Findings()
    sample = _sample_rows(numbers, body_line, dialect, texts, faults)
    try:
        match = match_header(header, sample, separator, request)
    except (UnreadableError, ReportedError):
        request.findings.merge(faults)
        raise
    names = list(header.names)
    positions = {role: names.index(match.schema.column_name(role)) for role in match.roles}
    dialect = _complete_dialect(dialect, len(names), positions, layout)
    return Start(dialect, header, match, positions, body_line, layout.lines is not None)


def _refuse_named_columns(first: Record, text: str, layout: Layout) -> None:
    """Raise UnreadableError if the first line names the columns that the layout names."""
    if first.fields == list(layout.header):
        message = f"the first line names the columns ({printable(text, 60)}); it has none here"
        help = "begin with the first row"
        raise UnreadableError("S212", message, line=first.line, help=help)


def _find_header(
    numbers: pl.Series, first_line: int, dialect: Dialect, request: ReadRequest
) -> Record:
    """Return the first record that is neither blank nor wrong, after reporting those before it."""
    for record in _records(numbers, first_line, dialect, request.texts()):
        if record.fault is not None:
            request.findings.add(record.fault.as_problem())
            refuse_many_careful(record.line - first_line)
        elif not record.is_empty:
            return record
    if request.findings.fatal:
        raise ReportedError
    raise UnreadableError("S102", "no line of the file has a cell that is not empty")


def _sample_rows(
    numbers: pl.Series, body_line: int, dialect: Dialect, texts: LineTexts, findings: Findings
) -> list[SampleRow]:
    """Return the first records that are neither blank nor wrong, after reporting the wrong ones."""
    sample: list[SampleRow] = []
    for record in _records(numbers, body_line, dialect, texts):
        if len(sample) == SAMPLE_ROWS or record.line >= body_line + SAMPLE_LINES:
            break
        if record.fault is not None:
            findings.add(record.fault.as_problem())
        elif not record.is_empty:
            sample.append(SampleRow(record.fields, record.places))
    return sample


def _records(
    numbers: pl.Series, first_line: int, dialect: Dialect, texts: LineTexts
) -> Iterator[Record]:
    """Yield the records that begin on some lines, from one of these on."""
    next_line = first_line
    at = int(numbers.search_sorted(first_line))
    while at < len(numbers):
        line = numbers[at]
        if line >= next_line:
            record = dialect.parse_record(texts, line)
            next_line = record.next_line
            yield record
        at += 1


def _complete_dialect(
    dialect: Dialect, width: int, positions: Mapping[str, int], layout: Layout
) -> Dialect:
    """Return the dialect of a file whose columns are known.

    The last field takes the rest of a line if it holds several ids with the separator of the
    columns between them.
    """
    separators = {f"cell[{role}]": separator_of(mark) for role, mark in layout.cells}
    last_role = next((role for role, position in positions.items() if position == width - 1), "")
    inner = separators.get(last_role)
    takes_rest = inner is not None and (
        inner in (WHITESPACE, " ")
        if dialect.separator in (WHITESPACE, NO_SEPARATOR)
        else inner == dialect.separator and bool(layout.header)
    )
    return replace(
        dialect,
        quotes=dialect.quotes and not takes_rest,
        width=width,
        takes_rest=takes_rest,
        exact_field=positions.get("text") if dialect.quotes else None,
    )


def _split_lines(
    lines: pl.DataFrame, start: Start
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Return the lines that polars can cut, those with quotes, and the other ones of rows."""
    dialect, text = start.dialect, pl.col("text")
    separator, width = dialect.separator, dialect.width
    quoted = lines.clear()
    if dialect.quotes or dialect.takes_rest:
        quoted, lines = _partition(lines, text.str.contains('["\r]' if dialect.quotes else '"'))
    marks = separator if len(separator) == 1 and not start.keeps_empty else ""
    lines = lines.filter(text.str.contains(f"[^ \t\r{re.escape(marks)}]"))
    if separator == WHITESPACE:
        count = text.str.count_matches(FIELD.pattern)
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


def _cut_plain(lines: pl.DataFrame, start: Start) -> pl.DataFrame:
    """Return the rows of lines without quotes that have all fields."""
    dialect, text = start.dialect, pl.col("text")
    separator, width = dialect.separator, dialect.width
    if separator == WHITESPACE:  # each run of blanks becomes a character that no line holds
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
    return _select_roles(fields, lines, start)


def _cut_quoted(lines: pl.DataFrame, start: Start) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the rows of lines with well-formed quotes, and the lines that are left."""
    dialect = start.dialect
    if lines.height < FEWEST_QUOTED or not dialect.quotes:
        return _empty_frame(start), lines
    field = WELL_FORMED.replace("FIELD", dialect.separator)
    record = f"^{field}(?:[{dialect.separator}]{field}){{{dialect.width - 1}}}$"
    good, others = _partition(lines, pl.col("text").str.contains(record))
    # Polars keeps blanks beside quotes, and drops a byte-order mark at the beginning.
    beside, good = _partition(good, pl.col("text").str.contains('"[ \t]|[ \t]"|\ufeff'))
    fields = pl.read_csv(
        good["text"].str.join("\n").item().encode(),
        separator=dialect.separator,
        has_header=False,
        schema={str(n): pl.String for n in range(dialect.width)},
        empty_string_is_null=False,
        raise_if_empty=False,
    )
    rows = _select_roles(fields.insert_column(0, good["line"]), good, start)
    return rows, merge_rows([others, beside])


def _select_roles(fields: pl.DataFrame, lines: pl.DataFrame, start: Start) -> pl.DataFrame:
    """Return the columns of the roles, without the blanks round their cells."""
    has_blanks = lines["text"].str.contains("[ \t]").any()
    cells = []
    for role, position in start.positions.items():
        cell = pl.col(str(position))
        if has_blanks and position != start.dialect.exact_field:
            cell = cell.str.strip_chars(start.dialect.field_blanks)
        cells.append(cell.alias(role))
    return fields.select("line", *cells)


def _empty_frame(start: Start) -> pl.DataFrame:
    return pl.DataFrame(schema={"line": pl.UInt32} | dict.fromkeys(start.positions, pl.String))


def _parse_lines(
    lines: Sequence[int], start: Start, request: ReadRequest
) -> tuple[pl.DataFrame, list[int]]:
    """Return the rows of the records that begin on some lines, and the other lines of these.

    What is wrong with a record is reported.
    """
    rows: list[tuple[int, list[str]]] = []
    covered: list[int] = []
    next_line = 0
    texts = request.texts()
    for line in lines:
        if line < next_line:
            continue
        record = start.dialect.parse_record(texts, line)
        next_line = record.next_line
        covered.extend(range(line + 1, next_line))
        if record.fault is not None:
            if not request.findings.count_if_full(record.fault.code):
                request.findings.add(record.fault.as_problem())
        elif not start.is_row(record):
            continue
        elif len(record.fields) != start.dialect.width:
            if not request.findings.count_if_full("S207"):
                request.findings.add(_width_problem(record, start))
        else:
            rows.append((line, record.fields))
    columns = {
        role: [fields[position] for _, fields in rows] for role, position in start.positions.items()
    }
    return cells_frame([line for line, _ in rows], columns), covered


def _width_problem(record: Record, start: Start) -> Problem:
    """Return the problem of a record with more or fewer fields than the header has."""
    dialect, width = start.dialect, start.dialect.width
    message = f"{len(record.fields):,} fields, expected {width:,}"
    line, column, help = record.line, None, None
    if len(record.fields) > width:
        line, column = record.places[width]
        if dialect.quotes:
            help = f"an unquoted {SEPARATOR_NAMES.get(dialect.separator, 'separator')}?"
    numbers = sorted(n for role, n in start.positions.items() if role not in TEXT)
    if dialect.separator == "," and join_decimal_commas(record.fields, numbers, width):
        help = "decimal commas? write points"
    return Problem("S207", message, line=line, column=column, help=help)
