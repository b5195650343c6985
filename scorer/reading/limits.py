"""Limits on what a file may cost to read, and the errors of one that cannot be read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from scorer.core.problems import Problem

if TYPE_CHECKING:
    import polars as pl

SMALLEST_BOMB = 16 * 1024 * 1024  # bytes; a high ratio below this hurts nobody
MOST_RATIO = 1000  # unpacked bytes for a stored one; gzip of a table has 3 to 30
MOST_CAREFUL = 2_000_000  # lines that are parsed one by one, about 10 microseconds each
CHUNK_LINES = 1_000_000  # that are cut together, so that their copies stay small
MOST_RECORD_LINES = 10_000  # of one record between quotes
MOST_ERRORS = 200_000  # in the rows of a file, after which reading ends
UTF8 = "save the file as UTF-8"
UNITS = {"GiB": 2**30, "GB": 10**9, "MiB": 2**20, "MB": 10**6, "KiB": 2**10, "kB": 10**3}


class ReadLimits(NamedTuple):
    """How much of a file is read before it is refused; these hold where no challenge sets any.

    Attributes:
        size: Bytes, as stored.
        unpacked: Bytes, unpacked.
        rows: Rows of the file.
        line: Bytes of one line.
        own: The challenge's own files, which no file that was sent may be; None if the organizer
            named the file.
    """

    size: int = 1024**3
    unpacked: int = 4 * 1024**3
    rows: int = 20_000_000
    line: int = 1024**2
    own: tuple[Path, ...] | None = None


DEFAULT_LIMITS = ReadLimits()


class UnreadableError(Exception):
    """A file cannot be read as a table; `problem` says why."""

    def __init__(
        self,
        code: str,
        message: str,
        line: int | None = None,
        column: int | None = None,
        help: str | None = None,
        path: str | None = None,
    ) -> None:
        self.problem = Problem(code, message, path=path, line=line, column=column, help=help)
        super().__init__(message)


class ReportedError(Exception):
    """A file cannot be read as a table; the findings say why."""


def limit_error(limit: str, message: str, line: int | None = None) -> UnreadableError:
    """Return the error of a file that exceeds a limit of the challenge."""
    return UnreadableError("S104", message, line, help=f"the limit is submission.limits.{limit}")


def unpacked_error(most: int) -> UnreadableError:
    """Return the error of a file that unpacks to more than `most` bytes."""
    message = f"the file unpacks to more than is accepted here, {format_size(most)}"
    return limit_error("unpacked", message)


def largest_unpacked(size: int, limits: ReadLimits) -> int:
    """Return how many bytes a compressed file of `size` bytes may unpack to."""
    return min(limits.unpacked, max(MOST_RATIO * size, SMALLEST_BOMB))


def refuse_many_rows(lines: pl.Series, limits: ReadLimits, counts: pl.Series | None = None) -> None:
    """Raise UnreadableError if a file has more rows than are accepted.

    Args:
        lines: The line of each row.
        limits: What is accepted.
        counts: How many rows each line has, where it is not one.
    """
    if (len(lines) if counts is None else counts.sum()) > limits.rows:
        last = limits.rows
        if counts is not None:
            last = int(counts.cast(int).cum_sum().search_sorted(last, side="right"))
        message = f"more than {limits.rows:,} rows, which is what is accepted here"
        raise limit_error("rows", message, lines[last])


def refuse_many_careful(lines: int) -> None:
    """Raise UnreadableError if more lines than are accepted have to be parsed one by one."""
    if lines > MOST_CAREFUL:
        message = f"more than {MOST_CAREFUL:,} lines that can only be read one by one"
        hint = "plain ones need no escapes, no line ends or blanks beside quotes"
        raise UnreadableError("S104", message, help=hint)


def refuse_many_errors(errors: int) -> None:
    """Raise UnreadableError if a file has more errors than are accepted."""
    if errors > MOST_ERRORS:
        message = f"more than {MOST_ERRORS:,} errors; the rest of the file is not read"
        raise UnreadableError("S104", message)


def format_limit(size: int) -> str:
    """Return a size in the largest unit that it is a whole number of.

    >>> format_limit(2**30), format_limit(20_000_000), format_limit(1001)
    ('1 GiB', '20 MB', '1,001 bytes')
    """
    for name, unit in UNITS.items():
        if size >= unit and size % unit == 0:
            return f"{size // unit:,} {name}"
    return f"{size:,} bytes"


def format_size(size: float) -> str:
    """Return a number of bytes as a person says it, in powers of 1000.

    >>> format_size(999), format_size(31_400_000)
    ('999 bytes', '31 MB')
    """
    units = ["bytes", "kB", "MB", "GB", "TB"]
    while size >= 999.5 and len(units) > 1:
        size /= 1000
        units.pop(0)
    return f"{size:,.0f} {units[0]}"
