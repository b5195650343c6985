"""Files are opened safely: nothing outside of what was sent is read, and no device.

Nothing here trusts a path. Checkouts of pull requests and unpacked archives can hold links, and a
link to the truth would score as a perfect submission. So of a file that was sent, the path is
looked at first, the last name is opened without following a link, and the opened file is refused if
it is not the one that was looked at, or one of the challenge's own files.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Sequence
from contextlib import suppress
from io import BufferedReader
from itertools import islice
from pathlib import Path

from scorer.core.text import nearest, quoted
from scorer.reading.limits import UnreadableError

BLOCK = 1 << 20  # bytes that are read, decoded or counted at a time, so that they fit the cache
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


def is_of_system(path: Path) -> bool:
    """Return whether an absolute path is one of the system, such as /dev/stdout."""
    return any(map(path.is_relative_to, SYSTEM_FOLDERS)) and not path.is_relative_to(MEMORY_FOLDER)


def is_open_pipe(path: str) -> bool:
    """Return whether a path leads to a pipe that this process has open, and can read only once.

    The shell's `<(command)` is such a path, and so is /dev/stdin behind a pipe.
    """
    try:
        return bool(OPEN_STREAM.fullmatch(os.path.abspath(path))) and stat.S_ISFIFO(
            os.stat(path).st_mode
        )
    except (OSError, ValueError):
        return False


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


def read_stored(file: BufferedReader, size: int = BLOCK) -> bytes:
    """Return the next bytes of an opened file, or raise UnreadableError."""
    try:
        return file.read(size)
    except OSError as error:
        message = f"the file cannot be read: {error.strerror}"
        raise UnreadableError("S101", message) from None


def add_to_digest(file: BufferedReader, sha256: hashlib._Hash) -> None:
    """Add the rest of an opened file to a digest, or raise UnreadableError."""
    while block := read_stored(file):
        sha256.update(block)


def file_digest(path: Path, protected: Sequence[Path] | None = None) -> str:
    """Return the SHA-256 of a file as it is stored, or raise UnreadableError."""
    sha256 = hashlib.sha256()
    with open_file(path, protected) as file:
        add_to_digest(file, sha256)
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
