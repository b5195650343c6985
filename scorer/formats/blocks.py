"""Blocks of whole lines, looked at as arrays: which lines are plain, and polars' columns of these.

A line is odd where only the careful parser can say what it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scorer.bytes.limits import ReadLimits, Unreadable
from scorer.bytes.lines import mended, too_long
from scorer.core.arrays import Mask
from scorer.core.id_pattern import OPENING
from scorer.core.problems import Findings

if TYPE_CHECKING:
    import polars as pl

Octets = NDArray[np.uint8]
Places = NDArray[np.int64]

NEWLINE, TAB, BLANK, QUOTE, COMMENT, PLUS, TILDE = b'\n\t "#+~'
NONE = np.empty(0, dtype=np.int64)
RARE = (b"+", *(sign.encode() for sign in OPENING))  # signs for which ids are looked at
SIMPLE = bytes({NEWLINE, *range(BLANK, 127), *range(128, 256)} - {QUOTE})
CACHED = 256 * 1024  # bytes looked at together: they stay in the cache


class ByteCounts(NamedTuple):
    """Counts of a block's bytes."""

    lines: int  # how many end
    blanks: int
    printable: bool  # all else is printable ASCII
    joined: bool  # a blank or a line end follows another, or begins the block
    highest: int
    marks: bool  # there is one of ! " # $ % & ' ( ) * + or a control character


