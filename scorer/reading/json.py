"""JSON documents: `{id: [items]}`, `{id: {item: score}}`, `{id: text}`, or as `json:` says.

The whole document is parsed, since each value's line and character are needed. One regex takes a
member, or an element, at a time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from scorer.core.arrays import Ints
from scorer.core.problems import Problem
from scorer.core.text import join_first, nearest, printable, quoted
from scorer.reading.formats import Rows, format
from scorer.reading.header import match_schema
from scorer.reading.limits import UnreadableError, format_size
from scorer.reading.schema import TEXT, Schema
from scorer.reading.table import (
    PART,
    CellPlace,
    Cells,
    FindCells,
    LineTexts,
    ReadRequest,
    cells_frame,
)

MOST_DOCUMENT = 64 * 1024**2  # characters of a document, which is held as objects while it is read
MOST_VALUES = 5_000_000  # of a document
DEEPEST = 100  # arrays and objects in each other
JSON_LINES = "write an object a line, in a .jsonl file"
VALUES = ("prediction", "label", "score", "grade", "rating", "target")
NAMES = ("list", "item", "better", "worse")  # roles that a member's name can say
ANSWERS = "answers"  # the fact of a table: each list has one answer, and "" is none

STEP = re.compile(r"\[\]|\*|[^.\[\]*]+")
EACH = ("[]", "*")
BLANK = r"[ \t\r\n]*+"
STRING = r'"(?:[^"\\\x00-\x1f]++|\\.)*+"'
NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
SCALAR = rf"{STRING}|{NUMBER}|true|false|null"
SPACE_PATTERN = re.compile(BLANK)
SCALAR_PATTERN = re.compile(SCALAR)
# A member, with its value and what follows if the value is a scalar; an element likewise.
MEMBER_PATTERN = re.compile(rf"{BLANK}({STRING}){BLANK}:{BLANK}(?:({SCALAR}){BLANK}([,}}]))?")
ELEMENT_PATTERN = re.compile(rf"{BLANK}(?:({SCALAR}){BLANK}([,\]]))?")
HALF_CHARACTER = re.compile("[\ud800-\udfff]")

Steps = tuple[str, ...]


class Scalar(NamedTuple):
    """A text, a number as it is written, or a word; "" is null."""

    text: str
    at: int


class Array(NamedTuple):
    """An array."""

    elements: list[Node]
    at: int


class Object(NamedTuple):
    """An object."""

    members: dict[str, Node]
    names: dict[str, int]  # where the name of each member begins
    at: int


Node = Scalar | Array | Object
Row = Mapping[str, Scalar]  # role -> cell


class JsonShapeError(Exception):
    """A document is no JSON, or not what it should be: where, and what."""

    def __init__(self, at: int, message: str) -> None:
        self.at, self.message = at, message
        super().__init__(message)


def parse_path(path: str) -> Steps:
    """Return the steps to the cells of a document: names, each element, each member.

    >>> parse_path("questions[].documents[]"), parse_path("*[]"), parse_path("[].id")
    (('questions', '[]', 'documents', '[]'), ('*', '[]'), ('[]', 'id'))
    """
    return tuple(STEP.findall(path))


def is_path(path: str) -> bool:
    """Return whether a text is a path: names with dots between, `[]` and `*` for each one.

    >>> is_path("questions[].id"), is_path("a..b"), is_path("[0].id")
    (True, False, False)
    """
    name = r"(?:\*|[^.\[\]*]+)"
    return re.fullmatch(rf"(?:{name}|(?:\[\])+)(?:\[\]|\.{name})*", path) is not None


def container_path(path: Steps) -> Steps:
    """Return the steps to the first of several elements or members; () if there are none."""
    return path[: next((n for n, step in enumerate(path) if step in EACH), -1) + 1]


def find_diverging_role(paths: Mapping[str, Steps]) -> str | None:
    """Return the role whose path leads through other elements than the deepest path, if any."""

    def last_container(path: Steps) -> Steps:
        return path[: max((n for n, step in enumerate(path) if step in EACH), default=-1) + 1]

    containers = {role: last_container(path) for role, path in paths.items()}
    deepest = max(containers.values(), key=len)
    for role, steps in containers.items():
        if deepest[: len(steps)] != steps:
            return role
    return next((role for role, steps in containers.items() if not steps), None)


def write_json(rows: Rows, columns: Mapping[str, str]) -> bytes:
    """Return an object of lists: their items, or the value of each item, or of each list."""
    by_list: dict[str, Any] = {}
    for row in rows:
        name, value = str(row["list"]), next((row[role] for role in VALUES if role in row), None)
        if "item" not in row:
            by_list[name] = value
        elif value is None:
            by_list.setdefault(name, []).append(row["item"])
        else:
            by_list.setdefault(name, {})[str(row["item"])] = value
    return (json.dumps(by_list, ensure_ascii=False, indent=1) + "\n").encode()


@format("json", is_document=True, write=write_json)
def read_json(lines: pl.DataFrame, request: ReadRequest) -> Cells:
    """Return the cells of a document. Which of its values are those of a row, `json:` says.

    Args:
        lines: `line` and `text` of each physical line.
        request: What is asked of the file.

    Raises:
        ReportedError: Its objects fit no schema.
        UnreadableError: It is no JSON, too large, or has another shape.
    """
    text = "\n".join(lines["text"])
    if len(text) > MOST_DOCUMENT:
        message = f"a JSON document of more than {format_size(MOST_DOCUMENT)}"
        raise UnreadableError("S104", message, help=JSON_LINES)
    if not text.strip(" \t\r\n"):
        raise UnreadableError("S102", "the file holds nothing but blank lines")
    places = _Places(text)
    try:
        found = _declared_paths(request) if request.layout.json else None
        _refuse_other_root(text, request)
        root = parse_document(text)
        schema, paths = found or _guess_paths(root, request, places)
        return _make_cells(root, schema, paths, places, request)
    except JsonShapeError as error:
        line, column = places.find(error.at)
        raise UnreadableError("S207", error.message, line=line, column=column) from None


class _Places:
    """The lines and characters of the offsets of a text."""

    def __init__(self, text: str) -> None:
        self.ends = np.array([match.start() for match in re.finditer("\n", text)], dtype=np.int64)

    def lines(self, offsets: Sequence[int]) -> Ints:
        """Return the line of each offset, from 1."""
        return np.searchsorted(self.ends, np.array(offsets, dtype=np.int64)) + 1

    def find(self, at: int) -> tuple[int, int]:
        """Return the line and the character of an offset, both from 1."""
        line = int(np.searchsorted(self.ends, at))
        return line + 1, at - (int(self.ends[line - 1]) + 1 if line else 0) + 1


def parse_document(text: str) -> Node:
    """Return the value of a document.

    Raises:
        JsonShapeError: It is no JSON, or nested too deeply.
        UnreadableError: It has too many values.
    """
    parser = _Parser(text)
    root, at = parser.parse_value(parser.skip_blanks(0), 0)
    if at < len(text):
        raise JsonShapeError(at, "not JSON: something follows the document")
    return root


class _Parser:
    """Parses a document. Each method returns what it has parsed, and where what follows begins."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.values = 0

    def skip_blanks(self, at: int) -> int:
        """Return the offset of the next character that is no blank."""
        match = SPACE_PATTERN.match(self.text, at)
        assert match is not None  # it matches anything
        return match.end()

    def parse_value(self, at: int, depth: int) -> tuple[Node, int]:
        """Parse the value at an offset, and the blanks behind it."""
        sign = self.text[at : at + 1]
        if sign not in ("[", "{") or not sign:
            match = SCALAR_PATTERN.match(self.text, at)
            if match is None:
                raise self._no_value(at)
            return Scalar(self._scalar_text(match[0], at), at), self.skip_blanks(match.end())
        if depth > DEEPEST:
            raise JsonShapeError(at, "the values are nested too deeply")
        parse = self._parse_array if sign == "[" else self._parse_object
        node, end = parse(at, depth)
        return node, self.skip_blanks(end)

    def _parse_array(self, start: int, depth: int) -> tuple[Node, int]:
        array = Array([], start)
        at = self.skip_blanks(start + 1)
        if self.text[at : at + 1] == "]":
            return array, at + 1
        match_element, elements = ELEMENT_PATTERN.match, array.elements
        while True:
            match = match_element(self.text, at)
            assert match is not None  # it matches anything
            text, sign = match.groups()
            if text is not None:
                elements.append(Scalar(self._scalar_text(text, match.start(1)), match.start(1)))
                at = match.end()
            else:
                node, at = self.parse_value(match.end(), depth + 1)
                elements.append(node)
                sign, at = self._parse_sign(at, "]")
            if sign == "]":
                self._count(len(elements))
                return array, at

    def _parse_object(self, start: int, depth: int) -> tuple[Node, int]:
        members: dict[str, Node] = {}
        names: dict[str, int] = {}
        at = self.skip_blanks(start + 1)
        if self.text[at : at + 1] == "}":
            return Object(members, names, start), at + 1
        match_member = MEMBER_PATTERN.match
        while True:
            match = match_member(self.text, at)
            if match is None:
                raise self._no_member(self.skip_blanks(at))
            quoted_name, text, sign = match.groups()
            name = self._scalar_text(quoted_name, match.start(1))
            if name in members:
                raise JsonShapeError(match.start(1), f"the key {quoted(name)} is given twice")
            names[name] = match.start(1)
            if text is not None:
                members[name] = Scalar(self._scalar_text(text, match.start(2)), match.start(2))
                at = match.end()
            else:
                members[name], at = self.parse_value(match.end(), depth + 1)
                sign, at = self._parse_sign(at, "}")
            if sign == "}":
                self._count(len(members))
                return Object(members, names, start), at

    def _parse_sign(self, at: int, end: str) -> tuple[str, int]:
        """Parse the comma or the closing bracket behind a value."""
        sign = self.text[at : at + 1]
        if sign not in (",", end) or not sign:
            what = f"expected a comma or {end}" if sign else "it ends early"
            raise JsonShapeError(self._within(at), f"not JSON: {what}")
        return sign, at + 1

    def _scalar_text(self, text: str, at: int) -> str:
        if text[0] != '"':
            return "" if text == "null" else text
        if "\\" not in text:
            return text[1:-1]
        try:
            string: str = json.loads(text)
        except json.JSONDecodeError as error:
            raise JsonShapeError(at + error.pos, f"not JSON: {error.msg.lower()}") from None
        if "\0" in string or HALF_CHARACTER.search(string):
            raise JsonShapeError(at, "a text holds a NUL, or half a character")
        return string

    def _no_value(self, at: int) -> JsonShapeError:
        """Return the error of a value that is none."""
        sign = self.text[at : at + 1]
        if sign == '"':
            try:
                json.JSONDecoder().raw_decode(self.text, at)
            except json.JSONDecodeError as error:
                return JsonShapeError(self._within(error.pos), f"not JSON: {error.msg.lower()}")
        what = f"{quoted(sign)} is no value" if sign else "it ends early"
        return JsonShapeError(self._within(at), f"not JSON: {what}")

    def _no_member(self, at: int) -> JsonShapeError:
        """Return the error of a member that is none."""
        if self.text[at : at + 1] != '"':
            return JsonShapeError(self._within(at), "not JSON: expected a key in quotes")
        match = SCALAR_PATTERN.match(self.text, at)
        if match is None:
            return self._no_value(at)
        at = self._within(self.skip_blanks(match.end()))
        return JsonShapeError(at, "not JSON: expected a colon after the key")

    def _within(self, at: int) -> int:
        return min(at, max(len(self.text) - 1, 0))

    def _count(self, values: int) -> None:
        self.values += values
        if self.values > MOST_VALUES:
            message = f"more than {MOST_VALUES:,} values in one document"
            raise UnreadableError("S104", message, help=JSON_LINES)


