"""Parquet: columns by name; the number of a row stands for its line."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scorer.bytes.files import descriptor_path, spooled
from scorer.bytes.limits import (
    PARQUET,
    NoTable,
    ReadLimits,
    Unreadable,
    limit,
    most_unpacked,
    too_large,
)
from scorer.bytes.memory import ask_for_polars
from scorer.core.arrays import Floats, Ints
from scorer.core.problems import Findings, Problem
from scorer.core.text import printable, quoted
from scorer.formats.base import Rows, format
from scorer.formats.cut import SMALLEST
from scorer.formats.header import Unused, resolve, tell_unused
from scorer.formats.text import Request
from scorer.tables.columns import CodedColumn, TextColumn
from scorer.tables.table import TEXT, Builder, Table, largest

if TYPE_CHECKING:
    import polars as pl

SLICE = 100_000  # rows that are unpacked at once
AT_ONCE = 1 << 23  # bytes of cells that are sent at once
MEMORY = 3 << 30  # addresses that may be taken while unpacking
NO_MEMORY = (b"memory allocation", b"MemoryError", b"out of memory")  # what a process dies of

Message = dict[str, Any]
Sent = tuple[Message, bytes]
_own: set[Path] = set()


def trust(folder: Path) -> None:
    """Read Parquet files of this folder, all of which this process writes, in this process."""
    _own.add(folder)


def _words(path: Path) -> frozenset[str]:
    try:
        with _unpacking(path) as child:
            return frozenset(child.hear()["types"])
    except (Unreadable, MemoryError):
        return frozenset()


def as_parquet(rows: Rows, columns: Mapping[str, str]) -> bytes:
    """A column a role."""
    import polars

    roles = list(rows[0]) if rows else ["list", "item"]
    named = {columns.get(role, role): [row[role] for row in rows] for role in roles}
    out = io.BytesIO()
    polars.DataFrame(named).write_parquet(out)
    return out.getvalue()


@format("parquet", ".parquet", ".pq", binary=True, words=_words, write=as_parquet)
def parquet(request: Request) -> Iterator[Table]:
    """Read the columns that are needed. Ids of any plain type become text.

    Polars reads them in a process of its own, since a damaged file can end the
    process that reads it, or take all memory there is.
    """
    stream = request.stream
    if not stream.peek(4).startswith(PARQUET):
        hint = "write it with to_parquet(), or name another format"
        raise Unreadable(Problem("S107", "this is not a Parquet file", help=hint))
    if isinstance(stream.raw, io.FileIO):
        path = descriptor_path(stream, request.path.absolute())
    else:
        path = request.stack.enter_context(
            spooled(stream, ReadLimits(size=request.limits.unpacked))
        )
    findings, limits = request.findings, request.limits
    most = most_unpacked(path.stat().st_size, limits)
    if request.path.parent in _own:
        child: _Child | _Here = _Here(path, most)
    else:
        child = request.stack.enter_context(_unpacking(path, most))
    types = child.hear()["types"]
    fit = resolve(list(types), request, None)
    if fit is None:
        raise NoTable
    shape, roles = fit
    names = [shape.called(role) for role in roles]
    unused = [
        Unused(name, None, None, ["0"] if numeric else [])
        for name, (_, _, _, numeric) in types.items()
        if name not in names
    ]
    tell_unused(request, shape, roles, list(types), unused)
    kinds = {name: (what, *fits) for name, (what, *fits, _) in types.items()}
    refuse_types(dict(zip(roles, names, strict=True)), kinds, findings)
    columns = [*zip(names, [role in TEXT for role in roles], strict=True)]
    child.say({"columns": columns, "rows": limits.rows, "line": limits.line, "small": SMALLEST})
    first, unpacked = 1, 0
    while (part := child.hear())["rows"] or first == 1:
        unpacked += part["size"]
        if unpacked > most:
            raise Unreadable(too_large(most))
        builder = Builder(shape, roles, findings)
        builder.facts["columns"] = tuple(types)
        if "cells" in part:
            for line, row in enumerate(zip(*part["cells"], strict=True), first):
                builder.row(line, row)
            yield builder.table()
        else:
            import polars as pl

            frame = pl.read_ipc_stream(io.BytesIO(child.take(part["bytes"])))
            yield table_of(frame, builder, np.arange(first, first + frame.height))
        if not part["rows"]:
            return
        first += part["rows"]


def refuse_types(
    names: Mapping[str, str], types: Mapping[str, tuple[str, bool, bool]], findings: Findings
) -> None:
    """Refuse, by `NoTable`, columns of types that hold neither ids nor numbers.

    Args:
        names: the columns, by role.
        types: of each column what its type is called, and whether ids and numbers can be of it.
    """
    refused = {
        r: types[name][0] for r, name in names.items() if not types[name][1 + (r not in TEXT)]
    }
    for role, what in refused.items():
        expected = "text or numbers" if role in TEXT else "numbers"
        message = f"column {quoted(names[role])} is {printable(what, 60)}, expected {expected}"
        findings.add(Problem("S207", message, help=_instead(what.lower(), role)))
    if refused:
        raise NoTable


def _instead(what: str, role: str) -> str | None:
    """What to write in place of a type that is refused."""
    if what.startswith(("list", "array")):
        return f"write a row for each {role} (explode, in Spark posexplode)"
    if role not in TEXT and what.startswith("bool"):
        return "write 1 and 0"
    if role not in TEXT and what.startswith(("date", "time")):
        return "write numbers, such as seconds since 1970"
    return None


def as_ids(column: pl.Series) -> pl.Series:
    """Ids of any plain type as text; of moments in UTC, whose zone and digits a writer chooses."""
    import polars as pl

    if isinstance(column.dtype, pl.Datetime):
        zoned = column.dtype.time_zone is not None
        column = column.dt.convert_time_zone("UTC") if zoned else column
        column = column.dt.cast_time_unit("us")
    return column.cast(pl.String)


def table_of(frame: pl.DataFrame, builder: Builder, line: Ints) -> Table:
    """Rows whose cells are numbers or text.

    `frame` has the columns in the order of the roles of `builder`, which has no rows yet.
    """
    import polars as pl

    columns = dict(zip(builder.roles, frame.iter_columns(), strict=True))
    ids, numbers = dict[str, CodedColumn](), dict[str, Floats]()
    wrong = np.zeros(frame.height, dtype=bool)
    for role, column in columns.items():
        if role in TEXT:
            ids[role] = TextColumn(as_ids(column).fill_null(""))
            continue
        values = column.cast(pl.Float64, strict=False).to_numpy().copy()
        bad = ~(np.abs(values) <= largest(role))
        values[bad] = np.nan
        numbers[role] = values
        wrong |= bad
    rows = np.flatnonzero(wrong)
    for row, cells in zip(rows.tolist(), frame[rows].iter_rows(), strict=True):
        builder.row(int(line[row]), _as_text(cells))
    builder.table()  # tells what is wrong with them
    return Table(ids, numbers, line, builder.schema, builder.facts)


class _Child(NamedTuple):
    """The process that unpacks at most `most` bytes, and may die at any time."""

    process: subprocess.Popen[bytes]
    errors: IO[bytes]
    most: int

    def say(self, message: Message) -> None:
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):  # what it died of, `hear` finds
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()

    def hear(self) -> Message:
        """Its next message; `Unreadable` if it found something wrong, or died."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line.endswith(b"\n"):
            raise self._died()
        return _heard(json.loads(line))

    def take(self, size: int) -> bytes:
        """The bytes that follow a message; `Unreadable` if it died."""
        assert self.process.stdout is not None
        data = self.process.stdout.read(size)
        if len(data) < size:
            raise self._died()
        return data

    def _died(self) -> Unreadable:
        self.process.wait()
        self.errors.seek(0)
        if any(word in self.errors.read(1 << 16) for word in NO_MEMORY):
            return Unreadable(too_large(self.most))
        message = "the Parquet file is damaged, or of a kind that cannot be read"
        hint = "write it again, with to_parquet() of pandas or write_parquet() of polars"
        return Unreadable(Problem("S108", message, help=hint))