class Block:
    """Some whole lines of a file from line `first`; only the file's last may lack its LF."""

    def __init__(self, data: bytes, first: int, last: bool, limits: ReadLimits) -> None:
        if data and not data.endswith(b"\n"):
            data += b"\n"
        self.data, self.first, self.last, self.limits = data, first, last, limits
        if not self.look.printable and b"\r" in data:
            self.data = data.replace(b"\r\n", b"\n")
            del self.look, self.octets

    @cached_property
    def look(self) -> ByteCounts:
        """Counts of the bytes, made in one pass over pieces that fit the cache."""
        octets = self.octets
        lines = blanks = highest = 0
        controls = marks = joined = False
        after = True  # whether a blank or a line end stands before the piece, or nothing
        for start in range(0, octets.size, CACHED):
            part = octets[start : start + CACHED]
            ends, low = int(np.count_nonzero(part == NEWLINE)), part <= PLUS
            others = int(np.count_nonzero(low)) - ends
            gaps = int(np.count_nonzero(part == BLANK)) if others else 0
            if others > gaps:  # which few files have
                low = part <= BLANK
                marks, controls = True, controls or int(np.count_nonzero(low)) > ends + gaps
            lines, blanks = lines + ends, blanks + gaps
            highest = max(highest, int(part.max()))
            joined = joined or (after and int(part[0]) <= BLANK) or bool((low[1:] & low[:-1]).any())
            after = int(part[-1]) <= BLANK
        return ByteCounts(lines, blanks, not controls and highest <= TILDE, joined, highest, marks)

    @property
    def count(self) -> int:
        """How many lines there are."""
        return self.look.lines

    @cached_property
    def octets(self) -> Octets:
        """The bytes."""
        return np.frombuffer(self.data, dtype=np.uint8)

    @cached_property
    def ends(self) -> Places:
        """Where each line ends: the place of its LF."""
        return np.flatnonzero(self.octets == NEWLINE)

    @cached_property
    def starts(self) -> Places:
        """Where each line starts."""
        starts = np.empty(self.count, dtype=np.int64)
        starts[:1] = 0
        np.add(self.ends[:-1], 1, out=starts[1:])
        return starts

    def raw(self, line: int) -> bytes:
        """A line without its end; they count from 0."""
        return self.data[int(self.starts[line]) : int(self.ends[line])]

    def lines_with(self, mark: bytes) -> Places:
        """The lines that hold a byte."""
        if mark not in self.data:
            return NONE
        return self.lines_at(np.flatnonzero(self.octets == mark[0]))

    def lines_at(self, places: Places) -> Places:
        """The lines in which these bytes stand, each once, in order."""
        return np.unique(np.searchsorted(self.ends, places))

    def spoiled(self) -> Places:
        """The lines that are too long, or no text."""
        groups = [NONE]
        half = max(self.limits.line // 2, 1)
        if any(
            self.data.find(b"\n", at, at + half) < 0 for at in range(0, len(self.data) - half, half)
        ):
            groups.append(np.flatnonzero(self.ends - self.starts > self.limits.line))
        if not self.look.printable:
            groups.append(self.lines_with(b"\0"))
        if self.look.highest > 127:
            try:
                self.data.decode()
            except UnicodeDecodeError:
                not_ascii = self.lines_at(np.flatnonzero(self.octets >= 128))
                groups.append(
                    np.array([n for n in not_ascii.tolist() if not _is_text(self.raw(n))])
                )
        lines = np.concatenate(groups).astype(np.int64)
        return np.unique(lines) if lines.size else lines  # which imports numpy.ma

    def usual(self, separator: int) -> bool:
        """Whether its cells are of printable ASCII without blanks and the signs of `RARE`."""
        look, data = self.look, self.data
        if not look.printable or (look.blanks and separator != BLANK):
            return False
        return not any(sign in data for sign in RARE if look.marks or sign[0] > PLUS)

    def fields(self, separator: int, width: int) -> list[str] | None:
        """The fields of its lines, one after another; None where a line is not plain.

        Each has `width` fields, and neither a quote nor a control character.
        """
        plain = self.look.printable and not self.look.marks
        if not plain and self.data.translate(None, SIMPLE + bytes([separator])):
            return None
        if self.spoiled().size or not even(self.data, separator, width):
            return None
        mark = chr(separator)
        return self.data[:-1].decode().replace("\n", mark).split(mark)

    def picked(self, lines: Mask, data: bytes | None = None) -> bytes:
        """The bytes of some lines; of `data`, if given, which has the same number of lines."""
        octets, ends = self.octets, self.ends
        if data is not None:
            octets = np.frombuffer(data, dtype=np.uint8)
            ends = np.flatnonzero(octets == NEWLINE)
        if lines.all():
            return self.data if data is None else data
        sizes = np.diff(ends, prepend=-1)
        return octets[np.repeat(lines, sizes)].tobytes()


def even(data: bytes, separator: int, width: int) -> bool:
    """Whether each of some whole lines has that many fields, of which there are two at least."""
    octets = np.frombuffer(data, dtype=np.uint8)
    ends, marks = np.flatnonzero(octets == NEWLINE), np.flatnonzero(octets == separator)
    if marks.size != ends.size * (width - 1):
        return False
    first, last = marks[:: width - 1], marks[width - 2 :: width - 1]
    return bool((last < ends).all() and (first[1:] > ends[:-1]).all())


def _is_text(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


class Lines:
    """The lines of a block as text, each with its number, made when they are asked for.

    What is not UTF-8 becomes a problem and is read as Windows-1252, so that all other
    problems are found at once.
    """

    def __init__(self, block: Block, findings: Findings) -> None:
        self._block, self._findings = block, findings
        self._texts: dict[int, str] = {}
        self._all: list[str] | None = None

    def all_at_once(self) -> None:
        """Make all of them at once, which is faster than one by one; only where none is spoiled."""
        block = self._block
        if not block.spoiled().size:
            self._all = block.data.decode().split("\n")[:-1]

    @property
    def first(self) -> int:
        """The number of the first line."""
        return self._block.first

    @property
    def size(self) -> int:
        """How many bytes they take."""
        return len(self._block.data)

    def __len__(self) -> int:
        return self._block.count

    def __getitem__(self, line: int) -> tuple[int, str]:
        """A line by its place in the block, from 0; `Unreadable` if it is too long."""
        number = self._block.first + line
        if self._all is not None:
            return number, self._all[line]
        if line not in self._texts:
            raw = self._block.raw(line)
            if len(raw) > self._block.limits.line:
                raise Unreadable(too_long(raw, number, self._block.limits))
            self._texts[line] = mended(raw, number, self._findings)
        return number, self._texts[line]


def columns(
    data: bytes, separator: str, width: int, numbers: Iterable[int], used: Iterable[int],
    *, whole: Iterable[int] = (), tolerant: bool = False, quotes: bool = False,
) -> pl.DataFrame | None:  # fmt: skip
    """The columns of some lines, by their numbers from 0; None where polars finds fault.

    Args:
        whole: those of the numbers that are all whole, from 0 to 2**32 - 1; they take less time.
        tolerant: fields beyond the width are left out, missing ones empty, and numbers
            that are none become null.
    """
    import polars as pl

    types: dict[int, Any] = dict.fromkeys(numbers, pl.Float64) | dict.fromkeys(whole, pl.UInt32)
    lenient: dict[str, Any] = {}
    if tolerant:
        lenient = {
            "ignore_errors": True,
            "truncate_ragged_lines": True,
            "missing_columns": "insert",
            "extra_columns": "ignore",
        }
    try:
        return pl.read_csv(
            data,
            separator=separator,
            has_header=False,
            schema={str(n): types.get(n, pl.String) for n in range(width)},
            columns=sorted(set(used)),
            quote_char='"' if quotes else None,
            empty_string_is_null=False,
            **lenient,
        )
    except (pl.exceptions.PolarsError, ValueError):
        return None
