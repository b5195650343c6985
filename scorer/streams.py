"""The bytes of a file: opened safely, decompressed, and cut into physical lines.

Nothing here trusts the file: not its name, size, compression or encoding.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import stat
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from scorer.errors import Findings, Problem, nearest, quoted

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
SMALLEST_BOMB = 16 * 1024 * 1024  # a high ratio below this hurts nobody


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of a file is read before it is refused."""

    size: int = 1024**3  # bytes, as stored
    unpacked: int = 4 * 1024**3  # bytes, decompressed
    rows: int = 200_000_000
    line: int = 1024**2  # bytes of one line
    ids: int = 100_000_000  # different ids of one column
    ratio: int = 1000  # decompressed bytes for a stored one


class Unreadable(Exception):
    """The file cannot be read further; `problem` says why."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(problem.message)


def digest(path: Path) -> str:
    """The SHA-256 of a file as it is stored, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def open_bytes(path: Path, limits: Limits, parquet: bool = False) -> BinaryIO:
    """The decompressed bytes of a regular file, from the start.

    Raises:
        Unreadable: it is missing, no regular file, too large, empty, or no table at all.
    """
    stored = _regular(path, limits)
    head = stored.peek(2048)[:2048]
    if not head:
        raise Unreadable(Problem("S102", "the file is empty (0 bytes)"))
    if head.startswith(GZIP):
        unpacked: Any = gzip.GzipFile(fileobj=stored)
    elif head.startswith(ZSTD):
        import zstandard

        unpacked = zstandard.ZstdDecompressor(max_window_size=2**27).stream_reader(
            stored, read_across_frames=True
        )
    else:
        _table(head, parquet)
        return stored
    size = os.fstat(stored.fileno()).st_size
    stream = io.BufferedReader(_Unpacked(unpacked, size, limits), 1 << 18)
    _table(stream.peek(2048)[:2048], parquet)
    return stream


def lines(stream: BinaryIO, limits: Limits, findings: Findings) -> Iterator[tuple[int, str]]:
    """Each physical line with its number, without its end; blank ones too.

    What is not UTF-8 is told and read as Windows-1252, so that whatever else is
    wrong can be told in one go.
    """
    number = 0
    readline, longest = stream.readline, limits.line + 2
    while raw := readline(longest):
        number += 1
        if len(raw) == longest and not raw.endswith(b"\n"):
            size = f"{limits.line:,} bytes"
            raise Unreadable(Problem("S109", f"the line is longer than {size}", line=number))
        if number == 1 and raw.startswith(b"\xef\xbb\xbf"):
            raw = raw[3:]
        raw = raw.removesuffix(b"\n").removesuffix(b"\r")
        if b"\0" in raw:
            column = raw.index(b"\0") + 1
            findings.add(Problem("S106", "a NUL byte", line=number, column=column))
            raw = raw.replace(b"\0", b"")
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            byte, column = raw[error.start], len(raw[: error.start].decode("utf-8")) + 1
            said = f"byte 0x{byte:02X} is not UTF-8; the file looks like Windows-1252"
            findings.add(
                Problem("S105", said, line=number, column=column, help="save the file as UTF-8")
            )
            text = raw.decode("cp1252", errors="replace")
        if "\r" in text:  # the line ends of old Macs
            for part in text.split("\r"):
                yield number, part
                number += 1
            number -= 1
        else:
            yield number, text


