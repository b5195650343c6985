"""The fields of CSV records, cut with the csv module, and where each begins."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from csv import Error, reader
from functools import cache
from itertools import islice

from scorer.bytes.limits import ReadLimits
from scorer.bytes.lines import count_only
from scorer.core.problems import Findings, Problem
from scorer.formats.blocks import Lines

MOST_LINES = 10_000  # of one record
FIELD_BLANKS = {",": " \t", ";": " \t", "|": " \t", "\t": " "}  # that are nothing round a field
QUOTES = 'a quote inside a quoted value is written twice: ""'
FAULTS = (  # words of the csv module, and ours
    ("end of data", "S208", "the quote opened here is never closed", QUOTES),
    ("expected after", "S208", "text or a blank follows the end of the quote opened here", QUOTES),
    ("a tab", "S208", "a tab stands before the quote opened here", "leave the tab out"),
    ("new-line", "S207", "a CR follows this value, and no LF", "end lines with LF or CRLF"),
    ("", "S208", "this value cannot be read", QUOTES),
)


Record = tuple[int, list[str], str]  # line, fields, and the text they were cut from
Start = tuple[int, int | None]  # of a field: lines below the record's first, character from 1
CLOSED = re.compile(r' *+"[^"]*+(?:""[^"]*+)*+"')


def cut_record(
    lines: Lines, line: int, separator: str, last: bool, findings: Findings, limits: ReadLimits,
    exact: bool = False,
) -> tuple[int, Record | None]:  # fmt: skip
    """The record that begins on a line, from 0, and the line after it; `exact` keeps all blanks.

    After a quote that is never closed, reading goes on in the next line. That is
    linear: the lines in between hold no single quote, so none of them can open one.

    No record where it is blank or wrong; the same line where it goes on beyond these lines.
    """
    number, text = lines[line]
    if '"' not in text and "\r" not in text:
        fields = text.split(separator)
        if not exact and (" " in text or "\t" in text):
            fields = [field.strip(FIELD_BLANKS[separator]) for field in fields]
        return line + 1, (number, fields, text) if len(fields) > 1 or fields[0] else None
    end, size, more = line, 0, False

    def fed() -> Iterator[str]:
        nonlocal end, size, more
        while end < len(lines):
            following = lines[end][1]
            size += len(following)
            if end > line and (size > limits.line or end - line > MOST_LINES):
                return
            end += 1
            yield following + "\n"
        more = not last

    try:
        rows = reader(fed(), delimiter=separator, skipinitialspace=not exact, strict=True)
        fields = next(rows)
        raw = "\n".join(lines[n][1] for n in range(line, end))
        if not exact and (" " in raw or "\t" in raw):
            fields = _bare(fields, raw, separator)
    except Error as error:
        message = str(error)
        if "field limit" in message:  # of the csv module, which is one for all who use it
            deque(fed(), maxlen=0)
            raw = "\n".join(lines[n][1] for n in range(line, end))
            fields, count, message = _long(raw, separator)
            if not message:
                return line + count, (number, fields, raw)
        if more and message.endswith("end of data"):
            return line, None
        raw = "\n".join(lines[n][1] for n in range(line, end))
        [((below, column), _)] = deque(field_starts(raw, separator), maxlen=1)
        _, code, message, hint = next(fault for fault in FAULTS if fault[0] in message)
        if not count_only(findings, code):
            findings.add(Problem(code, message, line=number + below, column=column, help=hint))
        return line + below + 1, None
    says = len(fields) > 1 or any(fields) or '"' in raw
    return end, (number, fields, raw) if says else None


def _long(raw: str, separator: str) -> tuple[list[str], int, str]:
    """The fields of a record with one too long for the csv module, its lines, and its fault."""
    fields = []
    for match in _fields(raw, separator):
        text = match.group(1)
        fields.append(
            match.group(2).rstrip(FIELD_BLANKS[separator])
            if text is None
            else text[1:-1].replace('""', '"')
        )
    end = match.end()
    if raw[end : end + 1] in ("", "\n"):
        return fields, raw.count("\n", 0, end) + 1, ""
    if raw[end] == "\r":
        return [], 0, "new-line"
    if "\t" in match.group() and FIELD_BLANKS[separator] == " \t":
        return [], 0, "a tab"
    return [], 0, "expected after" if CLOSED.match(raw, end) else "end of data"


def _bare(fields: list[str], raw: str, separator: str) -> list[str]:
    """The fields without the blanks round those that are not quoted.

    `Error` if a quote is opened after a tab, which the csv module takes for text.
    """
    bare = [field.strip(FIELD_BLANKS[separator]) for field in fields]
    if '"' in raw and bare != fields:
        for n, (_, quoted) in enumerate(field_starts(raw, separator)):
            if quoted:
                bare[n] = fields[n]
            elif bare[n].startswith('"'):
                raise Error("a tab")
    return bare


def field_start(raw: str, separator: str, n: int) -> Start:
    """Where the n-th field of a record starts."""
    return next(islice(field_starts(raw, separator), n, None))[0]


def field_starts(raw: str, separator: str) -> Iterator[tuple[Start, bool]]:
    """Where each field of a record starts, and whether it is quoted; a bad one is the last."""
    below, newline = 0, -1
    for match in _fields(raw, separator):
        quoted = match.lastindex == 1
        yield (below, match.start(1 if quoted else 2) - newline), quoted
        if quoted:
            below += raw.count("\n", *match.span())
            newline = max(newline, raw.rfind("\n", *match.span()))


def _fields(raw: str, separator: str) -> Iterator[re.Match[str]]:
    """Each field of a record; a bad one is the last."""
    field, at = _field(separator), 0
    while True:
        match = field.match(raw, at)
        assert match is not None  # it matches anything
        yield match
        at = match.end() + 1
        if raw[at - 1 : at] != separator:
            return


@cache
def _field(separator: str) -> re.Pattern[str]:
    """Regex of one field with leading blanks; empty where its quoting is malformed."""
    quoted = rf'("[^"]*+(?:""[^"]*+)*+")(?![^{separator}\r\n])'
    return re.compile(rf' *+{quoted}|[{FIELD_BLANKS[separator]}]*+((?!")[^{separator}\r\n]*+|)')
