"""Long CSV: a header, then one row for each (list, item)."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from itertools import islice

from scorer.columns import DECIMAL, Builder, Table, Wanted
from scorer.errors import Findings, Problem, quoted, shown
from scorer.streams import Bounds, enough, lines
from scorer.tables import COMPRESSED, Request, format, resolve

MOST_LINES = 10_000  # of one record
BLANKS = {",": " \t", ";": " \t", "|": " \t", "\t": " "}  # that are nothing round a field
MARKS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar"}
IN_QUOTES = re.compile(r'([^"]*+(?:""[^"]*+)*+)("?)')

Line = tuple[int, str]
Starts = list[tuple[int, int]]  # of each field: lines below the record's first, character from 1


@format("csv", ".csv", ".tsv", ".txt")
def csv(request: Request) -> Table | None:
    """Read a header and rows; quotes as in RFC 4180, blanks round unquoted fields are nothing.

    Columns are separated by commas, in a file called .tsv by tabs.
    """
    findings = request.findings
    source = _Source(lines(request.stream, request.limits, findings))
    first = next((line for line in source if line[1].strip(" \t")), None)
    if first is None:
        findings.add(Problem("S102", "the file holds nothing but blank lines"))
        return None
    source.put_back([first])
    separator = _separator(first, request)
    records = _records(source, separator, findings, request.limits)
    header = next(records, None)
    found = _header(*header, separator, request) if header is not None else None
    if header is None or found is None:
        return None
    shape, roles = found
    names = header[1]
    places = [names.index(shape.called(role)) for role in roles]

    def place(raw: str, n: int) -> tuple[int, int]:
        return _split(raw, separator)[1][places[n]]

    builder = Builder(shape, roles, findings, request.limits, place)
    builder.facts["columns"] = tuple(names)
    width = len(names)
    for line, fields, raw in records:
        if len(fields) == width:
            builder.row(line, [fields[place] for place in places], raw)
        elif not enough(findings, "S207"):
            said = f"{len(fields):,} fields, expected {width:,}"
            more = len(fields) > width
            below, column = _split(raw, separator)[1][width] if more else (0, None)
            hint = f"an unquoted {MARKS[separator]}?" if more else None
            findings.add(Problem("S207", said, line=line + below, column=column, help=hint))
    return builder.table()


def _header(
    line: int, names: list[str], raw: str, separator: str, request: Request
) -> tuple[Wanted, tuple[str, ...]] | None:
    """The shape that the header fits and the roles it has, after telling what is odd about it."""
    findings, starts = request.findings, _split(raw, separator)[1]
    wanted = {shape.called(role) for shape in request.wanted for role in shape.roles}
    if wanted.isdisjoint(names) and any(map(DECIMAL.fullmatch, re.split(r"[,;|\s]+", raw))):
        said = f"no header; the first line looks like data ({shown(raw.strip(), 60)})"
        shape = request.wanted[0]
        first = separator.join(shape.called(role) for role in shape.required)
        hint = f"begin the file with the names of its columns: {shown(first)}"
        findings.add(Problem("S202", said, line=line, help=hint))
        return None
    if not names[0]:
        said, hint = "unnamed first column; a pandas index?", "write with to_csv(index=False)"
        findings.add(Problem("S203", said, line=line, column=1, help=hint))
    places: dict[str, list[int]] = {}
    for n, name in enumerate(names):
        places.setdefault(name, []).append(n)
    for name, at in places.items():
        if name and len(at) > 1:
            times = "twice" if len(at) == 2 else f"{len(at):,} times"
            where = " and ".join(str(n + 1) for n in at[:2]) + (", ..." if len(at) > 2 else "")
            said = f"column {quoted(name)} appears {times} (columns {where})"
            below, column = starts[at[1]]
            findings.add(Problem("S204", said, line=line + below, column=column))
    found = resolve(names, request, line)
    if found is not None:
        used = {found[0].called(role) for role in found[1]}
        for n, (name, (below, column)) in enumerate(zip(names, starts, strict=True)):
            if name not in used and (name or n):
                called = quoted(name) if name else f"{n + 1:,}, which has no name,"
                said = f"column {called} is not used"
                findings.add(Problem("S205", said, "warning", None, line + below, column))
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
    said = f"columns are separated by {quoted(other)}, expected {quoted(expected)}"
    hint = "write with sep=',', or call the file .tsv" if other == "\t" else None
    column = text.index(other) + 1
    request.findings.add(Problem("S206", said, line=line, column=column, help=hint))
    return other


class _Source:
    """Lines that can be put back."""

    def __init__(self, lines: Iterator[Line]) -> None:
        self._lines = lines
        self._again: deque[Line] = deque()

    def __iter__(self) -> _Source:
        return self

    def __next__(self) -> Line:
        return self._again.popleft() if self._again else next(self._lines)

    def put_back(self, lines: list[Line]) -> None:
        """Give these lines again, before all others."""
        self._again.extendleft(reversed(lines))


class _BadQuote(Exception):
    """A quote that is not closed as it should be, with its place in the record."""

    def __init__(self, message: str, place: tuple[int, int]) -> None:
        self.place = place
        super().__init__(message)


def _records(
    source: _Source, separator: str, findings: Findings, limits: Bounds
) -> Iterator[tuple[int, list[str], str]]:
    """Line, fields and text of each record that is not blank.

    After a quote that is never closed, reading goes on in the next line. That is
    linear: the lines in between hold no single quote, so none of them can open one.
    """
    blanks = BLANKS[separator]
    for line, text in source:
        if '"' not in text:
            fields = text.split(separator)
            if " " in text or "\t" in text:
                fields = [field.strip(blanks) for field in fields]
            if len(fields) > 1 or fields[0]:
                yield line, fields, text
            continue
        taken = [(line, text)]
        try:
            fields, _ = _fields(text, separator, _more(source, taken, limits.line))
        except _BadQuote as error:
            below, column = error.place
            source.put_back(taken[below + 1 :])
            if enough(findings, "S208"):
                continue
            hint = 'a quote inside a quoted value is written twice: ""'
            findings.add(Problem("S208", str(error), line=line + below, column=column, help=hint))
        else:
            yield line, fields, "\n".join(text for _, text in taken)


def _more(source: _Source, taken: list[Line], room: int) -> Iterator[str]:
    """The lines that a record may go on in, remembered in `taken`."""
    for line in islice(source, MOST_LINES):
        taken.append(line)
        room -= len(line[1]) + 1
        if room < 0:
            return
        yield line[1]


def _split(raw: str, separator: str) -> tuple[list[str], Starts]:
    """The fields of a whole record, and where each starts."""
    text, *rest = raw.split("\n")
    return _fields(text, separator, iter(rest))


def _fields(text: str, separator: str, more: Iterator[str]) -> tuple[list[str], Starts]:
    """The fields of a record that begins with this line, and where each starts.

    Raises:
        _BadQuote: a quote is opened that the lines to come do not close.
    """
    blanks = BLANKS[separator]
    fields: list[str] = []
    starts: Starts = []
    below = at = 0
    while True:
        begin = _after(blanks, text, at)
        starts.append((below, begin + 1))
        if text.startswith('"', begin):
            part = IN_QUOTES.match(text, begin + 1)
            parts = []
            while part and not part[2]:
                parts.append(part[1])
                following = next(more, None)
                if following is None:
                    raise _BadQuote("the quote opened here is never closed", starts[-1])
                text, below = following, below + 1
                part = IN_QUOTES.match(text)
            assert part is not None  # it matches anything
            parts.append(part[1])
            fields.append("\n".join(parts).replace('""', '"'))
            end = _after(blanks, text, part.end())
            if end < len(text) and text[end] != separator:
                said = "text follows the end of the quote opened here"
                raise _BadQuote(said, starts[-1])
        else:
            end = text.find(separator, begin)
            end = end if end >= 0 else len(text)
            fields.append(text[begin:end].rstrip(blanks))
        if end == len(text):
            return fields, starts
        at = end + 1


def _after(blanks: str, text: str, at: int) -> int:
    """The first place from `at` on that holds no blank."""
    while at < len(text) and text[at] in blanks:
        at += 1
    return at
