"""Data of a Python session as data frames: dicts, rows, and the tables of other libraries."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from numbers import Integral, Real
from typing import Any, TypeGuard

import polars as pl

from scorer.core.errors import UsageError
from scorer.core.text import printable, quoted
from scorer.reading.schema import Schema, holds_text

UNDERSTOOD = (
    "give a path, a dict {list: {item: value}}, rows (list, item, value), of a table a dict "
    "{id: value} or rows (id, value), or a data frame (pandas, polars, pyarrow, duckdb: whatever "
    "has an Arrow stream)"
)
INDEX = "__index_level_"  # what pyarrow calls the columns of a pandas index without names
PAIR_ROLES = ("list", "better", "worse")

Describe = Callable[[int], str]  # the number of a value's row -> its place, for messages


def is_path(data: object) -> TypeGuard[str | os.PathLike[str]]:
    """Return whether data is the path of a file."""
    return isinstance(data, str | os.PathLike)


def is_frame(data: object) -> bool:
    """Return whether data is a table of named columns."""
    return hasattr(data, "__arrow_c_stream__") or type(data).__module__.split(".")[0] == "pandas"


def is_flat(data: object) -> bool:
    """Return whether data is a dict with a value for each id, as of classes or numbers."""
    if not isinstance(data, Mapping):
        return False
    return isinstance(next(iter(data.values()), None), str | Real)


def is_preferences(data: object) -> bool:
    """Return whether data says which of two items is better, rather than how good an item is."""
    if is_frame(data):
        return {"better", "worse"} <= set(column_names(data))
    if isinstance(data, Sequence) and not is_path(data) and data:
        first = data[0]
        return isinstance(first, Sequence) and len(first) == 3 and isinstance(first[2], str)
    return False


def column_labels(frame: object) -> list[Any]:
    """Return what a data frame calls its columns, which pandas may call by numbers."""
    is_arrow = hasattr(frame, "column_names")  # whose `columns` are the data
    return list(getattr(frame, "column_names" if is_arrow else "columns", ()))


def column_names(frame: object) -> tuple[str, ...]:
    """Return the names of a data frame's columns, and of its index, as far as they are text."""
    names = [*column_labels(frame), *_index_names(frame)]
    return tuple(name for name in names if isinstance(name, str))


def _index_names(frame: object) -> list[Any]:
    """Return the names of the levels of a pandas index that are no columns."""
    names = getattr(getattr(frame, "index", None), "names", ())
    columns = column_labels(frame)
    return [name for name in names if name is not None and name not in columns]


def choose_schema(schemas: Sequence[Schema], columns: Mapping[str, str]) -> Schema:
    """Return the schema of the data of a session: one with items if there is one.

    Of schemas without items, it is the first that has all roles of `columns`.

    Args:
        schemas: The schemas that a file may have.
        columns: role -> what data frames call its column.
    """
    with_items = [schema for schema in schemas if "item" in schema.roles]
    with_items += [schema for schema in schemas if "better" in schema.roles]
    if with_items:
        return Schema(with_items[0].required, with_items[0].optional, columns)
    fitting = (schema for schema in schemas if set(columns) <= set(schema.roles))
    schema = next(fitting, schemas[0])
    return Schema(schema.required, schema.optional, {**schema.columns, **columns})


def _has_items(schema: Schema) -> bool:
    return "item" in schema.roles or "better" in schema.roles


def _value_role(schema: Schema) -> str:
    """Return the role of the values in a dict, or at the end of rows."""
    if not _has_items(schema):
        return schema.required[-1]
    numbers = [role for role in schema.roles if not holds_text(role)]
    return "score" if "score" in numbers else next(iter(numbers), "item")


def to_frame(data: object, schema: Schema, label: str) -> pl.DataFrame:
    """Return data as a data frame of texts and numbers, whose rows are in the order of the data.

    A dict of lists without any item becomes the column of lists alone.

    Args:
        data: A dict, rows, or anything with an Arrow stream.
        schema: The roles of the data, and what a data frame calls their columns.
        label: What messages call the data: `the truth`, `run 'bm25'`.

    Raises:
        TypeError: The data is of a type that is not understood.
        UsageError: The data is no table of this schema.
    """
    if is_frame(data):
        frame = read_polars(data, label)
        _refuse_missing_columns(frame, schema, data, label)
        return _as_texts_and_numbers(frame, schema, label)
    if isinstance(data, Mapping):
        read_dict = _columns_of_lists if _has_items(schema) else _columns_of_ids
        columns = read_dict(data, schema, label)
    elif isinstance(data, Iterable) and not isinstance(data, bytes | Set):
        columns = _columns_of_rows(data, schema, label)
    else:
        raise TypeError(f"{label} is {_name_type(data)}; {UNDERSTOOD}")
    if not any(map(len, columns.values())):
        columns = {**{role: list[str]() for role in schema.required}, **columns}
    try:
        return pl.DataFrame({schema.column_name(role): cells for role, cells in columns.items()})
    except UnicodeEncodeError:
        raise UsageError(f"{label}: an id holds half a character (a lone surrogate)") from None


