"""Parquet: columns by name; the number of a row stands for its line."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scorer.columns import TEXT, Builder, Table
from scorer.errors import Problem, quoted
from scorer.streams import PARQUET, Limits, Unreadable, most_unpacked, spool, too_large
from scorer.tables import Request, format, resolve

SLICE = 100_000  # rows that are unpacked at once
AT_ONCE = 1 << 25  # bytes of ids that are made Python's at once


@format("parquet", ".parquet", ".pq", binary=True)
def parquet(request: Request) -> Table | None:
    """Read the columns that are needed. Ids of any plain type become text."""
    stream = request.stream
    if not stream.peek(4).startswith(PARQUET):
        hint = "write it with to_parquet(), or name another format"
        raise Unreadable(Problem("S107", "this is not a Parquet file", help=hint))
    if isinstance(stream.raw, io.FileIO):
        return _table(request, request.path.absolute())
    unpacked = spool(stream, Limits(size=request.limits.unpacked))
    try:
        return _table(request, unpacked)
    finally:
        unpacked.unlink()


def _table(request: Request, path: Path) -> Table | None:
    try:
        return _read(request, path)
    except Unreadable:
        raise
    except BaseException as error:  # a panic of polars is no Exception
        if isinstance(error, (KeyboardInterrupt, SystemExit, MemoryError)):
            raise
        if not type(error).__module__.startswith(("polars", "pyo3")):
            raise
        said = "the Parquet file is damaged, or of a kind that cannot be read"
        hint = "write it again, with to_parquet() of pandas or write_parquet() of polars"
        raise Unreadable(Problem("S108", said, help=hint)) from None


def _read(request: Request, path: Path) -> Table | None:
    import polars as pl

    findings, limits = request.findings, request.limits
    frame = pl.scan_parquet(path, glob=False)
    schema = frame.collect_schema()
    found = resolve(list(schema), request, None)
    if found is None:
        return None
    shape, roles = found
    names = [shape.called(role) for role in roles]
    for name in schema:
        if name not in names:
            said = f"column {quoted(name)} is not used"
            findings.add(Problem("S205", said, "warning"))
    refused = [name for name in names if not _plain(schema[name])]
    for name in refused:
        said = f"column {quoted(name)} is {schema[name]}, expected text or numbers"
        findings.add(Problem("S207", said))
    if refused:
        return None
    rows = frame.select(pl.len()).collect().item()
    if rows > limits.rows:
        said = f"{rows:,} rows, at most {limits.rows:,} are accepted here"
        raise Unreadable(Problem("S104", said))
    columns = [
        pl.col(name).cast(pl.Float64 if role not in TEXT and _number(schema[name]) else pl.String)
        for role, name in zip(roles, names, strict=True)
    ]
    builder = Builder(shape, roles, findings, limits)
    builder.facts["columns"] = tuple(schema)
    most = most_unpacked(path.stat().st_size, limits)
    unpacked = 0
    for start in range(0, rows, SLICE):
        part = frame.slice(start, SLICE).select(columns).collect()
        longest = 1
        for column in part.select(pl.col(pl.String).str.len_bytes().fill_null(0)):
            sizes = column.to_numpy()
            longest = max(longest, int(sizes.max()))
            if longest > limits.line:
                said = f"the {quoted(column.name)} is longer than {limits.line:,} bytes"
                raise Unreadable(Problem("S109", said, line=start + int(sizes.argmax()) + 1))
            unpacked += int(sizes.sum(dtype="int64"))
        unpacked += 8 * part.height
        if unpacked > most:
            raise Unreadable(too_large(most))
        step = AT_ONCE // longest + 1
        for at in range(0, part.height, step):
            texts = [_texts(column.to_list()) for column in part[at : at + step]]
            for line, cells in enumerate(zip(*texts, strict=True), start + at + 1):
                builder.row(line, cells)
    return builder.table()


def _number(type_: Any) -> bool:
    return bool(type_.is_numeric())


def _plain(type_: Any) -> bool:
    """Whether cells of that type are text or can become text without a doubt."""
    import polars as pl

    return not (type_.is_nested() or type_ in (pl.Binary, pl.Object))


def _texts(cells: Sequence[Any]) -> list[str]:
    return ["" if cell is None else str(cell) for cell in cells]
