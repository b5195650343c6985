"""Large text files cut into columns by polars, some MiB at a time.

Only unquoted, printable-ASCII files with a constant number of fields.
At the first sign of anything else it gives up (`Doubt`), and the thorough reader
says what it is.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from scorer.io.files import open_bytes
from scorer.io.formats.base import COMPRESSED, Format, lacking
from scorer.io.limits import Limits
from scorer.io.table import TEXT, Schema

if TYPE_CHECKING:
    from concurrent.futures import Future

    import polars as pl

SMALLEST = 1_500_000  # bytes; below, polars takes longer to import than the thorough pass to run
PIECE = 4 * 1024**2  # bytes read at a time
FIRST = 1024**2  # bytes read first: scattered lists show at once

ROOM = 256 * 1024**2  # bytes that may be asked for; where they are not there, polars would abort
THREADS = 2  # that cut, beside the one that reads and judges
BLOCK = 256 * 1024  # bytes looked at together: they stay in the cache

T = TypeVar("T")


def worth(path: Path) -> bool:
    """Whether a file is large enough for the fast pass."""
    try:
        size = path.stat().st_size
    except (OSError, ValueError):
        return False
    return size * (4 if path.suffix.lower() in COMPRESSED else 1) >= SMALLEST


class Doubt(Exception):
    """The fast pass cannot vouch for the file."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the columns are."""

    separator: str
    width: int
    places: Mapping[str, int]  # role -> its column, from 0
    shape: Schema
    header: int = 0  # how many bytes it takes

    @property
    def used(self) -> list[int]:
        """What is read. The last column is, so that a null in it shows a line that is short."""
        return sorted({*self.places.values(), self.width - 1})

    def types(self) -> dict[str, Any]:
        """The type of each column, by its number."""
        import polars as pl

        numbers = {n for role, n in self.places.items() if role not in TEXT}
        return {str(n): pl.Float64 if n in numbers else pl.String for n in range(self.width)}


def pieces(
    path: Path,
    format: Format,
    wanted: Sequence[Schema],
    limits: Limits,
    work: Callable[[Layout, pl.DataFrame], T],
    digest: hashlib._Hash | None = None,
    again: str | None = None,
) -> Iterator[T]:
    """What `work` makes of the file's columns, some MiB at a time, in order; in two threads.

    `digest` is told of the file's bytes. `again`, of a file that was looked at
    before, is the role of the one column that is wanted.

    Raises:
        Doubt: the thorough reader must look.
    """
    try:
        np.empty(ROOM, dtype=np.uint8)
    except MemoryError:
        raise Doubt from None
    from concurrent.futures import ThreadPoolExecutor

    import polars as pl

    def cut(layout: Layout, data: bytes) -> tuple[int, T]:
        lines = None if again else _plain(data, layout, limits)
        try:
            frame = pl.read_csv(
                data,
                separator=layout.separator,
                has_header=False,
                schema=layout.types(),
                columns=[layout.places[again]] if again else layout.used,
                quote_char=None,
            )
        except (pl.exceptions.PolarsError, ValueError):
            raise Doubt from None
        if lines is not None and (
            frame.height != lines or any(column.null_count() for column in frame.iter_columns())
        ):
            raise Doubt
        return frame.height, work(layout, frame)

    def finished() -> Iterator[tuple[int, T]]:
        with ThreadPoolExecutor(THREADS) as threads:
            waiting: deque[Future[tuple[int, T]]] = deque()
            for layout, data in _chunks(path, format, wanted, limits, digest):
                waiting.append(threads.submit(cut, layout, data))
                if len(waiting) > THREADS:
                    yield waiting.popleft().result()
            yield from (future.result() for future in waiting)

    count = 0
    for rows, made in finished():
        count += rows
        if count > min(limits.rows, limits.ids):
            raise Doubt
        yield made


