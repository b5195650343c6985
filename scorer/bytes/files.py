"""The bytes of a file: opened safely, decompressed, and cut into physical lines.

Nothing here trusts the file: not its name, size, compression or encoding.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from scorer.bytes.archive import ZIP, Member, file_names, is_office, lost_part
from scorer.bytes.limits import (
    GZIP,
    ZSTD,
    ReadLimits,
    Unreadable,
    format_size,
    limit,
    most_unpacked,
    too_large,
)
from scorer.bytes.opening import opened
from scorer.bytes.sniff import HEAD, refuse
from scorer.core.errors import UsageError
from scorer.core.problems import Problem
from scorer.core.text import join_first

if TYPE_CHECKING:
    from hashlib import _Hash

BLOCK_SIZE = 1 << 18
WINDOW = 27  # of a zstd frame, 2**27 bytes: what it takes to unpack it
SPOOLED = "scorer-"
MOST_LISTED = 1000  # files of a folder that are named where another one is missing
Own = Sequence[Path] | None  # the challenge's files, where a file was sent


def digest(path: Path, parts: Sequence[str] = (), own: Own = None) -> str:
    """The SHA-256 of a file as stored, or of a folder's `parts`: of their digests and names.

    `Unreadable` if one is missing, or no regular file.
    """
    if parts and path.is_dir():
        digests = "".join(f"{digest(path / name)} {name}\n" for name in parts)
        return hashlib.sha256(digests.encode()).hexdigest()
    with _regular(path, own) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def same_content(first: Path, second: Path) -> bool:
    """Whether two paths lead to the same bytes; no, where one of them cannot be read."""
    try:
        if os.path.samefile(first, second):
            return True
        return os.stat(first).st_size == os.stat(second).st_size and digest(first) == digest(second)
    except (OSError, ValueError, Unreadable):
        return False


def beginning(path: Path, most: int, own: Own = None) -> bytes:
    """The first bytes of a file as stored; `Unreadable` if it is missing, or no regular file."""
    with _regular(path, own) as stream:
        return at_most(stream, most)


def at_most(stream: BinaryIO, most: int) -> bytes:
    """The next bytes of a stream, for which no more memory is asked than they take."""
    data = bytearray()
    while len(data) < most and (block := stream.read(min(BLOCK_SIZE, most - len(data)))):
        data += block
    return bytes(data)


@contextmanager
def spooled(stream: BinaryIO, limits: ReadLimits) -> Iterator[Path]:
    """A stream as a file that can be read again and again, for as long as the context lasts.

    Where the system lets a file without a name be opened again (Linux), it has none, so that
    nothing is left of it however the process ends. Of a stream above the limit one byte too many
    is kept, so that reading the file says S104 like any other.

    `UsageError` if there is no room for it, or it cannot be read.
    """
    message = "a temporary file cannot be filled ({}); TMPDIR names its folder"
    with ExitStack() as stack:
        try:
            file = stack.enter_context(tempfile.TemporaryFile(prefix=SPOOLED, buffering=0))
            path = descriptor_path(file, Path())
            if path == Path():
                handle, name = tempfile.mkstemp(prefix=SPOOLED)
                file, path = stack.enter_context(open(handle, "wb", buffering=0)), Path(name)
                stack.callback(path.unlink, missing_ok=True)
            remaining = limits.size + 1
            while remaining and (block := stream.read(min(BLOCK_SIZE, remaining))):
                remaining -= _write(file, block)
        except OSError as error:
            raise UsageError(message.format(error.strerror)) from None
        yield path


def descriptor_path(file: BinaryIO, name: Path) -> Path:
    """A path by which another process opens an open file, not its name's; the name elsewhere."""
    path = Path(f"/proc/{os.getpid()}/fd/{file.fileno()}")
    return path if path.exists() else name


def _write(file: BinaryIO, block: bytes) -> int:
    view = memoryview(block)
    while view:
        view = view[file.write(view) :]
    return len(block)


