"""JSON Lines: an object a line, its keys the columns.

Ids are text or numbers, which are taken as they are written. A regex cuts the lines that have the
keys of most of the first lines, in the same order; all others are decoded one by one.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from scorer.core.problems import Findings
from scorer.core.text import join_first, printable, quoted
from scorer.reading.formats import Format, Rows
from scorer.reading.header import (
    SAMPLE_ROWS,
    WRITE_JSON,
    UnusedColumn,
    match_schema,
    names_of_roles,
    warn_unused_columns,
)
from scorer.reading.json_faults import HALF_CHARACTER, is_too_deep, skip_blanks
from scorer.reading.layout import BEFORE_EACH, join_cells
from scorer.reading.limits import (
    CHUNK_LINES,
    ReportedError,
    UnreadableError,
    refuse_many_slow_lines,
)
from scorer.reading.lines import BLANKS
from scorer.reading.table import CellPlace, Cells, LineTexts, ReadRequest, cells_frame, merge_rows

MOST_KEYS = 10_000  # different keys of a file; further ones are ignored
# Beyond these numbers the regex is slower than decoding.
MOST_PLAIN_KEYS = 50
MOST_PLAIN_VALUES = 14
# A text without escapes, a number, or a word, as a regex of polars.
VALUE = r'"[^"\\\x00-\x1f]*"|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|null|true|false'
VALUE_OF = "value of "  # begins the name of a key's column, as a key may be called `line`, too
NO_ARRAY = "write an object a row; several in an array are read where a challenge says so (cells:)"


class Row(NamedTuple):
    """The object of a line."""

    line: int
    cells: Mapping[str, Any]  # numbers as the text that they are written as
    text: str


class _RepeatedKeys(dict[str, Any]):
    """An object that gives a key twice."""


def _make_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; a _RepeatedKeys if a key is given twice."""
    members = dict(pairs)
    return members if len(members) == len(pairs) else _RepeatedKeys(members)


# Numbers stay text: "1.0" may be an id, and a number too large for a float, 1e400, is reported.
DECODER = json.JSONDecoder(
    object_pairs_hook=_make_object, parse_float=str, parse_int=str, parse_constant=str
)


def write_json_lines(rows: Rows, columns: Mapping[str, str]) -> bytes:
    """Return an object for each row."""
    named = ({columns.get(role, role): value for role, value in row.items()} for row in rows)
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in named).encode()


def read_json_lines(lines: pl.DataFrame, request: ReadRequest) -> Cells:
    """Return the cells of the objects. All their keys are columns.

    Raises:
        ReportedError: There is no object, or their keys fit no schema.
        UnreadableError: The file is one object that is no row, or goes on over several lines.
    """
    lines = lines.filter(pl.col("text").str.contains(r"[^ \t\r]"))
    if lines.is_empty():
        raise UnreadableError("S102", "the file holds nothing but blank lines")
    sample = _decode_sample(lines, request)
    shapes = Counter(tuple(row.cells) for row in sample)
    keys = list(shapes.most_common(1)[0][0]) if shapes else []  # of most rows
    wanted = names_of_roles(keys, request)
    chunks = [_cut_plain(chunk, keys, wanted) for chunk in lines.iter_slices(CHUNK_LINES)]
    plain = pl.concat(values for values, _ in chunks)
    others = pl.concat(rest for _, rest in chunks)
    refuse_many_slow_lines(others.height)
    rows = [row for line, text in others.iter_rows() if (row := _decode(line, text, request))]
    first_lines = _first_lines(plain, keys, rows)
    if not plain.height and not rows:
        raise ReportedError
    if len(rows) == 1 and not plain.height:  # a plain line has the key of a role
        _refuse_unknown_object(rows[0], request)
    match = match_schema(list(first_lines), request, None)
    names = match.names
    unused = [
        UnusedColumn(key, line, None, [_plain_text(row.cells.get(key)) for row in sample])
        for key, line in first_lines.items()
        if key not in names.values()
    ]
    warn_unused_columns(unused, match, list(first_lines), request)
    absent = [name for name in names.values() if VALUE_OF + name not in plain.columns]
    if absent:  # in all plain lines, as they have the same keys
        for line in plain["line"]:
            request.report("S207", f"{join_first(absent)} is missing in this row", line)
        plain = pl.DataFrame(schema={"line": pl.UInt32} | dict.fromkeys(names, pl.String))
    else:
        cells = (pl.col(VALUE_OF + name).alias(role) for role, name in names.items())
        plain = plain.select("line", *cells)

    def find_cells(texts: LineTexts, line: int, role: str) -> list[CellPlace]:
        return _find_cells(texts[line - 1], line, names[role]) if role in names else []

    frame = merge_rows([plain, _frame_rows(rows, names, request)])
    return Cells(frame, match.schema, tuple(first_lines), find_cells=find_cells)


