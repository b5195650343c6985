"""The header of a table of separated columns, and the faults that its first line shows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from scorer.bytes.lines import count_only
from scorer.core.problems import Problem
from scorer.core.text import printable, quoted
from scorer.formats.form import separator_of
from scorer.formats.header import NO_INDEX, Unused, resolve, tell_unused
from scorer.formats.read import COMPRESSED
from scorer.formats.records import Record, field_start, field_starts
from scorer.formats.text import Request
from scorer.tables.table import DECIMAL, TEXT, Schema

WRITE_JSON = "write one object a line, as pandas does with to_json(orient='records', lines=True)"
JSON = re.compile(r'\[?\s*\{\s*(?:"|$)|\[\s*(?:\[|$)')
EXCEL = re.compile(r"sep=.", re.IGNORECASE)
BETWEEN = re.compile(r"[\s,;|]+")  # ids of one cell
MARK_NAMES = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar"}


def header_of(
    line: int,
    names: list[str],
    raw: str,
    sample: Sequence[Record],
    separator: str,
    request: Request,
) -> tuple[Schema, tuple[str, ...]] | None:
    """The shape that the header fits and the roles it has; adds what is wrong with it."""
    findings = request.findings
    starts = [start for start, _ in field_starts(raw, separator)] if raw != "\n" else []
    starts += [(0, None)] * (len(names) - len(starts))
    known_names = {shape.called(role) for shape in request.wanted for role in shape.roles}
    cells = () if request.form.header else re.split(r"[,;|\s]+", raw)
    if known_names.isdisjoint(names) and any(map(DECIMAL.fullmatch, cells)):
        message = f"no header; the first line looks like data ({printable(raw.strip(), 60)})"
        shape = request.wanted[0]
        first = separator.join(shape.called(role) for role in shape.required)
        hint = f"begin the file with the names of its columns: {printable(first)}"
        findings.add(Problem("S202", message, line=line, help=hint))
        return None
    if not names[0]:
        message, hint = "unnamed first column; a pandas index?", NO_INDEX
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
    fit = resolve(names, request, line)
    if fit is not None:
        if not request.form.cells and (problem := _several_ids(*fit, names, sample, separator)):
            findings.add(problem)
            return None
        used = {fit[0].called(role) for role in fit[1]}
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
        if not request.form.header:  # the challenge knows of them
            tell_unused(request, *fit, names, unused)
    return fit


def no_header(first: tuple[int, str], request: Request) -> Problem | None:
    """The problem of a first line that is no header, if its first characters show it."""
    line, text = first[0], first[1].strip(" \t")
    if JSON.match(text):
        message = "this is JSON, not a table of separated columns"
        return Problem("S107", message, line=line, help=f"{WRITE_JSON}, in a file called .jsonl")
    known_names = {shape.called(role) for shape in request.wanted for role in shape.roles}
    if EXCEL.fullmatch(text):
        message = f"no header; {quoted(text)} is a line for a spreadsheet"
    elif text.startswith("#") and known_names.isdisjoint(
        name.strip(' \t"') for name in re.split(r"[,;|\t]", text)
    ):
        message = f"no header; the first line is a comment ({printable(text, 60)})"
    else:
        return None
    hint = "leave out what stands before the names of the columns (score check --fix does)"
    return Problem("S202", message, line=line, help=hint)


def _several_ids(
    shape: Schema,
    roles: tuple[str, ...],
    names: list[str],
    sample: Sequence[Record],
    separator: str,
) -> Problem | None:
    """Whether every cell of the items holds several ids, and every list has one row.

    With a score or rank among the file's `roles` a row is one item.
    """
    if not {"list", "item"} <= set(roles) or any(role not in TEXT for role in roles):
        return None
    in_list, item = (names.index(shape.called(role)) for role in ("list", "item"))
    rows = [record for record in sample if len(record[1]) == len(names)]
    lists = [fields[in_list] for _, fields, _ in rows]
    if not rows or len(set(lists)) < len(lists):
        return None
    if not all(_holds_several(fields[item]) for _, fields, _ in rows):
        return None
    line, fields, raw = rows[0]
    below, column = field_start(raw, separator, item)
    called, cell = quoted(shape.called("item")), quoted(fields[item], 40)
    message = f"column {called} holds several ids in a cell ({cell}); a row has one"
    hint = "write a row for each item, best first, or lines 'u1: 2, 1, 4' in a file called .lists"
    hint += "; an organizer allows cells: {item: ' '}, or declares a text: text in place of item"
    return Problem("S209", message, line=line + below, column=column, help=hint)


def _holds_several(cell: str) -> bool:
    """Whether a cell is several ids: each has a digit, so that they are no words, or in brackets.

    >>> [_holds_several(cell) for cell in ("2 1 4", "['a', 'b']", "The Matrix", "d1")]
    [True, True, False, False]
    """
    bare = cell.strip()
    listed = bare.startswith("[") and bare.endswith("]")
    parts = [part for part in BETWEEN.split(bare.strip("[]")) if part]
    return len(parts) > 1 and (listed or all(any(map(str.isdigit, part)) for part in parts))


def column_separator(first: tuple[int, str], request: Request) -> str:
    """The separator of the columns; a problem where it is not the expected one."""
    line, text = first
    if request.form.separator:
        return separator_of(request.form.separator)
    suffixes = [s.lower() for s in request.path.suffixes if s.lower() not in COMPRESSED]
    expected = "\t" if suffixes[-1:] == [".tsv"] else ","
    names = {shape.called(role) for shape in request.wanted for role in shape.roles}
    other = next((mark for mark in MARK_NAMES if mark in text), None)
    if expected in text or other is None or text.strip(" \t") in names:
        return expected
    message = f"columns are separated by {quoted(other)}, expected {quoted(expected)}"
    hint = "write with sep=',', or call the file .tsv" if other == "\t" else None
    column = text.index(other) + 1
    request.findings.add(Problem("S206", message, line=line, column=column, help=hint))
    return other
