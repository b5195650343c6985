"""Parquet: columns by name; the number of a row stands for its line."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import add
from typing import TypeVar

import polars as pl

from scorer.core.problems import Problem
from scorer.core.text import printable, quoted
from scorer.reading.formats import Rows, binary_format
from scorer.reading.header import UnusedColumn, match_schema, warn_unused_columns
from scorer.reading.limits import (
    ReadLimits,
    ReportedError,
    UnreadableError,
    largest_unpacked,
    limit_help,
    unpacked_problem,
)
from scorer.reading.magic import PARQUET
from scorer.reading.schema import TEXT
from scorer.reading.table import Cells, ReadRequest

SLICE = 100_000  # rows that are unpacked at once
TEXT_TYPES = (pl.String, pl.Categorical, pl.Enum, pl.Null)
OTHER_ID_TYPES = (pl.Boolean, pl.Date, pl.Datetime, pl.Time)
T = TypeVar("T")


def write_parquet(rows: Rows, columns: Mapping[str, str]) -> bytes:
    """Return a column for each role."""
    roles = list(rows[0]) if rows else ["list", "item"]
    named = {columns.get(role, role): [row[role] for row in rows] for role in roles}
    out = io.BytesIO()
    pl.DataFrame(named).write_parquet(out)
    return out.getvalue()


def read_parquet_names(data: bytes) -> Sequence[str]:
    """Return the names of the columns of a Parquet file; none of a damaged one."""
    try:
        return list(_attempt(lambda: pl.read_parquet_schema(io.BytesIO(data))))
    except UnreadableError:
        return []


@binary_format("parquet", ".parquet", ".pq", read_names=read_parquet_names, write=write_parquet)
def read_parquet(data: bytes, request: ReadRequest) -> Cells:
    """Return the columns that are needed. Ids of any plain type become text.

    Args:
        data: The file.
        request: What is asked of it.

    Raises:
        ReportedError: Its columns fit no schema, or have types that hold neither ids nor numbers.
        UnreadableError: It is damaged, or unpacks to more than is accepted.
    """
    if not data.startswith(PARQUET):
        hint = "write it with to_parquet(), or name another format"
        raise UnreadableError(Problem("S107", "this is not a Parquet file", help=hint))
    types = _attempt(lambda: pl.read_parquet_schema(io.BytesIO(data)))
    match = match_schema(list(types), request, None)
    names = {role: match.schema.column_name(role) for role in match.roles}
    unused = [
        UnusedColumn(name, None, None, ["0"] if type.is_numeric() else [])
        for name, type in types.items()
        if name not in names.values()
    ]
    warn_unused_columns(unused, match, list(types), request)
    _refuse_types({role: (name, types[name]) for role, name in names.items()}, request)
    frame = _attempt(
        lambda: _read_columns(data, list(dict.fromkeys(names.values())), request.limits)
    )
    cells = [_as_cells(frame[name], role).alias(role) for role, name in names.items()]
    line = pl.int_range(1, frame.height + 1, dtype=pl.UInt32, eager=True).alias("line")
    return Cells(pl.DataFrame([line, *cells]), match.schema, tuple(types))


def _attempt(read: Callable[[], T]) -> T:
    """Return what a function of polars returns; whatever it raises, the file is at fault."""
    try:
        return read()
    except (UnreadableError, KeyboardInterrupt, MemoryError):
        raise
    except BaseException:  # polars' panics are no Exception
        message = "the Parquet file is damaged, or of a kind that cannot be read"
        hint = "write it again, with to_parquet() of pandas or write_parquet() of polars"
        raise UnreadableError(Problem("S108", message, help=hint)) from None


def _read_columns(data: bytes, names: Sequence[str], limits: ReadLimits) -> pl.DataFrame:
    """Return some columns of a file, of which no more than a slice is unpacked beyond the limit."""
    scan = pl.scan_parquet(io.BytesIO(data))
    rows = scan.select(pl.len()).collect().item()
    if rows > limits.rows:
        message = f"{rows:,} rows, at most {limits.rows:,} are accepted here"
        raise UnreadableError(Problem("S104", message, help=limit_help("rows")))
    most = largest_unpacked(len(data), limits)
    slices = [scan.select(names).slice(0, 0).collect()]
    unpacked = 0
    for start in range(0, rows, SLICE):
        part = scan.select(names).slice(start, SLICE).collect()
        sizes = [_cell_sizes(column) for column in part.iter_columns()]
        for column, size in zip(part.iter_columns(), sizes, strict=True):
            if (size > limits.line).any():
                message = f"the {quoted(column.name)} is longer than {limits.line:,} bytes"
                line = start + (size.arg_max() or 0) + 1
                raise UnreadableError(Problem("S109", message, line=line))
        unpacked += 8 * len(names) * part.height + int(reduce(add, sizes).sum())
        if unpacked > most:
            raise UnreadableError(unpacked_problem(most))
        slices.append(part)
    return pl.concat(slices)


def _cell_sizes(column: pl.Series) -> pl.Series:
    """Return how many bytes of text each cell of a column takes; of what is no text, none."""
    if isinstance(column.dtype, pl.Categorical | pl.Enum):  # a category's text is held once
        return column.cat.len_bytes().fill_null(0).cast(pl.UInt64)
    if column.dtype == pl.String:
        return column.str.len_bytes().fill_null(0).cast(pl.UInt64)
    return pl.zeros(len(column), dtype=pl.UInt64, eager=True)


def _refuse_types(columns: Mapping[str, tuple[str, pl.DataType]], request: ReadRequest) -> None:
    """Raise ReportedError if columns have types that hold neither ids nor numbers.

    Args:
        columns: role -> the name and the type of the column.
        request: Receives the problems.
    """
    is_wrong = False
    for role, (name, type) in columns.items():
        holds_numbers = type.is_numeric() or isinstance(type, TEXT_TYPES)
        if holds_numbers or (role in TEXT and isinstance(type, OTHER_ID_TYPES)):
            continue
        expected = "text or numbers" if role in TEXT else "numbers"
        message = f"column {quoted(name)} is {printable(type, 60)}, expected {expected}"
        help = _type_help(str(type).lower(), role)
        request.findings.add(Problem("S207", message, help=help))
        is_wrong = True
    if is_wrong:
        raise ReportedError


def _type_help(type: str, role: str) -> str | None:
    """Return what to write in place of a type that is refused."""
    if type.startswith(("list", "array")):
        return f"write a row for each {role} (explode, in Spark posexplode)"
    if role not in TEXT and type.startswith("bool"):
        return "write 1 and 0"
    if role not in TEXT and type.startswith(("date", "time")):
        return "write numbers, such as seconds since 1970"
    return None


def _as_cells(column: pl.Series, role: str) -> pl.Series:
    """Return the cells of a column as text, or as numbers if all of them are some.

    Moments are told in UTC and microseconds: their zone and unit are a choice of the writer.
    """
    if role not in TEXT and column.dtype.is_numeric() and not column.has_nulls():
        numbers = column.cast(pl.Float64)
        if numbers.is_finite().all():
            return numbers
    if isinstance(column.dtype, pl.Datetime):
        is_zoned = column.dtype.time_zone is not None
        column = column.dt.convert_time_zone("UTC") if is_zoned else column
        column = column.dt.cast_time_unit("us")
    return column.cast(pl.String).str.replace("^NaN$", "nan").fill_null("")
