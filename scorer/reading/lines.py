"""The physical lines of a text file, as a polars frame.

What is not UTF-8 becomes a problem and is read as Windows-1252, so that all other problems of the
file are found at once.
"""

from __future__ import annotations

import codecs
import io
from pathlib import Path

import numpy as np
import polars as pl

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
from scorer.reading.signatures import BOM
from scorer.reading.unpack import read_blocks

DECODE_BLOCK = 1 << 20  # bytes that are decoded at a time, so that no large file is held as text
BLANKS = " \t"  # mean nothing round a cell
NO_LINES = pl.DataFrame(schema={"line": pl.UInt32, "text": pl.String})


def read_lines(
    data: bytes, findings: Findings, limits: ReadLimits = DEFAULT_LIMITS
) -> pl.DataFrame:
    """Return `line` (from 1) and `text`, without its line end, of each line, blank ones too.

    A line ends in LF or CRLF. A CR elsewhere stays in the text.

    Args:
        data: The unpacked file, without a byte-order mark.
        findings: Receives the problems.
        limits: How long a line may be, and how many there may be.

    Raises:
        UnreadableError: A line is too long, there are too many, or the first holds a lone CR.
    """
    end = data.find(b"\n")
    first = (data if end < 0 else data[:end]).removesuffix(b"\r")
    if b"\r" in first:
        message = "the lines end in CR alone, as old Macs wrote them"
        column = len(first[: first.index(b"\r")].decode("utf-8", "replace")) + 1
        hint = "save the file with the line ends of Unix (LF) or Windows (CRLF)"
        raise UnreadableError("S207", message, 1, column, hint)
    if not data:
        return NO_LINES
    refuse_many_lines(data.count(b"\n"), limits)
    if not is_text(data):
        data = _repair(data, findings)
    lines = pl.read_lines(data, name="text", row_index_name="line", row_index_offset=1)
    # Several CRs before an LF are its line end, too.
    lines = lines.with_columns(pl.col("text").str.strip_chars_end("\r"))
    long = lines.filter(pl.col("text").str.len_bytes() > limits.line).head(1)
    if not long.is_empty():
        line, text = long.row(0)
        message = f"the line is longer than {limits.line:,} bytes"
        hint = "its lines seem to end in CR alone; save it with LF or CRLF"
        raise UnreadableError("S109", message, line, help=hint if "\r" in text else None)
    return lines


class StoredLines:
    """The texts of the lines of a file, as `read_lines` gives them; each is decoded when needed.

    The text of line n is at n - 1. `skipped` is the number of lines of the file before the data; a
    byte-order mark is removed only if it is 0. A text is read without reporting problems again.
    """

    def __init__(self, data: bytes, skipped: int = 0) -> None:
        data = data if skipped else data.removeprefix(BOM)
        self._data, self._skipped = data, skipped
        view = np.frombuffer(data, np.uint8)
        ends = [
            np.flatnonzero(view[start : start + DECODE_BLOCK] == ord("\n")) + start
            for start in range(0, len(data), DECODE_BLOCK)
        ]
        if data and not data.endswith(b"\n"):
            ends.append(np.array([len(data)]))
        self._ends = np.concatenate([np.array([-1]), *ends])  # -1: as if a line ended before all

    def __len__(self) -> int:
        return self._skipped + len(self._ends) - 1

    def __getitem__(self, position: int) -> str:
        if not self._skipped <= position < len(self):
            raise IndexError(position)
        previous_end, end = self._ends[position - self._skipped :][:2]
        raw = self._data[previous_end + 1 : end].rstrip(b"\r")
        return _decode_line(raw, position + 1, Findings())


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
        ends = block.count(b"\n")
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
        for start in range(0, len(data), DECODE_BLOCK):
            end = start + DECODE_BLOCK
            decoder.decode(view[start:end], final=end >= len(data))
    except UnicodeDecodeError:
        return False
    return True


def _repair(data: bytes, findings: Findings) -> bytes:
    """Return the data as UTF-8 without NUL, after reporting each line that is not."""
    repaired = io.BytesIO()
    first_line, start, slow_lines = 1, 0, 0
    while start < len(data):
        end = data.find(b"\n", start + DECODE_BLOCK) + 1 or len(data)  # + 1 is 0 if there is none
        block = data[start:end]
        if not is_text(block):
            raws = block.split(b"\n")
            slow_lines += len(raws)
            refuse_many_slow_lines(slow_lines)
            texts = [_decode_line(raw, line, findings) for line, raw in enumerate(raws, first_line)]
            block = "\n".join(texts).encode()
        repaired.write(block)
        first_line += block.count(b"\n")
        start = end
    return repaired.getvalue()


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
