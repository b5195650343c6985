"""JSON Lines: an object a line, its keys the columns."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from scorer.bytes.limits import NoTable, Unreadable
from scorer.bytes.lines import count_only
from scorer.core.nested import too_deep
from scorer.core.problems import Findings, Problem
from scorer.core.text import join_first, printable, quoted
from scorer.formats.base import Rows, format
from scorer.formats.blocks import NONE, Block, Lines, columns
from scorer.formats.form import one_cell
from scorer.formats.header import SAMPLE, Unused, resolve, tell_unused
from scorer.formats.template import SEPARATOR, Template
from scorer.formats.text import Piece, Plain, Row, TextReader, plain_rows
from scorer.tables.table import BATCH_ROWS, BATCH_TEXT, TEXT, Schema

JSON_BLANKS = " \t"
SPACE = re.compile(r"[ \t\r]*")
MOST_KEYS = 10_000  # different ones that are reported
MOST_HEAD = 1 << 24  # bytes in which columns are looked for
ARRAYS = "write an object a row; several in an array are read where a challenge says so (cells:)"
WRITE = "write one object a line, as pandas does with to_json(orient='records', lines=True)"


class Object(NamedTuple):
    """An object, its line, and the text it was read from."""

    line: int
    cells: Mapping[str, Any]
    raw: str


class _Twice(dict[str, Any]):
    """An object that gives a key twice."""


def _unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    return members if len(members) == len(pairs) else _Twice(members)


# numbers stay as they are written: 1.0 may be an id, and 1e400 is a problem
DECODER = json.JSONDecoder(
    object_pairs_hook=_unique_members, parse_float=str, parse_int=str, parse_constant=str
)


def _template(raw: str) -> Template | None:
    """How a row is written, if others may be written alike."""
    row = _object((0, raw), Findings())
    if row is None:
        return None
    starts = [column - 1 for _, _, column in _key_places(raw)]
    ends = [DECODER.raw_decode(raw, start)[1] for start in starts]
    return Template.of(raw, list(row.cells), zip(starts, ends, strict=True))


@dataclass
class LateKeys:
    """Keys that the first rows do not have, as they first appear in later ones."""

    keys: set[str] = field(default_factory=set)
    rows: list[tuple[int, list[str]]] = field(default_factory=list)  # lines, and their new keys


def as_json_lines(rows: Rows, columns: Mapping[str, str]) -> bytes:
    """An object a row."""
    named = ({columns.get(role, role): value for role, value in row.items()} for row in rows)
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in named).encode()


@format("jsonl", ".jsonl", ".ndjson", ".json", write=as_json_lines)
class JsonLines(TextReader):
    """An object a line. Ids are text or numbers, which are taken as they are written.

    Which columns there are, the keys of the first thousands of rows decide;
    every row then has them all.
    """

    begun = False
    arrays: Collection[str] = ()  # the names whose values may be arrays
    template: Template | None = None

    def begin(self, lines: Lines, last: bool, findings: Findings) -> int:
        """Learn the columns from the first rows.

        The arguments are those of `TextReader.begin`.
        """
        request = self.request._replace(findings=findings)
        unheard, sample = Findings(), list[Object]()
        first_lines: dict[str, int] = {}  # each key, and the line of its first row
        rows = text = 0
        if not last and len(lines) < BATCH_ROWS and lines.size <= BATCH_TEXT:
            return 0
        self.template = None
        try:
            for line in range(len(lines)):
                raw = lines[line][1]
                if self.template is not None and self.template.match(raw.encode()):
                    rows, text = rows + 1, text + len(raw)
                    if rows >= BATCH_ROWS or text > BATCH_TEXT:
                        break
                    continue
                row = _object(lines[line], unheard)
                if row is None:
                    continue
                if len(sample) < SAMPLE:
                    sample.append(row)
                elif self.template is None:
                    self.template = _template(row.raw)
                for key in row.cells:
                    first_lines.setdefault(key, row.line)
                rows, text = rows + 1, text + len(row.raw)
                if rows >= BATCH_ROWS or text > BATCH_TEXT:
                    break
            else:
                if not rows:
                    findings.merge(unheard)
                    if last and not (findings.fatal or self.request.findings.fatal):
                        findings.add(Problem("S102", "the file holds nothing but blank lines"))
                    if last:
                        raise NoTable
                    return len(lines)
                if not last and lines.size < MOST_HEAD:
                    return 0
        except Unreadable:
            findings.merge(unheard)
            raise
        shape = request.wanted[0]
        if rows == 1 and last and first_lines.keys().isdisjoint(map(shape.called, shape.roles)):
            findings.merge(unheard)
            raise Unreadable(_object_problem(shape, list(first_lines)))
        fit = resolve(list(first_lines), request, None)
        if fit is None:
            findings.merge(unheard)
            raise NoTable
        self.shape, self.roles = fit
        self.names = [self.shape.called(role) for role in self.roles]
        self.arrays = {self.shape.called(role) for role in self.roles if role.startswith("cell[")}
        unused = [
            Unused(key, line, None, [_sampled(row.cells.get(key)) for row in sample])
            for key, line in first_lines.items()
            if key not in self.names
        ]
        tell_unused(request, self.shape, self.roles, list(first_lines), unused)
        if self.template is not None and set(self.template.keys) != set(first_lines):
            self.template = None  # not all rows have all keys
        self.known = dict.fromkeys(first_lines)
        self.reported = dict.fromkeys(first_lines)
        self.begun = True
        self.facts["columns"] = tuple(first_lines)
        return 0

    def parse(
        self, lines: Lines, line: int, last: bool, findings: Findings, notes: LateKeys
    ) -> tuple[int, Sequence[Row]]:
        """The row of an object.

        The arguments are those of `TextReader.parse`.
        """
        row = _object(lines[line], findings)
        if row is None:
            return line + 1, ()
        if not row.cells.keys() <= self.known.keys() and len(notes.keys) < MOST_KEYS:
            new = [key for key in row.cells if key not in self.known and key not in notes.keys]
            if new:
                notes.keys.update(new)
                notes.rows.append((row.line, new))
        cells = [row.cells.get(name) for name in self.names]
        if all(type(cell) is str for cell in cells) and "\\u" not in row.raw:
            return line + 1, [(row.line, cells, row.raw)]  # type: ignore[list-item]
        texts = _texts(row, self.names, self.arrays, findings)
        return line + 1, () if texts is None else [(row.line, texts, row.raw)]

    def plain(self, block: Block, notes: LateKeys) -> Plain:
        """The columns of the lines that are written as most of the first ones are."""
        everything = Plain({}, NONE, np.arange(block.count))
        template = self.template
        if template is None or not block.count or self._wants_no(template):
            return everything
        at, odd = np.arange(block.count), NONE
        spoiled = block.spoiled()
        data = template.cut(block.data, block.count) if not spoiled.size else None
        if data is None:
            good = np.array([template.match(raw) for raw in block.data.split(b"\n")[:-1]])
            good[spoiled] = False
            at, odd = np.flatnonzero(good), np.flatnonzero(~good)
            data = template.cut(block.picked(good), at.size) if at.size else None
        if data is None:
            return everything
        places = {
            role: template.keys.index(name)
            for role, name in zip(self.roles, self.names, strict=True)
        }
        frame = columns(data, SEPARATOR, len(template.keys), (), range(len(template.keys)))
        if frame is None or frame.height != at.size:
            return everything
        import polars as pl

        right = template.right(frame)
        if not right.all():
            odd = np.union1d(odd, at[~right.to_numpy()])
            at, frame = at[right.to_numpy()], frame.filter(right)
        numbers = [str(n) for role, n in places.items() if role not in TEXT]
        frame = frame.with_columns(
            *(template.several(n, frame[str(n)]) for n in places.values()),
        ).with_columns(pl.col(numbers).cast(pl.Float64, strict=False))
        return plain_rows(frame, places, at, odd)[0]

    def _wants_no(self, template: Template) -> bool:
        """Whether a column that is wanted holds arrays, and is not to."""
        arrays = {
            key for key, value in zip(template.keys, template.values, strict=True) if value.array
        }
        return not arrays.isdisjoint(name for name in self.names if name not in self.arrays)

    def place(self, raw: str, cell: int, part: int = 0) -> tuple[int, int | None]:
        """Where a value begins.

        The arguments are those of `TextReader.place`.
        """
        return 0, _place(raw, self.names[cell])

    def inside(self, text: str, separator: str, n: int) -> int:
        """Where the n-th of several begins.

        The arguments are those of `TextReader.inside`.
        """
        if not text.startswith("["):
            return super().inside(text, separator, n)
        at = 1
        for _ in range(n):
            at = DECODER.raw_decode(text, _after_space(text, at))[1]
            at = _after_space(text, at) + 1  # behind the comma
        return _after_space(text, at)

    def notes(self) -> LateKeys:
        """An empty note on keys."""
        return LateKeys()

    def settle(self, piece: Piece) -> None:
        """Add the problems of keys that the first rows do not have."""
        for line, keys in piece.notes.rows:
            if len(self.reported) < MOST_KEYS:
                for key in [key for key in keys if key not in self.reported]:
                    self.reported[key] = None
                    _unused(key, line, self.shape, piece.findings)


def _object_problem(shape: Schema, keys: Sequence[str]) -> Problem:
    """The problem of a file that is one object, and no row."""
    named = [printable(shape.called(role), 60) for role in shape.required]
    row = ", ".join(f'"{name}": ...' for name in named)
    what = f"one JSON object (keys: {join_first(keys)})" if keys else "an empty JSON object"
    message = f"this is {what}; expected an object a row"
    help = f"write an object a line, {{{row}}}; one document of all lists is read by `format: json`"
    return Problem("S201", message, help=help)


def _object(numbered: tuple[int, str], findings: Findings) -> Object | None:
    """The object of a line that holds one and nothing else."""
    line, raw = numbered
    text = raw.strip(JSON_BLANKS)
    if not text:
        return None
    column = len(raw) - len(raw.lstrip(JSON_BLANKS)) + 1
    if text in ("{", "[", "[{"):
        message = "an object or array that goes on in the next line; expected an object a line"
        raise Unreadable(Problem("S207", message, line=line, help=WRITE))
    if text[0] != "{":
        what = "an array" if text[0] == "[" else "no object"
        _add(findings, f"this is {what}; expected an object a line", line, column, WRITE)
        return None
    if too_deep(text):
        _add(findings, "not a row: the values are nested too deeply", line, column)
        return None
    try:
        cells = DECODER.decode(text)
    except json.JSONDecodeError as error:
        message = f"not JSON: {error.msg[0].lower()}{error.msg[1:]}"
        _add(findings, message, line, column + error.pos)
        return None
    if isinstance(cells, _Twice):
        _add(findings, "a key is given twice in this object", line, _place_of_second(raw))
        return None
    return Object(line, cells, raw)


def _texts(
    row: Object, names: list[str], arrays: Collection[str], findings: Findings
) -> list[str] | None:
    """The cells of a row that needs a closer look; None where one cannot be a cell.

    `arrays` are the names whose values may be arrays, of which each element is a cell.
    """
    texts = []
    missing = [name for name in names if name not in row.cells]
    if missing:
        _add(findings, f"{join_first(missing)} is missing in this row", row.line, None)
        return None
    for name in names:
        cell = row.cells[name]
        each = cell if name in arrays and isinstance(cell, list) else [cell]
        cells = [_value_text(row, name, one, findings) for one in each]
        if None in cells:
            return None
        texts.append(one_cell(map(str, cells)) if each is cell else str(cells[0]))
    return texts


def _value_text(row: Object, name: str, cell: Any, findings: Findings) -> str | None:
    """The text of a value, or of an element of one; None where it is none."""
    if isinstance(cell, dict | list):
        message = f"the value of {quoted(name)} is neither text nor a number"
        hint = ARRAYS if isinstance(row.cells[name], list) else None
        _add(findings, message, row.line, _place(row.raw, name), hint)
        return None
    text = cell if isinstance(cell, str) else "" if cell is None else json.dumps(cell)
    if "\0" in text:
        place = _place(row.raw, name)
        findings.add(Problem("S106", "a NUL character", line=row.line, column=place))
        return None
    if not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text):
        message = f"the value of {quoted(name)} holds half a character (a lone surrogate)"
        _add(findings, message, row.line, _place(row.raw, name))
        return None
    return text


def _sampled(cell: Any) -> str:
    """A cell of an unused column as text; what is no text or number is not empty either."""
    return cell if isinstance(cell, str) else "" if cell is None else repr(cell)


def _unused(key: str, line: int, shape: Schema, findings: Findings) -> None:
    if any(key == shape.called(role) for role in shape.roles):
        message = f"{quoted(key)} is given here and not in the rows before; every row needs it"
        _add(findings, message, line, None)
    else:
        message = f"column {quoted(key)} is not used"
        findings.add(Problem("S205", message, "warning", line=line))


def _add(
    findings: Findings, message: str, line: int, column: int | None, hint: str | None = None
) -> None:
    if not count_only(findings, "S207"):
        findings.add(Problem("S207", message, line=line, column=column, help=hint))


def _key_places(raw: str) -> Iterator[tuple[str, int, int]]:
    """Each key of the object in a line, with the columns, from 1, of the key and of its value."""
    at = raw.index("{") + 1
    while (start := raw.find('"', at)) >= 0:
        key, at = DECODER.raw_decode(raw, start)
        at = _after_space(raw, raw.index(":", at) + 1)
        yield key, start + 1, at + 1
        at = DECODER.raw_decode(raw, at)[1]


def _after_space(text: str, at: int) -> int:
    match = SPACE.match(text, at)
    assert match is not None  # it matches anything
    return match.end()


def _place(raw: str, name: str) -> int | None:
    return next((value for key, _, value in _key_places(raw) if key == name), None)


def _place_of_second(raw: str) -> int | None:
    """The column of the first key that was there before."""
    keys: set[str] = set()
    for key, column, _ in _key_places(raw):
        if key in keys:
            return column
        keys.add(key)
    return None
