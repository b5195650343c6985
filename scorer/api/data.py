"""Data of a Python session as files that every reader knows.

What is submitted from Python takes the same path as a file: it is written as JSON Lines, whose
line numbers are the numbers of the rows, and read, checked and scored like any other.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from numbers import Integral, Real
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

import polars as pl

from scorer.core.errors import UsageError
from scorer.core.text import printable, quoted
from scorer.reading.schema import Schema, holds_text
from scorer.reading.table import NO_ITEMS_FACT, Table, make_table

FORMAT = "jsonl"
UNDERSTOOD = (
    "give a path, a dict {list: {item: value}}, rows (list, item, value), of a table a dict "
    "{id: value} or rows (id, value), or a data frame (pandas, polars, pyarrow, duckdb: whatever "
    "has an Arrow stream)"
)
INDEX = "__index_level_"  # what pyarrow calls the columns of a pandas index
PAIRS = ("list", "better", "worse")


class Layout(NamedTuple):
    """The roles of the columns of a table, and their names."""

    shape: Schema
    value: str  # the role of the value that a dict or a row gives
    flat: bool = False  # whether a list is a row of a table, with one value and no items

    @classmethod
    def of(cls, shapes: Sequence[Schema], columns: Mapping[str, str]) -> Layout:
        """The layout of the first shape that gives an item of a list a number, or a row a value."""
        shape = next((schema for schema in shapes if "item" in schema.roles), None)
        if shape is None and not any("better" in schema.roles for schema in shapes):
            fitting = (schema for schema in shapes if set(columns) <= set(schema.roles))
            shape = next(fitting, shapes[0])
            called = {**shape.columns, **columns}
            return cls(Schema(shape.required, shape.optional, called), shape.required[-1], True)
        shape = shape or shapes[0]
        numbers = [role for role in shape.roles if not holds_text(role)]
        value = "score" if "score" in numbers else next(iter(numbers), "item")
        return cls(Schema(shape.required, shape.optional, columns), value)

    def called(self, *roles: str) -> tuple[str, ...]:
        """The names of the columns with these roles."""
        return tuple(map(self.shape.column_name, roles))


def is_path(data: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether data is the path of a file."""
    return isinstance(data, str | os.PathLike)


def is_frame(data: object) -> bool:
    """Whether data is a table of named columns."""
    return hasattr(data, "__arrow_c_stream__") or type(data).__module__.split(".")[0] == "pandas"


def columns_of(frame: object) -> tuple[str, ...]:
    """The names of a data frame's columns, as far as they are text."""
    arrow = hasattr(frame, "column_names")  # whose `columns` are the data
    names = getattr(frame, "column_names" if arrow else "columns", ())
    return tuple(name for name in list(names) if isinstance(name, str))


def is_flat(data: object) -> bool:
    """Whether data gives a value to each id, as a table of classes or numbers does."""
    if not isinstance(data, Mapping):
        return False
    return isinstance(next(iter(data.values()), None), str | Real)


def prefers(data: object) -> bool:
    """Whether data says which of two items is better, rather than how good an item is."""
    if is_frame(data):
        return {"better", "worse"} <= set(columns_of(data))
    if isinstance(data, Sequence) and not is_path(data) and data:
        first = data[0]
        return isinstance(first, Sequence) and len(first) == 3 and isinstance(first[2], str)
    return False


def write(path: Path, data: object, layout: Layout, what: str) -> Path:
    """Write data as JSON Lines, unless it is a file's path already; return the path.

    Args:
        data: a path, a dict, rows, or anything with an Arrow stream.
        what: the name of the data in messages: `the truth`, `run 'bm25'`.

    Raises:
        TypeError: the data is of a kind that is not understood.
        UsageError: it is, and cannot be a table of lists and items.
    """
    if is_path(data):
        return Path(data)
    if is_frame(data):
        _frame(data, layout, what).write_ndjson(path)
        return path
    if isinstance(data, Mapping):
        rows = _nested(data, layout, what)
    elif isinstance(data, Iterable) and not isinstance(data, bytes | Set):
        rows = _rows(data, layout, what)
    else:
        raise TypeError(f"{what} is {_kind(data)}; {UNDERSTOOD}")
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(row)}\n" for row in rows)
    return path


def table_without_rows(data: object, layout: Layout) -> Table:
    """The table of data that `write` made an empty file of, which no format can read."""
    names_lists = isinstance(data, Mapping) and len(data) > 0
    facts = {NO_ITEMS_FACT: True} if names_lists else {}
    empty = make_table(dict.fromkeys(layout.shape.required, ()), layout.shape)
    return replace(empty, facts=facts)


