"""The one way to open a file: by descriptor, and of what was sent only the file itself.

Checkouts of pull requests and unpacked archives can hold links, and a link to the truth would
score as a perfect submission. So a file that was sent is looked at first, opened without any
link on the way, and refused where what was opened is not what was looked at.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path

from scorer.bytes.limits import Unreadable
from scorer.core.problems import Problem
from scorer.core.text import nearest, quoted

SYSTEM_FOLDERS = "/proc", "/sys", "/dev"
MEMORY_FOLDER = "/dev/shm"  # plain files, though below /dev
# links to what is open already
STREAM = re.compile(r"/dev/(stdin|fd/[0-9]+)|/proc/(self|[0-9]+)/fd/[0-9]+")
# not blocking, should a FIFO have taken the file's place
READ_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
SELF = getattr(os, "O_NOFOLLOW", 0)
WALKS = SELF and os.open in os.supports_dir_fd
# to enter a folder takes no right to list it
ENTER = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | SELF
URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/.*")  # a path has one slash of two; C:/ is a drive
NAME_THE_FILE = "name the file itself, or copy it to where the link stands"


def opened(path: Path, own: Sequence[Path] | None = None, part: str | None = None) -> int:
    """A descriptor of a regular file; a FIFO or a device would wait or never end.

    Of what was sent, refused are the challenge's own files by whatever name, links out of the
    folder that they stand in, all links inside a folder of parts, and what lies below /proc, /sys
    and /dev.

    Args:
        own: the challenge's own files, where the file was sent; None: the organizer named it.

    Raises:
        Unreadable: it is missing, no regular file, or refused.
    """
    whole = path if part is None else path / part
    try:
        if own is None:
            return _as_looked(os.stat(whole), lambda: os.open(whole, READ_FLAGS))
        return _sent(path, own, part)
    except (FileNotFoundError, NotADirectoryError):
        lost = "a link to a file that is not there" if os.path.islink(whole) else None
        words = f"this is {lost}" if lost else f"file not found{_beside(whole)}"
        help = None
        if URL.fullmatch(whole.as_posix()):
            words = "this is a URL, and files of this machine are read here"
            help = "download the file, and name the copy"
        raise Unreadable(Problem("S101", words, help=help)) from None
    except (OSError, ValueError) as error:
        message = error.strerror if isinstance(error, OSError) else "not a file name"
        raise _refused(f"the file cannot be read: {message}") from None


def _sent(path: Path, own: Sequence[Path], part: str | None) -> int:
    there = os.path.abspath(path)
    if os.sep == "/":  # POSIX lets // at the beginning mean something else
        there = f"/{there.lstrip('/')}"
    target = os.path.realpath(there)
    if not _is_below(target, MEMORY_FOLDER) and any(_is_below(target, f) for f in SYSTEM_FOLDERS):
        raise _refused(f"this is a file of the system (below {Path(target).parts[1]})")
    if part is None and STREAM.fullmatch(there):
        looked = os.stat(there)
        _refuse_own(looked, own)
        return _as_looked(looked, lambda: os.open(there, READ_FLAGS))
    folder, name = (target, part) if part is not None else os.path.split(target)
    with _entered(folder) as handle:
        where = os.path.join(folder, name) if handle is None else name or os.curdir
        try:
            looked = os.stat(where, dir_fd=handle, follow_symlinks=False)
        except FileNotFoundError:
            _refuse_astray(there, target)  # a link to what is not there
            raise
        _refuse_own(looked, own)
        _refuse_astray(there, target)
        if part is not None:
            _refuse_linked(part, looked)
        return _as_looked(looked, lambda: os.open(where, READ_FLAGS | SELF, dir_fd=handle))


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


@contextmanager
def _entered(folder: str) -> Iterator[int | None]:
    """A descriptor of a folder to which no link leads; None where the system has none."""
    if not WALKS:
        yield None
        return
    handle = os.open(os.sep, ENTER)
    try:
        for name in filter(None, folder.split(os.sep)):
            above, handle = handle, os.open(name, ENTER, dir_fd=handle)
            os.close(above)
        yield handle
    finally:
        os.close(handle)


def _as_looked(looked: os.stat_result, open: Callable[[], int]) -> int:
    """Open a regular file that was looked at before, since opening some devices is an act."""
    if not stat.S_ISREG(looked.st_mode):
        what = "a folder" if stat.S_ISDIR(looked.st_mode) else "not a regular file"
        raise _refused(f"this is {what}, not a file to be read")
    handle = open()
    if not os.path.samestat(os.fstat(handle), looked):
        os.close(handle)
        raise _refused("the file was replaced while it was opened")
    return handle


def _refuse_own(looked: os.stat_result, own: Sequence[Path]) -> None:
    for file in own:
        try:
            same = os.path.samestat(os.stat(file), looked)
        except (OSError, ValueError):  # it is not there
            continue
        if same:
            raise _refused("this is a file of the challenge, not a submission")


def _refuse_linked(name: str, looked: os.stat_result) -> None:
    """Refuse a part that is not the folder's own file alone."""
    if stat.S_ISLNK(looked.st_mode):
        raise _refused(f"{quoted(name)} is a link", "put the file itself into the folder")
    if stat.S_ISREG(looked.st_mode) and looked.st_nlink > 1:
        message = f"{quoted(name)} is a hard link: the same file has another name"
        raise _refused(message, "put a copy of the file into the folder")


def _refuse_astray(there: str, target: str) -> None:
    """Refuse a path with a link that leads out of the folder it stands in.

    Of the folders above, only those below the current one are looked at: where the system keeps
    its folders is its own affair.
    """
    if there == target:
        return  # there is no link in it
    path, here = Path(there), Path.cwd()
    inside = [
        folder_above
        for folder_above in path.parents
        if folder_above != here and folder_above.is_relative_to(here)
    ]
    for link in [*reversed(inside), path]:
        folder = os.path.realpath(link.parent)
        if link.is_symlink() and not Path(os.path.realpath(link)).is_relative_to(folder):
            what = "this is" if link == path else f"'{link.name}' in its path is"
            raise _refused(f"{what} a link that leads out of its folder", NAME_THE_FILE)


def _refused(message: str, help: str | None = None) -> Unreadable:
    return Unreadable(Problem("S101", message, help=help))


def _beside(path: Path) -> str:
    """A hint at a file whose name is like that of a missing one."""
    similar = None
    with suppress(OSError), os.scandir(path.parent) as entries:
        similar = nearest(path.name, [entry.name for entry in islice(entries, 1000)])
    return f"; did you mean {quoted(similar)} in the same folder?" if similar else ""