def _refuse_other_root(text: str, request: ReadRequest) -> None:
    """Raise JsonShapeError if the paths begin with a name, and the document is no object."""
    for _, path in request.layout.json[:1]:
        step = parse_path(path)[0]
        at = len(text) - len(text.lstrip(" \t\r\n"))
        if step not in EACH and text[at] != "{":
            raise JsonShapeError(at, f"expected an object with {quoted(step)}")


def _declared_paths(request: ReadRequest) -> tuple[Schema, dict[str, Steps]]:
    """Return the schema that the paths of the layout fit, and these paths."""
    paths = {role: parse_path(path) for role, path in request.layout.json}
    for schema in request.schemas:
        if set(schema.required) <= paths.keys():
            return schema, {role: path for role, path in paths.items() if role in schema.roles}
    missing = min(
        ([role for role in schema.required if role not in paths] for schema in request.schemas),
        key=len,
    )
    message = f"json: says nothing of {join_first(missing)}, which is needed here"
    raise UnreadableError("S201", message)


def _guess_paths(
    root: Node, request: ReadRequest, places: _Places
) -> tuple[Schema, dict[str, Steps]]:
    """Return the same of a document of a plain form."""
    if isinstance(root, Scalar):
        raise JsonShapeError(root.at, "expected an object or an array")
    nodes = root.elements if isinstance(root, Array) else list(root.members.values())
    if not nodes:
        raise UnreadableError("S103", "the document is empty")
    first = nodes[0]
    if isinstance(root, Array):
        if not isinstance(first, Object):
            raise JsonShapeError(first.at, "expected an array of objects")
        line, _ = places.find(first.at)
        schema, roles = match_schema(list(first.members), request, line)
        return schema, {role: ("[]", schema.column_name(role)) for role in roles}
    for schema in request.schemas:
        value = next((role for role in schema.roles if role in VALUES), None)
        item = "text" if "text" in schema.roles else "item"
        paths: dict[str, Steps] = {"list": ("*",)}
        if isinstance(first, Scalar):
            paths[value if value is not None and value in schema.required else item] = ("*",)
        elif isinstance(first, Array):
            paths[item] = ("*", "[]")
        else:
            paths["item"] = ("*", "*")
            paths |= {value: ("*", "*")} if value else {}
        if "list" in schema.required and set(schema.required) <= paths.keys():
            return schema, {role: path for role, path in paths.items() if role in schema.roles}
    schema = request.schemas[0]
    names = ", ".join(map(schema.column_name, schema.required))
    message = f"such a document cannot hold the columns that are needed here ({names})"
    raise JsonShapeError(root.at, message)


