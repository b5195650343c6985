"""Long CSV: a header, then one row for each (list, item)."""

from __future__ import annotations

import csv as library
from collections.abc import Iterator
from itertools import count

from scorer.columns import DECIMAL, Builder, Table
from scorer.errors import Findings, Problem, quoted
from scorer.streams import lines
from scorer.tables import Request, format, resolve

BATCH = 20_000
BLANKS = " \t"


@format("csv", ".csv", ".tsv", ".txt")
def csv(request: Request) -> Table | None:
    """Read a header and rows; quotes as in RFC 4180, blanks round unquoted fields are nothing."""
    source = _Lines(request)
    separator = ","
    reader = library.reader(source, skipinitialspace=True, strict=False)
    records = _records(reader, source, request.findings)
    header = next(records, None)
    if header is None:
        request.findings.add(Problem("S102", "the file holds nothing but blank lines"))
        return None
    line, names, raw = header
    expected = ", ".join(request.wanted[0].called(role) for role in request.wanted[0].required)
    if len(names) == 1 and (other := _separator(raw)):
        said = f"columns are separated by {quoted(other)}, expected {quoted(separator)}"
        request.findings.add(Problem("S206", said, line=line))
        return None
    wanted_names = {w.called(role) for w in request.wanted for role in w.roles}
    if not wanted_names.intersection(names) and any(DECIMAL.fullmatch(name) for name in names):
        said = f"no header; the first line looks like data ({raw.strip()[:60]})"
        request.findings.add(Problem("S202", said, line=line, help=f"first line: {expected}"))
        return None
    if names and not names[0]:
        said = "unnamed first column; a pandas index?"
        request.findings.add(
            Problem("S203", said, line=line, column=1, help="write with to_csv(index=False)")
        )
    found = resolve(names, request, line)
    for name in sorted({name for name in names if names.count(name) > 1 and name}):
        at = " and ".join(str(n + 1) for n, other in enumerate(names) if other == name)
        said = f"column {quoted(name)} appears {names.count(name)} times (columns {at})"
        request.findings.add(Problem("S204", said, line=line))
    if found is None:
        return None
    shape, roles = found
    used = {shape.called(role) for role in roles}
    for n, name in enumerate(names):
        if name and name not in used:
            said = f"column {quoted(name)} is not used"
            request.findings.add(Problem("S205", said, "warning", line=line, column=_place(raw, n)))
    places = [names.index(shape.called(role)) for role in roles]
    builder = Builder(
        shape, roles, request.findings, request.limits, lambda raw, n: _place(raw, places[n])
    )
    builder.facts["columns"] = tuple(names)
    batch: tuple[list[int], list[list[str]], list[str]] = ([], [], [])
    width = len(names)
    for line, fields, raw in records:
        if len(fields) != width:
            said = f"{len(fields)} fields, expected {width}"
            hint = "an unquoted comma?" if len(fields) > width else None
            request.findings.add(Problem("S207", said, line=line, help=hint))
            continue
        batch[0].append(line)
        batch[1].append([fields[place] for place in places])
        batch[2].append(raw)
        if len(batch[0]) == BATCH:
            builder.add(*batch)
            batch = ([], [], [])
    builder.add(*batch)
    return builder.table()


class _Lines:
    """The lines that the csv module takes, remembering those of the record it is in."""

    def __init__(self, request: Request) -> None:
        self._lines = lines(request.stream, request.limits, request.findings)
        self.number = 0
        self.taken: list[tuple[int, str]] = []

    def __iter__(self) -> Iterator[str]:
        for number, text in self._lines:
            self.taken.append((number, text))
            yield text + "\n"


def _records(
    reader: Iterator[list[str]], source: _Lines, findings: Findings
) -> Iterator[tuple[int, list[str], str]]:
    """Line, fields and text of each record that is not blank."""
    for _ in count():
        source.taken.clear()
        try:
            fields = next(reader, None)
        except library.Error:
            line = source.taken[0][0]
            findings.add(Problem("S208", "the quote opened here is never closed", line=line))
            return
        if fields is None:
            return
        line, raw = source.taken[0]
        if len(source.taken) > 1:
            raw = "\n".join(text for _, text in source.taken)
        if raw.count('"') % 2 and fields and fields[-1].endswith("\n"):
            findings.add(Problem("S208", "the quote opened here is never closed", line=line))
            return
        if '"' in raw:
            fields = _unquoted(raw, fields)
        elif " " in raw or "\t" in raw:
            fields = [field.strip(BLANKS) for field in fields]
        if fields and (len(fields) > 1 or fields[0]):
            yield line, fields, raw


def _unquoted(raw: str, fields: list[str]) -> list[str]:
    """Fields of a record that has quotes: blanks go where a field was not quoted."""
    starts = _starts(raw)
    if len(starts) != len(fields):
        return fields
    return [
        field if raw[start:].lstrip(BLANKS).startswith('"') else field.strip(BLANKS)
        for start, field in zip(starts, fields, strict=True)
    ]


def _starts(raw: str) -> list[int]:
    """Where each field of a record begins."""
    starts, inside = [0], False
    for n, character in enumerate(raw):
        if character == '"':
            inside = not inside
        elif character == "," and not inside:
            starts.append(n + 1)
    return starts


def _place(raw: str, n: int) -> int | None:
    """The column, from 1, in which a record's n-th field begins; unknown in a later line."""
    starts = _starts(raw)
    if n >= len(starts) or "\n" in raw[: starts[n]]:
        return None
    rest = raw[starts[n] :]
    return starts[n] + len(rest) - len(rest.lstrip(BLANKS)) + 1


def _separator(header: str) -> str | None:
    return next((mark for mark in ";\t|" if mark in header), None)
