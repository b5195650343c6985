"""The bytes of files, unpacked and within limits.

Nothing here trusts a file: not its size, its compression or its kind. A submission may be several
files, its parts: the path is then their folder or ZIP archive.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from io import BufferedReader
from itertools import islice
from pathlib import Path, PurePosixPath
from threading import Thread
from typing import IO, BinaryIO, NamedTuple

from scorer.core.text import join_first, nearest, quoted
from scorer.reading.limits import (
    DEFAULT_LIMITS,
    UNBOUNDED,
    ReadLimits,
    TextBounds,
    UnreadableError,
    format_size,
    largest_unpacked,
    refuse_size,
    unpacked_error,
)
from scorer.reading.open import BLOCK, add_to_digest, open_file, read_stored
from scorer.reading.signatures import GZIP, HEAD, PARQUET, ZIP, is_office, refuse_other_kinds

COMPRESSED_SUFFIXES = (".gz", ".zip")
HASHED_BESIDE = 1 << 20  # bytes that take a millisecond to hash, ten times what a thread costs
# A ZIP archive ends in an end record, which a comment may follow. In ZIP64, a locator stands right
# before the end record.
END_RECORD, ZIP64_LOCATOR = b"PK\x05\x06", b"PK\x06\x07"
END_SIZE, LOCATOR_SIZE = 22, 20  # bytes
LONGEST_COMMENT = 1 << 16  # bytes
MOST_FILES = 1000  # of a ZIP archive
MOST_DIRECTORY = 1 << 20  # bytes of its directory, which names the files
# With other methods, one read of `zipfile` may unpack any number of bytes.
ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# What `zipfile` raises of an archive that is damaged, encrypted or packed in a rare way.
ZIP_DAMAGE = (zipfile.BadZipFile, RuntimeError, ValueError, struct.error)
ONE_FILE = "a ZIP archive of one file is read; send that file, or each file alone"

Source = IO[bytes] | gzip.GzipFile  # gives the unpacked bytes of a file; a GzipFile is no IO


class FileBytes(NamedTuple):
    """The bytes of a file."""

    data: bytes  # unpacked
    digest: Callable[[], str]  # returns the SHA-256 of the file as it is stored
    unpacked: int  # how many bytes were unpacked; 0 if it is not compressed


class ZipDirectory(NamedTuple):
    """The size of the directory of a ZIP archive."""

    entries: int
    size: int  # in bytes


def table_suffix(path: Path) -> str:
    """Return the suffix of a file's name that says its format, in small letters, or "".

    >>> table_suffix(Path("run.CSV.gz")), table_suffix(Path("a.zip"))
    ('.csv', '')
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    while suffixes and suffixes[-1] in COMPRESSED_SUFFIXES:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def read_bytes(
    path: Path,
    limits: ReadLimits = DEFAULT_LIMITS,
    *,
    is_binary: bool = False,
    part: str | None = None,
    unpacked: int = 0,
    sha256: hashlib._Hash | None = None,
    bounds: TextBounds = UNBOUNDED,
) -> FileBytes:
    """Return all bytes of a file; of a text that exceeds its bounds, some of the first ones.

    Args:
        path: The file; or the folder or the ZIP archive of parts.
        is_binary: Whether it may be a Parquet file.
        part: The name of a file in the folder or the archive.
        unpacked: How many bytes of the submission's other parts were unpacked.
        sha256: Receives the stored bytes; has received the parts before.
        bounds: What the reader of the text accepts.

    Raises:
        UnreadableError: It is missing, no regular file, refused, too large, empty, or no table.
    """
    sha256 = hashlib.sha256() if sha256 is None else sha256
    with _open_unpacked(path, limits, part) as (file, source):
        size = os.fstat(file.fileno()).st_size
        if source is not file:
            add_to_digest(file, sha256)
            file.seek(0)
            data = _unpack(source, size, limits, unpacked, bounds, is_binary=is_binary)
            return FileBytes(data, sha256.hexdigest, len(data))
        if size > bounds.size:
            data = _read_first_block(file, bounds.size + 1)
            sha256.update(data)
            add_to_digest(file, sha256)
            return FileBytes(data, sha256.hexdigest, 0)
        data = _read_plain(file, size, limits, is_binary=is_binary)
    return FileBytes(data, _start_digest(sha256, data), 0)