def _columns_of_lists(
    data: Mapping[Any, Any], schema: Schema, label: str
) -> dict[str, pl.Series | list[str]]:
    """Return role -> column of `{list: {item: value}}`, or of `{list: [item, ...]}` best first."""
    lists = list[Any]()
    items = list[Any]()
    values = list[Any]()
    list_name = schema.column_name("list")
    item_name = schema.column_name("item")
    value_role = _value_role(schema)
    has_values = False
    for name, content in data.items():
        if isinstance(content, Mapping):
            has_values = True
            values.extend(content.values())
        elif isinstance(content, Sequence | Set) and not isinstance(content, str | bytes):
            if isinstance(content, Set) and value_role == "score":
                message = "a set has no order; give a list, best item first"
                raise TypeError(f"{label}, {list_name} {quoted(name)}: {message}")
            values.extend([None] * len(content))
        else:
            where = f"{label}, {list_name} {quoted(name)}"
            message = f"{where} is {_name_type(content)}, not a dict of items"
            if label.startswith("run"):
                message += "; runs are {name: {list: {item: value}}}"
            raise TypeError(message)
        lists.extend([name] * len(content))
        items.extend(content)

    def describe_list(n: int) -> str:
        return f"{label}, {list_name} {quoted(lists[n])}"

    if data and not items:
        return {"list": to_ids(list(data), lambda n: label)}
    columns: dict[str, pl.Series | list[str]] = {
        "list": to_ids(lists, lambda n: label),
        "item": to_ids(items, describe_list),
    }
    if has_values and value_role != "item":
        columns[value_role] = to_numbers(
            values, lambda n: f"{describe_list(n)}, {item_name} {quoted(items[n])}"
        )
    return columns


def _columns_of_ids(
    data: Mapping[Any, Any], schema: Schema, label: str
) -> dict[str, pl.Series | list[str]]:
    """Return role -> column of `{id: value}`."""
    ids = list(data)
    value_role = _value_role(schema)
    name = schema.column_name("list")
    return {
        "list": to_ids(ids, lambda n: label),
        value_role: _texts_or_numbers(
            list(data.values()), value_role, lambda n: f"{label}, {name} {quoted(ids[n])}"
        ),
    }


def _columns_of_rows(
    data: Iterable[Any], schema: Schema, label: str
) -> dict[str, pl.Series | list[str]]:
    """Return role -> column of `(list, item, value)`, `(list, item)`, `(list, better, worse)`.

    Of a table without items the rows are `(id, value)`.
    """
    rows = list(data)

    def describe_row(n: int) -> str:
        return f"{label}, row {n + 1:,}"

    for n, row in enumerate(rows):
        if not isinstance(row, Sequence) or isinstance(row, str | bytes):
            message = f"is {_name_type(row)}, not (list, item, value); {UNDERSTOOD}"
            raise TypeError(f"{describe_row(n)} {message}")
        if len(row) not in (2, 3):
            raise UsageError(
                f"{describe_row(n)} has {len(row)} values; expected (list, item, value)"
            )
        if len(row) == 3 and not _has_items(schema):
            raise UsageError(f"{describe_row(n)} has 3 values; expected (id, value)")
    value_role = _value_role(schema)
    if not _has_items(schema):
        return {
            "list": to_ids([row[0] for row in rows], describe_row),
            value_role: _texts_or_numbers([row[1] for row in rows], value_role, describe_row),
        }
    # A text at the end of a row is the worse item of a pair, unless the truth has grades.
    has_text = bool(rows) and len(rows[0]) == 3 and isinstance(rows[0][2], str)
    if has_text and value_role in ("item", "score"):
        # The checks report a row without its third cell.
        cells = zip(*([*row, ""][:3] for row in rows), strict=True)
        pairs = zip(PAIR_ROLES, cells, strict=True)
        return {role: to_ids(column, describe_row) for role, column in pairs}
    columns: dict[str, pl.Series | list[str]] = {
        "list": to_ids([row[0] for row in rows], describe_row),
        "item": to_ids([row[1] for row in rows], describe_row),
    }
    if any(len(row) == 3 for row in rows):
        values = [row[2] if len(row) == 3 else None for row in rows]
        columns[value_role] = to_numbers(values, describe_row)
    return columns


