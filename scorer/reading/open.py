"""Opening files safely.

Checkouts of pull requests and unpacked archives can hold links, and a link to the truth would
score as a perfect submission. So of a file that was sent, the path is looked at first, the last
name is opened without following a link, and the opened file is refused if it is not the one that
was looked at, or one of the challenge's own files.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from contextlib import suppress
from io import BufferedReader
from itertools import islice
from pathlib import Path

from scorer.core.problems import Problem
from scorer.core.text import nearest, quoted
from scorer.reading.limits import UnreadableError

COMPRESSED_SUFFIXES = (".gz", ".zip")
SYSTEM_FOLDERS = "/proc", "/sys", "/dev"
MEMORY_FOLDER = "/dev/shm"  # plain files, though below /dev
# Links to what is open already, such as the standard input.
OPEN_STREAM = re.compile(r"/dev/(stdin|fd/[0-9]+)|/proc/(self|[0-9]+)/fd/[0-9]+")
URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/.*")  # a path has one slash of two; C:/ is a drive
# Not blocking, should a FIFO have taken the file's place.
READ_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
MOST_NAMES = 1000  # of a folder in which a similar one is looked for
NAME_THE_FILE = "name the file itself, or copy it to where the link stands"


def table_suffix(path: Path) -> str:
    """Return the suffix of a file's name that says its format, in small letters; "" if it has none.

    >>> table_suffix(Path("run.CSV.gz")), table_suffix(Path("a.zip"))
    ('.csv', '')
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    while suffixes and suffixes[-1] in COMPRESSED_SUFFIXES:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def open_file(
    path: Path, own: Sequence[Path] | None = None, part: str | None = None
) -> BufferedReader:
    """Return a regular file, opened for reading; a FIFO or a device would wait or never end.

    Of what was sent, refused are the challenge's own files by whatever name, links out of the
    folder in which they stand, all links inside a folder of parts, and what lies below /proc, /sys
    and /dev.

    Args:
        path: The file, or the folder of parts.
        own: The challenge's own files if the file was sent; None if the organizer named it.
        part: The name of a file in the folder.

    Raises:
        UnreadableError: It is missing, no regular file, or refused.
    """
    whole_path = path if part is None else path / part
    try:
        if own is None:
            return _open_expected(whole_path, os.stat(whole_path))
        return _open_sent(path, own, part)
    except (FileNotFoundError, NotADirectoryError):
        message, help = f"file not found{_similar_file_hint(whole_path)}", None
        if os.path.islink(whole_path):
            message = "this is a link to a file that is not there"
        elif URL.fullmatch(whole_path.as_posix()):
            message = "this is a URL, and files of this machine are read here"
            help = "download the file, and name the copy"
        raise _refusal(message, help) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a file name"
        raise _refusal(f"the file cannot be read: {reason}") from None


def _open_sent(path: Path, own: Sequence[Path], part: str | None) -> BufferedReader:
    shown = os.path.abspath(path)
    if os.sep == "/":  # POSIX lets // at the beginning mean something else
        shown = f"/{shown.lstrip('/')}"
    target = os.path.realpath(shown)
    if not _is_below(target, MEMORY_FOLDER) and any(_is_below(target, f) for f in SYSTEM_FOLDERS):
        raise _refusal(f"this is a file of the system (below {Path(target).parts[1]})")
    if part is None and OPEN_STREAM.fullmatch(shown):
        expected = os.stat(shown)
        _refuse_own(expected, own)
        return _open_expected(Path(shown), expected)
    whole_target = target if part is None else os.path.join(target, part)
    try:
        expected = os.lstat(whole_target)
    except FileNotFoundError:
        _refuse_escaping_links(shown, target)
        raise
    _refuse_own(expected, own)
    _refuse_escaping_links(shown, target)
    if part is not None:
        _refuse_linked_part(part, expected)
    file = _open_expected(Path(whole_target), expected, NO_FOLLOW)
    if os.path.realpath(shown) != target:
        file.close()
        raise _refusal("the file was replaced while it was opened")
    return file


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def _open_expected(path: Path, expected: os.stat_result, flags: int = 0) -> BufferedReader:
    """Return the opened file, which is refused if it is not the regular one that is expected.

    It is looked at before, since opening some devices is an act.
    """
    if not stat.S_ISREG(expected.st_mode):
        what = "a folder" if stat.S_ISDIR(expected.st_mode) else "not a regular file"
        raise _refusal(f"this is {what}, not a file to be read")
    file = os.fdopen(os.open(path, READ_FLAGS | flags), "rb")
    if not os.path.samestat(os.fstat(file.fileno()), expected):
        file.close()
        raise _refusal("the file was replaced while it was opened")
    return file


def _refuse_own(found: os.stat_result, own: Sequence[Path]) -> None:
    for file in own:
        try:
            is_same = os.path.samestat(os.stat(file), found)
        except (OSError, ValueError):  # it is not there
            continue
        if is_same:
            raise _refusal("this is a file of the challenge, not a submission")


def _refuse_linked_part(name: str, found: os.stat_result) -> None:
    """Raise UnreadableError if a part is not the folder's own file alone."""
    if stat.S_ISLNK(found.st_mode):
        raise _refusal(f"{quoted(name)} is a link", "put the file itself into the folder")
    if stat.S_ISREG(found.st_mode) and found.st_nlink > 1:
        message = f"{quoted(name)} is a hard link: the same file has another name"
        raise _refusal(message, "put a copy of the file into the folder")


def _refuse_escaping_links(shown: str, target: str) -> None:
    """Raise UnreadableError if a path has a link that leads out of the folder it stands in.

    Of the folders above, only those below the current one are looked at: where the system keeps
    its folders is its own affair.
    """
    if shown == target:
        return  # there is no link in it
    path, here = Path(shown), Path.cwd()
    folders = [f for f in path.parents if f != here and f.is_relative_to(here)]
    for link in [*reversed(folders), path]:
        folder = os.path.realpath(link.parent)
        if link.is_symlink() and not Path(os.path.realpath(link)).is_relative_to(folder):
            what = "this is" if link == path else f"'{link.name}' in its path is"
            raise _refusal(f"{what} a link that leads out of its folder", NAME_THE_FILE)


def _refusal(message: str, help: str | None = None) -> UnreadableError:
    return UnreadableError(Problem("S101", message, help=help))


def _similar_file_hint(path: Path) -> str:
    similar = None
    with suppress(OSError, ValueError), os.scandir(path.parent) as entries:
        similar = nearest(path.name, [entry.name for entry in islice(entries, MOST_NAMES)])
    return f"; did you mean {quoted(similar)} in the same folder?" if similar else ""