def frames(
    path: Path, format: Format, wanted: Sequence[Schema], limits: Limits
) -> Iterator[tuple[Layout, pl.DataFrame]]:
    """The file's columns, some MiB at a time. Raises `Doubt` as `pieces` does."""
    return pieces(path, format, wanted, limits, lambda layout, frame: (layout, frame))


def _chunks(
    path: Path,
    format: Format,
    wanted: Sequence[Schema],
    limits: Limits,
    digest: hashlib._Hash | None,
) -> Iterator[tuple[Layout, bytes]]:
    """Whole lines, some MiB at a time."""
    layout: Layout | None = None
    with open_bytes(path, limits) as stream:
        rest, read = b"", b"."
        size = FIRST if path.stat().st_size > PIECE else PIECE
        while read:
            read = stream.read(size)
            if digest is not None:
                digest.update(read)
            cut = read.rfind(b"\n") + 1
            data = read  # without a copy, where it is whole lines
            if rest or cut < len(read):
                data = b"".join((rest, memoryview(read)[:cut])) if cut else b""
            rest = read[cut:] if cut else rest + read
            if len(rest) > limits.line:
                raise Doubt
            if not read and rest:
                data, rest = rest + b"\n", b""
            if data and layout is None:
                layout, size = _layout(data, format, wanted), PIECE
                data = data[layout.header :]
            if data and layout is not None:
                yield layout, data


def _layout(data: bytes, format: Format, wanted: Sequence[Schema]) -> Layout:
    """Where the columns of a file are that begins like this."""
    first = data[: data.index(b"\n")].decode("ascii", "replace")
    if format.name == "trec":
        run = any("score" in shape.roles for shape in wanted)
        order = "list . item . score tag" if run else "list subtopic item grade"
        columns = {role: n for n, role in enumerate(order.split()) if role != "."}
        for shape in wanted:
            if set(shape.required) <= columns.keys():
                places = {role: columns[role] for role in columns if role in shape.roles}
                separator = "\t" if "\t" in first else " "
                return Layout(separator, len(order.split()), places, shape)
        raise Doubt
    names = first.split(",")
    for shape in wanted:
        roles = {shape.called(role): role for role in shape.roles}
        places = {roles[name]: n for n, name in enumerate(names) if name in roles}
        if set(shape.required) <= places.keys():
            if len(places) < len(names) or lacking(shape, set(names)):
                raise Doubt  # a column is not used or a declared one is not there, which is told
            return Layout(",", len(names), places, shape, len(first) + 1)
    raise Doubt


def _plain(data: bytes, layout: Layout, limits: Limits) -> int:
    """The number of lines, if no field is quoted or padded and all have the same fields."""
    separator = layout.separator.encode()
    wrong = {b",": (b'"', b" "), b"\t": (b" ",), b" ": ()}[separator]
    if any(sign in data for sign in wrong):
        raise Doubt
    if separator == b"," and b"+" in data and b"E+" in data:  # one sign is found much faster
        raise Doubt  # an id may have been changed by a spreadsheet
    octets = np.frombuffer(data, dtype=np.uint8)
    above = np.empty(min(BLOCK, octets.size), dtype=np.uint8)
    lines = separators = 0
    for start in range(0, octets.size, BLOCK):
        block = octets[start : start + BLOCK]
        # 10 ends a line; less 11, what is at or below it wraps around, above all the others
        np.subtract(block, 11, out=above[: block.size])
        if (
            above[: block.size].min() < 32 - 11
            or block.min() < (9 if separator == b"\t" else 10)
            or block.max() > 126
        ):
            raise Doubt
        lines += int(np.count_nonzero(block == 10))
        separators += int(np.count_nonzero(block == separator[0]))
    if separators != lines * (layout.width - 1):
        raise Doubt
    half = limits.line // 2
    if any(data.find(b"\n", at, at + half) < 0 for at in range(0, len(data) - half, half)):
        raise Doubt
    return lines