def _texts_or_numbers(
    values: Sequence[Any], role: str, describe: Describe
) -> pl.Series | list[str]:
    return to_ids(values, describe) if holds_text(role) else to_numbers(values, describe)


def to_ids(values: Sequence[Any], describe: Describe) -> list[str]:
    """Return ids as texts, whole numbers as they are written. Raises `TypeError` for others."""
    if set(map(type, values)) <= {str}:
        return list(values)
    return [_to_id(value, n, describe) for n, value in enumerate(values)]


def _to_id(value: object, n: int, describe: Describe) -> str:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Integral) and not isinstance(value, bool):
        return str(int(value))
    raise TypeError(f"{describe(n)}: {printable(repr(value), 60)} is no id; ids are text")


def to_numbers(values: Sequence[Any], describe: Describe) -> pl.Series:
    """Return numbers as Float64, and None as null. Raises `TypeError` if a value is no number.

    NaN and infinity are kept: the checks report them.
    """
    numbers = list[float | None]()
    for n, value in enumerate(values):
        if value is not None and not isinstance(value, Real):
            raise TypeError(f"{describe(n)}: {printable(repr(value), 60)} is not a number")
        try:
            numbers.append(None if value is None else float(value))
        except OverflowError:  # an int beyond the range of floats
            numbers.append(float("inf"))
    return pl.Series(numbers, dtype=pl.Float64)


def read_polars(data: Any, label: str) -> pl.DataFrame:
    """Return a data frame of any library as one of polars.

    The named levels of a pandas index become columns.

    Raises:
        UsageError: It cannot be read as a table.
    """
    try:
        if index := _index_names(data):
            data = data.reset_index(level=index)
        return pl.DataFrame(data)
    except (ImportError, AttributeError):  # pandas hands its data over by pyarrow only
        return pl.DataFrame({str(name): data[name].tolist() for name in data.columns})
    except Exception as error:
        message = f"{type(error).__name__}: {printable(error)}"
        raise UsageError(f"{label} cannot be read as a table: {message}") from error


def _refuse_missing_columns(frame: pl.DataFrame, schema: Schema, data: Any, label: str) -> None:
    """Raise UsageError if a frame lacks a required column, unless it is a table of preferences.

    Args:
        frame: The data as a frame of polars.
        schema: The required roles, and the names of their columns.
        data: The data as it was given, for its index.
        label: What messages call the data.
    """
    roles = {schema.column_name(role): role for role in schema.required}
    missing = [name for name in roles if name not in frame.columns]
    if not missing or {*map(schema.column_name, PAIR_ROLES)} <= set(frame.columns):
        return
    index: Any = getattr(data, "index", None)
    if hasattr(index, "equals") and list(index) != list(range(len(index))):
        hint = "its index has no name and is not read: reset_index()"
    else:
        entries = ", ".join(f"{roles[name]!r}: ..." for name in missing)
        hint = f"rename them, or with a truth as data: columns={{{entries}}}"
    names = printable(", ".join(frame.columns))
    message = f"{label} has no column {', '.join(map(quoted, missing))} (it has {names})"
    raise UsageError(f"{message}; {hint}")


def _as_texts_and_numbers(frame: pl.DataFrame, schema: Schema, label: str) -> pl.DataFrame:
    """Return a frame whose columns are texts, or numbers if they have a role.

    In a column of numbers true is 1 and false is 0. Columns without a role that are neither texts
    nor numbers are left out.

    Raises:
        UsageError: A column that is used holds neither texts nor numbers.
    """
    used = {schema.column_name(role): role for role in schema.roles}
    columns = []
    for name, dtype in frame.schema.items():
        if dtype.is_nested() or dtype in (pl.Binary, pl.Object):
            if name in used:
                message = f"{label}: column {quoted(name)} is {dtype}, expected text or numbers"
                raise UsageError(message)
        elif name.startswith(INDEX):
            continue
        elif dtype == pl.Boolean and not holds_text(used.get(name, name)):
            columns.append(pl.col(name).cast(pl.Int8))
        elif dtype.is_numeric() and name in used:
            columns.append(pl.col(name))
        else:
            columns.append(pl.col(name).cast(pl.String))
    return frame.select(columns)


def _name_type(data: object) -> str:
    """Return the name of the type of a value with its article, for messages."""
    return f"{'an' if type(data).__name__[0] in 'aeiou' else 'a'} {type(data).__name__}"
