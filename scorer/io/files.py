"""The bytes of a file: opened safely, decompressed, and cut into physical lines.

Nothing here trusts the file: not its name, size, compression or encoding.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import stat
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from scorer.core.errors import UsageError
from scorer.core.problems import KEPT, Findings, Problem
from scorer.core.text import nearest, quoted

GZIP, ZSTD, PARQUET, BOM = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PAR1", b"\xef\xbb\xbf"
SMALLEST_BOMB = 16 * 1024 * 1024  # a high ratio below this hurts nobody
HEAD = 4096
BLOCK = 1 << 18
UTF8 = "save the file as UTF-8"
TEXT_INSTEAD = "write the table as text (CSV)"
KINDS = (  # what a file that is no table begins with, what it is, what to do instead
    (b"\xd0\xcf\x11\xe0", "an Excel workbook", "save the sheet as CSV (UTF-8)"),
    (PARQUET, "a Parquet file", "this challenge reads text; write the table as CSV"),
    (b"BZh", "a bzip2 file", "use .gz or .zst, or send it unpacked"),
    (b"\xfd7zXZ", "an xz file", "use .gz or .zst, or send it unpacked"),
    (b"7z\xbc\xaf", "a 7-Zip archive", "send the file inside; .gz and .zst are read"),
    (b"Rar!", "a RAR archive", "send the file inside; .gz and .zst are read"),
    (b"%PDF", "a PDF", TEXT_INSTEAD),
    (b"\x93NUMPY", "a NumPy array", TEXT_INSTEAD),
    (b"\x89HDF", "an HDF5 file", TEXT_INSTEAD),
    (b"ARROW1", "an Arrow file", TEXT_INSTEAD),
    (b"SQLite format 3", "an SQLite database", TEXT_INSTEAD),
    (b"\x89PNG", "an image", TEXT_INSTEAD),
)
MARKS = (
    (b"\xff\xfe\0\0", "UTF-32"),
    (b"\0\0\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


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


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of a file that no challenge sets any for."""

    size: int = 1024**3
    unpacked: int = 4 * 1024**3
    rows: int = 200_000_000
    line: int = 1024**2
    ids: int = 100_000_000
    ratio: int = 1000