def open_bytes(
    path: Path,
    limits: ReadLimits,
    binary: bool = False,
    sha256: _Hash | None = None,
    tick: Callable[[float], None] | None = None,
    unpacked: int = 0,
    part: str | None = None,
) -> io.BufferedReader:
    """The decompressed bytes of a regular file, from the start.

    Args:
        limits: how much of it is read; what becomes larger while it is read ends there.
        sha256: updated with all bytes that are read, as they are stored.
        unpacked: how many bytes of the submission's other files have been unpacked.
        part: the name of the file, where `path` is the folder that it is in.

    Raises:
        Unreadable: it is missing, no regular file, refused, too large, empty, or no table at all.
    """
    stream = stored = _regular(path, limits.own, part, limits.size, sha256, tick)
    try:
        size = os.fstat(stored.fileno()).st_size
        _refuse_size(size, limits)
        head = stored.peek(HEAD)
        if not head:
            raise Unreadable(Problem("S102", "the file is empty (0 bytes)"))
        if head.startswith((GZIP, ZSTD)):
            source, damage = decompressing(stored, head)
            stream = io.BufferedReader(
                _Unpacked(source, stored, size, limits, unpacked, damage), BLOCK_SIZE
            )
            head = stream.peek(HEAD)
        elif head.startswith(ZIP) and not is_office(head[:HEAD]):
            source = _member(path, stored, limits.own, part)
            stream = io.BufferedReader(
                _Unpacked(source, stored, size, limits, unpacked), BLOCK_SIZE
            )
            head = stream.peek(HEAD)
        _refuse_head(head, binary)
    except BaseException:
        stream.close()
        stored.close()
        raise
    return stream


def _refuse_head(head: bytes, binary: bool) -> None:
    if not head:
        raise Unreadable(Problem("S102", "the file is empty (0 bytes once decompressed)"))
    refuse(head[:HEAD], binary)


def _member(path: Path, stored: io.BufferedReader, own: Own, part: str | None) -> Member:
    """The one file of a ZIP archive, read beside what is stored: its directory is at the end."""
    beside = _regular(path, own, part)
    if not os.path.sameopenfile(beside.fileno(), stored.fileno()):
        beside.close()
        raise Unreadable(Problem("S101", "the file was replaced while it was opened"))
    return Member(beside)


def open_stored(
    path: Path,
    names: Sequence[str],
    limits: ReadLimits,
    sha256: _Hash | None = None,
    tick: Callable[[float], None] | None = None,
) -> io.BufferedReader:
    """The bytes of a ZIP archive, or of some files of a folder one after the other, as stored.

    `Unreadable` if it is neither, too large, or a part is missing.
    """
    if path.is_dir():
        for name in names:
            if not os.path.lexists(path / name):
                with os.scandir(path) as entries:
                    present = [entry.name for entry in islice(entries, MOST_LISTED)]
                raise Unreadable(lost_part(name, present))
        with ExitStack() as stack:
            streams = [
                stack.enter_context(_regular(path, limits.own, name, limits.size, sha256))
                for name in names
            ]
            _refuse_size(sum(os.fstat(stream.fileno()).st_size for stream in streams), limits)
            stack.pop_all()
        return io.BufferedReader(_Joined(streams), BLOCK_SIZE)
    stream = _regular(path, limits.own, None, limits.size, sha256, tick)
    try:
        _refuse_size(os.fstat(stream.fileno()).st_size, limits)
        if not stream.peek(4).startswith(ZIP):
            message = f"this is no ZIP archive or folder with {join_first(list(names))}"
            raise Unreadable(Problem("S213", message))
    except BaseException:
        stream.close()
        raise
    return stream


def open_part(path: Path, name: str, limits: ReadLimits, unpacked: int = 0) -> io.BufferedReader:
    """The bytes of one file of a ZIP archive or a folder; `Unreadable` if it cannot be read."""
    if path.is_dir():
        return open_bytes(path, limits, unpacked=unpacked, part=name)
    stored = _regular(path, limits.own)
    size = os.fstat(stored.fileno()).st_size
    source = Member(stored, name)
    stream: io.BufferedReader = io.BufferedReader(
        _Unpacked(source, stored, size, limits, unpacked), BLOCK_SIZE
    )
    try:
        _refuse_head(stream.peek(HEAD), False)
    except BaseException:
        stream.close()
        raise
    return stream


def unpacked_bytes(stream: io.BufferedReader) -> int:
    """How many bytes of a compressed file have been unpacked; 0 of a plain one."""
    raw = stream.raw
    return raw.unpacked if isinstance(raw, _Unpacked) else 0


def _refuse_size(size: int, limits: ReadLimits) -> None:
    if size > limits.size:
        message = f"{format_size(size)}, at most {format_size(limits.size)}"
        what = f"the file is larger than is accepted here ({message})"
        raise Unreadable(Problem("S104", what, help=limit("size")))


class _Joined(io.RawIOBase):
    """Several streams, one after the other."""

    def __init__(self, streams: Sequence[io.BufferedReader]) -> None:
        self._streams = list(streams)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while self._streams:
            if size := self._streams[0].readinto(buffer):
                return size
            self._streams.pop(0).close()
        return 0

    def close(self) -> None:
        for stream in self._streams:
            stream.close()
        super().close()


