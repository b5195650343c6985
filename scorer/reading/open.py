"""The bytes of files, within limits and unpacked; what cannot be a table is refused.

Nothing here trusts a file: not its name, size, compression or kind. Checkouts of pull requests and
unpacked archives can hold links, and a link to the truth would score as a perfect submission. So of
a file that was sent, the path is looked at first, the last name is opened without following a link,
and the opened file is refused if it is not the one that was looked at, or one of the challenge's
own files.

A submission may be several files, its parts: the path is then their folder or ZIP archive.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from io import BufferedReader
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, BinaryIO, NamedTuple

from scorer.core.text import join_first, nearest, quoted
from scorer.reading.limits import (
    DEFAULT_LIMITS,
    SAVE_AS_UTF8,
    ReadLimits,
    UnreadableError,
    format_size,
    largest_unpacked,
    limit_error,
    unpacked_error,
)

if TYPE_CHECKING:
    from hashlib import _Hash

COMPRESSED_SUFFIXES = (".gz", ".zip")
HEAD = 4096  # bytes that show what a file is
BLOCK = 1 << 20  # bytes that are unpacked at a time
# Links to what is open already, such as the standard input.
OPEN_STREAM = re.compile(r"/dev/(stdin|fd/[0-9]+)|/proc/(self|[0-9]+)/fd/[0-9]+")
# `Path` turns // into /. One letter before a colon would be a drive of Windows.
URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/.*")
# Not blocking, should a FIFO have taken the file's place.
READ_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
SYSTEM_FOLDERS = (Path("/dev"), Path("/proc"), Path("/sys"))  # of devices and streams
MEMORY_FOLDER = Path("/dev/shm")  # of plain files, though below /dev
MOST_NAMES = 1000  # of a folder, that are compared with the name of a missing file
NAME_THE_FILE = "name the file itself, or copy it to where the link stands"

GZIP, ZIP, PARQUET, BOM = b"\x1f\x8b", b"PK\x03\x04", b"PAR1", b"\xef\xbb\xbf"
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

AS_TEXT, SEND_INSIDE = "write the table as text (CSV)", "send the file inside; .gz is read"
UNPACK, SAVE_SHEET = "use .gz, or send it unpacked", "save the sheet as CSV (UTF-8)"
PICKLES = (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")
KINDS = (  # where in a file what bytes stand, what it is, what to do instead
    (0, b"\xd0\xcf\x11\xe0", "an Excel workbook", SAVE_SHEET),
    (0, ZIP, "a ZIP archive", "send the file inside; an archive of one file is read"),
    (0, PARQUET, "a Parquet file", "this challenge reads text; write the table as CSV"),
    (0, b"BZh", "a bzip2 file", UNPACK),
    (0, b"\xfd7zXZ", "an xz file", UNPACK),
    (0, b"\x28\xb5\x2f\xfd", "a Zstandard file", UNPACK),
    (0, b"7z\xbc\xaf", "a 7-Zip archive", SEND_INSIDE),
    (0, b"Rar!", "a RAR archive", SEND_INSIDE),
    (257, b"ustar", "a tar archive", SEND_INSIDE),
    (0, b"%PDF", "a PDF", AS_TEXT),
    (0, b"\x93NUMPY", "a NumPy array", AS_TEXT),
    (0, b"\x89HDF", "an HDF5 file", AS_TEXT),
    (0, b"ARROW1", "an Arrow file", AS_TEXT),
    (0, b"SQLite format 3", "an SQLite database", AS_TEXT),
    (0, b"\x89PNG", "an image", AS_TEXT),
    (0, PICKLES, "a pickle, which is never opened", "write the table as CSV"),
)
ENCODINGS = (  # what a file begins with; the mark of UTF-32 begins with that of UTF-16
    (b"\xff\xfe\0\0", "UTF-32"),
    (b"\0\0\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)

Source = IO[bytes] | gzip.GzipFile  # gives the unpacked bytes of a file; a GzipFile is no IO


class FileBytes(NamedTuple):
    """The bytes of a file."""

    data: bytes  # unpacked
    sha256: str  # of the file as it is stored
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


def is_of_system(path: Path) -> bool:
    """Return whether an absolute path is one of the system, such as /dev/stdout."""
    return any(map(path.is_relative_to, SYSTEM_FOLDERS)) and not path.is_relative_to(MEMORY_FOLDER)


def open_file(
    path: Path, protected: Sequence[Path] | None = None, part: str | None = None
) -> BufferedReader:
    """Return a regular file, opened for reading; a FIFO or a device would wait or never end.

    A submitted file is refused if it is one of the challenge's own, by whatever name; if its path
    has a link that leads out of the link's folder; if it is a link or a hard link in a folder of
    parts; or if it lies below /proc, /sys or /dev.

    Args:
        path: The file, or the folder of parts.
        protected: The challenge's own files if the file was sent; None if the organizer named it.
        part: The name of a file in the folder.

    Raises:
        UnreadableError: It is missing, no regular file, or refused.
    """
    whole_path = path if part is None else path / part
    try:
        if protected is None:
            return _open_expected(whole_path, os.stat(whole_path))
        return _open_submitted(path, protected, part)
    except (FileNotFoundError, NotADirectoryError):
        message, help = f"file not found{_similar_file_hint(whole_path)}", None
        if os.path.islink(whole_path):
            message = "this is a link to a file that is not there"
        elif URL.fullmatch(whole_path.as_posix()):
            message = "this is a URL, and files of this machine are read here"
            help = "download the file, and name the copy"
        raise UnreadableError("S101", message, help=help) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a file name"
        raise UnreadableError("S101", f"the file cannot be read: {reason}") from None


def _open_submitted(path: Path, protected: Sequence[Path], part: str | None) -> BufferedReader:
    """Return a submitted file, opened after its path, its links and its identity were checked."""
    absolute = os.path.abspath(path)
    if os.sep == "/":  # POSIX lets // at the beginning mean something else
        absolute = f"/{absolute.lstrip('/')}"
    target = os.path.realpath(absolute)
    if is_of_system(Path(target)):
        message = f"this is a file of the system (below {Path(target).parts[1]})"
        raise UnreadableError("S101", message)
    if part is None and OPEN_STREAM.fullmatch(absolute):
        expected = os.stat(absolute)
        _refuse_protected(expected, protected)
        return _open_expected(Path(absolute), expected)
    whole_target = target if part is None else os.path.join(target, part)
    try:
        expected = os.lstat(whole_target)
    except FileNotFoundError:
        # First, so that no message tells whether there is a file behind a link that leads out.
        _refuse_escaping_links(absolute, target)
        raise
    _refuse_protected(expected, protected)
    _refuse_escaping_links(absolute, target)
    if part is not None and stat.S_ISLNK(expected.st_mode):
        help = "put the file itself into the folder"
        raise UnreadableError("S101", f"{quoted(part)} is a link", help=help)
    if part is not None and stat.S_ISREG(expected.st_mode) and expected.st_nlink > 1:
        message = f"{quoted(part)} is a hard link: the same file has another name"
        raise UnreadableError("S101", message, help="put a copy of the file into the folder")
    file = _open_expected(Path(whole_target), expected, NO_FOLLOW)
    if os.path.realpath(absolute) != target:
        file.close()
        raise UnreadableError("S101", "the file was replaced while it was opened")
    return file


def _open_expected(path: Path, expected: os.stat_result, flags: int = 0) -> BufferedReader:
    """Return the opened file; refuse one that is not regular, or not the one that is expected.

    `expected` was found before, since a device may start something when it is opened.
    """
    if not stat.S_ISREG(expected.st_mode):
        what = "a folder" if stat.S_ISDIR(expected.st_mode) else "not a regular file"
        raise UnreadableError("S101", f"this is {what}, not a file to be read")
    file = os.fdopen(os.open(path, READ_FLAGS | flags), "rb")
    if not os.path.samestat(os.fstat(file.fileno()), expected):
        file.close()
        raise UnreadableError("S101", "the file was replaced while it was opened")
    return file


def _refuse_protected(found: os.stat_result, protected: Sequence[Path]) -> None:
    for file in protected:
        with suppress(OSError, ValueError):  # it is not there
            if os.path.samestat(os.stat(file), found):
                raise UnreadableError("S101", "this is a file of the challenge, not a submission")


def _refuse_escaping_links(absolute: str, target: str) -> None:
    """Raise UnreadableError if a path has a link that leads out of its own folder.

    Of the folders in it, only those below the working directory are looked at: the links of the
    system, such as /tmp on a Mac, are no attack.
    """
    if absolute == target:
        return  # there is no link in it
    path, here = Path(absolute), Path.cwd()
    folders = [f for f in path.parents if f != here and f.is_relative_to(here)]
    for link in [*reversed(folders), path]:
        folder = os.path.realpath(link.parent)
        if link.is_symlink() and not Path(os.path.realpath(link)).is_relative_to(folder):
            what = "this is" if link == path else f"'{link.name}' in its path is"
            message = f"{what} a link that leads out of its folder"
            raise UnreadableError("S101", message, help=NAME_THE_FILE)


def _similar_file_hint(path: Path) -> str:
    similar = None
    with suppress(OSError, ValueError), os.scandir(path.parent) as entries:
        similar = nearest(path.name, [entry.name for entry in islice(entries, MOST_NAMES)])
    return f"; did you mean {quoted(similar)} in the same folder?" if similar else ""


def read_bytes(
    path: Path,
    limits: ReadLimits = DEFAULT_LIMITS,
    *,
    is_binary: bool = False,
    part: str | None = None,
    unpacked: int = 0,
    sha256: _Hash | None = None,
) -> FileBytes:
    """Return all bytes of a file.

    Args:
        path: The file; or the folder or the ZIP archive of parts.
        is_binary: Whether it may be a Parquet file.
        part: The name of a file in the folder or the archive.
        unpacked: How many bytes of the submission's other parts were unpacked.
        sha256: Receives the stored bytes; has received those of the parts before.

    Raises:
        UnreadableError: It is missing, no regular file, refused, too large, empty, or no table.
    """
    sha256 = hashlib.sha256() if sha256 is None else sha256
    with _open_unpacked(path, limits, part) as (file, source):
        is_packed, size = source is not file, os.fstat(file.fileno()).st_size
        if is_packed:
            _add_to_digest(file, sha256)
            file.seek(0)
        # All of a file that is not packed, unless it grows; files of /proc say that they have 0.
        at_once = BLOCK if is_packed else size + 1
        most = largest_unpacked(size, limits)
        block = _read_first_block(source, at_once, is_binary=is_binary)
        unpacked_bytes = io.BytesIO(block)  # shares the block, unless another one is written
        while block:
            count = unpacked_bytes.seek(0, os.SEEK_END)
            if is_packed and (count > most or unpacked + count > limits.unpacked):
                raise unpacked_error(min(most, limits.unpacked))
            if not is_packed and count > limits.size:
                message = "the file became larger while it was read than is accepted here"
                raise limit_error("size", f"{message} ({format_size(limits.size)})")
            block = _read_block(source, at_once)
            unpacked_bytes.write(block)
    data = unpacked_bytes.getvalue()
    if not is_packed:
        sha256.update(data)
    return FileBytes(data, sha256.hexdigest(), len(data) if is_packed else 0)


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
        _refuse_other_kinds(block[:HEAD])
    return block


def _read_block(source: Source, size: int = BLOCK) -> bytes:
    try:
        return source.read(size)
    except (EOFError, zlib.error, OSError, zipfile.BadZipFile) as error:
        if isinstance(source, BufferedReader) and isinstance(error, OSError):
            message = f"the file cannot be read: {error.strerror}"
            raise UnreadableError("S101", message) from None
        message = f"the compressed data {'ends early' if type(error) is EOFError else 'is damaged'}"
        raise UnreadableError("S108", message, help="compress and send the file again") from None


def _refuse_other_kinds(head: bytes) -> None:
    """Raise UnreadableError if a file that begins so is no table of text."""
    for mark, encoding in ENCODINGS:
        if head.startswith(mark):
            raise _encoding_error(f"byte 0x{head[0]:02X} is not UTF-8", encoding)
    if (kind := _find_kind(head)) is not None:
        what, hint = kind
        raise UnreadableError("S107", f"this is {what}, not a table", help=hint)
    # In UTF-16 without a mark, an ASCII character has a NUL in the same one of its two bytes, and
    # most characters of a table are ASCII: separators, numbers, most ids. NULs in the other bytes,
    # too, are of UTF-32 or of binary data.
    characters = len(head) / 2
    fewer, more = sorted((head[::2].count(0), head[1::2].count(0)))
    if more > 0.7 * characters and fewer < 0.35 * characters:
        raise _encoding_error("every other byte is NUL", "UTF-16")


def _encoding_error(what: str, encoding: str) -> UnreadableError:
    return UnreadableError("S105", f"{what}; the file looks like {encoding}", 1, 1, SAVE_AS_UTF8)


def _find_kind(head: bytes) -> tuple[str, str] | None:
    """Return what a file is, and what to do instead; None if it may be a table."""
    if head.startswith(ZIP) and is_office(head):
        return "an Excel workbook", SAVE_SHEET
    start = head.removeprefix(BOM).lstrip(b" \t\r\n")[:64].lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return "an HTML page", "a download that needed a login? fetch the file itself"
    if start.startswith(b"{") and b'"cells"' in head and b'"cell_type"' in head:
        return "a Jupyter notebook", "write the table from it: df.to_csv(..., index=False)"
    if start.startswith(b"version https://git-lfs"):
        return "a Git LFS pointer", "fetch the file itself: git lfs pull"
    return next(((what, hint) for at, mark, what, hint in KINDS if head.startswith(mark, at)), None)


def is_office(head: bytes) -> bool:
    """Return whether a ZIP archive that begins so is a workbook."""
    return any(word in head for word in (b"[Content_Types].xml", b"xl/", b"opendocument.spread"))


def refuse_size(size: int, limits: ReadLimits) -> None:
    """Raise UnreadableError if a file of `size` stored bytes is larger than is accepted."""
    if size > limits.size:
        sizes = f"{format_size(size)}, at most {format_size(limits.size)}"
        raise limit_error("size", f"the file is larger than is accepted here ({sizes})")


def _add_to_digest(file: BufferedReader, sha256: _Hash) -> None:
    while block := _read_block(file):
        sha256.update(block)


def file_digest(path: Path, protected: Sequence[Path] | None = None) -> str:
    """Return the SHA-256 of a file as it is stored, or raise UnreadableError."""
    sha256 = hashlib.sha256()
    with open_file(path, protected) as file:
        _add_to_digest(file, sha256)
    return sha256.hexdigest()


def parts_digest(path: Path, parts: Sequence[str]) -> str:
    """Return the SHA-256 of a file, or of the digests and names of a folder's parts."""
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


def stored_head(path: Path, size: int) -> bytes:
    """Return the first bytes of a file as it is stored, or raise UnreadableError."""
    with open_file(path) as file:
        return file.read(size)


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