def _read_plain(file: BufferedReader, size: int, limits: ReadLimits, *, is_binary: bool) -> bytes:
    """Return the bytes of a file of `size` bytes that is not packed."""
    # All at once, unless it grows; files of /proc say that they have 0.
    block = _read_first_block(file, size + 1, is_binary=is_binary)
    data = io.BytesIO(block)  # shares the block, unless another one is written
    while block:
        if data.seek(0, os.SEEK_END) > limits.size:
            message = "the file became larger while it was read than is accepted here"
            raise UnreadableError("S104", f"{message} ({format_size(limits.size)})")
        block = read_stored(file)
        data.write(block)
    return data.getvalue()


def _unpack(
    source: Source,
    stored: int,
    limits: ReadLimits,
    unpacked: int,
    bounds: TextBounds,
    *,
    is_binary: bool,
) -> bytes:
    """Return the bytes of a packed file of `stored` bytes, up to the block that exceeds a bound."""
    most = largest_unpacked(stored, limits)
    block = _read_first_block(source, BLOCK, is_binary=is_binary)
    data = io.BytesIO()
    lines = open_line = 0  # line ends so far, and bytes behind the last one
    while block:
        data.write(block)
        size = data.tell()
        if size > most or unpacked + size > limits.unpacked:
            raise unpacked_error(most)
        ends = block.count(b"\n")
        lines += ends
        open_line = len(block) - block.rfind(b"\n") - 1 if ends else open_line + len(block)
        if size > bounds.size or lines > bounds.lines or open_line > bounds.line:
            break
        block = _read_block(source)
    return data.getvalue()


def _start_digest(sha256: hashlib._Hash, data: bytes) -> Callable[[], str]:
    """Add bytes to a digest, large ones beside what the caller does; return what gives the digest.

    hashlib holds no lock of Python while it works.
    """
    if len(data) < HASHED_BESIDE:
        sha256.update(data)
        return sha256.hexdigest
    hashing = Thread(target=sha256.update, args=(data,))
    hashing.start()

    def finish() -> str:
        hashing.join()
        return sha256.hexdigest()

    return finish


def read_head(
    path: Path, size: int, limits: ReadLimits = DEFAULT_LIMITS, part: str | None = None
) -> bytes:
    """Return the first bytes of a file, unpacked; raise as `read_bytes`."""
    with _open_unpacked(path, limits, part) as (_, source):
        return _read_first_block(source, max(size, HEAD))[:size]


def read_blocks(path: Path, limits: ReadLimits, part: str | None = None) -> Iterator[bytes]:
    """Yield the bytes of a file, unpacked, in blocks; raise as `read_bytes`."""
    with _open_unpacked(path, limits, part) as (_, source):
        while block := _read_block(source):
            yield block


@contextmanager
def _open_unpacked(
    path: Path, limits: ReadLimits, part: str | None
) -> Iterator[tuple[BufferedReader, Source]]:
    """Open a file, and what unpacks it: the file itself if it is not compressed."""
    is_folder = part is not None and path.is_dir()
    with open_file(path, limits.protected, part if is_folder else None) as file:
        refuse_size(os.fstat(file.fileno()).st_size, limits)
        head = file.read(HEAD)
        file.seek(0)
        if not head:
            raise UnreadableError("S102", "the file is empty (0 bytes)")
        member = None if is_folder else part  # of a ZIP archive
        source: Source = file
        if member is not None or (head.startswith(ZIP) and not is_office(head)):
            source = _open_member(file, member)
        elif head.startswith(GZIP):
            source = gzip.GzipFile(fileobj=file)
        file.seek(0)
        yield file, source


def _read_first_block(source: Source, size: int, *, is_binary: bool = False) -> bytes:
    block = _read_block(source, size)
    if not block:
        raise UnreadableError("S102", "the file is empty (0 bytes once decompressed)")
    if not (is_binary and block.startswith(PARQUET)):
        refuse_other_kinds(block[:HEAD])
    return block


def _read_block(source: Source, size: int = BLOCK) -> bytes:
    if isinstance(source, BufferedReader):
        return read_stored(source, size)
    try:
        return source.read(size)
    except (EOFError, zlib.error, OSError, zipfile.BadZipFile) as error:
        message = f"the compressed data {'ends early' if type(error) is EOFError else 'is damaged'}"
        raise UnreadableError("S108", message, help="compress and send the file again") from None


