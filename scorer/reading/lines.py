"""The physical lines of a text file, as a polars frame.

What is not UTF-8 becomes a problem and is read as Windows-1252, so that all other problems of the
file are found at once.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from scorer.core.arrays import Ints
from scorer.core.problems import Findings, Problem
from scorer.reading.limits import (
    DEFAULT_LIMITS,
    MOST_RECORD_LINES,
    SAVE_AS_UTF8,
    ReadLimits,
    UnreadableError,
    refuse_many_lines,
    refuse_many_slow_lines,
)
from scorer.reading.open import BLOCK
from scorer.reading.signatures import BOM
from scorer.reading.unpack import read_blocks

LINE_END = ord("\n")
BLANKS = " \t"  # mean nothing round a cell
NO_LINES = pl.DataFrame(schema={"line": pl.UInt32, "text": pl.String})


def read_lines(
    data: bytes, findings: Findings, limits: ReadLimits = DEFAULT_LIMITS
) -> pl.DataFrame:
    """Return `line` (from 1) and `text`, without its line end, of each line, blank ones too.

    A line ends in LF or CRLF. A CR elsewhere stays in the text.

    Args:
        data: The unpacked file, without a byte-order mark.

    Raises:
        UnreadableError: A line is too long, there are too many, or the first holds a lone CR.
    """
    end = data.find(b"\n")
    end = len(data) if end < 0 else end
    lone_return = data.find(b"\r", 0, max(min(end - 1, limits.line), 0))
    if lone_return >= 0:
        message = "the lines end in CR alone, as old Macs wrote them"
        column = len(data[:lone_return].decode("utf-8", "replace")) + 1
        hint = "save the file with the line ends of Unix (LF) or Windows (CRLF)"
        raise UnreadableError("S207", message, 1, column, hint)
    if not data:
        return NO_LINES
    refuse_many_lines(count_line_ends(data), limits)
    long_line = find_long_line(data, limits.line)
    is_faulty = not is_text(data)
    if long_line is not None:
        if is_faulty:
            for _ in _repair_blocks(data, long_line, findings):  # for its problems alone
                pass
        message = f"the line is longer than {limits.line:,} bytes"
        hint = "its lines seem to end in CR alone; save it with LF or CRLF"
        has_return = data.find(b"\r", long_line, long_line + limits.line) >= 0
        line = data.count(b"\n", 0, long_line) + 1
        raise UnreadableError("S109", message, line, help=hint if has_return else None)
    if is_faulty:
        repaired = io.BytesIO()
        repaired.writelines(_repair_blocks(data, len(data), findings))
        data = repaired.getvalue()
    lines = pl.read_lines(data, name="text", row_index_name="line", row_index_offset=1)
    # Several CRs before an LF are its line end, too.
    return lines.with_columns(pl.col("text").str.strip_chars_end("\r"))


def find_long_line(data: bytes, longest: int) -> int | None:
    r"""Return where the first line begins that has more than `longest` bytes, line end left out.

    >>> find_long_line(b"abc\r\nabcd\n", 3), find_long_line(b"abc\r\nabcd\n", 4)
    (5, None)
    """
    start = 0
    while start + longest < len(data):
        last_end = data.rfind(b"\n", start, start + longest + 1)
        next_two = data[start + longest : start + longest + 2]
        if last_end >= 0:
            start = last_end + 1
        elif next_two in (b"\r\n", b"\r"):  # of the second one, the data ends there
            start += longest + len(next_two)
        else:
            return start
    return None


class StoredLines:
    """The texts of the lines of a file, as `read_lines` gives them; each is decoded when needed.

    The text of line n is at n - 1. Problems of the lines are not reported again.

    Args:
        data: The file, or its end.
        skipped: The number of lines before the data. A file that has all of them may begin with a
            byte-order mark.
    """

    def __init__(self, data: bytes, skipped: int = 0) -> None:
        self._data = data if skipped else data.removeprefix(BOM)
        self._skipped = skipped
        # The number of line ends down to the end of each block.
        self._line_ends = np.cumsum(_line_ends_of_blocks(self._data))
        # The block of the last look-up, since the next one is mostly near, and its line ends.
        self._block = -1
        self._ends_in_block = np.empty(0, dtype=np.int64)

    def __len__(self) -> int:
        line_ends = int(self._line_ends[-1]) if self._data else 0
        has_open_line = bool(self._data) and not self._data.endswith(b"\n")
        return self._skipped + line_ends + has_open_line

    def __getitem__(self, position: int) -> str:
        if not self._skipped <= position < len(self):
            raise IndexError(position)
        start = self._find_start(position - self._skipped)
        end = self._data.find(b"\n", start)
        raw = self._data[start : end if end >= 0 else None].rstrip(b"\r")
        return _decode_line(raw, position + 1, Findings())

    def _find_start(self, number: int) -> int:
        """Return where the line with this number, from 0, begins in the data."""
        if not number:
            return 0
        block = int(np.searchsorted(self._line_ends, number))
        if block != self._block:
            view = np.frombuffer(self._data, np.uint8)[block * BLOCK : (block + 1) * BLOCK]
            self._block = block
            self._ends_in_block = np.flatnonzero(view == LINE_END)
        later_ends = int(self._line_ends[block]) - number  # in the block
        return block * BLOCK + int(self._ends_in_block[-1 - later_ends]) + 1


def count_line_ends(data: bytes) -> int:
    """Return how many line ends the data has."""
    return int(_line_ends_of_blocks(data).sum())


def _line_ends_of_blocks(data: bytes) -> Ints:
    """Return how many line ends each block of the data has."""
    # Numpy counts in a fifth of the time of `bytes.count`.
    view = np.frombuffer(data, np.uint8)
    starts = range(0, len(data), BLOCK)
    counts = [np.count_nonzero(view[start : start + BLOCK] == LINE_END) for start in starts]
    return np.array(counts, dtype=np.int64)


def read_some_lines(
    path: Path, first: int, last: int, limits: ReadLimits, part: str | None = None
) -> StoredLines:
    """Return the lines of a file from `first` to `last`, and as many more as a record may have.

    Raises:
        UnreadableError: As `read_bytes`.
    """
    kept = list[bytes]()
    passed = skipped = 0  # line ends before the block, and before the first one that is kept
    for block in read_blocks(path, limits, part):
        ends = count_line_ends(block)
        if passed + ends >= first - 1:  # line `first` begins in this block or before it
            if not kept:
                # The block may begin inside a line, which is then cut. That line is before `first`.
                skipped = passed
            kept.append(block)
        passed += ends
        if passed >= last + MOST_RECORD_LINES:
            break
    return StoredLines(b"".join(kept), skipped)


def is_text(data: bytes) -> bool:
    """Return whether bytes are UTF-8 without NUL."""
    if b"\0" in data:
        return False
    if data.isascii():
        return True
    decoder, view = codecs.getincrementaldecoder("utf-8")(), memoryview(data)
    try:
        for start in range(0, len(data), BLOCK):
            end = start + BLOCK
            decoder.decode(view[start:end], final=end >= len(data))
    except UnicodeDecodeError:
        return False
    return True


def _repair_blocks(data: bytes, end: int, findings: Findings) -> Iterator[bytes]:
    """Yield the data up to the end of a line as UTF-8 without NUL; report each line that is not."""
    first_line, start, slow_lines = 1, 0, 0
    while start < end:
        next_start = data.find(b"\n", start + BLOCK, end) + 1 or end  # + 1 is 0 if there is none
        block = data[start:next_start]
        if not is_text(block):
            raws = block.split(b"\n")
            slow_lines += len(raws)
            refuse_many_slow_lines(slow_lines)
            texts = [_decode_line(raw, line, findings) for line, raw in enumerate(raws, first_line)]
            block = "\n".join(texts).encode()
        yield block
        first_line += block.count(b"\n")
        start = next_start


def _decode_line(raw: bytes, number: int, findings: Findings) -> str:
    """Return a line without NULs, read as Windows-1252 if it is not UTF-8; report either fault."""
    if b"\0" in raw:
        column = len(raw[: raw.index(b"\0")].decode("utf-8", "replace")) + 1
        findings.add(Problem("S106", "a NUL byte", line=number, column=column))
        raw = raw.translate(None, b"\0")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        text = raw.decode("cp1252", errors="replace")
        column = len(raw[: error.start].decode("utf-8")) + 1
        message = f"byte 0x{raw[error.start]:02X} is not UTF-8"
        if "\ufffd" not in text:
            message += "; the file looks like Windows-1252"
        findings.add(Problem("S105", message, line=number, column=column, help=SAVE_AS_UTF8))
        return text


def first_content(lines: pl.DataFrame) -> tuple[int, str]:
    """Return the number and the text of the first line that is not blank.

    Raises:
        UnreadableError: All are blank.
    """
    found = lines.filter(pl.col("text").str.contains(r"[^ \t\r]")).head(1)
    if found.is_empty():
        raise UnreadableError("S102", "the file holds nothing but blank lines")
    return found.row(0)
