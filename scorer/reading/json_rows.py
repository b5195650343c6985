"""The rows of a JSON document: the values that the paths of roles lead to, with their tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from scorer.core.arrays import Ints, Mask
from scorer.core.text import join_first, nearest, quoted
from scorer.reading.layout import Steps, container_path

NAME_ROLES = ("list", "item", "better", "worse")  # can be names of members; the first one found is
WORDS = {True: "true", False: "false", None: ""}  # of JSON, as cells
CONTAINERS: frozenset[type] = frozenset((dict, list))
TYPES: frozenset[type] = CONTAINERS | {str, bool, type(None)}


class Fault(NamedTuple):
    """A value that has not the shape that the paths of the roles ask for."""

    token: int  # of the value
    message: str


class Level(NamedTuple):
    """Where the cells of rows are in a value: in each entry of an array or object inside it."""

    names: Steps  # from the value to the array or object
    each: str  # the step to its entries
    name_role: str | None  # whose cells are the names of the entries
    flat: Mapping[str, Steps]  # role -> the names from an entry to the cell
    nested: Level | None  # of the roles whose cells are in arrays or objects inside an entry


def make_level(paths: Mapping[str, Steps]) -> Level:
    """Return where cells are whose paths are the same up to the first step in EACH."""
    *names, each = container_path(next(iter(paths.values())))
    inner = {role: path[len(names) :] for role, path in paths.items()}
    # Of the roles whose paths end at the members, the first in NAME_ROLES has their names as cells,
    # and another one has their values.
    name_role = next((role for role in NAME_ROLES if inner.get(role) == ("*",)), None)
    inner = {role: path[1:] for role, path in inner.items() if role != name_role}
    flat = {role: path for role, path in inner.items() if not container_path(path)}
    nested = {role: path for role, path in inner.items() if role not in flat}
    return Level(tuple(names), each, name_role, flat, make_level(nested) if nested else None)


class Nodes(NamedTuple):
    """Values of a document and their tokens, up to one with a wrong shape."""

    values: Sequence[Any]
    tokens: Ints
    fault: Fault | None = None  # of the value that would follow

    def before(self, at: int | None, message: str) -> Nodes:
        """Return the values before the one that has a wrong shape; all of them if none has."""
        if at is None:
            return self
        return Nodes(self.values[:at], self.tokens[:at], Fault(int(self.tokens[at]), message))


class JsonColumn(NamedTuple):
    """The cells of a role."""

    texts: pl.Series
    tokens: Ints

    def take(self, rows: Ints) -> JsonColumn:
        """Return the cells of some rows."""
        return JsonColumn(self.texts.gather(rows), self.tokens[rows])

    def head(self, count: int) -> JsonColumn:
        """Return the first cells."""
        return JsonColumn(self.texts.head(count), self.tokens[:count])


Columns = Mapping[str, JsonColumn]  # by role
NO_CELLS = JsonColumn(pl.Series([], dtype=pl.String), np.empty(0, dtype=np.int64))


def filter_rows(columns: Columns, is_kept: Mask) -> Columns:
    """Return the cells of some rows."""
    if is_kept.all():
        return columns
    kept = np.flatnonzero(is_kept)
    return {role: column.take(kept) for role, column in columns.items()}


class JsonRows(NamedTuple):
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
    empty_lists: JsonColumn
    fault: Fault | None


def find_rows(nodes: Nodes, level: Level, *, is_root: bool = False) -> JsonRows:
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
    columns = dict[str, JsonColumn]()
    if level.name_role is not None:
        names = pl.Series([*chain.from_iterable(nodes.values)], dtype=pl.String)
        columns[level.name_role] = JsonColumn(names, entries.tokens - 1)
    for role, path in level.flat.items():
        cells = entries
        for name in path:
            cells = _get_members(cells, name)
        wrong = _find_type(cells.values, CONTAINERS)
        if wrong is not None:
            word = "an array" if isinstance(cells.values[wrong], list) else "an object"
            cells = cells.before(wrong, f"{word} where the {role} is expected")
        texts = [v if isinstance(v, str) else WORDS[v] for v in cells.values]
        columns[role] = JsonColumn(pl.Series(texts, dtype=pl.String), cells.tokens)
        count = len(cells.values)
        entries = Nodes(entries.values[:count], entries.tokens[:count], cells.fault)
    without_rows = np.flatnonzero(sizes == 0)
    count = len(entries.values)
    columns = {role: column.head(count) for role, column in columns.items()}
    if level.nested is None:
        return JsonRows(parents[:count], columns, without_rows, NO_CELLS, entries.fault)
    inner = find_rows(entries, level.nested)
    empty_lists = inner.empty_lists
    if "list" in columns:
        empty_lists = columns["list"].take(np.sort(inner.without_rows))
    else:
        without_rows = np.append(without_rows, parents[inner.without_rows])
    outer = {role: column.take(inner.parents) for role, column in columns.items()}
    return JsonRows(
        parents[inner.parents], {**outer, **inner.columns}, without_rows, empty_lists, inner.fault
    )


def _find_type(values: Sequence[Any], types: frozenset[type]) -> int | None:
    """Return the position of the first value of one of these types."""
    if types.isdisjoint(map(type, values)):
        return None
    return next(n for n, value in enumerate(values) if type(value) in types)


def _get_entries(nodes: Nodes, sizes: Ints, parents: Ints, *, is_object: bool) -> Nodes:
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
    return Nodes(values, tokens, nodes.fault)


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


def _get_members(nodes: Nodes, name: str, *, is_root: bool = False) -> Nodes:
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
    return Nodes([value[name] for value in nodes.values], tokens, nodes.fault)


def _find_member(members: Mapping[str, Any], name: str) -> int:
    """Return by how many tokens the value of a member follows its object."""
    position = list(members).index(name)
    before = [*members.values()][:position]
    offset = 2 * position + 2  # names and values before it, the object itself, and the name
    if not CONTAINERS.isdisjoint(map(type, before)):
        offset += sum(_count_in(value) - 1 for value in before)
    return offset
