"""JSON documents: `{id: [items]}`, `{id: {item: score}}`, `{id: text}`, or by the paths of `json:`.

Python's own parser reads a document. Its values know no places, so each cell keeps the number of
its token: names, texts, numbers, words and the brackets that open are the tokens of a document, in
its order. The position of a token is computed when it is needed.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from scorer.core.arrays import Ints
from scorer.core.text import join_first, printable, quoted
from scorer.reading.formats import Format, Rows
from scorer.reading.header import match_schema
from scorer.reading.json_faults import QUOTED_TEXT, JsonShapeError, check_document, is_too_deep
from scorer.reading.json_rows import Fault, JsonColumn, Nodes, filter_rows, find_rows, make_level
from scorer.reading.layout import EACH, Steps, parse_path
from scorer.reading.limits import MOST_DOCUMENT, UnreadableError, format_size
from scorer.reading.schema import Schema, holds_text
from scorer.reading.table import IN_LINE, CellPlace, Cells, LineTexts, ReadRequest

MOST_VALUES = 5_000_000  # names and values of a document; each takes about a hundred bytes
JSON_LINES_HELP = "write an object a line, in a .jsonl file"
VALUE_ROLES = ("prediction", "label", "score", "grade", "rating", "target")
ANSWERS_FACT = "answers"  # of `Table.facts`: whether lists have one item each, where "" is none

# A token of a document without faults, of which no text goes on in the next line.
TOKEN = r'"(?:[^"\\]|\\.)*"|[^ \t\r\n,:\[\]{}"]+|[\[{]'
# An escape of a NUL, or of half a character; or what looks like one behind a backslash.
ODD_ESCAPE = re.compile(
    r"\\u(?:0000|[dD][89abAB]..(?!\\u[dD][c-fC-F]))|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]"
)

# Numbers and texts are str, true and false bool, and null is None.
Value = str | bool | dict[str, Any] | list[Any] | None


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
    document = Nodes([root], np.zeros(1, dtype=np.int64))
    rows = find_rows(document, make_level(paths), is_root=True)
    columns, empty = rows.columns, rows.empty_lists
    if "list" in depths and depths.get("item", 0) > depths["list"]:
        repeated = _report_repeated_lists(columns["list"], empty, schema, places, request)
        columns = filter_rows(columns, ~np.isin(columns["list"].tokens, repeated))
        empty = empty.take(np.flatnonzero(~np.isin(empty.tokens, repeated)))
    if rows.fault is not None:
        raise places.make_error(rows.fault)
    if has_one_item:
        is_empty = (columns["item"].texts == "").to_numpy()
        nameless = filter_rows(columns, is_empty)
        empty = JsonColumn(nameless["list"].texts, nameless[main_role].tokens)
        columns = filter_rows(columns, ~is_empty)
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
    names: JsonColumn, empty: JsonColumn, schema: Schema, places: _Places, request: ReadRequest
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


FORMAT = Format("json", write_json, read_json, is_document=True)