def _make_cells(
    root: Node, schema: Schema, paths: Mapping[str, Steps], places: _Places, request: ReadRequest
) -> Cells:
    roles = [role for role in schema.roles if role in paths]
    # All items of a list stand below its name, so that the list cannot go on elsewhere.
    holds_items = {"list", "item"} <= paths.keys() and _depth(paths["item"]) > _depth(paths["list"])
    has_one_answer = "item" in paths and paths["item"] == paths.get("list")
    kept: list[Row] = []
    empty: dict[str, int] = {}
    first: dict[str, int] = {}  # where the name of each list stands first
    repeated = set[int]()
    for row in find_rows(root, paths):
        name = row.get("list")
        if holds_items and name is not None and first.setdefault(name.text, name.at) != name.at:
            if name.at not in repeated and not request.findings.count_if_full("S303"):
                problem = _repeated_problem(name, first[name.text], schema, places)
                request.findings.add(problem)
            repeated.add(name.at)
        elif name is not None and (
            len(row) < len(roles) or (has_one_answer and not row["item"].text)
        ):
            empty[name.text] = int(places.lines(_row_offsets([row]))[0])
        else:
            kept.append(row)
    lines = places.lines(_row_offsets(kept))
    frame = cells_frame(
        lines.tolist(), {role: [row[role].text for row in kept] for role in roles}
    ).with_columns(pl.int_range(pl.len(), dtype=pl.UInt32).over("line").alias(PART))
    return Cells(
        frame,
        schema,
        tuple(roles),
        empty,
        _find_again(schema, paths),
        facts={ANSWERS: has_one_answer},
    )