def member_name(path: Path, own: Own = None) -> str | None:
    """The name of the one file of a ZIP archive; None of everything else."""
    with suppress(Unreadable), closing(_regular(path, own)) as stored:
        if stored.peek(4).startswith(ZIP):
            with closing(Member(stored)) as member:
                return member.name
    return None


def part_names(path: Path) -> list[str]:
    """The names of the files of a ZIP archive; none of everything else."""
    with suppress(Unreadable), closing(_regular(path)) as stored:
        if stored.peek(4).startswith(ZIP):
            return file_names(stored)
    return []


def drain(stream: io.BufferedReader) -> None:
    """Read the stored rest, packed, for a digest of all bytes; `Unreadable` if that fails."""
    raw = stream.raw
    stored = raw.stored if isinstance(raw, _Unpacked) else stream
    while stored.peek(1):  # which takes no memory where nothing is left
        stored.read(BLOCK_SIZE)


def _regular(
    path: Path,
    own: Own = None,
    part: str | None = None,
    most: int | None = None,
    sha256: _Hash | None = None,
    tick: Callable[[float], None] | None = None,
) -> io.BufferedReader:
    """A regular file, opened as `opened` says."""
    return io.BufferedReader(_Stored(opened(path, own, part), most, sha256, tick), BLOCK_SIZE)


class _Stored(io.FileIO):
    """Raw file whose read errors become `Unreadable`, and that may not grow without end.

    Args:
        most: how many bytes of it are read before it is refused.
        tick: called with the share that has been read of the file, as large as it was when opened.
    """

    def __init__(
        self,
        handle: int,
        most: int | None = None,
        sha256: _Hash | None = None,
        tick: Callable[[float], None] | None = None,
    ) -> None:
        super().__init__(handle)
        self._most, self._sha256, self._tick = most, sha256, tick
        self._count, self._size = 0, max(os.fstat(handle).st_size, 1)

    def readinto(self, buffer: Any) -> int:
        try:
            size = super().readinto(buffer) or 0
        except OSError as error:
            message = f"the file cannot be read: {error.strerror}"
            raise Unreadable(Problem("S101", message)) from None
        self._count += size
        if self._most is not None and self._count > self._most:
            message = "the file became larger while it was read than is accepted here"
            message += f" ({format_size(self._most)})"
            raise Unreadable(Problem("S104", message, help=limit("size")))
        if self._sha256 is not None:
            self._sha256.update(memoryview(buffer)[:size])
        if self._tick is not None:
            self._tick(min(self._count / self._size, 1.0))
        return size


class _Unpacked(io.RawIOBase):
    """A decompressed stream that ends in a problem, not in an exception of its library.

    Args:
        limits: how much is unpacked: of a submission in all, and of each byte that is stored.
        before: how many bytes of the submission's other files have been unpacked.
        damage: what the source raises where it is damaged, beside `OSError`.
    """

    def __init__(
        self,
        source: Any,
        stored: io.BufferedReader,
        size: int,
        limits: ReadLimits,
        before: int = 0,
        damage: type[Exception] = OSError,
    ) -> None:
        self._source, self.stored, self._limits = source, stored, limits
        self._damage = damage
        self._most = most_unpacked(size, limits)
        self._before, self.unpacked = before, 0

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        if not self.closed:
            self._source.close()
            self.stored.close()
        super().close()

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]
        try:
            data = self._source.read(len(view))
        except (EOFError, zlib.error, OSError, self._damage) as error:
            what = "ends early" if isinstance(error, EOFError) else "is damaged"
            hint = "compress and send the file again"
            message = f"the compressed data {what}"
            raise Unreadable(Problem("S108", message, help=hint)) from None
        self.unpacked += len(data)
        # of what was read of it; an archive's file is read beside what is stored
        position = self._source.position if isinstance(self._source, Member) else self.stored.tell()
        if self._before + self.unpacked > self._limits.unpacked:
            raise Unreadable(too_large(min(self._most, self._limits.unpacked)))
        if self.unpacked > most_unpacked(position, self._limits):
            raise Unreadable(too_large(self._most))
        view[: len(data)] = data
        return len(data)


def decompressing(stored: BinaryIO, head: bytes) -> tuple[Any, type[Exception]]:
    """A reader of compressed data, and the exception that it raises where that is damaged."""
    if head.startswith(GZIP):
        return gzip.GzipFile(fileobj=stored), OSError
    if sys.version_info >= (3, 14):
        from compression.zstd import DecompressionParameter, ZstdError, ZstdFile
    else:
        from backports.zstd import DecompressionParameter, ZstdError, ZstdFile
    options = {int(DecompressionParameter.window_log_max): WINDOW}
    return ZstdFile(stored, options=options), ZstdError