def check_parts(path: Path, names: Sequence[str], limits: ReadLimits) -> None:
    """Raise UnreadableError if a folder or a ZIP archive of parts is too large or lacks a part."""
    if not path.is_dir():
        with open_file(path, limits.protected) as file:
            refuse_size(os.fstat(file.fileno()).st_size, limits)
            if not file.read(len(ZIP)).startswith(ZIP):
                message = f"this is no ZIP archive or folder with {join_first(list(names))}"
                raise UnreadableError("S213", message)
        return
    size = 0
    for name in names:
        if not os.path.lexists(path / name):
            with os.scandir(path) as entries:
                present = [entry.name for entry in islice(entries, MOST_FILES)]
            raise _missing_part_error(name, present)
        with open_file(path, limits.protected, name) as file:
            size += os.fstat(file.fileno()).st_size
    refuse_size(size, limits)


def _missing_part_error(name: str, names: Sequence[str]) -> UnreadableError:
    similar = nearest(name, names)
    hint = f"; rename {quoted(similar)}?" if similar else ""
    found = join_first(sorted(names)) or "no file"
    return UnreadableError("S213", f"{quoted(name)} is missing; found: {found}{hint}")


def zip_names(path: Path, protected: Sequence[Path] | None = None) -> list[str]:
    """Return the names of the files of a ZIP archive, without folders; [] if it cannot be read."""
    with suppress(*ZIP_DAMAGE, UnreadableError), open_file(path, protected) as file:
        if file.read(len(ZIP)).startswith(ZIP):
            return [PurePosixPath(entry.filename).name for entry in _zip_entries(file)]
    return []


def _zip_entries(file: BinaryIO) -> list[zipfile.ZipInfo]:
    """Return an archive's files, without what a Mac adds; UnreadableError if too many."""
    directory = read_zip_directory(file)
    if directory.entries > MOST_FILES or directory.size > MOST_DIRECTORY:
        message = f"this is a ZIP archive of {directory.entries:,} files, not a table"
        raise UnreadableError("S107", message, help=ONE_FILE)
    paths = {entry: PurePosixPath(entry.filename) for entry in zipfile.ZipFile(file).infolist()}
    return [
        entry
        for entry, path in paths.items()
        if not (entry.is_dir() or path.parts[:1] == ("__MACOSX",) or path.name.startswith("."))
    ]


def read_zip_directory(file: BinaryIO, *, with_comment: bool = True) -> ZipDirectory:
    """Return how large an archive's directory is, as the end record says, which is not trusted yet.

    The end record is the last of the file, but for a comment if `with_comment` allows one.

    Raises:
        zipfile.BadZipFile: There is no end record, or it is of ZIP64, whose numbers are elsewhere.
    """
    size = file.seek(0, os.SEEK_END)
    longest_record = END_SIZE + (LONGEST_COMMENT if with_comment else 0)
    file.seek(max(size - longest_record, 0))
    tail = file.read(longest_record)
    end = tail.rfind(END_RECORD)
    is_complete = 0 <= end <= len(tail) - END_SIZE
    if not is_complete or tail.startswith(ZIP64_LOCATOR, max(end - LOCATOR_SIZE, 0)):
        raise zipfile.BadZipFile
    return ZipDirectory(*struct.unpack_from("<HI", tail, end + 10))


def _open_member(file: BinaryIO, name: str | None) -> IO[bytes]:
    """Return an archive's file of a name, in any folder, opened; its only file without a name."""
    try:
        entries = _zip_entries(file)
        if name is None and len(entries) != 1:
            message = f"this is a ZIP archive of {len(entries) or 'no'} files, not a table"
            raise UnreadableError("S107", message, help=ONE_FILE)
        names = [PurePosixPath(entry.filename).name for entry in entries]
        found = [e for e, each in zip(entries, names, strict=True) if name is None or each == name]
        if len(found) > 1:
            message = f"{quoted(name)} is in this archive {len(found):,} times"
            raise UnreadableError("S213", message)
        if not found:
            raise _missing_part_error(str(name), names)
        if found[0].compress_type not in ZIP_METHODS:
            raise NotImplementedError  # as `zipfile` does: a RuntimeError, one of ZIP_DAMAGE
        return zipfile.ZipFile(file).open(found[0])
    except ZIP_DAMAGE:
        message = "this is a ZIP archive that is damaged, encrypted or packed in a rare way"
        raise UnreadableError("S108", message, help="pack and send the file again") from None
