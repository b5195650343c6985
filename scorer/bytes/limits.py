"""Limits on what a file may cost to read."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from scorer.core.problems import Problem

GZIP, ZSTD, PARQUET, BOM = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PAR1", b"\xef\xbb\xbf"
SMALLEST_BOMB = 16 * 1024 * 1024  # a high ratio below this hurts nobody
ROW = 4  # lines of a text; a row of a JSON document takes as long as these, read one by one
UTF8 = "save the file as UTF-8"


class ReadLimits(NamedTuple):
    """How much of a file is read before it is refused; these hold where no challenge sets any."""

    size: int = 1024**3  # bytes, as stored
    unpacked: int = 4 * 1024**3  # bytes, decompressed
    rows: int = 200_000_000
    list: int = 4_000_000  # rows of one list
    line: int = 1024**2  # bytes of one line
    ids: int = 100_000_000  # different ids of one column
    ratio: int = 1000  # decompressed bytes for a stored one
    careful: int = 200_000_000  # lines, or rows of them, that polars cannot cut
    errors: int = 200_000  # in rows, after which reading ends
    # the challenge's own files, which no file that was sent may be; None: the organizer named it
    own: tuple[Path, ...] | None = None


class Unreadable(Exception):
    """The file cannot be read further; `problem` says why."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(problem.message)


class NoTable(Exception):
    """There are no rows to be read; the findings say why."""


def most_unpacked(size: int, limits: ReadLimits) -> int:
    """How many bytes a compressed file of that size may unpack to."""
    return min(limits.unpacked, max(limits.ratio * size, SMALLEST_BOMB))


def too_large(most: int) -> Problem:
    """The problem of a file that unpacks to more than that."""
    message = f"the file unpacks to more than is accepted here, {format_size(most)}"
    return Problem("S104", message, help=limit("unpacked", "ratio"))


def too_careful(limits: ReadLimits, document: bool = False) -> Problem:
    """The problem of a file with more lines, or a document with more rows, than are read singly."""
    most, what = (limits.careful // ROW, "rows") if document else (limits.careful, "lines")
    message = f"more than {most:,} {what} that can only be read one by one"
    hint = "plain ones need no escapes, no line ends or blanks beside quotes, no new keys"
    return Problem("S104", message, help=f"{limit('careful')}; {hint}")


def too_many_errors(most: int) -> Problem:
    """The problem of a file with more errors than are accepted."""
    message = f"more than {most:,} errors; the rest of the file is not read"
    return Problem("S104", message, help=limit("errors"))


def refuse_errors(errors: int, most: int) -> None:
    """End the reading of a file with more errors than are accepted, as `Unreadable`."""
    if errors > most:
        raise Unreadable(too_many_errors(most))


def limit(*names: str) -> str:
    """The help of S104: which of the limits ended the reading."""
    return f"the limit is {' or '.join(f'submission.limits.{name}' for name in names)}"


def format_limit(size: int) -> str:
    """Return a size in the largest unit that it is a whole number of.

    >>> format_limit(2**30), format_limit(20_000_000), format_limit(1001)
    ('1 GiB', '20 MB', '1,001 bytes')
    """
    units = {"GiB": 2**30, "GB": 10**9, "MiB": 2**20, "MB": 10**6, "KiB": 2**10, "kB": 10**3}
    for name, unit in units.items():
        if size >= unit and size % unit == 0:
            return f"{size // unit:,} {name}"
    return f"{size:,} bytes"


def format_size(size: float) -> str:
    """As a person says it, in powers of 1000.

    >>> format_size(999), format_size(31_400_000)
    ('999 bytes', '31 MB')
    """
    units = ["bytes", "kB", "MB", "GB", "TB"]
    while size >= 999.5 and len(units) > 1:
        size /= 1000
        units.pop(0)
    return f"{size:,.0f} {units[0]}"