def _nested(data: Mapping[Any, Any], layout: Layout, what: str) -> Iterator[dict[str, str]]:
    """Rows of `{list: {item: value}}`, or of `{list: [item, item, ...]}`, best first."""
    name, item, value = layout.called("list", "item", layout.value)
    for key, items in data.items():
        where = f"{what}, {name} {quoted(key)}"
        if layout.flat:
            yield _valued(key, items, layout, what, where)
            continue
        if isinstance(items, Mapping):
            for item_id, number in items.items():
                inside = f"{where}, {item} {quoted(item_id)}"
                yield {
                    name: _id(key, what),
                    item: _id(item_id, where),
                    value: _value_of(number, inside),
                }
        elif isinstance(items, Sequence | Set) and not isinstance(items, str | bytes):
            if isinstance(items, Set) and layout.value == "score":
                raise TypeError(f"{where}: a set has no order; give a list, best item first")
            for item_id in items:
                yield {name: _id(key, what), item: _id(item_id, where)}
        else:
            message = f"{where} is {_kind(items)}, not a dict of items"
            if what.startswith("run"):
                message += "; runs are {name: {list: {item: value}}}"
            raise TypeError(message)


def _rows(data: Iterable[Any], layout: Layout, what: str) -> Iterator[dict[str, str]]:
    """Rows of `(list, item, value)`, `(list, item)`, or `(list, better, worse)`."""
    for n, row in enumerate(data, 1):
        where = f"{what}, row {n:,}"
        if not isinstance(row, Sequence) or isinstance(row, str | bytes):
            raise TypeError(f"{where} is {_kind(row)}, not (list, item, value); {UNDERSTOOD}")
        if len(row) not in (2, 3):
            raise UsageError(f"{where} has {len(row)} values; expected (list, item, value)")
        if len(row) == 3 and isinstance(row[2], str) and layout.value in ("item", "score"):
            yield dict(zip(layout.called(*PAIRS), (_id(cell, where) for cell in row), strict=True))
            continue
        if layout.flat:
            if len(row) == 3:
                raise UsageError(f"{where} has 3 values; expected (id, value)")
            yield _valued(row[0], row[1], layout, where, where)
            continue
        name, item, value = layout.called("list", "item", layout.value)
        number = {value: _value_of(row[2], where)} if len(row) == 3 else {}
        yield {name: _id(row[0], where), item: _id(row[1], where), **number}


def _valued(key: object, value: object, layout: Layout, what: str, where: str) -> dict[str, str]:
    """A row of a table: an id with a class, or with a number."""
    name, called = layout.called("list", layout.value)
    text = _id(value, where) if holds_text(layout.value) else _value_of(value, where)
    return {name: _id(key, what), called: text}


def _id(value: object, where: str) -> str:
    """An id as text; whole numbers as they are written."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Integral) and not isinstance(value, bool):
        return str(int(value))
    raise TypeError(f"{where}: {printable(repr(value), 60)} is no id; ids are text")


def _value_of(value: object, where: str) -> str:
    """A number as the readers take it; NaN and infinity are theirs to refuse."""
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Real):
        return repr(float(value))
    raise TypeError(f"{where}: {printable(repr(value), 60)} is not a number")


def as_polars(data: Any, what: str) -> pl.DataFrame:
    """A data frame as polars has it; `UsageError` where it cannot be."""
    import polars as pl

    try:
        return pl.DataFrame(data)
    except (ImportError, AttributeError):  # pandas hands its data over by pyarrow only
        return pl.DataFrame({str(name): data[name].tolist() for name in data.columns})
    except Exception as error:
        message = f"{type(error).__name__}: {printable(error)}"
        raise UsageError(f"{what} cannot be read as a table: {message}") from error


def _frame(data: Any, layout: Layout, what: str) -> pl.DataFrame:
    """A data frame's columns as text, numbers as exactly as they are."""
    import polars as pl

    frame = as_polars(data, what)
    texts = {layout.shape.column_name(role) for role in layout.shape.roles if holds_text(role)}
    columns = []
    for name, type_ in frame.schema.items():
        if name.startswith(INDEX):
            continue
        column = pl.col(name)
        if type_.is_nested() or type_ in (pl.Binary, pl.Object):
            if name in map(layout.shape.column_name, layout.shape.roles):
                message = f"{what}: column {quoted(name)} is {type_}, expected text or numbers"
                raise UsageError(message)
            continue
        if type_ == pl.Boolean and name not in texts:
            column = column.cast(pl.Int8)
        elif type_.is_float():
            column = column.cast(pl.Float64)
        columns.append(column.cast(pl.String))
    missing = [
        name
        for name in map(layout.shape.column_name, layout.shape.required)
        if name not in frame.columns
    ]
    if missing and not {*map(layout.shape.column_name, PAIRS)} <= set(frame.columns):
        names = printable(", ".join(frame.columns))
        roles = {name: role for role in layout.shape.roles for name in layout.called(role)}
        hint = ", ".join(f"{roles[name]!r}: ..." for name in missing)
        raise UsageError(
            f"{what} has no column {', '.join(map(quoted, missing))} (it has {names}); "
            f"rename them, or with a truth as data: columns={{{hint}}}"
        )
    return frame.select(columns)


def _kind(data: object) -> str:
    """The type of a value with its article, for messages."""
    return f"{'an' if type(data).__name__[0] in 'aeiou' else 'a'} {type(data).__name__}"