class Unreadable(Exception):
    """The file cannot be read further; `problem` says why."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(problem.message)


def digest(path: Path) -> str:
    """The SHA-256 of a file as it is stored, in hexadecimal.

    Raises:
        Unreadable: it is missing, or no regular file.
    """
    with _regular(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def beginning(path: Path, most: int) -> bytes:
    """The first bytes of a file as it is stored.

    Raises:
        Unreadable: it is missing, or no regular file.
    """
    with _regular(path) as stream:
        return stream.read(most)


def spool(stream: BinaryIO, limits: Bounds) -> Path:
    """Put a stream in a temporary file, which is the caller's to delete.

    Of a stream above the limit one byte too many is kept, so that reading the
    file says S104 like any other.

    Raises:
        UsageError: there is no room for it, or it cannot be read.
    """
    try:
        handle, name = tempfile.mkstemp(prefix="scorer-")
        try:
            with open(handle, "wb") as file:
                left = limits.size + 1
                while left and (block := stream.read(min(BLOCK, left))):
                    left -= file.write(block)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        said = f"a temporary file cannot be filled ({error.strerror}); TMPDIR names its folder"
        raise UsageError(said) from None
    return Path(name)


def open_bytes(path: Path, limits: Bounds, binary: bool = False) -> io.BufferedReader:
    """The decompressed bytes of a regular file, from the start.

    Raises:
        Unreadable: it is missing, no regular file, too large, empty, or no table at all.
    """
    stream = stored = _regular(path)
    try:
        size = os.fstat(stored.fileno()).st_size
        if size > limits.size:
            said = f"{_size(size)}, at most {_size(limits.size)}"
            raise Unreadable(Problem("S104", f"the file is larger than is accepted here ({said})"))
        head = stored.peek(HEAD)
        if not head:
            raise Unreadable(Problem("S102", "the file is empty (0 bytes)"))
        if head.startswith((GZIP, ZSTD)):
            source: Any = gzip.GzipFile(fileobj=stored) if head.startswith(GZIP) else _Zstd(stored)
            stream = io.BufferedReader(_Unpacked(source, stored, size, limits), BLOCK)
            head = stream.peek(HEAD)
            if not head:
                raise Unreadable(Problem("S102", "the file is empty (0 bytes once decompressed)"))
        _refuse(head[:HEAD], binary)
    except BaseException:
        stream.close()
        stored.close()
        raise
    return stream


def enough(findings: Findings, code: str) -> bool:
    """Whether so many problems of that code are kept that one more is only counted.

    It then is counted; making a problem for nothing is what takes long on a file
    where each line has one.
    """
    if findings.counts[code] < KEPT:
        return False
    findings.counts[code] += 1
    return True


def lines(stream: BinaryIO, limits: Bounds, findings: Findings) -> Iterator[tuple[int, str]]:
    """Each physical line with its number, without its end; blank ones too.

    What is not UTF-8 is told and read as Windows-1252, so that whatever else is
    wrong can be told in one go.

    Raises:
        Unreadable: a line is longer than is accepted, or the file ends its lines in CR.
    """
    number, rest = 1, bytearray()
    while block := stream.read(BLOCK):
        rest += block
        end = rest.rfind(b"\n") + 1
        if end:
            for text in _decoded(bytes(rest[:end]), number, limits, findings):
                yield number, text
                number += 1
            del rest[:end]
        if len(rest) > limits.line + 1:  # a CR may stand at the end
            raise Unreadable(_long(rest, number, limits))
    if rest:
        for text in _decoded(bytes(rest), number, limits, findings):
            yield number, text


def most_unpacked(size: int, limits: Bounds) -> int:
    """How many bytes a compressed file of that size may unpack to."""
    return min(limits.unpacked, max(limits.ratio * size, SMALLEST_BOMB))


def too_large(most: int) -> Problem:
    """What is said of a file that unpacks to more than that."""
    return Problem("S104", f"the file unpacks to more than is accepted here, {_size(most)}")


def _decoded(block: bytes, number: int, limits: Bounds, findings: Findings) -> list[str]:
    """The lines of a block of whole lines, the first of which has that number."""
    if number == 1:
        block = block.removeprefix(BOM)
    raw = block.removesuffix(b"\n").split(b"\n")
    if len(block) > limits.line and len(max(raw, key=len)) > limits.line:
        for n, line in enumerate(raw, number):
            if len(line.removesuffix(b"\r")) > limits.line:
                raise Unreadable(_long(line, n, limits))
    try:
        if b"\0" in block:
            raise UnicodeError
        texts = block.decode("utf-8").removesuffix("\n").split("\n")
    except UnicodeError:
        texts = [_mended(line, n, findings) for n, line in enumerate(raw, number)]
    if b"\r" in block:
        texts = [text.removesuffix("\r") for text in texts]
        if number == 1 and "\r" in texts[0]:
            said = "the lines end in CR alone, as old Macs wrote them"
            place = texts[0].index("\r") + 1
            hint = "save the file with the line ends of Unix (LF) or Windows (CRLF)"
            raise Unreadable(Problem("S207", said, line=1, column=place, help=hint))
    return texts


def _mended(raw: bytes, number: int, findings: Findings) -> str:
    """A line that is not plain UTF-8 as text, after telling why."""
    if b"\0" in raw:
        if not enough(findings, "S106"):
            column = len(raw[: raw.index(b"\0")].decode("utf-8", "replace")) + 1
            findings.add(Problem("S106", "a NUL byte", line=number, column=column))
        raw = raw.replace(b"\0", b"")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        text = raw.decode("cp1252", errors="replace")
        if enough(findings, "S105"):
            return text
        column = len(raw[: error.start].decode("utf-8")) + 1
        said = f"byte 0x{raw[error.start]:02X} is not UTF-8"
        if "\ufffd" not in text:
            said += "; the file looks like Windows-1252"
        findings.add(Problem("S105", said, line=number, column=column, help=UTF8))
        return text


def _long(line: bytes | bytearray, number: int, limits: Bounds) -> Problem:
    said = f"the line is longer than {limits.line:,} bytes"
    hint = "its lines seem to end in CR alone; save it with LF or CRLF" if b"\r" in line else None
    return Problem("S109", said, line=number, help=hint)


def _regular(path: Path) -> io.BufferedReader:
    """A regular file, opened; a FIFO or a device would wait or never end."""
    try:
        handle = None
        mode = os.stat(path).st_mode  # before opening, which for some devices is an act
        if stat.S_ISREG(mode):
            # not blocking, should a FIFO have taken its place
            flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
            handle = os.open(path, flags)
            mode = os.fstat(handle).st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise Unreadable(Problem("S101", f"file not found{_beside(path)}")) from None
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else "not a file name"
        raise Unreadable(Problem("S101", f"the file cannot be read: {said}")) from None
    if handle is None or not stat.S_ISREG(mode):
        if handle is not None:
            os.close(handle)
        what = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
        raise Unreadable(Problem("S101", f"this is {what}, not a file to be read"))
    return io.BufferedReader(_Stored(handle), BLOCK)


def _beside(path: Path) -> str:
    """What the name of a missing file may have meant."""
    near = None
    with suppress(OSError), os.scandir(path.parent) as found:
        near = nearest(path.name, [entry.name for entry in islice(found, 1000)])
    return f"; did you mean {quoted(near)} in the same folder?" if near else ""


class _Stored(io.FileIO):
    """A file whose disk may fail, or that is a door into the system, such as /proc/self/mem."""

    def readinto(self, buffer: Any) -> int:
        try:
            return super().readinto(buffer) or 0
        except OSError as error:
            said = f"the file cannot be read: {error.strerror}"
            raise Unreadable(Problem("S101", said)) from None


class _Unpacked(io.RawIOBase):
    """A decompressed stream that ends in a problem, not in an exception of its library."""

    def __init__(self, source: Any, stored: BinaryIO, size: int, limits: Bounds) -> None:
        self._source, self._stored = source, stored
        self._most = most_unpacked(size, limits)
        self._given = 0

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        if not self.closed:
            self._source.close()
            self._stored.close()
        super().close()

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]
        try:
            data = self._source.read(len(view))
        except (EOFError, zlib.error, OSError) as error:
            what = "ends early" if isinstance(error, EOFError) else "is damaged"
            hint = "compress and send the file again"
            said = f"the compressed data {what}"
            raise Unreadable(Problem("S108", said, help=hint)) from None
        self._given += len(data)
        if self._given > self._most:
            raise Unreadable(too_large(self._most))
        view[: len(data)] = data
        return len(data)


class _Zstd:
    """The frames of a zstd file; unlike the library's own reader it minds an early end."""

    FED = 1024  # a block of 4 bytes can unpack to 128 KiB, so this to 32 MiB

    def __init__(self, stored: BinaryIO) -> None:
        import zstandard

        self._stored = stored
        self._error = zstandard.ZstdError
        self._library = zstandard.ZstdDecompressor(max_window_size=2**27)
        self._frame: Any = None
        self._fed = b""
        self._ready = io.BytesIO()

    def close(self) -> None:
        self._ready.close()

    def read(self, size: int) -> bytes:
        """At most `size` bytes; none at the end.

        Raises:
            EOFError: the file ends inside a frame.
            OSError: the data is damaged.
        """
        while not (data := self._ready.read(size)):
            self._fed = self._fed or self._stored.read(self.FED)
            if not self._fed:
                if self._frame is not None:
                    raise EOFError
                return b""
            frame = self._frame or self._library.decompressobj()
            try:
                self._ready = io.BytesIO(frame.decompress(self._fed))
            except self._error as error:
                raise OSError(str(error)) from None
            self._fed = frame.unused_data if frame.eof else b""
            self._frame = None if frame.eof else frame
        return data