def _regular(path: Path, limits: Limits) -> io.BufferedReader:
    """A regular file, opened; a FIFO or a device would wait or never end."""
    try:
        # not blocking, so that a FIFO without a writer cannot hold us
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        beside = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
        near = nearest(path.name, beside)
        hint = f"; did you mean {quoted(near)} in the same folder?" if near else ""
        raise Unreadable(Problem("S101", f"file not found{hint}")) from None
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else "not a file name"
        raise Unreadable(Problem("S101", f"the file cannot be read: {said}")) from None
    facts = os.fstat(handle)
    if not stat.S_ISREG(facts.st_mode):
        os.close(handle)
        what = "a folder" if stat.S_ISDIR(facts.st_mode) else "not a regular file"
        raise Unreadable(Problem("S101", f"this is {what}, not a file to be read"))
    if facts.st_size > limits.size:
        os.close(handle)
        said = f"{_size(facts.st_size)}, at most {_size(limits.size)}"
        raise Unreadable(Problem("S104", f"the file is larger than is accepted here ({said})"))
    return io.BufferedReader(io.FileIO(handle), 1 << 18)


class _Unpacked(io.RawIOBase):
    """A decompressed stream that ends in a problem, not in an exception of its library."""

    def __init__(self, source: Any, stored: int, limits: Limits) -> None:
        self._source = source
        self._most = limits.unpacked
        self._ratio = max(limits.ratio * stored, SMALLEST_BOMB)
        self._given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]
        try:
            data = self._source.read(len(view))
        except (EOFError, zlib.error, gzip.BadGzipFile, OSError) as error:
            raise Unreadable(_damaged(error)) from None
        except Exception as error:  # zstandard.ZstdError, which is only imported when needed
            if type(error).__name__ != "ZstdError":
                raise
            raise Unreadable(_damaged(error)) from None
        self._given += len(data)
        if self._given > self._most or self._given > self._ratio:
            said = f"the file unpacks to more than is accepted here ({_size(self._given)} so far)"
            raise Unreadable(Problem("S104", said))
        view[: len(data)] = data
        return len(data)


def _damaged(error: Exception) -> Problem:
    ends = isinstance(error, EOFError) or "incomplete" in str(error).lower()
    what = "ends early" if ends else "is damaged"
    return Problem("S108", f"the compressed data {what}", help="compress and send the file again")


def _table(head: bytes, parquet: bool) -> None:
    """Refuse what is no table of text, by its first bytes."""
    if head.startswith(b"PAR1") and parquet:
        return
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    what = help = None
    if head.startswith(b"PK\x03\x04"):
        if b"[Content_Types].xml" in head or b"xl/" in head:
            what, help = "an Excel workbook", "save the sheet as CSV (UTF-8)"
        else:
            what, help = (
                "a ZIP archive",
                "send the file inside; .gz and .zst are read",
            )
    elif head.startswith(b"\xd0\xcf\x11\xe0"):
        what, help = "an Excel workbook", "save the sheet as CSV (UTF-8)"
    elif head.startswith((b"<!doctype html", b"<html")) or start.startswith(
        (b"<!doctype html", b"<html")
    ):
        what, help = "an HTML page", "a download that needed a login? fetch the file itself"
    elif head[:1] == b"\x80" and head[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        what, help = "a pickle, which is never opened", "write the table as CSV"
    elif start.startswith(b"version https://git-lfs"):
        what, help = "a Git LFS pointer", "fetch the file itself: git lfs pull"
    elif head.startswith(b"PAR1"):
        what, help = "a Parquet file", "this challenge reads text; write the table as CSV"
    elif head.startswith((b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"Rar!")):
        what, help = "an archive of a kind that is not read", "use .gz or .zst, or send it unpacked"
    elif head.startswith(b"%PDF"):
        what, help = "a PDF", "send the table as text"
    elif head.startswith((b"\xff\xfe", b"\xfe\xff")):
        said = f"byte 0x{head[0]:02X} is not UTF-8; the file looks like UTF-16"
        raise Unreadable(Problem("S105", said, line=1, column=1, help="save the file as UTF-8"))
    if what is not None:
        raise Unreadable(Problem("S107", f"this is {what}, not a table", help=help))


def _size(size: float) -> str:
    """As a person says it: `31 MB`, in powers of 1000."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            return f"{size:.3g} {unit}" if size < 1000 else f"{size:,.0f} {unit}"
        size /= 1000
    raise AssertionError
