"""What a file may cost to read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from scorer.core.problems import Problem

GZIP, ZSTD, PARQUET, BOM = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PAR1", b"\xef\xbb\xbf"


SMALLEST_BOMB = 16 * 1024 * 1024  # a high ratio below this hurts nobody


UTF8 = "save the file as UTF-8"


class Bounds(Protocol):
    """How much of a file is read before it is refused."""

    @property
    def size(self) -> int:
        """Bytes, as stored."""
        ...

    @property
    def unpacked(self) -> int:
        """Bytes, decompressed."""
        ...

    @property
    def rows(self) -> int:
        """Rows of a table."""
        ...

    @property
    def line(self) -> int:
        """Bytes of one line."""
        ...

    @property
    def ids(self) -> int:
        """Different ids of one column."""
        ...

    @property
    def ratio(self) -> int:
        """Decompressed bytes for a stored one."""
        ...

    @property
    def errors(self) -> int:
        """Errors in rows, after which reading ends."""
        ...


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of a file that no challenge sets any for."""

    size: int = 1024**3
    unpacked: int = 4 * 1024**3
    rows: int = 200_000_000
    line: int = 1024**2
    ids: int = 100_000_000
    ratio: int = 1000
    errors: int = 1_000_000


class Unreadable(Exception):
    """The file cannot be read further; `problem` says why."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(problem.message)


class NoTable(Exception):
    """There are no rows to be read; the findings say why."""


def most_unpacked(size: int, limits: Bounds) -> int:
    """How many bytes a compressed file of that size may unpack to."""
    return min(limits.unpacked, max(limits.ratio * size, SMALLEST_BOMB))


def too_large(most: int) -> Problem:
    """What is said of a file that unpacks to more than that."""
    message = f"the file unpacks to more than is accepted here, {format_size(most)}"
    return Problem("S104", message, help=limit("unpacked", "ratio"))


def limit(*names: str) -> str:
    """The help of S104: which of the limits ended the reading."""
    return f"the limit is {' or '.join(f'submission.limits.{name}' for name in names)}"


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