def _refuse(head: bytes, binary: bool) -> None:
    """Refuse what is no table of text, by its first bytes."""
    if binary and head.startswith(PARQUET):
        return
    for mark, encoding in MARKS:
        if head.startswith(mark):
            raise _foreign(f"byte 0x{head[0]:02X} is not UTF-8", encoding)
    start = head.removeprefix(BOM).lstrip(b" \t\r\n")[:64].lower()
    found = next(((what, hint) for mark, what, hint in KINDS if head.startswith(mark)), None)
    if head.startswith(b"PK\x03\x04"):
        found = "a ZIP archive", "send the file inside; .gz and .zst are read"
        if any(word in head for word in (b"[Content_Types].xml", b"xl/", b"opendocument.spread")):
            found = "an Excel workbook", "save the sheet as CSV (UTF-8)"
    elif head[257:262] == b"ustar":
        found = "a tar archive", "send the file inside; .gz and .zst are read"
    elif start.startswith((b"<!doctype html", b"<html")):
        found = "an HTML page", "a download that needed a login? fetch the file itself"
    elif start.startswith(b"version https://git-lfs"):
        found = "a Git LFS pointer", "fetch the file itself: git lfs pull"
    elif head[:1] == b"\x80" and head[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        found = "a pickle, which is never opened", "write the table as CSV"
    if found is not None:
        raise Unreadable(Problem("S107", f"this is {found[0]}, not a table", help=found[1]))
    fewer, more = sorted((head[::2].count(0), head[1::2].count(0)))
    if more > 0.35 * len(head) > 2 * fewer:  # UTF-16 without a mark
        raise _foreign("every other byte is NUL", "UTF-16")


def _foreign(what: str, encoding: str) -> Unreadable:
    said = f"{what}; the file looks like {encoding}"
    return Unreadable(Problem("S105", said, line=1, column=1, help=UTF8))


def _size(size: float) -> str:
    """As a person says it, in powers of 1000.

    >>> _size(999), _size(31_400_000)
    ('999 bytes', '31 MB')
    """
    units = ["bytes", "kB", "MB", "GB", "TB"]
    while size >= 999.5 and len(units) > 1:
        size /= 1000
        units.pop(0)
    return f"{size:,.0f} {units[0]}"
