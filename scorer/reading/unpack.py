"""The bytes of files: read whole within limits, unpacked, and refused if they are no table.

Nothing here trusts a file: not its name, size, compression or kind.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from itertools import chain, islice
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any, BinaryIO, NamedTuple

from scorer.core.problems import Problem
from scorer.core.text import join_first, nearest, quoted
from scorer.reading.limits import (
    ReadLimits,
    UnreadableError,
    format_size,
    largest_unpacked,
    limit_help,
    unpacked_problem,
)
from scorer.reading.magic import HEAD, is_office, refuse_other_kinds
from scorer.reading.open import open_file

if TYPE_CHECKING:
    from hashlib import _Hash

BLOCK = 1 << 20  # bytes that are unpacked at a time
GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"
END, END64 = b"PK\x05\x06", b"PK\x06\x07"  # of a ZIP's directory, and before that of a large one
SHORTEST_END = 22  # bytes of the end of the directory, without a comment
LONGEST_END = SHORTEST_END + (1 << 16)
MOST_FILES, MOST_DIRECTORY = 1000, 1 << 20  # entries and bytes of a directory that is read
# The other methods unpack without a bound on how much at once.
ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# What `zipfile` raises of an archive that is damaged, encrypted or packed in a rare way.
ZIP_DAMAGE = (zipfile.BadZipFile, RuntimeError, ValueError, struct.error)
ONE_FILE = "a ZIP archive of one file is read; send that file, or each file alone"


class FileBytes(NamedTuple):
    """The bytes of a file."""

    data: bytes  # unpacked
    sha256: str  # of the file as it is stored
    unpacked: int  # how many bytes were unpacked; 0 if it is not compressed


class UnpackedFile(NamedTuple):
    """An open file whose bytes come in blocks."""

    blocks: Iterator[bytes]
    sha256: _Hash  # of what is read, as it is stored
    is_packed: bool


def read_bytes(
    path: Path,
    limits: ReadLimits,
    *,
    is_binary: bool = False,
    part: str | None = None,
    unpacked: int = 0,
    sha256: _Hash | None = None,
) -> FileBytes:
    """Return all bytes of a file.

    Args:
        path: The file; or the folder or the ZIP archive of parts.
        limits: What is accepted.
        is_binary: Whether it may be a Parquet file.
        part: The name of a file in the folder or the archive.
        unpacked: How many bytes of the submission's other parts were unpacked.
        sha256: Receives the stored bytes, after those of the other parts.

    Raises:
        UnreadableError: It is missing, no regular file, refused, too large, empty, or no table.
    """
    with open_unpacked(
        path,
        limits,
        is_binary=is_binary,
        part=part,
        unpacked=unpacked,
        sha256=sha256,
        at_once=True,
    ) as opened:
        whole = io.BytesIO(next(opened.blocks))  # not copied if it is the only block
        whole.seek(0, os.SEEK_END)
        for block in opened.blocks:
            whole.write(block)
    data = whole.getvalue()
    return FileBytes(data, opened.sha256.hexdigest(), len(data) if opened.is_packed else 0)


def read_head(path: Path, size: int, limits: ReadLimits, part: str | None = None) -> bytes:
    """Return the first bytes of a file, unpacked; raise as `read_bytes`."""
    head = b""
    with open_unpacked(path, limits, part=part) as opened:
        for block in opened.blocks:
            head += block
            if len(head) >= size:
                break
    return head[:size]


@contextmanager
def open_unpacked(
    path: Path,
    limits: ReadLimits,
    *,
    is_binary: bool = False,
    part: str | None = None,
    unpacked: int = 0,
    sha256: _Hash | None = None,
    at_once: bool = False,
) -> Iterator[UnpackedFile]:
    """Open a file, whose blocks can be read as long as the context lasts.

    With `at_once`, a file that is not compressed is one block. The other arguments and the errors
    are those of `read_bytes`.
    """
    sha256 = hashlib.sha256() if sha256 is None else sha256
    is_folder = part is not None and path.is_dir()
    with ExitStack() as stack:
        file = stack.enter_context(open_file(path, limits.own, part if is_folder else None))
        size = os.fstat(file.fileno()).st_size
        refuse_size(size, limits)
        head = file.read(HEAD)
        file.seek(0)
        if not head:
            raise UnreadableError(Problem("S102", "the file is empty (0 bytes)"))
        member = None if is_folder else part
        source = stack.enter_context(_unpacking(file, head, member))
        if source is None:
            blocks = _stored_blocks(file, size + 1 if at_once else BLOCK, limits, sha256)
        else:
            file.seek(0)
            update_digest(file, sha256)
            file.seek(0)
            most = largest_unpacked(size, limits)
            blocks = _unpacked_blocks(source, most, limits, unpacked)
        first = next(blocks, b"")
        if not first:
            message = "the file is empty (0 bytes once decompressed)"
            raise UnreadableError(Problem("S102", message))
        refuse_other_kinds(first[:HEAD], is_binary=is_binary)
        yield UnpackedFile(chain((first,), blocks), sha256, source is not None)


def _unpacking(file: BinaryIO, head: bytes, member: str | None) -> AbstractContextManager[Any]:
    """Return what unpacks a file; None if it is not compressed."""
    if head.startswith(GZIP) and member is None:
        return gzip.GzipFile(fileobj=file)
    if member is not None or (head.startswith(ZIP) and not is_office(head)):
        return _open_member(file, member)
    return nullcontext()


def _stored_blocks(file: BinaryIO, size: int, limits: ReadLimits, sha256: _Hash) -> Iterator[bytes]:
    count = 0
    while block := _read_block(file, size):
        count += len(block)
        if count > limits.size:
            message = "the file became larger while it was read than is accepted here"
            message += f" ({format_size(limits.size)})"
            raise UnreadableError(Problem("S104", message, help=limit_help("size")))
        sha256.update(block)
        yield block


def _read_block(file: BinaryIO, size: int = BLOCK) -> bytes:
    try:
        return file.read(size)
    except OSError as error:
        message = f"the file cannot be read: {error.strerror}"
        raise UnreadableError(Problem("S101", message)) from None


def _unpacked_blocks(
    source: BinaryIO, most: int, limits: ReadLimits, before: int
) -> Iterator[bytes]:
    """Yield the unpacked bytes of a file, up to `most` of it, and `limits.unpacked` with others.

    `before` is how many bytes of the submission's other parts were unpacked.
    """
    count = 0
    while block := _unpack_block(source):
        count += len(block)
        if count > most or before + count > limits.unpacked:
            raise UnreadableError(unpacked_problem(min(most, limits.unpacked)))
        yield block


def _unpack_block(source: BinaryIO) -> bytes:
    try:
        return source.read(BLOCK)
    except (EOFError, zlib.error, OSError, zipfile.BadZipFile) as error:
        what = "ends early" if isinstance(error, EOFError) else "is damaged"
        hint = "compress and send the file again"
        raise UnreadableError(Problem("S108", f"the compressed data {what}", help=hint)) from None


def refuse_size(size: int, limits: ReadLimits) -> None:
    """Raise UnreadableError if a file of `size` stored bytes is larger than is accepted."""
    if size > limits.size:
        sizes = f"{format_size(size)}, at most {format_size(limits.size)}"
        message = f"the file is larger than is accepted here ({sizes})"
        raise UnreadableError(Problem("S104", message, help=limit_help("size")))


def update_digest(file: BinaryIO, sha256: _Hash) -> None:
    """Add the rest of a file to a digest."""
    while block := _read_block(file):
        sha256.update(block)


def file_digest(path: Path, own: Sequence[Path] | None = None) -> str:
    """Return the SHA-256 of a file as it is stored.

    Raises:
        UnreadableError: It is missing, or no regular file.
    """
    sha256 = hashlib.sha256()
    with open_file(path, own) as file:
        update_digest(file, sha256)
    return sha256.hexdigest()


def parts_digest(path: Path, parts: Sequence[str]) -> str:
    """Return the SHA-256 of a file, or that of the digests and names of a folder's parts."""
    if not (parts and path.is_dir()):
        return file_digest(path)
    digests = "".join(f"{file_digest(path / name)} {name}\n" for name in parts)
    return hashlib.sha256(digests.encode()).hexdigest()