def _decode_sample(lines: pl.DataFrame, request: ReadRequest) -> list[Row]:
    """Return the objects of the first lines, as far as these can be read."""
    silent = request._replace(findings=Findings())
    rows = []
    for line, text in lines.head(SAMPLE_ROWS).iter_rows():
        try:
            row = _decode(line, text, silent)
        except UnreadableError:
            break
        if row is not None and row.cells:
            rows.append(row)
    return rows


def _cut_plain(
    lines: pl.DataFrame, keys: Sequence[str], wanted: Collection[str]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the values of the plain lines, and the other lines.

    A line is plain if it has these keys in this order, and values without escapes or nesting. The
    first frame has the columns `line` and, for each wanted key, VALUE_OF + key.
    """
    if len(keys) > MOST_PLAIN_KEYS or not 0 < len(wanted) <= MOST_PLAIN_VALUES:
        return lines.clear(), lines
    members = []
    for key in keys:
        key_pattern = re.escape(json.dumps(key, ensure_ascii=False))
        value_pattern = f"({VALUE})" if key in wanted else f"(?:{VALUE})"
        members.append(f" *{key_pattern} *: *{value_pattern} *")
    pattern = r"^[ \t]*\{" + ",".join(members) + r"\}[ \t]*$"
    groups = lines["text"].str.extract_groups(pattern).struct.unnest()
    groups.columns = [f"{VALUE_OF}{key}" for key in keys if key in wanted]
    is_plain = groups[groups.columns[0]].is_not_null()  # a line that does not match has no group
    # The text "null" still has its quotes here.
    text = pl.when(pl.all() != "null").then(pl.all().str.strip_chars('"')).otherwise(pl.lit(""))
    values = groups.filter(is_plain).with_columns(text)
    plain = values.insert_column(0, lines["line"].filter(is_plain))
    return plain, lines.filter(~is_plain)


def _first_lines(plain: pl.DataFrame, keys: Sequence[str], rows: Sequence[Row]) -> dict[str, int]:
    """Return each key with the line of the first object that has it, in the order of the lines."""
    first_lines = dict.fromkeys(keys, plain["line"][0]) if plain.height else {}
    for row in rows:
        for key in row.cells:
            if key in first_lines or len(first_lines) < MOST_KEYS:
                first_lines[key] = min(first_lines.get(key, row.line), row.line)
    # The sort is stable: the keys of one line stay in their order.
    return dict(sorted(first_lines.items(), key=lambda item: item[1]))


def _refuse_unknown_object(row: Row, request: ReadRequest) -> None:
    """Raise UnreadableError if the only object of a file lacks all keys of the first schema."""
    schema, keys = request.schemas[0], list(row.cells)
    if not row.cells.keys().isdisjoint(map(schema.column_name, schema.roles)):
        return
    names = [printable(schema.column_name(role), 60) for role in schema.required]
    example = ", ".join(f'"{name}": ...' for name in names)
    what = f"one JSON object (keys: {join_first(keys)})" if keys else "an empty JSON object"
    help = f"write an object a line, {{{example}}}; "
    help += "one document of all lists is read by `format: json`"
    raise UnreadableError("S201", f"this is {what}; expected an object a row", help=help)


def _frame_rows(
    rows: Sequence[Row], names: Mapping[str, str], request: ReadRequest
) -> pl.DataFrame:
    """Return a frame of rows that were decoded one by one; report and leave out faulty ones."""
    lines, rows_of_texts = [], []
    for row in rows:
        absent = [name for name in names.values() if name not in row.cells]
        if absent:
            request.report("S207", f"{join_first(absent)} is missing in this row", row.line)
            continue
        cells = [_cell_text(row, role, name, request) for role, name in names.items()]
        found = [cell for cell in cells if cell is not None]
        if len(found) == len(cells):  # else a problem was reported
            lines.append(row.line)
            rows_of_texts.append(found)
    columns = {role: [texts[n] for texts in rows_of_texts] for n, role in enumerate(names)}
    return cells_frame(lines, columns)


def _decode(line: int, raw: str, request: ReadRequest) -> Row | None:
    """Return the object of a line that holds nothing else; None after reporting a problem."""
    text = raw.strip(BLANKS)
    column = len(raw) - len(raw.lstrip(BLANKS)) + 1
    if text in ("{", "[", "[{"):
        message = "an object or array that goes on in the next line; expected an object a line"
        raise UnreadableError("S207", message, line, help=WRITE_JSON)
    if text[0] != "{":
        what = "an array" if text[0] == "[" else "no object"
        message = f"this is {what}; expected an object a line"
        request.report("S207", message, line, column, WRITE_JSON)
        return None
    try:
        cells = DECODER.decode(text)
    except json.JSONDecodeError as error:
        message = f"not JSON: {error.msg[0].lower()}{error.msg[1:]}"
        request.report("S207", message, line, column + error.pos)
        return None
    except RecursionError:
        cells = None
    if cells is None or is_too_deep(cells):
        request.report("S207", "not a row: the values are nested too deeply", line, column)
        return None
    if isinstance(cells, _RepeatedKeys):
        seen = set[str]()
        for member in _members(raw):
            if member.name in seen:
                message = "a key is given twice in this object"
                request.report("S207", message, line, member.column)
                break
            seen.add(member.name)
        return None
    return Row(line, cells, raw)


def _cell_text(row: Row, role: str, name: str, request: ReadRequest) -> str | None:
    """Return the text of a value, or None after reporting a problem.

    If cells of the role hold several values, an array is such a cell: its texts are joined.
    """
    cell = row.cells[name]
    holds_several = role.startswith("cell[") and isinstance(cell, list)
    texts = []
    for value in cell if holds_several else [cell]:
        code, message, help = "S207", "", None
        text = "" if isinstance(value, dict | list) else _plain_text(value)
        if isinstance(value, dict | list):
            message = f"the value of {quoted(name)} is neither text nor a number"
            help = NO_ARRAY if isinstance(cell, list) else None
        elif "\0" in text:
            code, message = "S106", "a NUL character"
        elif not text.isascii() and HALF_CHARACTER.search(text):
            message = f"the value of {quoted(name)} holds half a character (a lone surrogate)"
        if message:
            request.report(code, message, row.line, _value_column(row.text, name), help)
            return None
        texts.append(text)
    return join_cells(texts) if holds_several else texts[0]


def _plain_text(value: Any) -> str:
    """Return a value as text: "" for null, JSON for all that is not text."""
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)


class _Member(NamedTuple):
    """A key of an object in a line."""

    name: str
    column: int  # of the key, from 1
    value_column: int


def _members(text: str) -> Iterator[_Member]:
    """Yield the keys of the object in a line."""
    at = text.index("{") + 1
    while (start := text.find('"', at)) >= 0:
        name, at = DECODER.raw_decode(text, start)
        at = skip_blanks(text, text.index(":", at) + 1)
        yield _Member(name, start + 1, at + 1)
        at = DECODER.raw_decode(text, at)[1]


def _value_column(text: str, name: str) -> int | None:
    """Return the column at which the value of a key begins, from 1, if there is one."""
    return next((m.value_column for m in _members(text) if m.name == name), None)


def _find_cells(text: str, line: int, name: str) -> list[CellPlace]:
    """Return the place of a key's value and, if it is an array, of each of its elements."""
    column = _value_column(text, name)
    if column is None:
        return []
    value, _ = DECODER.raw_decode(text, column - 1)
    if not isinstance(value, list):
        return [CellPlace(_plain_text(value), line, column)]
    # A text that begins with BEFORE_EACH is that of an array (`join_cells`); its elements follow.
    places = [CellPlace(BEFORE_EACH, line, column)]
    at = column - 1  # the offset of the bracket, then of the comma before each element
    for element in value:
        at = skip_blanks(text, at + 1)
        places.append(CellPlace(_plain_text(element), line, at + 1))
        at = skip_blanks(text, DECODER.raw_decode(text, at)[1])
    return places


FORMAT = Format("jsonl", write_json_lines, read_json_lines)
