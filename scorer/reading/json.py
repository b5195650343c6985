"""JSON documents: `{id: [items]}`, `{id: {item: score}}`, `{id: text}`, or by the paths of `json:`.

Our own parser keeps the offset of each value, for the line and column of problems. One match of a
regex takes a whole member of an object or element of an array.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from scorer.core.arrays import Ints
from scorer.core.text import join_first, nearest, printable, quoted
from scorer.reading.formats import Format, Rows
from scorer.reading.header import match_schema
from scorer.reading.layout import EACH, Steps, container_path, parse_path
from scorer.reading.limits import MOST_DOCUMENT, UnreadableError, format_size
from scorer.reading.schema import Schema, holds_text
from scorer.reading.table import IN_LINE, CellPlace, Cells, LineTexts, ReadRequest, cells_frame

MOST_VALUES = 5_000_000  # names and values of a document; each takes about a microsecond
DEEPEST = 100  # arrays and objects inside each other
JSON_LINES_HELP = "write an object a line, in a .jsonl file"
VALUE_ROLES = ("prediction", "label", "score", "grade", "rating", "target")
NAME_ROLES = ("list", "item", "better", "worse")  # can be names of members; the first one found is
ANSWERS_FACT = "answers"  # of `Table.facts`: whether lists have one item each, where "" is none

BLANK = r"[ \t\r\n]*+"
STRING = r'"(?:[^"\\\x00-\x1f]++|\\.)*+"'
SCALAR = rf"{STRING}|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null"
SCALAR_PATTERN = re.compile(rf"({SCALAR}){BLANK}")
# Both patterns have the groups name, scalar and the mark that follows it. The match ends before a
# value that is an array or object, and the last two are None. An element has the name "".
MEMBER_PATTERN = re.compile(rf"({STRING}){BLANK}:{BLANK}(?:({SCALAR}){BLANK}([,}}]){BLANK})?")
ELEMENT_PATTERN = re.compile(rf"()(?:({SCALAR}){BLANK}([,\]]){BLANK})?")
BLANK_PATTERN = re.compile(BLANK)
# A text; the closing quote is optional, as the document may end inside a text.
QUOTED_TEXT = r'(?s:"(?:[^"\\]|\\.)*+"?)'
HALF_CHARACTER = re.compile("[\ud800-\udfff]")  # a surrogate without its other half


class Array(NamedTuple):
    """An array."""

    elements: list[Value]
    offsets: array[int]  # in the document, as all offsets; where each element begins


class Object(NamedTuple):
    """An object."""

    members: dict[str, Value]
    name_offsets: array[int]  # of the members, in their order
    offsets: array[int]  # of their values


# A text is any other value, without quotes and escapes; "" for null.
Value = str | Array | Object


class Node(NamedTuple):
    """A value and its offset."""

    value: Value
    at: int


class Cell(NamedTuple):
    """The text of a cell, or the name of a member, and its offset."""

    text: str
    at: int


Row = Mapping[str, Cell]  # by role


class JsonShapeError(Exception):
    """A document is not JSON or has a wrong shape; `at` is the offset, `message` says how."""

    def __init__(self, at: int, message: str) -> None:
        self.at, self.message = at, message
        super().__init__(message)


def write_json(rows: Rows, columns: Mapping[str, str]) -> bytes:
    """Return a JSON object with a member for each list.

    It is `{list: value}` if rows have no items, `{list: [items]}` if they have no values, and
    `{list: {item: value}}` if they have both.
    """
    by_list: dict[str, Any] = {}
    for row in rows:
        name = str(row["list"])
        value = next((row[role] for role in VALUE_ROLES if role in row), None)
        if "item" not in row:
            by_list[name] = value
        elif value is None:
            by_list.setdefault(name, []).append(row["item"])
        else:
            by_list.setdefault(name, {})[str(row["item"])] = value
    return (json.dumps(by_list, ensure_ascii=False, indent=1) + "\n").encode()


def read_json(lines: pl.DataFrame, request: ReadRequest) -> Cells:
    """Return the cells of a document, by the paths of `json:`, or else guessed from its form."""
    sizes = lines["text"].str.len_chars().cast(pl.Int64) + 1  # with the LF that follows
    if sizes.sum() > MOST_DOCUMENT:
        message = f"a JSON document of more than {format_size(MOST_DOCUMENT)}"
        raise UnreadableError("S104", message, help=JSON_LINES_HELP)
    # By polars: the lines as a list of Python's texts need several times the file's memory.
    text: str = lines["text"].str.join("\n").item()
    start = len(text) - len(text.lstrip(" \t\r\n"))
    if start == len(text):
        raise UnreadableError("S102", "the file holds nothing but blank lines")
    places = _Places(sizes)
    try:
        declared = None
        if request.layout.json:  # tell of wrong paths and beginnings before other faults of JSON
            declared = _declared_paths(request)
            first_step = parse_path(request.layout.json[0][1])[0]
            if first_step not in EACH and text[start] != "{":
                raise JsonShapeError(start, f"expected an object with {quoted(first_step)}")
        _refuse_many_values(lines["text"], text)
        root = _Parser(text).parse_document(start)
        schema, paths = declared or _guess_paths(root, request, places)
        return _make_cells(root, schema, paths, places, request)
    except JsonShapeError as error:
        line, column = places.find(min(error.at, len(text) - 1))
        raise UnreadableError("S207", error.message, line, column) from None


def _refuse_many_values(lines: pl.Series, text: str) -> None:
    """Raise UnreadableError if a document has more than MOST_VALUES names and values.

    There are as many names as colons, and as many values as commas and brackets that open; so an
    empty array or object counts twice. `lines` are those of `text`.
    """
    if sum(map(text.count, ",:[{")) <= MOST_VALUES:  # with those inside texts
        return
    inside_texts = lines.str.count_matches(QUOTED_TEXT)
    if (lines.str.count_matches(f"{QUOTED_TEXT}|[,:\\[{{]") - inside_texts).sum() > MOST_VALUES:
        message = f"more than {MOST_VALUES:,} names and values in one document"
        raise UnreadableError("S104", message, help=JSON_LINES_HELP)


class _Places:
    """The lines and characters of the offsets of a text, by how many characters its lines have."""

    def __init__(self, sizes: pl.Series) -> None:
        self.starts = (sizes.cum_sum() - sizes).to_numpy()

    def lines(self, offsets: Sequence[int]) -> Ints:
        """Return the line of each offset, from 1."""
        return np.searchsorted(self.starts, np.array(offsets, dtype=np.int64), side="right")

    def find(self, at: int) -> tuple[int, int]:
        """Return the line and the character of an offset, both from 1."""
        line = int(self.lines([at])[0])
        return line, at - int(self.starts[line - 1]) + 1


def skip_blanks(text: str, at: int) -> int:
    """Return the first offset from `at` on that holds no blank of JSON."""
    match = BLANK_PATTERN.match(text, at)
    assert match is not None  # it matches anything
    return match.end()


class _Parser:
    """Parses a document. A method returns what it has parsed, and where what follows begins."""

    def __init__(self, text: str) -> None:
        self.text = text

    def parse_document(self, start: int) -> Node:
        """Return the value of the document, which begins at an offset.

        Raises:
            JsonShapeError: It is no JSON, or nested too deeply.
        """
        root, at = self._parse_value(start, 1)
        if at < len(self.text):
            raise JsonShapeError(at, "not JSON: something follows the document")
        return Node(root, start)

    def _parse_value(self, at: int, depth: int) -> tuple[Value, int]:
        """Parse a value; `depth` counts the arrays and objects around it, and itself."""
        mark = self.text[at : at + 1]
        if mark not in ("[", "{"):
            match = SCALAR_PATTERN.match(self.text, at)
            if match is None:
                raise self._make_value_error(at)
            return match[1], match.end()  # as it is: a scalar outside entries ends in an error
        if depth > DEEPEST:
            raise JsonShapeError(at, "the values are nested too deeply")
        return self._parse_entries(at, depth, is_object=mark == "{")

    def _parse_entries(self, start: int, depth: int, *, is_object: bool) -> tuple[Value, int]:
        """Parse an object, or an array, which begins at an offset."""
        text = self.text
        members: dict[str, Value] = {}
        elements: list[Value] = []
        name_offsets, offsets = array("q"), array("q")
        match_entry = MEMBER_PATTERN.match if is_object else ELEMENT_PATTERN.match
        end = "}" if is_object else "]"
        at = skip_blanks(text, start + 1)
        mark = text[at : at + 1]
        if mark == end:
            at += 1
        while mark != end:  # after the first entry, `mark` is what follows the entry before
            match = match_entry(text, at)
            if match is None:  # only of a member: ELEMENT_PATTERN matches anything
                raise self._make_member_error(at)
            quoted_name, scalar, mark = match.groups()
            name, name_at = quoted_name[1:-1], at
            if "\\" in name:
                name = self._unescape(quoted_name, at)
            if name in members:
                raise JsonShapeError(at, f"the key {quoted(name)} is given twice")
            value: Value = scalar
            if scalar is not None:
                value_at, at = match.start(2), match.end()
                if scalar[0] == '"':
                    value = scalar[1:-1] if "\\" not in scalar else self._unescape(scalar, value_at)
                elif scalar == "null":
                    value = ""
            else:
                value_at = match.end()
                value, at = self._parse_value(value_at, depth + 1)
                mark = text[at : at + 1]
                if mark not in (",", end):
                    what = f"expected a comma or {end}" if mark else "it ends early"
                    raise JsonShapeError(at, f"not JSON: {what}")
                at = skip_blanks(text, at + 1)
            offsets.append(value_at)
            if is_object:
                members[name] = value
                name_offsets.append(name_at)
            else:
                elements.append(value)
        parsed = Object(members, name_offsets, offsets) if is_object else Array(elements, offsets)
        return parsed, skip_blanks(text, at)

    def _unescape(self, text: str, at: int) -> str:
        """Return a text in quotes without these and its escapes."""
        try:
            string: str = json.loads(text)
        except json.JSONDecodeError as error:
            raise JsonShapeError(at + error.pos, f"not JSON: {error.msg.lower()}") from None
        if "\0" in string or HALF_CHARACTER.search(string):
            raise JsonShapeError(at, "a text holds a NUL, or half a character")
        return string

    def _make_value_error(self, at: int) -> JsonShapeError:
        """Return the error of a place where a value should begin."""
        mark = self.text[at : at + 1]
        if mark == '"':
            try:
                json.JSONDecoder().raw_decode(self.text, at)
            except json.JSONDecodeError as error:
                return JsonShapeError(error.pos, f"not JSON: {error.msg.lower()}")
        what = f"{quoted(mark)} is no value" if mark else "it ends early"
        return JsonShapeError(at, f"not JSON: {what}")

    def _make_member_error(self, at: int) -> JsonShapeError:
        """Return the error of a place where a member should begin."""
        if self.text[at : at + 1] != '"':
            return JsonShapeError(at, "not JSON: expected a key in quotes")
        match = SCALAR_PATTERN.match(self.text, at)
        if match is None:
            return self._make_value_error(at)
        return JsonShapeError(match.end(), "not JSON: expected a colon after the key")


def _declared_paths(request: ReadRequest) -> tuple[Schema, dict[str, Steps]]:
    """Return the schema that the paths of the layout fit, and these paths."""
    paths = {role: parse_path(path) for role, path in request.layout.json}
    for schema in request.schemas:
        if set(schema.required) <= paths.keys():
            return schema, {role: path for role, path in paths.items() if role in schema.roles}
    missing_roles = ([role for role in s.required if role not in paths] for s in request.schemas)
    fewest = min(missing_roles, key=len)
    message = f"json: says nothing of {join_first(fewest)}, which is needed here"
    raise UnreadableError("S201", message)


def _guess_paths(
    root: Node, request: ReadRequest, places: _Places
) -> tuple[Schema, dict[str, Steps]]:
    """Return the schema and the paths to its roles, by the form of the first entry of a document.

    An array has an object for each row. An object has a member for each list, whose value is the
    list's only value or item, an array of items, or an object of a value for each item.
    """
    if isinstance(root.value, str):
        raise JsonShapeError(root.at, "expected an object or an array")
    if not root.value.offsets:
        raise UnreadableError("S103", "the document is empty")
    at = root.value.offsets[0]
    if isinstance(root.value, Array):
        first = root.value.elements[0]
        if not isinstance(first, Object):
            raise JsonShapeError(at, "expected an array of objects")
        match = match_schema(list(first.members), request, places.find(at)[0])
        return match.schema, {role: ("[]", name) for role, name in match.names.items()}
    first = next(iter(root.value.members.values()))
    for schema in request.schemas:
        value_role = next((role for role in schema.roles if role in VALUE_ROLES), None)
        item_role = "text" if "text" in schema.roles else "item"
        paths: dict[str, Steps] = {"list": ("*",)}
        if isinstance(first, str):
            role = value_role if value_role in schema.required else None
            paths[role or item_role] = ("*",)
        elif isinstance(first, Array):
            paths[item_role] = ("*", "[]")
        else:
            paths["item"] = ("*", "*")
            if value_role is not None:
                paths[value_role] = ("*", "*")
        if "list" in schema.required and set(schema.required) <= paths.keys():
            return schema, {role: path for role, path in paths.items() if role in schema.roles}
    schema = request.schemas[0]
    names = ", ".join(map(schema.column_name, schema.required))
    message = f"such a document cannot hold the columns that are needed here ({names})"
    raise JsonShapeError(root.at, message)


def _make_cells(
    root: Node, schema: Schema, paths: Mapping[str, Steps], places: _Places, request: ReadRequest
) -> Cells:
    """Return the cells that the paths of the roles lead to.

    Where one name stands for all items of a list, a second place with that name is reported.
    """
    roles = [role for role in schema.roles if role in paths]
    depths = {role: sum(step in EACH for step in path) for role, path in paths.items()}
    has_one_name = "list" in depths and depths.get("item", 0) > depths["list"]
    # Both at ("*",): the name of a member is the list, and its value is the only item.
    has_one_item = "item" in paths and paths["item"] == paths.get("list")
    # A row is on the line of its outermost number, else of its item, else of its last cell.
    numbers = (role for role in paths if not holds_text(role))
    main_role = min(numbers, key=depths.__getitem__, default="item")
    texts = {role: list[str]() for role in roles}
    offsets = {role: array("q") for role in roles}
    columns = [(role, texts[role].append, offsets[role].append) for role in roles]
    empty_at: dict[str, int] = {}  # list without rows -> the offset of its name, or of its ""
    first_at: dict[str, int] = {}  # list -> the offset at which its name stands first
    repeated = set[int]()  # the offsets of the repeated names that are reported
    for row in _find_rows(root, _make_level(paths), {}, is_root=True):
        name = row.get("list")
        if has_one_name and name is not None and first_at.setdefault(name.text, name.at) != name.at:
            if name.at not in repeated:
                word = printable(schema.column_name("list"), 60)
                message = f"{word} {quoted(name.text)} appears in two separate places"
                message += f" (first on line {places.find(first_at[name.text])[0]})"
                request.report("S303", message, *places.find(name.at), list=name.text)
            repeated.add(name.at)
        elif name is not None and (  # the row is but the name of a list, or its item is empty
            len(row) < len(roles) or (has_one_item and not row["item"].text)
        ):
            empty_at[name.text] = row.get(main_role, name).at
        else:
            for role, add_text, add_offset in columns:
                text, at = row[role]
                add_text(text)
                add_offset(at)
    has_main = main_role in offsets
    lines = places.lines(offsets[main_role] if has_main else np.max([*offsets.values()], axis=0))
    frame = cells_frame(lines, texts)
    number_in_line = np.arange(len(lines)) - np.searchsorted(lines, lines)  # as lines ascend

    def find_cells(_: LineTexts, line: int, role: str) -> list[CellPlace]:
        if role not in offsets:
            return []
        rows = slice(*np.searchsorted(lines, (line, line + 1)).tolist())
        cells = zip(frame[role][rows], offsets[role][rows], strict=True)
        return [CellPlace(text, *places.find(at)) for text, at in cells]

    empty = dict(zip(empty_at, places.lines([*empty_at.values()]).tolist(), strict=True))
    facts = {ANSWERS_FACT: has_one_item}
    cells = frame.with_columns(pl.Series(IN_LINE, number_in_line, dtype=pl.UInt32))
    return Cells(cells, schema, tuple(roles), empty, find_cells, facts=facts)


class _Level(NamedTuple):
    """Where the cells of rows are in a value: in each entry of an array or object inside it."""

    names: Steps  # from the value to the array or object
    each: str  # the step to its entries
    name_role: str | None  # whose cells are the names of the entries
    flat: Mapping[str, Steps]  # role -> the names from an entry to the cell
    nested: _Level | None  # of the roles whose cells are in arrays or objects inside an entry


def _make_level(paths: Mapping[str, Steps]) -> _Level:
    """Return where cells are whose paths are the same up to the first step in EACH."""
    *names, each = container_path(next(iter(paths.values())))
    inner = {role: path[len(names) :] for role, path in paths.items()}
    # Of the roles whose paths end at the members, the first in NAME_ROLES has their names as cells,
    # and another one has their values.
    name_role = next((role for role in NAME_ROLES if inner.get(role) == ("*",)), None)
    inner = {role: path[1:] for role, path in inner.items() if role != name_role}
    flat = {role: path for role, path in inner.items() if not container_path(path)}
    nested = {role: path for role, path in inner.items() if role not in flat}
    return _Level(tuple(names), each, name_role, flat, _make_level(nested) if nested else None)


def _find_rows(node: Node, level: _Level, outer: Row, *, is_root: bool = False) -> Iterator[Row]:
    """Yield the cells of each row in a value; for a list without rows, only the cell of its name.

    Args:
        outer: The cells that were found in the values around this one.
        is_root: Whether the value is the document.

    Raises:
        JsonShapeError: The value has another shape than the paths.
    """
    for step in level.names:
        node = _get_member(node, step, is_root=is_root)
    value = node.value
    if level.each == "[]" and isinstance(value, Array):
        entries = zip(repeat(""), value.offsets, value.elements, value.offsets, strict=False)
    elif level.each == "*" and isinstance(value, Object):
        members = value.members
        entries = zip(members, value.name_offsets, members.values(), value.offsets, strict=True)
    else:
        what = "an array" if level.each == "[]" else "an object"
        raise JsonShapeError(node.at, f"expected {what} here")
    for name, name_at, inside, at in entries:
        cells = dict(outer)
        if level.name_role is not None:
            cells[level.name_role] = Cell(name, name_at)
        for role, path in level.flat.items():
            cells[role] = _get_cell(Node(inside, at), path, role)
        if level.nested is None:
            yield cells
        else:
            yield from _find_rows(Node(inside, at), level.nested, cells)
    if not value.offsets and "list" in outer:
        yield {"list": outer["list"]}


def _get_cell(node: Node, path: Steps, role: str) -> Cell:
    """Return the cell at the end of a path of names."""
    for name in path:
        node = _get_member(node, name)
    if isinstance(node.value, str):
        return Cell(node.value, node.at)
    what = "an array" if isinstance(node.value, Array) else "an object"
    raise JsonShapeError(node.at, f"{what} where the {role} is expected")


def _get_member(node: Node, name: str, *, is_root: bool = False) -> Node:
    """Return the member of that name."""
    value = node.value
    if not isinstance(value, Object):
        raise JsonShapeError(node.at, f"expected an object with {quoted(name)}")
    names = list(value.members)
    if name in value.members:
        return Node(value.members[name], value.offsets[names.index(name)])
    similar = nearest(name, names)
    hint = f"; rename {quoted(similar)}?" if similar else ""
    if is_root:
        found = join_first(names) or "nothing"
        raise JsonShapeError(node.at, f"no {quoted(name)} here; found: {found}{hint}")
    raise JsonShapeError(node.at, f"{quoted(name)} is missing here{hint}")


def parse_json(document: str | bytes) -> Any:
    """Return the value of a JSON document.

    Raises:
        ValueError: It is not JSON, or nested more than DEEPEST deep. The depth that Python itself
            allows differs with its version and with the caller.
    """
    if isinstance(document, bytes):
        document = document.decode(json.detect_encoding(document))
    if is_too_deep(document):
        raise ValueError("the values are nested too deeply")
    return json.loads(document)


def is_too_deep(document: str) -> bool:
    """Return whether the values of a JSON document are nested more than `DEEPEST` deep.

    >>> is_too_deep("[" * 100), is_too_deep("[" * 101), is_too_deep("[" + "{}," * 101)
    (False, True, False)
    >>> is_too_deep('["' + "[" * 101 + '"]')
    False
    """
    if document.count("[") + document.count("{") <= DEEPEST:
        return False
    depth = 0
    for mark in re.findall(r"[\[{}\]]", re.sub(QUOTED_TEXT, "", document)):
        depth += 1 if mark in "[{" else -1
        if depth > DEEPEST:
            return True
    return False


FORMAT = Format("json", write_json, read_json, is_document=True)
