"""Long CSV: a header, then one row for each (list, item)."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from csv import Error, field_size_limit, reader
from functools import cache
from itertools import chain, islice

from scorer.core.problems import Findings, Problem
from scorer.core.text import printable, quoted
from scorer.io.formats.base import (
    COMPRESSED,
    SAMPLE,
    Request,
    Unused,
    format,
    resolve,
    tell_unused,
)
from scorer.io.limits import Bounds
from scorer.io.lines import count_only, lines
from scorer.io.table import DECIMAL, Builder, Schema, Table

MOST_LINES = 10_000  # of one record
BLANKS = {",": " \t", ";": " \t", "|": " \t", "\t": " "}  # that are nothing round a field
MARKS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar"}
QUOTES = 'a quote inside a quoted value is written twice: ""'
FAULTS = (  # words of the csv module, and ours
    ("end of data", "S208", "the quote opened here is never closed", QUOTES),
    ("expected after", "S208", "text or a blank follows the end of the quote opened here", QUOTES),
    ("a tab", "S208", "a tab stands before the quote opened here", "leave the tab out"),
    ("new-line", "S207", "a CR follows this value, and no LF", "end lines with LF or CRLF"),
    ("", "S208", "this value cannot be read", QUOTES),
)

Line = tuple[int, str]
Record = tuple[int, list[str], str]  # line, fields, and the text they were cut from
Start = tuple[int, int]  # of a field: lines below the record's first, character from 1


@format("csv", ".csv", ".tsv", ".txt")
def csv(request: Request) -> Table | None:
    """Read a header and rows; quotes as in RFC 4180, blanks round unquoted fields are nothing.

    Columns are separated by commas, in a file called .tsv by tabs. The csv module cuts them.
    """
    before = field_size_limit()  # of the whole process, and less than a line may have
    field_size_limit(min(max(before, request.limits.line + MOST_LINES), 2**31 - 1))
    try:
        return _table(request)
    finally:
        field_size_limit(before)


def _table(request: Request) -> Table | None:
    findings = request.findings
    source = lines(request.stream, request.limits, findings)
    first = next((line for line in source if line[1].strip(" \t")), None)
    if first is None:
        findings.add(Problem("S102", "the file holds nothing but blank lines"))
        return None
    separator = _separator(first, request)
    records = _records(chain([first], source), separator, findings, request.limits)
    header = next(records, None)
    sample = list(islice(records, SAMPLE))
    found = _header(*header, sample, separator, request) if header is not None else None
    if header is None or found is None:
        return None
    shape, roles = found
    names = header[1]
    places = [names.index(shape.called(role)) for role in roles]

    def place(raw: str, n: int) -> Start:
        return _start(raw, separator, places[n])

    builder = Builder(shape, roles, findings, request.limits, place)
    builder.facts["columns"] = tuple(names)
    width = len(names)
    for line, fields, raw in chain(sample, records):
        if len(fields) == width:
            builder.row(line, [fields[place] for place in places], raw)
        elif not count_only(findings, "S207"):
            message = f"{len(fields):,} fields, expected {width:,}"
            more = len(fields) > width
            below, column = _start(raw, separator, width) if more else (0, None)
            hint = f"an unquoted {MARKS[separator]}?" if more else None
            findings.add(Problem("S207", message, line=line + below, column=column, help=hint))
    return builder.table()


def _header(
    line: int,
    names: list[str],
    raw: str,
    sample: Sequence[Record],
    separator: str,
    request: Request,
) -> tuple[Schema, tuple[str, ...]] | None:
    """The shape that the header fits and the roles it has, after telling what is odd about it."""
    findings, starts = request.findings, [start for start, _ in _starts(raw, separator)]
    wanted = {shape.called(role) for shape in request.wanted for role in shape.roles}
    if wanted.isdisjoint(names) and any(map(DECIMAL.fullmatch, re.split(r"[,;|\s]+", raw))):
        message = f"no header; the first line looks like data ({printable(raw.strip(), 60)})"
        shape = request.wanted[0]
        first = separator.join(shape.called(role) for role in shape.required)
        hint = f"begin the file with the names of its columns: {printable(first)}"
        findings.add(Problem("S202", message, line=line, help=hint))
        return None
    if not names[0]:
        message, hint = "unnamed first column; a pandas index?", "write with to_csv(index=False)"
        findings.add(Problem("S203", message, line=line, column=1, help=hint))
    places: dict[str, list[int]] = {}
    for n, name in enumerate(names):
        places.setdefault(name, []).append(n)
    for name, at in places.items():
        if name and len(at) > 1 and not count_only(findings, "S204"):
            times = "twice" if len(at) == 2 else f"{len(at):,} times"
            where = " and ".join(str(n + 1) for n in at[:2]) + (", ..." if len(at) > 2 else "")
            message = f"column {quoted(name)} appears {times} (columns {where})"
            below, column = starts[at[1]]
            findings.add(Problem("S204", message, line=line + below, column=column))
    found = resolve(names, request, line)
    if found is not None:
        used = {found[0].called(role) for role in found[1]}
        unused = [
            Unused(
                name,
                line + below,
                column,
                [fields[n] for _, fields, _ in sample if len(fields) == len(names)],
                None if name else f"{n + 1:,}, which has no name,",
            )
            for n, (name, (below, column)) in enumerate(zip(names, starts, strict=True))
            if name not in used and (name or n)
        ]
        tell_unused(request, *found, names, unused)
    return found


def _separator(first: Line, request: Request) -> str:
    """What separates the columns; told where it is not what should."""
    line, text = first
    suffixes = [s.lower() for s in request.path.suffixes if s.lower() not in COMPRESSED]
    expected = "\t" if suffixes[-1:] == [".tsv"] else ","
    names = {shape.called(role) for shape in request.wanted for role in shape.roles}
    other = next((mark for mark in MARKS if mark in text), None)
    if expected in text or other is None or text.strip(" \t") in names:
        return expected
    message = f"columns are separated by {quoted(other)}, expected {quoted(expected)}"
    hint = "write with sep=',', or call the file .tsv" if other == "\t" else None
    column = text.index(other) + 1
    request.findings.add(Problem("S206", message, line=line, column=column, help=hint))
    return other


def _records(
    source: Iterator[Line], separator: str, findings: Findings, limits: Bounds
) -> Iterator[Record]:
    """Line, fields and text of each record that is not blank.

    After a quote that is never closed, reading goes on in the next line. That is
    linear: the lines in between hold no single quote, so none of them can open one.
    """
    again: deque[Line] = deque()
    taken: list[Line] = []  # of the record that is being read

    def fed() -> Iterator[str]:
        size = 0
        while line := again.popleft() if again else next(source, None):
            size = len(line[1]) + (size if taken else 0)
            if taken and (size > limits.line or len(taken) > MOST_LINES):
                again.appendleft(line)
                return
            taken.append(line)
            yield line[1] + "\n"

    while True:
        try:
            for fields in reader(fed(), delimiter=separator, skipinitialspace=True, strict=True):
                line, raw = taken[0]
                if len(taken) > 1:
                    raw = "\n".join(text for _, text in taken)
                if " " in raw or "\t" in raw:
                    fields = _bare(fields, raw, separator)
                if len(fields) > 1 or any(fields) or '"' in raw:
                    yield line, fields, raw
                taken.clear()
            return
        except Error as error:
            raw = "\n".join(text for _, text in taken)
            [((below, column), _)] = deque(_starts(raw, separator), maxlen=1)
            again.extendleft(reversed(taken[below + 1 :]))
            line = taken[0][0] + below
            taken.clear()
            _, code, message, hint = next(fault for fault in FAULTS if fault[0] in str(error))
            if not count_only(findings, code):
                findings.add(Problem(code, message, line=line, column=column, help=hint))


def _bare(fields: list[str], raw: str, separator: str) -> list[str]:
    """The fields without the blanks round those that are not quoted.

    Raises:
        Error: a quote is opened after a tab, which the csv module takes for text.
    """
    bare = [field.strip(BLANKS[separator]) for field in fields]
    if '"' in raw and bare != fields:
        for n, (_, quoted) in enumerate(_starts(raw, separator)):
            if quoted:
                bare[n] = fields[n]
            elif bare[n].startswith('"'):
                raise Error("a tab")
    return bare


def _start(raw: str, separator: str, n: int) -> Start:
    """Where the n-th field of a record starts."""
    return next(islice(_starts(raw, separator), n, None))[0]


def _starts(raw: str, separator: str) -> Iterator[tuple[Start, bool]]:
    """Where each field of a record starts, and whether it is quoted; a bad one is the last."""
    field, at, below, newline = _field(separator), 0, 0, -1
    while True:
        found = field.match(raw, at)
        assert found is not None  # it matches anything
        quoted, end = found.lastindex == 1, found.end()
        yield (below, found.start(1 if quoted else 2) - newline), quoted
        if raw[end : end + 1] != separator:
            return
        if quoted:
            below += raw.count("\n", at, end)
            newline = max(newline, raw.rfind("\n", at, end))
        at = end + 1


@cache
def _field(separator: str) -> re.Pattern[str]:
    """A field and the blanks before it; nothing of one whose quote is bad."""
    quoted = rf'("[^"]*+(?:""[^"]*+)*+")(?![^{separator}\r\n])'
    return re.compile(rf' *+{quoted}|[{BLANKS[separator]}]*+((?!")[^{separator}\r\n]*+|)')