class _Here:
    """What unpacks a file that this process has written."""

    def __init__(self, path: Path, most: int) -> None:
        self._data, self._messages = b"", unpacked(str(path))
        self._order: Message | None = None

    def say(self, message: Message) -> None:
        self._order = message

    def hear(self) -> Message:
        message, self._data = self._messages.send(self._order)
        self._order = None
        return _heard(message)

    def take(self, size: int) -> bytes:
        return self._data


def _heard(message: Message) -> Message:
    if "problem" in message:
        code, text, at = message["problem"]
        help = limit("rows") if code == "S104" else None
        raise Unreadable(Problem(code, text, line=at, help=help))
    return message


@contextmanager
def _unpacking(path: Path, most: int = 0) -> Iterator[_Child]:
    ask_for_polars()
    program = f"from {__name__} import unpack; unpack()"
    where = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(
            [sys.executable, "-P", "-c", program, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,  # a panic's backtrace
            env={"POLARS_MAX_THREADS": "2", **os.environ, "PYTHONPATH": where},
        ) as process,
    ):
        try:
            yield _Child(process, errors, most)
        finally:
            process.kill()


def unpack() -> None:
    """The process of its own: send the columns, receive which are wanted, send their cells."""
    with suppress(ImportError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    messages = unpacked(sys.argv[1])
    _send(*next(messages))
    order = json.loads(sys.stdin.readline())
    with suppress(StopIteration):
        while True:
            _send(*messages.send(order))


def unpacked(path: str) -> Generator[Sent, Message | None, None]:
    """The columns of a file; then, once it is sent which are wanted, their cells."""
    import polars as pl

    texts = (pl.String, pl.Categorical, pl.Enum, pl.Null)
    others = (pl.Boolean, pl.Date, pl.Datetime, pl.Time)

    def fits(type_: pl.DataType) -> tuple[bool, bool, bool]:
        number = type_.is_numeric() or type_ in texts
        return number or type_ in others, number, type_.is_numeric()

    frame = pl.scan_parquet(path, glob=False)
    schema = frame.collect_schema()
    types = {name: (str(t), *fits(t)) for name, t in schema.items()}
    order = (yield {"types": types}, b"") or {}
    rows = frame.select(pl.len()).collect().item()
    if rows > order["rows"]:
        message = f"{rows:,} rows, at most {order['rows']:,} are accepted here"
        yield {"problem": ("S104", message, None)}, b""
        return
    names = [name for name, _ in order["columns"]]
    numbers = {name for name, text in order["columns"] if not text and schema[name].is_numeric()}
    for start in range(0, rows, SLICE):
        part = frame.slice(start, SLICE).select(names).collect()
        sizes = np.full(part.height, 8 * len(names))
        for column in part.iter_columns():
            lengths = _lengths(column)
            if lengths.max() > order["line"]:
                message = f"the {quoted(column.name)} is longer than {order['line']:,} bytes"
                yield {"problem": ("S109", message, start + int(lengths.argmax()) + 1)}, b""
                return
            sizes += lengths
        ends = np.cumsum(sizes)
        at = 0
        while at < part.height:
            sent = int(ends[at - 1]) if at else 0
            upto = max(at + 1, int(np.searchsorted(ends, sent + AT_ONCE, side="right")))
            cells, size = part[at:upto], int(ends[upto - 1]) - sent
            cells = pl.DataFrame(
                [c.cast(pl.Float64) if c.name in numbers else as_ids(c) for c in cells]
            )
            if rows == cells.height and size < order["small"]:
                rows_of = [_as_text(column.to_list()) for column in cells]
                yield {"rows": cells.height, "size": size, "cells": rows_of}, b""
            else:
                data = io.BytesIO()
                cells.rechunk().write_ipc_stream(data, compression="uncompressed")
                header = {"rows": cells.height, "size": size, "bytes": data.tell()}
                yield header, data.getvalue()
            at = upto
    yield {"rows": 0, "size": 0, "cells": [[] for _ in names]}, b""


def _lengths(column: pl.Series) -> NDArray[np.int64]:
    """How many bytes of text each cell of a column takes; of what is no text, none."""
    import polars as pl

    if column.dtype in (pl.Categorical, pl.Enum):  # the text of a category stands there once
        lengths = column.cat.len_bytes()
    elif column.dtype == pl.String:
        lengths = column.str.len_bytes()
    else:
        return np.zeros(len(column), dtype=np.int64)
    counts: NDArray[np.int64] = lengths.fill_null(0).to_numpy().astype(np.int64)
    return counts


def _send(message: Message, data: bytes) -> None:
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\n" + data)
    sys.stdout.buffer.flush()


def _as_text(cells: Sequence[Any]) -> list[str]:
    return ["" if cell is None else str(cell) for cell in cells]