def _repeated_problem(name: Scalar, first: int, schema: Schema, places: _Places) -> Problem:
    line, column = places.find(name.at)
    word = printable(schema.column_name("list"), 60)
    message = f"{word} {quoted(name.text)} appears in two separate places"
    message += f" (first on line {places.find(first)[0]})"
    return Problem("S303", message, line=line, column=column, list=name.text)


def _row_offsets(rows: Sequence[Row]) -> list[int]:
    """Return where the cell is that says the line of a row: its number, else its item, or the last.

    All rows have the same roles.
    """
    roles = list(rows[0]) if rows else []
    main = next((role for role in roles if role not in TEXT), "item" if "item" in roles else None)
    if main is None:
        return [max(cell.at for cell in row.values()) for row in rows]
    return [row[main].at for row in rows]


def _depth(path: Steps) -> int:
    return sum(step in EACH for step in path)


def find_rows(root: Node, paths: Mapping[str, Steps]) -> Iterator[Row]:
    """Yield the cells of each row of a document; of a list without any, its name alone.

    Raises:
        JsonShapeError: The document has another shape than the paths.
    """
    common = container_path(next(iter(paths.values())))[:-1]
    node = root
    for name in common:
        node = _member(node, name, is_root=True)
    inner = {role: path[len(common) :] for role, path in paths.items()}
    yield from _rows_below(node, inner, {})


