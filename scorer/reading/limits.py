"""Limits on what a file may cost to read, and the errors of one that cannot be read."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from scorer.core.problems import Findings, Problem

if TYPE_CHECKING:  # files are opened and written without it
    import polars as pl

HARMLESS_SIZE = 16 * 1024**2  # bytes to which any file may unpack, however small it is
MOST_RATIO = 1000  # of unpacked to compressed bytes; tables in gzip have 3 to 30
MOST_SLOW_LINES = 2_000_000  # parsed one by one in Python, about 10 microseconds each
CHUNK_LINES = 1_000_000  # that are cut together, so that their copies stay small
MOST_LINES = 40_000_000  # of a file, blank ones too; one costs 30 bytes before it is looked at
MOST_DOCUMENT = 64 * 1024**2  # characters of a document, which is held as objects while it is read
MOST_RECORD_LINES = 10_000  # of one record, whose quoted fields hold line ends
MOST_ERRORS = 200_000  # of a file, after which reading ends: more of them would tell nobody more
SAVE_AS_UTF8 = "save the file as UTF-8"  # help of problems
UNITS = {"GiB": 2**30, "GB": 10**9, "MiB": 2**20, "MB": 10**6, "KiB": 2**10, "kB": 10**3}


class ReadLimits(NamedTuple):
    """What a file may cost before it is refused; the defaults hold if a challenge sets no limit.

    Attributes:
        size: Bytes, as stored.
        unpacked: Bytes, unpacked.
        rows: Rows of the file.
        line: Bytes of one line.
        protected: The challenge's own files, which are refused as a submission. None for a file
            that the organizer named.
    """

    size: int = 1024**3
    unpacked: int = 4 * 1024**3
    rows: int = 20_000_000
    line: int = 1024**2
    protected: tuple[Path, ...] | None = None


DEFAULT_LIMITS = ReadLimits()


class TextBounds(NamedTuple):
    """What the reader of a text refuses in any case, so that reading may end where it is exceeded.

    Attributes:
        line: Bytes of a line.
        lines: Line ends.
        size: Bytes, unpacked.
    """

    line: int = sys.maxsize
    lines: int = sys.maxsize
    size: int = sys.maxsize


UNBOUNDED = TextBounds()


class UnreadableError(Exception):
    """A file cannot be read as a table; `problem` says why.

    Nothing else is said of a file with too many bytes, or too long a line: what follows the limit
    is not read, as the limit bounds how much is read. Of too many rows, the accepted
    ones are checked (`accept_rows`).
    """

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
    """A file cannot be read as a table; the findings of its `ReadRequest` say why."""


def unpacked_error(most: int) -> UnreadableError:
    """Return the error of a file that unpacks to more than `most` bytes."""
    message = f"the file unpacks to more than is accepted here, {format_size(most)}"
    return UnreadableError("S104", message)


def largest_unpacked(size: int, limits: ReadLimits) -> int:
    """Return how many bytes a compressed file of `size` bytes may unpack to."""
    return min(limits.unpacked, max(MOST_RATIO * size, HARMLESS_SIZE))


def refuse_size(size: int, limits: ReadLimits) -> None:
    """Raise UnreadableError if a file of `size` stored bytes is larger than is accepted."""
    if size > limits.size:
        sizes = f"{format_size(size)}, at most {format_size(limits.size)}"
        raise UnreadableError("S104", f"the file is larger than is accepted here ({sizes})")


def accept_rows(
    lines: pl.Series, limits: ReadLimits, findings: Findings, counts: pl.Series | None = None
) -> int:
    """Return how many of the lines hold as many rows as are accepted, after reporting the next one.

    What else is wrong with the file is found in the accepted rows.

    Args:
        lines: The line of each row.
        counts: The number of rows on each of `lines`; None if each holds one row.
    """
    first_refused = limits.rows
    if counts is not None:  # the first line up to which there are more rows than accepted
        rows_so_far = counts.cast(int).cum_sum()  # of 64 bits, as sums of 32 could overflow
        first_refused = int(rows_so_far.search_sorted(limits.rows, side="right"))
    if first_refused < len(lines):
        message = f"more than {limits.rows:,} rows, which is what is accepted here"
        findings.add(UnreadableError("S104", message, lines[first_refused]).problem)
    return first_refused


def most_lines(limits: ReadLimits) -> int:
    """Return how many lines a file may have. Half of them may be no rows, such as blank ones."""
    return max(MOST_LINES, 2 * limits.rows)


def refuse_many_lines(lines: int, limits: ReadLimits) -> None:
    """Raise UnreadableError if a file has more lines than are accepted."""
    most = most_lines(limits)
    if lines > most:
        raise UnreadableError("S104", f"more than {most:,} lines", most + 1)


def refuse_many_slow_lines(lines: int) -> None:
    """Raise UnreadableError if more lines than are accepted have to be parsed one by one."""
    if lines > MOST_SLOW_LINES:
        message = f"more than {MOST_SLOW_LINES:,} lines that can only be read one by one"
        hint = "write values without escapes, line ends in quotes, and blanks beside quotes"
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
    while size >= 999.5 and len(units) > 1:  # 999.5 would be rounded to 1,000
        size /= 1000
        units.pop(0)
    return f"{size:,.0f} {units[0]}"
