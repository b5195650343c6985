"""Parquet: columns are found by name. Problems have the number of a row, from 1, as their line."""

from __future__ import annotations

import io
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar

import polars as pl

from scorer.core.text import printable, quoted
from scorer.reading.formats import Format, Rows
from scorer.reading.header import SchemaMatch, UnusedColumn, match_schema, warn_unused_columns
from scorer.reading.limits import (
    ReportedError,
    UnreadableError,
    format_size,
    largest_unpacked,
    unpacked_error,
)
from scorer.reading.numbers import ITEM_ROLES
from scorer.reading.parquet_pages import FOOTER_END, MOST_PAGE, read_pages
from scorer.reading.schema import holds_text
from scorer.reading.signatures import PARQUET
from scorer.reading.table import Cells, ReadRequest

ARROW_SCHEMA = b"ARROW:schema"  # an entry of the footer
TEXT_TYPES = (pl.String, pl.Categorical, pl.Enum, pl.Null)
ID_ONLY_TYPES = (pl.Boolean, pl.Date, pl.Datetime, pl.Time)  # of ids and texts, not of numbers
T = TypeVar("T")


def write_parquet(rows: Rows, columns: Mapping[str, str]) -> bytes:
    """Return a Parquet file with a column for each role."""
    roles = list(rows[0]) if rows else ["list", "item"]
    out = io.BytesIO()
    named = {columns.get(role, role): [row[role] for row in rows] for role in roles}
    pl.DataFrame(named).write_parquet(out)
    return out.getvalue()


def read_parquet_names(data: bytes) -> Sequence[str]:
    """Return the names of the columns of a Parquet file; none of a damaged one."""
    try:
        return list(_read_or_refuse(lambda: pl.read_parquet_schema(io.BytesIO(data))))
    except UnreadableError:
        return []


def read_parquet(data: bytes, request: ReadRequest) -> Cells:
    """Return the cells of the columns with a role. Ids of any plain type become text."""
    if not data.startswith(PARQUET):
        hint = "write it with to_parquet(), or name another format"
        raise UnreadableError("S107", "this is not a Parquet file", help=hint)
    types = _read_or_refuse(lambda: pl.read_parquet_schema(io.BytesIO(data)))
    match = match_columns(types, request)
    needed = {name: types[name] for name in match.names.values()}
    frame = _read_or_refuse(lambda: _read_columns(data, needed, request))
    cells = [cell_column(frame[name], role).alias(role) for role, name in match.names.items()]
    line = pl.int_range(1, frame.height + 1, dtype=pl.UInt32, eager=True).alias("line")
    return Cells(pl.DataFrame([line, *cells]), match.schema, tuple(types))


def match_columns(types: Mapping[str, pl.DataType], request: ReadRequest) -> SchemaMatch:
    """Return the schema that columns fit, after reporting those that nothing uses.

    Raises:
        ReportedError: They fit no schema, or have types that hold neither ids nor numbers.
        UnreadableError: A column that the layout names is missing.
    """
    match = match_schema(list(types), request, line=None)
    unused = [  # the cells are not read: ["0"] only says that the column holds numbers
        UnusedColumn(name, None, None, ["0"] if type.is_numeric() else [])
        for name, type in types.items()
        if name not in match.names.values()
    ]
    warn_unused_columns(unused, match, list(types), request)
    fits = [_accept_type(role, name, types[name], request) for role, name in match.names.items()]
    if not all(fits):  # asked only now, so that each wrong type is reported
        raise ReportedError
    return match


def _read_or_refuse(read: Callable[[], T]) -> T:
    """Return what `read` returns; `UnreadableError` if polars raises anything: a damaged file."""
    try:
        return read()
    except (UnreadableError, KeyboardInterrupt, MemoryError):
        raise
    except BaseException:  # polars' panics are no Exception
        message = "the Parquet file is damaged, or of a kind that cannot be read"
        hint = "write it again, with to_parquet() of pandas or write_parquet() of polars"
        raise UnreadableError("S108", message, help=hint) from None