def _rows_below(node: Node, paths: Mapping[str, Steps], outer: Row) -> Iterator[Row]:
    """Yield the rows of all elements, or members, of a value.

    Args:
        node: The value.
        paths: The steps to each role's cells; the first step is to these elements or members.
        outer: The cells that the values above have given.
    """
    kind = next(iter(paths.values()))[0]
    entries = _entries(node, kind)
    # Of two roles whose paths end at a member, the first is its name, the second its value.
    named = next((role for role in NAMES if paths.get(role) == ("*",)), None)
    inner = {role: path[1:] for role, path in paths.items() if role != named}
    deeper = {role: path for role, path in inner.items() if container_path(path)}
    here = {role: path for role, path in inner.items() if role not in deeper}
    below = container_path(next(iter(deeper.values()))) if deeper else ()
    is_empty = True
    for name, value in entries:
        is_empty = False
        cells = dict(outer)
        if named is not None and name is not None:
            cells[named] = name
        for role, path in here.items():
            cells[role] = _cell(value, path, role)
        if not deeper:
            yield cells
            continue
        for step in below[:-1]:
            value = _member(value, step)
        steps = {role: path[len(below) - 1 :] for role, path in deeper.items()}
        yield from _rows_below(value, steps, cells)
    if is_empty and "list" in outer:
        yield {"list": outer["list"]}


def _entries(node: Node, kind: str) -> Iterator[tuple[Scalar | None, Node]]:
    """Return the elements of an array, or the members of an object with their names."""
    if kind == "[]" and isinstance(node, Array):
        return ((None, element) for element in node.elements)
    if kind == "*" and isinstance(node, Object):
        return ((Scalar(name, node.names[name]), value) for name, value in node.members.items())
    what = "an array" if kind == "[]" else "an object"
    raise JsonShapeError(node.at, f"expected {what} here")


def _cell(node: Node, path: Steps, role: str) -> Scalar:
    """Return the cell at the end of a path of names."""
    for name in path:
        node = _member(node, name)
    if not isinstance(node, Scalar):
        what = "an array" if isinstance(node, Array) else "an object"
        raise JsonShapeError(node.at, f"{what} where the {role} is expected")
    return node


def _member(node: Node, name: str, *, is_root: bool = False) -> Node:
    """Return the member of that name."""
    if not isinstance(node, Object):
        raise JsonShapeError(node.at, f"expected an object with {quoted(name)}")
    if name in node.members:
        return node.members[name]
    names = list(node.members)
    similar = nearest(name, names)
    hint = f"; rename {quoted(similar)}?" if similar else ""
    if is_root:
        found = join_first(names) or "nothing"
        raise JsonShapeError(node.at, f"no {quoted(name)} here; found: {found}{hint}")
    raise JsonShapeError(node.at, f"{quoted(name)} is missing here{hint}")


def _find_again(schema: Schema, paths: Mapping[str, Steps]) -> FindCells:
    """Return a function that finds the cells of the rows on a line in the text of the document."""
    parsed: list[tuple[LineTexts, Callable[[int, str], Sequence[CellPlace]]]] = []

    def parse(texts: LineTexts) -> Callable[[int, str], Sequence[CellPlace]]:
        text = "\n".join(texts)
        places = _Places(text)
        rows = [row for row in find_rows(parse_document(text), paths) if len(row) == len(paths)]
        lines = places.lines(_row_offsets(rows))

        @cache
        def cells_of(line: int, role: str) -> Sequence[CellPlace]:
            start, stop = np.searchsorted(lines, (line, line + 1)).tolist()
            cells = [row[role] for row in rows[start:stop] if role in row]
            return [CellPlace(cell.text, *places.find(cell.at)) for cell in cells]

        return cells_of

    def find_cells(texts: LineTexts, line: int, role: str) -> Sequence[CellPlace]:
        if not parsed or parsed[0][0] is not texts:
            parsed[:] = [(texts, parse(texts))]
        return parsed[0][1](line, role)

    return find_cells