def has_same_content(first: Path, second: Path) -> bool:
    """Return whether two paths lead to the same bytes; False if one of them cannot be read."""
    try:
        if os.path.samefile(first, second):
            return True
        same_size = os.stat(first).st_size == os.stat(second).st_size
        return same_size and file_digest(first) == file_digest(second)
    except (OSError, ValueError, UnreadableError):
        return False


def stored_head(path: Path, size: int, own: Sequence[Path] | None = None) -> bytes:
    """Return the first bytes of a file as it is stored.

    Raises:
        UnreadableError: It is missing, or no regular file.
    """
    with open_file(path, own) as file:
        return file.read(size)


def check_parts(path: Path, names: Sequence[str], limits: ReadLimits) -> None:
    """Raise UnreadableError if a folder or a ZIP archive of parts is too large or lacks a part."""
    if not path.is_dir():
        with open_file(path, limits.own) as file:
            refuse_size(os.fstat(file.fileno()).st_size, limits)
            if not file.read(len(ZIP)).startswith(ZIP):
                message = f"this is no ZIP archive or folder with {join_first(list(names))}"
                raise UnreadableError(Problem("S213", message))
        return
    size = 0
    for name in names:
        if not os.path.lexists(path / name):
            with os.scandir(path) as entries:
                present = [entry.name for entry in islice(entries, MOST_FILES)]
            raise UnreadableError(_missing_part_problem(name, present))
        with open_file(path, limits.own, name) as file:
            size += os.fstat(file.fileno()).st_size
    refuse_size(size, limits)