def _read_columns(
    data: bytes, types: Mapping[str, pl.DataType], request: ReadRequest
) -> pl.DataFrame:
    """Return some columns of a file, given their types; `UnreadableError` beyond a limit.

    Too many rows are reported, and the accepted ones returned.
    """
    limits = request.limits
    rows = pl.scan_parquet(io.BytesIO(data)).select(pl.len()).collect().item()
    if rows > limits.rows:
        message = f"{rows:,} rows, at most {limits.rows:,} are accepted here"
        request.findings.add(UnreadableError("S104", message).problem)
    max_bytes = largest_unpacked(len(data), limits)
    _refuse_costly_pages(data, types, max_bytes)
    if any(isinstance(type, pl.Categorical | pl.Enum) for type in types.values()):
        data = _without_arrow_schema(data)
    accepted = pl.scan_parquet(io.BytesIO(data)).select(list(types)).head(limits.rows)
    frame = accepted.collect(engine="streaming")
    unpacked = 8 * frame.width * frame.height  # bytes of numbers; those of texts are added below
    for column in frame.select(pl.col(pl.String).str.len_bytes()).iter_columns():
        if (column > limits.line).any():
            message = f"the {quoted(column.name)} is longer than {limits.line:,} bytes"
            raise UnreadableError("S109", message, line=(column.arg_max() or 0) + 1)
        unpacked += int(column.cast(pl.UInt64).sum())
    if unpacked > max_bytes:
        raise unpacked_error(max_bytes)
    return frame


def _refuse_costly_pages(data: bytes, names: Collection[str], max_bytes: int) -> None:
    """Raise UnreadableError if the pages of some columns take too much memory, unpacked."""
    unpacked, help = 0, "write it with to_parquet() of pandas or write_parquet() of polars"
    for page in read_pages(data, names):
        unpacked += page.size
        if page.size > MOST_PAGE:
            message = f"a page of the Parquet file unpacks to more than {format_size(MOST_PAGE)}"
            raise UnreadableError("S104", message, help=help)
        if page.shares_prefixes:  # a page of any size may unpack to any number of bytes
            message = "the Parquet file has texts in the encoding DELTA_BYTE_ARRAY"
            raise UnreadableError("S108", message, help=help)
    if unpacked > max_bytes:
        raise unpacked_error(max_bytes)


def _without_arrow_schema(data: bytes) -> bytes:
    """Return a Parquet file whose footer no longer says that columns of text are categorical.

    Polars hashes the text of each row of a categorical column, though the file holds each distinct
    text once: with a long text in all rows this takes minutes.
    """
    size = int.from_bytes(data[-FOOTER_END:][:4], "little")
    start = len(data) - FOOTER_END - size
    footer = data[start:].replace(ARROW_SCHEMA, b"-" * len(ARROW_SCHEMA))
    return b"".join((memoryview(data)[:start], footer))


def _accept_type(role: str, name: str, type: pl.DataType, request: ReadRequest) -> bool:
    """Return whether a column's type holds ids or numbers, as its role asks; else report it."""
    holds_numbers = type.is_numeric() or isinstance(type, TEXT_TYPES)
    if holds_numbers or (holds_text(role) and isinstance(type, ID_ONLY_TYPES)):
        return True
    orders_items = role in ITEM_ROLES and any("item" in shape.roles for shape in request.schemas)
    if isinstance(type, pl.Boolean) and not holds_text(role) and not orders_items:
        return True
    word, help = str(type).lower(), None
    if word.startswith(("list", "array")):
        help = f"write a row for each {role} (explode, in Spark posexplode)"
    elif not holds_text(role) and word.startswith("bool"):
        help = "write 1 and 0"
    elif not holds_text(role) and word.startswith(("date", "time")):
        help = "write numbers, such as seconds since 1970"
    expected = "text or numbers" if holds_text(role) else "numbers"
    message = f"column {quoted(name)} is {printable(type, 60)}, expected {expected}"
    request.report("S207", message, None, help=help)
    return False


def cell_column(column: pl.Series, role: str) -> pl.Series:
    """Return the cells of a column as text, or as numbers if all of them are finite.

    Dates with times are written in UTC and microseconds: the file's zone and unit depend on the
    program that wrote it.
    """
    holds_numbers = column.dtype.is_numeric() or column.dtype == pl.Boolean
    if not holds_text(role) and holds_numbers and not column.has_nulls():
        numbers = column.cast(pl.Float64)
        if numbers.is_finite().all():
            return numbers
    if isinstance(column.dtype, pl.Datetime):
        is_zoned = column.dtype.time_zone is not None
        column = column.dt.convert_time_zone("UTC") if is_zoned else column
        column = column.dt.cast_time_unit("us")
    texts = column.cast(pl.String)
    if column.dtype.is_float():  # polars casts a NaN to "NaN"; Python writes nan
        texts = texts.replace("NaN", "nan")
    return texts.fill_null("")


FORMAT = Format("parquet", write_parquet, read_bytes=read_parquet, read_names=read_parquet_names)
