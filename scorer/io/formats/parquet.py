"""Parquet: columns by name; the number of a row stands for its line."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer.core.problems import Problem
from scorer.core.text import quoted
from scorer.io.files import spooled
from scorer.io.formats.base import Unused, format, resolve, tell_unused
from scorer.io.limits import PARQUET, Limits, NoTable, Unreadable, most_unpacked, too_large
from scorer.io.table import TEXT, Builder, Table
from scorer.io.text import Request

SLICE = 100_000  # rows that are unpacked at once
AT_ONCE = 1 << 24  # bytes of text that are sent at once
MEMORY = 8 << 30  # addresses that may be taken while unpacking
MOST_FOOTER = 1 << 24

Message = dict[str, Any]


def _words(path: Path) -> frozenset[str]:
    try:
        return frozenset(part[4].decode() for part in _footer(path)[2])
    except (Unreadable, LookupError, TypeError, AttributeError, ValueError):
        return frozenset()


@format("parquet", ".parquet", ".pq", binary=True, words=_words)
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
        yield from _tables(request, request.path.absolute())
        return
    with spooled(stream, Limits(size=request.limits.unpacked)) as unpacked:
        yield from _tables(request, unpacked)


def _tables(request: Request, path: Path) -> Iterator[Table]:
    findings, limits = request.findings, request.limits
    most = most_unpacked(path.stat().st_size, limits)
    footer = _footer(path)
    with _unpacking(path) as child:
        types = child.hear()["types"]
        found = resolve(list(types), request, None)
        if found is None:
            raise NoTable
        shape, roles = found
        names = [shape.called(role) for role in roles]
        unused = [
            Unused(name, None, None, ["0"] if numeric else [])
            for name, (_, _, numeric) in types.items()
            if name not in names
        ]
        tell_unused(request, shape, roles, list(types), unused)
        refused = [name for name in names if not types[name][1]]
        for name in refused:
            message = f"column {quoted(name)} is {types[name][0]}, expected text or numbers"
            findings.add(Problem("S207", message))
        if refused:
            raise NoTable
        if _announced(footer, names) > most:
            raise Unreadable(too_large(most))
        builder = Builder(shape, roles, findings)
        builder.facts["columns"] = tuple(types)
        child.say(
            {
                "columns": [*zip(names, [role in TEXT for role in roles], strict=True)],
                "rows": limits.rows,
                "line": limits.line,
            }
        )
        rows = unpacked = 0
        while cells := child.hear()["cells"]:
            unpacked += 8 * len(cells[0]) + sum(len(cell) for column in cells for cell in column)
            if unpacked > most:
                raise Unreadable(too_large(most))
            for line, row in enumerate(zip(*cells, strict=True), rows + 1):
                builder.row(line, row)
            rows += len(cells[0])
        yield builder.table()


def _damaged() -> Unreadable:
    message = "the Parquet file is damaged, or of a kind that cannot be read"
    hint = "write it again, with to_parquet() of pandas or write_parquet() of polars"
    return Unreadable(Problem("S108", message, help=hint))


@dataclass(frozen=True, slots=True)
class _Child:
    """The process that unpacks, which may die at any time."""

    process: subprocess.Popen[bytes]

    def say(self, message: Message) -> None:
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):  # what it died of, `hear` finds
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()

    def hear(self) -> Message:
        """Its next message.

        Raises:
            Unreadable: it found something wrong, or died.
        """
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line.endswith(b"\n"):
            raise _damaged()
        message: Message = json.loads(line)
        if "problem" in message:
            code, text, at = message["problem"]
            raise Unreadable(Problem(code, text, line=at))
        return message


@contextmanager
def _unpacking(path: Path) -> Iterator[_Child]:
    program = f"from {__name__} import unpack; unpack()"
    where = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
    with subprocess.Popen(
        [sys.executable, "-P", "-c", program, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # a panic's backtrace
        env={**os.environ, "PYTHONPATH": where},
    ) as process:
        try:
            yield _Child(process)
        finally:
            process.kill()


def unpack() -> None:
    """What the process of its own does: tell the columns, be told which, send their cells."""
    with suppress(ImportError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    import polars as pl

    def plain(type_: pl.DataType) -> bool:
        return not (type_.is_nested() or type_ in (pl.Binary, pl.Object))

    frame = pl.scan_parquet(sys.argv[1], glob=False)
    schema = frame.collect_schema()
    _send(
        {
            "types": {
                name: (str(type_), plain(type_), type_.is_numeric())
                for name, type_ in schema.items()
            }
        }
    )
    asked = json.loads(sys.stdin.readline())
    rows = frame.select(pl.len()).collect().item()
    if rows > asked["rows"]:
        message = f"{rows:,} rows, at most {asked['rows']:,} are accepted here"
        return _send({"problem": ("S104", message, None)})
    columns = [
        pl.col(name).cast(pl.Float64 if not text and schema[name].is_numeric() else pl.String)
        for name, text in asked["columns"]
    ]
    for start in range(0, rows, SLICE):
        part = frame.slice(start, SLICE).select(columns).collect()
        longest = 1
        for column in part.select(pl.col(pl.String).str.len_bytes().fill_null(0)):
            sizes = column.to_numpy()
            longest = max(longest, int(sizes.max()))
            if longest > asked["line"]:
                message = f"the {quoted(column.name)} is longer than {asked['line']:,} bytes"
                return _send({"problem": ("S109", message, start + int(sizes.argmax()) + 1)})
        step = AT_ONCE // longest + 1
        for at in range(0, part.height, step):
            _send({"cells": [_texts(column.to_list()) for column in part[at : at + step]]})
    return _send({"cells": []})


def _send(message: Message) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def _texts(cells: Sequence[Any]) -> list[str]:
    return ["" if cell is None else str(cell) for cell in cells]


def _footer(path: Path) -> dict[int, Any]:
    """What the file says of itself, by the field numbers of Parquet's FileMetaData.

    Raises:
        Unreadable: it says nothing of the kind, or more than can be looked at.
    """
    with path.open("rb") as stream:
        end = stream.seek(0, io.SEEK_END) - 8
        stream.seek(max(end, 0))
        size, mark = int.from_bytes(stream.read(4), "little"), stream.read(4)
        if mark != PARQUET or size > end:
            raise _damaged()
        if size > MOST_FOOTER:
            raise Unreadable(too_large(MOST_FOOTER))
        stream.seek(end - size)
        footer = stream.read(size)
    try:
        return _struct(footer, 0)[0]
    except (LookupError, ValueError, RecursionError):
        raise _damaged() from None


def _announced(footer: dict[int, Any], names: Sequence[str]) -> int:
    """The unpacked bytes of these columns, as the file says before any is unpacked."""
    try:
        columns = [column[3] for group in footer.get(4, ()) for column in group.get(1, ())]
        return sum(column[6] for column in columns if column[3][0].decode() in names)
    except (LookupError, TypeError, AttributeError, ValueError):
        raise _damaged() from None


def _struct(data: bytes, at: int) -> tuple[dict[int, Any], int]:
    """A struct in Thrift's compact protocol, by field number, and where it ends."""
    fields: dict[int, Any] = {}
    field = 0
    while head := data[at]:
        at += 1
        if head >> 4:
            field += head >> 4
        else:
            field, at = _whole(data, at)
        kind = head & 15
        if kind > 2:  # true and false are said by the kind itself
            fields[field], at = _value(data, at, kind)
    return fields, at + 1


def _value(data: bytes, at: int, kind: int) -> tuple[Any, int]:
    if kind in (1, 2, 3):
        return data[at], at + 1
    if kind in (4, 5, 6):
        return _whole(data, at)
    if kind == 7:
        return None, at + 8
    if kind == 8:
        size, at = _varint(data, at)
        return data[at : at + size], at + size
    if kind in (9, 10):
        size, kind = data[at] >> 4, data[at] & 15
        at += 1
        if size == 15:
            size, at = _varint(data, at)
        values = []
        for _ in range(size):
            value, at = _value(data, at, kind)
            values.append(value)
        return values, at
    if kind == 12:
        return _struct(data, at)
    raise ValueError(f"no Parquet footer holds values of kind {kind}")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    number = 0
    for shift in range(0, 70, 7):
        byte = data[at]
        at += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, at
    raise ValueError("a number of more than 64 bits")


def _whole(data: bytes, at: int) -> tuple[int, int]:
    number, at = _varint(data, at)
    return (number >> 1) ^ -(number & 1), at
