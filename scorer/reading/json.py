"""JSON documents: `{id: [items]}`, `{id: {item: score}}`, `{id: text}`, or by the paths of `json:`.

Python's own parser reads a document. Its values know no places, so each cell keeps the number of
its token: names, texts, numbers, words and the brackets that open are the tokens of a document, in
its order. The position of a token is computed when it is needed.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from scorer.core.arrays import Ints, Mask
from scorer.core.text import join_first, nearest, printable, quoted
from scorer.reading.formats import Format, Rows
from scorer.reading.header import match_schema
from scorer.reading.json_faults import (
    QUOTED_TEXT,
    JsonShapeError,
    check_document,
    is_too_deep,
)
from scorer.reading.layout import EACH, Steps, container_path, parse_path
from scorer.reading.limits import MOST_DOCUMENT, UnreadableError, format_size
from scorer.reading.schema import Schema, holds_text
from scorer.reading.table import IN_LINE, CellPlace, Cells, LineTexts, ReadRequest

MOST_VALUES = 5_000_000  # names and values of a document; each takes about a hundred bytes
JSON_LINES_HELP = "write an object a line, in a .jsonl file"
VALUE_ROLES = ("prediction", "label", "score", "grade", "rating", "target")
NAME_ROLES = ("list", "item", "better", "worse")  # can be names of members; the first one found is
ANSWERS_FACT = "answers"  # of `Table.facts`: whether lists have one item each, where "" is none

# A token of a document without faults, of which no text goes on in the next line.
TOKEN = r'"(?:[^"\\]|\\.)*"|[^ \t\r\n,:\[\]{}"]+|[\[{]'
# An escape of a NUL, or of half a character; or what looks like one behind a backslash.
ODD_ESCAPE = re.compile(
    r"\\u(?:0000|[dD][89abAB]..(?!\\u[dD][c-fC-F]))|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]"
)

# Numbers and texts are str, true and false bool, and null is None.
Value = str | bool | dict[str, Any] | list[Any] | None
WORDS = {True: "true", False: "false", None: ""}
CONTAINERS: frozenset[type] = frozenset((dict, list))
TYPES: frozenset[type] = CONTAINERS | {str, bool, type(None)}


class Fault(NamedTuple):
    """A wrong shape."""

    token: int  # of the value that has it
    message: str


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
    places = _Places(lines["text"])
    try:
        declared = None
        if request.layout.json:  # tell of wrong paths and beginnings before other faults of JSON
            declared = _declared_paths(request)
            first_step = parse_path(request.layout.json[0][1])[0]
            if first_step not in EACH and text[start] != "{":
                raise JsonShapeError(start, f"expected an object with {quoted(first_step)}")
        _refuse_many_values(lines["text"], text)
        root = _parse(text)
        schema, paths = declared or _guess_paths(root, request, places)
        return _make_cells(root, schema, paths, places, request)
    except JsonShapeError as error:
        ends = sizes.cum_sum()
        at = min(error.at, len(text) - 1)
        line = int(ends.search_sorted(at, side="right")) + 1
        column = at - (int(ends[line - 2]) if line > 1 else 0) + 1
        raise UnreadableError("S207", error.message, line, column) from None


def _refuse_many_values(lines: pl.Series, text: str) -> None:
    """Raise UnreadableError if a document has more than MOST_VALUES names and values.

    There are as many names as colons, and as many values as commas and brackets that open; so an
    empty array or object counts twice. `lines` are the lines of `text`.
    """
    if sum(map(text.count, ",:[{")) <= MOST_VALUES:  # with those inside texts
        return
    inside_texts = lines.str.count_matches(QUOTED_TEXT)
    if (lines.str.count_matches(f"{QUOTED_TEXT}|[,:\\[{{]") - inside_texts).sum() > MOST_VALUES:
        message = f"more than {MOST_VALUES:,} names and values in one document"
        raise UnreadableError("S104", message, help=JSON_LINES_HELP)


class _Places:
    """Where the tokens of a document stand; a token is meant by its number, from 0."""

    def __init__(self, lines: pl.Series) -> None:
        self._lines = lines
        # The line that was looked at last, and the characters at which its tokens begin.
        self._line, self._columns = 0, np.empty(0, dtype=np.int64)

    @cached_property
    def _token_ends(self) -> Ints:
        """How many tokens there are up to the end of each line."""
        if len(self._lines) == 1:  # then it is never asked
            return np.array([sys.maxsize])
        ends: Ints = self._lines.str.count_matches(TOKEN).cast(pl.Int64).cum_sum().to_numpy()
        return ends

    def find_lines(self, tokens: Ints) -> Ints:
        """Return the line of each token, from 1."""
        return np.searchsorted(self._token_ends, tokens, side="right") + 1

    def find(self, token: int) -> tuple[int, int]:
        """Return the line and the character of a token, both from 1."""
        line = int(self.find_lines(np.array([token]))[0])
        if line != self._line:
            starts = (match.start() for match in re.finditer(TOKEN, self._lines[line - 1]))
            self._line, self._columns = line, np.fromiter(starts, dtype=np.int64) + 1
        before = int(self._token_ends[line - 2]) if line > 1 else 0
        return line, int(self._columns[token - before])

    def make_error(self, fault: Fault) -> UnreadableError:
        """Return the error of a value with a wrong shape."""
        return UnreadableError("S207", fault.message, *self.find(fault.token))


def _parse(text: str) -> Value:
    """Return the value of a document, by Python's own parser.

    Raises:
        JsonShapeError: It is no JSON, nested too deeply, gives a key twice, or has an odd text.
    """
    try:
        root: Value = DECODER.decode(text)
    except (ValueError, RecursionError):
        check_document(text)
        raise JsonShapeError(0, "not JSON") from None
    if ("\\u" in text and ODD_ESCAPE.search(text)) or is_too_deep(root):
        check_document(text)
    return root


def _make_object(members: list[tuple[str, Value]]) -> dict[str, Value]:
    found = dict(members)
    if len(found) < len(members):
        raise ValueError("a key is given twice")
    return found


def _refuse_word(word: str) -> None:
    raise ValueError(f"{word} is no JSON")


# Numbers stay text: "1.0" may be an id.
DECODER = json.JSONDecoder(
    object_pairs_hook=_make_object, parse_int=str, parse_float=str, parse_constant=_refuse_word
)


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
    root: Value, request: ReadRequest, places: _Places
) -> tuple[Schema, dict[str, Steps]]:
    """Return the schema and the paths to its roles, by the form of the first entry of a document.

    An array has an object for each row. An object has a member for each list, whose value is the
    list's only value or item, an array of items, or an object of a value for each item.
    """
    if not isinstance(root, list | dict):
        raise places.make_error(Fault(0, "expected an object or an array"))
    if not root:
        raise UnreadableError("S103", "the document is empty")
    if isinstance(root, list):
        if not isinstance(root[0], dict):
            raise places.make_error(Fault(1, "expected an array of objects"))
        match = match_schema(list(root[0]), request, places.find(1)[0])
        return match.schema, {role: ("[]", name) for role, name in match.names.items()}
    first = next(iter(root.values()))
    for schema in request.schemas:
        value_role = next((role for role in schema.roles if role in VALUE_ROLES), None)
        item_role = "text" if "text" in schema.roles else "item"
        paths: dict[str, Steps] = {"list": ("*",)}
        if isinstance(first, dict):
            paths["item"] = ("*", "*")
            if value_role is not None:
                paths[value_role] = ("*", "*")
        elif isinstance(first, list):
            paths[item_role] = ("*", "[]")
        else:
            role = value_role if value_role in schema.required else None
            paths[role or item_role] = ("*",)
        if "list" in schema.required and set(schema.required) <= paths.keys():
            return schema, {role: path for role, path in paths.items() if role in schema.roles}
    schema = request.schemas[0]
    names = ", ".join(map(schema.column_name, schema.required))
    message = f"such a document cannot hold the columns that are needed here ({names})"
    raise places.make_error(Fault(0, message))


def _make_cells(
    root: Value, schema: Schema, paths: Mapping[str, Steps], places: _Places, request: ReadRequest
) -> Cells:
    """Return the cells that the paths of the roles lead to.

    Where one name holds all items of a list, a second place with that name is reported.
    """
    roles = [role for role in schema.roles if role in paths]
    depths = {role: sum(step in EACH for step in path) for role, path in paths.items()}
    # Both at ("*",): the name of a member is the list, and its value is the only item.
    has_one_item = "item" in paths and paths["item"] == paths.get("list")
    # A row is on the line of its outermost number, else of its item, else of its last cell.
    numbers = (role for role in paths if not holds_text(role))
    main_role = min(numbers, key=depths.__getitem__, default="item")
    document = _Nodes([root], np.zeros(1, dtype=np.int64))
    rows = _find_rows(document, _make_level(paths), is_root=True)
    columns, empty = rows.columns, rows.empty_lists
    if "list" in depths and depths.get("item", 0) > depths["list"]:
        repeated = _report_repeated_lists(columns["list"], empty, schema, places, request)
        columns = _filter(columns, ~np.isin(columns["list"].tokens, repeated))
        empty = empty.take(np.flatnonzero(~np.isin(empty.tokens, repeated)))
    if rows.fault is not None:
        raise places.make_error(rows.fault)
    if has_one_item:
        is_empty = (columns["item"].texts == "").to_numpy()
        nameless = _filter(columns, is_empty)
        empty = _Column(nameless["list"].texts, nameless[main_role].tokens)
        columns = _filter(columns, ~is_empty)
    tokens = {role: columns[role].tokens for role in roles}
    main_tokens = tokens[main_role] if main_role in tokens else np.max([*tokens.values()], axis=0)
    lines = places.find_lines(main_tokens)
    row = np.arange(lines.size)
    is_first = np.append(True, lines[1:] != lines[:-1])[: lines.size]  # as lines ascend
    number_in_line = row - np.maximum.accumulate(np.where(is_first, row, 0))
    frame = pl.DataFrame(
        {
            "line": pl.Series(lines, dtype=pl.UInt32),
            **{role: columns[role].texts for role in roles},
            IN_LINE: pl.Series(number_in_line, dtype=pl.UInt32),
        }
    )

    def find_cells(_: LineTexts, line: int, role: str) -> list[CellPlace]:
        if role not in tokens:
            return []
        rows = slice(*np.searchsorted(lines, (line, line + 1)).tolist())
        cells = zip(frame[role][rows], tokens[role][rows].tolist(), strict=True)
        return [CellPlace(text, *places.find(token)) for text, token in cells]

    empty_lists = dict(zip(empty.texts, places.find_lines(empty.tokens).tolist(), strict=True))
    facts = {ANSWERS_FACT: has_one_item}
    return Cells(frame, schema, tuple(roles), empty_lists, find_cells, facts=facts)


def _report_repeated_lists(
    names: _Column, empty: _Column, schema: Schema, places: _Places, request: ReadRequest
) -> Ints:
    """Report each place but the first that names a list; return the tokens of these places.

    Args:
        names: The list of each row.
        empty: The lists without rows.
    """
    is_first = np.append(True, names.tokens[1:] != names.tokens[:-1])[: names.tokens.size]
    named = names.take(np.flatnonzero(is_first))
    tokens = np.append(named.tokens, empty.tokens)
    order = np.argsort(tokens)
    texts = pl.concat([named.texts, empty.texts]).gather(order)
    first_tokens, repeated = dict[str, int](), list[int]()
    for name, token in zip(texts, tokens[order].tolist(), strict=True):
        first = first_tokens.setdefault(name, token)
        if first != token:
            repeated.append(token)
            word = printable(schema.column_name("list"), 60)
            message = f"{word} {quoted(name)} appears in two separate places"
            message += f" (first on line {places.find(first)[0]})"
            request.report("S303", message, *places.find(token), list=name)
    return np.array(repeated, dtype=np.int64)


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


class _Nodes(NamedTuple):
    """Values of a document and their tokens, up to one with a wrong shape."""

    values: Sequence[Any]
    tokens: Ints
    fault: Fault | None = None  # of the value that would follow

    def before(self, at: int | None, message: str) -> _Nodes:
        """Return the values before the one that has a wrong shape; all of them if none has."""
        if at is None:
            return self
        return _Nodes(self.values[:at], self.tokens[:at], Fault(int(self.tokens[at]), message))


class _Column(NamedTuple):
    """The cells of a role."""

    texts: pl.Series
    tokens: Ints

    def take(self, rows: Ints) -> _Column:
        """Return the cells of some rows."""
        return _Column(self.texts.gather(rows), self.tokens[rows])

    def head(self, count: int) -> _Column:
        """Return the first cells."""
        return _Column(self.texts.head(count), self.tokens[:count])


Columns = Mapping[str, _Column]  # by role
NO_CELLS = _Column(pl.Series([], dtype=pl.String), np.empty(0, dtype=np.int64))


def _filter(columns: Columns, is_kept: Mask) -> Columns:
    """Return the cells of some rows."""
    if is_kept.all():
        return columns
    kept = np.flatnonzero(is_kept)
    return {role: column.take(kept) for role, column in columns.items()}


class _Rows(NamedTuple):
    """The rows that were found in some values.

    Attributes:
        parents: The position of the value that each row is in.
        without_rows: The positions of the values that hold no row.
        empty_lists: The lists without a row, if the values name lists.
        fault: What ends the rows, if something has a wrong shape.
    """

    parents: Ints
    columns: Columns
    without_rows: Ints
    empty_lists: _Column
    fault: Fault | None


def _find_rows(nodes: _Nodes, level: _Level, *, is_root: bool = False) -> _Rows:
    """Return the rows in some values up to the first fault of the document.

    Each step looks at the values before the fault that is known. So a further fault is in front of
    it in the document, and takes its place.

    Args:
        is_root: Whether the only value is the document.
    """
    for name in level.names:
        nodes = _get_members(nodes, name, is_root=is_root)
    kind, word = (dict, "an object") if level.each == "*" else (list, "an array")
    nodes = nodes.before(_find_type(nodes.values, TYPES - {kind}), f"expected {word} here")
    sizes = np.fromiter(map(len, nodes.values), dtype=np.int64, count=len(nodes.values))
    parents = np.repeat(np.arange(sizes.size), sizes)
    entries = _get_entries(nodes, sizes, parents, is_object=kind is dict)
    columns = dict[str, _Column]()
    if level.name_role is not None:
        names = pl.Series([*chain.from_iterable(nodes.values)], dtype=pl.String)
        columns[level.name_role] = _Column(names, entries.tokens - 1)
    for role, path in level.flat.items():
        cells = entries
        for name in path:
            cells = _get_members(cells, name)
        wrong = _find_type(cells.values, CONTAINERS)
        if wrong is not None:
            word = "an array" if isinstance(cells.values[wrong], list) else "an object"
            cells = cells.before(wrong, f"{word} where the {role} is expected")
        texts = [v if isinstance(v, str) else WORDS[v] for v in cells.values]
        columns[role] = _Column(pl.Series(texts, dtype=pl.String), cells.tokens)
        count = len(cells.values)
        entries = _Nodes(entries.values[:count], entries.tokens[:count], cells.fault)
    without_rows = np.flatnonzero(sizes == 0)
    count = len(entries.values)
    columns = {role: column.head(count) for role, column in columns.items()}
    if level.nested is None:
        return _Rows(parents[:count], columns, without_rows, NO_CELLS, entries.fault)
    inner = _find_rows(entries, level.nested)
    empty_lists = inner.empty_lists
    if "list" in columns:
        empty_lists = columns["list"].take(np.sort(inner.without_rows))
    else:
        without_rows = np.append(without_rows, parents[inner.without_rows])
    outer = {role: column.take(inner.parents) for role, column in columns.items()}
    return _Rows(
        parents[inner.parents], {**outer, **inner.columns}, without_rows, empty_lists, inner.fault
    )


def _find_type(values: Sequence[Any], types: frozenset[type]) -> int | None:
    """Return the position of the first value of one of these types."""
    if types.isdisjoint(map(type, values)):
        return None
    return next(n for n, value in enumerate(values) if type(value) in types)


def _get_entries(nodes: _Nodes, sizes: Ints, parents: Ints, *, is_object: bool) -> _Nodes:
    """Return the elements of arrays, or the values of the members of objects.

    Args:
        sizes: How many entries each of them has.
        parents: The position of the array or object that each entry is in.
    """
    parts = (value.values() for value in nodes.values) if is_object else nodes.values
    values = [*chain.from_iterable(parts)]
    counts = _count_tokens(values) + is_object  # with the name
    ends = np.cumsum(counts)
    # The tokens of all entries before those of each array or object.
    before = np.append(0, ends)[np.cumsum(sizes) - sizes]
    tokens = nodes.tokens[parents] + 1 + (ends - counts) - before[parents] + is_object
    return _Nodes(values, tokens, nodes.fault)


def _count_tokens(values: Sequence[Any]) -> Ints:
    """Return how many tokens each value has."""
    if CONTAINERS.isdisjoint(map(type, values)):
        return np.ones(len(values), dtype=np.int64)
    return np.fromiter(map(_count_in, values), dtype=np.int64, count=len(values))


def _count_in(value: Any) -> int:
    """Return how many tokens a value has: itself, and all names and values in it."""
    if type(value) not in CONTAINERS:
        return 1
    children, names = (value.values(), len(value)) if type(value) is dict else (value, 0)
    count: int = 1 + names + len(value)
    if not CONTAINERS.isdisjoint(map(type, children)):
        count += sum(_count_in(child) - 1 for child in children)
    return count


def _get_members(nodes: _Nodes, name: str, *, is_root: bool = False) -> _Nodes:
    """Return the members of that name of some values."""
    wrong = _find_type(nodes.values, TYPES - {dict})
    nodes = nodes.before(wrong, f"expected an object with {quoted(name)}")
    wrong = next((n for n, value in enumerate(nodes.values) if name not in value), None)
    if wrong is not None:
        names = list(nodes.values[wrong])
        similar = nearest(name, names)
        message = f"{quoted(name)} is missing here"
        if is_root:
            message = f"no {quoted(name)} here; found: {join_first(names) or 'nothing'}"
        hint = f"; rename {quoted(similar)}?" if similar else ""
        nodes = nodes.before(wrong, f"{message}{hint}")
    offsets = (_find_member(value, name) for value in nodes.values)
    tokens = nodes.tokens + np.fromiter(offsets, dtype=np.int64, count=len(nodes.values))
    return _Nodes([value[name] for value in nodes.values], tokens, nodes.fault)


def _find_member(members: Mapping[str, Any], name: str) -> int:
    """Return by how many tokens the value of a member follows its object."""
    position = list(members).index(name)
    before = [*members.values()][:position]
    offset = 2 * position + 2  # names and values before it, the object itself, and the name
    if not CONTAINERS.isdisjoint(map(type, before)):
        offset += sum(_count_in(value) - 1 for value in before)
    return offset


FORMAT = Format("json", write_json, read_json, is_document=True)