def zip_member_name(path: Path, own: Sequence[Path] | None = None) -> str | None:
    """Return the name of the one file of a ZIP archive; None of everything else."""
    names = zip_names(path, own)
    return names[0] if len(names) == 1 else None


def zip_names(path: Path, own: Sequence[Path] | None = None) -> list[str]:
    """Return the names of the files of a ZIP archive, without folders; none of everything else."""
    with suppress(*ZIP_DAMAGE, UnreadableError), open_file(path, own) as file:
        if file.read(len(ZIP)).startswith(ZIP):
            return [PurePosixPath(entry.filename).name for entry in zip_entries(file)]
    return []


def zip_entries(file: BinaryIO) -> list[zipfile.ZipInfo]:
    """Return the entries of the files of an archive; what a Mac puts beside them is none.

    Raises:
        UnreadableError: The directory has more entries than are looked at.
    """
    entries, size = zip_directory_size(file)
    if entries > MOST_FILES or size > MOST_DIRECTORY:
        message = f"this is a ZIP archive of {entries:,} files, not a table"
        raise UnreadableError(Problem("S107", message, help=ONE_FILE))
    return [entry for entry in zipfile.ZipFile(file).infolist() if _is_file(entry)]


def zip_directory_size(file: BinaryIO, *, with_comment: bool = True) -> tuple[int, int]:
    """Return the number of entries of an archive's directory, and its bytes, from its end alone.

    Raises:
        zipfile.BadZipFile: It has no such end, or is a ZIP64 archive, whose end does not say it.
    """
    size = file.seek(0, os.SEEK_END)
    file.seek(max(size - (LONGEST_END if with_comment else SHORTEST_END), 0))
    tail = file.read(LONGEST_END)
    end = tail.rfind(END)
    if end < 0 or len(tail) - end < SHORTEST_END or tail[max(end - 20, 0) :].startswith(END64):
        raise zipfile.BadZipFile
    entries, directory = struct.unpack("<HI", tail[end + 10 : end + 16])
    return entries, directory


def _open_member(file: BinaryIO, name: str | None) -> IO[bytes]:
    """Return the open file of that name in a ZIP archive, or the only one."""
    try:
        entries = zip_entries(file)
        entry = _only_entry(entries) if name is None else _find_entry(entries, name)
        if entry.compress_type not in ZIP_METHODS:
            raise NotImplementedError
        return zipfile.ZipFile(file).open(entry)
    except ZIP_DAMAGE:
        message = "this is a ZIP archive that is damaged, encrypted or packed in a rare way"
        hint = "pack and send the file again"
        raise UnreadableError(Problem("S108", message, help=hint)) from None


def _only_entry(entries: Sequence[zipfile.ZipInfo]) -> zipfile.ZipInfo:
    if len(entries) != 1:
        message = f"this is a ZIP archive of {len(entries) or 'no'} files, not a table"
        raise UnreadableError(Problem("S107", message, help=ONE_FILE))
    return entries[0]


def _find_entry(entries: Sequence[zipfile.ZipInfo], name: str) -> zipfile.ZipInfo:
    """Return the entry of that name, whatever folder of the archive it is in."""
    names = [PurePosixPath(entry.filename).name for entry in entries]
    if (times := names.count(name)) > 1:
        message = f"{quoted(name)} is in this archive {times:,} times"
        raise UnreadableError(Problem("S213", message))
    if not times:
        raise UnreadableError(_missing_part_problem(name, names))
    return entries[names.index(name)]


def _missing_part_problem(name: str, names: Sequence[str]) -> Problem:
    similar = nearest(name, names)
    hint = f"; rename {quoted(similar)}?" if similar else ""
    found = join_first(sorted(names)) or "no file"
    return Problem("S213", f"{quoted(name)} is missing; found: {found}{hint}")


def _is_file(entry: zipfile.ZipInfo) -> bool:
    path = PurePosixPath(entry.filename)
    return not (entry.is_dir() or path.parts[:1] == ("__MACOSX",) or path.name.startswith("."))
