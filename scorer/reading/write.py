"""Files that are written beside their place, then renamed, so that none is half-written."""

from __future__ import annotations

import csv
import io
import os
import re
import shutil
import signal
import tempfile
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import IO, BinaryIO

from scorer.core.errors import UsageError
from scorer.core.text import printable, quoted
from scorer.reading.open import is_of_system

NEW_FILE = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
OLDEST = (1980, 1, 1, 0, 0, 0)  # of all files: the same ones give the same archive
TEMPORARY_PREFIX = "scorer-"
BLOCK = 1 << 18  # bytes that are copied at a time


@contextmanager
def _as_usage_error(shown: str, action: str) -> Iterator[None]:
    """Raise UsageError in place of what the system says."""
    try:
        yield
    except (OSError, ValueError) as error:  # ValueError: the path holds a NUL
        reason = error.strerror if isinstance(error, OSError) else "not a file name"
        raise UsageError(f"{shown} cannot be {action}: {reason or 'not a file name'}") from None


def write_file(path: Path, data: bytes) -> None:
    """Put data at a path, all of it or nothing; a link stays, and what it leads to is written.

    Raises:
        UsageError: It cannot be written there.
    """
    with _as_usage_error(printable(path), "written"):
        if path.is_dir():
            raise IsADirectoryError(0, "this is a folder")
        if (path.exists() and not path.is_file()) or is_of_system(Path(os.path.abspath(path))):
            # Polars makes the system restart calls after Ctrl-C, which then could not end the wait
            # for the reader of a pipe.
            if hasattr(signal, "siginterrupt"):
                signal.siginterrupt(signal.SIGINT, True)
            with path.open("ab") as stream:  # a pipe or a device: nothing to rename
                stream.write(data)
            return
        target = Path(os.path.realpath(path))
        mode = target.stat().st_mode & 0o777 if target.exists() else None
        if mode is not None and not mode & 0o222:
            raise PermissionError(0, "the file there is read-only")
        temporary = target.with_name(f".{target.name[:100]}.{token_hex(8)}")
        try:
            # The system applies the umask, which a process can read only by changing it.
            handle = os.open(temporary, NEW_FILE, 0o666 if mode is None else mode & 0o600)
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            if mode is not None:  # until here, others could not read it
                temporary.chmod(mode)
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def make_folder(path: Path) -> None:
    """Make a folder, and those above it, if it is not there; raise UsageError if it cannot be."""
    with _as_usage_error(quoted(path), "made"):
        path.mkdir(parents=True, exist_ok=True)


def file_name(name: str) -> str:
    """Return a name as one that every system has for a file; it is in no folder, nor hidden.

    >>> file_name("../the red: team")
    '_the_red__team'
    """
    return re.sub(r"[^\w.\-]", "_", name).lstrip(".") or "_"


def write_folder(path: Path, files: Mapping[str, bytes | Path]) -> None:
    """Make a folder with these files, all of them or nothing; or fill one that is empty.

    Args:
        files: The name of each file, and its bytes or the file that it copies.

    Raises:
        UsageError: It cannot be made, or something is there.
    """
    with _as_usage_error(quoted(path), "made"):
        folder = Path(os.path.abspath(path))
        is_there = folder.is_dir()
        if os.path.lexists(folder) and (not is_there or any(folder.iterdir())):
            raise UsageError(f"{quoted(path)} exists and is not an empty folder")
        _write_and_move(folder, files, is_there=is_there)


def _write_and_move(folder: Path, files: Mapping[str, bytes | Path], *, is_there: bool) -> None:
    """Write files to a temporary folder, then move it; or each of them if `folder` is there."""
    first = folder  # the first folder of the path that is not there yet
    while not os.path.lexists(first.parent):
        first = first.parent
    # An empty folder can be a volume of its own, or the only one that may be written to.
    is_inside = is_there and (folder.is_mount() or not os.access(folder.parent, os.W_OK))
    temporary = (folder if is_inside else first.parent) / f".{first.name[:100]}.{token_hex(8)}"
    moved: list[Path] = []
    try:
        for name, data in files.items():
            target = temporary / folder.relative_to(first) / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(data, Path):
                shutil.copy(data, target)  # with its mode
            else:
                target.write_bytes(data)
        if not is_there:
            temporary.rename(first)
            return
        # The folder itself may be the working directory of a process.
        for entry in sorted(temporary.iterdir()):
            moved.append(folder / entry.name)
            entry.rename(moved[-1])
    except BaseException:
        for entry in moved:
            shutil.rmtree(entry, ignore_errors=True)
            with suppress(OSError):
                entry.unlink(missing_ok=True)
        raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def csv_text(
    rows: Iterable[Iterable[object]], separator: str = ",", *, quotes_all: bool = False
) -> str:
    """Return rows of cells as CSV, with quotes where they are needed, or round all cells."""
    out = io.StringIO()
    dialect: csv.Dialect | type[csv.Dialect] = csv.unix_dialect if quotes_all else csv.excel
    csv.writer(out, dialect, delimiter=separator, lineterminator="\n").writerows(rows)
    return out.getvalue()


def zip_files(files: Mapping[str, bytes], executables: Collection[str] = ()) -> bytes:
    """Return a ZIP archive of files by name; the same files give the same bytes.

    Those that `executables` names are commands.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in sorted(files):
            member = zipfile.ZipInfo(name, OLDEST)
            member.compress_type = zipfile.ZIP_DEFLATED
            mode = 0o755 if name in executables else 0o644
            member.create_system, member.external_attr = 3, mode << 16  # 3: Unix
            archive.writestr(member, files[name], compresslevel=9)
    return out.getvalue()


@contextmanager
def temporary_copy(stream: BinaryIO, most: int) -> Iterator[Path]:
    """Copy a stream to a file, which can be read again and again as long as the context lasts.

    Where the system lets a file without a name be opened again (Linux), the copy has no name, so
    that nothing is left of it however the process ends. At most one byte more than `most` is
    copied: then reading the file says that it is too large.

    Raises:
        UsageError: There is no room for it, or the stream cannot be read.
    """
    with ExitStack() as stack:
        try:
            file: IO[bytes] = stack.enter_context(tempfile.TemporaryFile(prefix=TEMPORARY_PREFIX))
            path = Path(f"/proc/{os.getpid()}/fd/{file.fileno()}")
            if not path.exists():
                handle, name = tempfile.mkstemp(prefix=TEMPORARY_PREFIX)
                file, path = stack.enter_context(os.fdopen(handle, "wb")), Path(name)
                stack.callback(path.unlink, missing_ok=True)
            left = most + 1
            while left and (block := stream.read(min(BLOCK, left))):
                file.write(block)
                left -= len(block)
            file.flush()
        except OSError as error:
            message = f"a temporary file cannot be filled ({error.strerror})"
            raise UsageError(f"{message}; TMPDIR names its folder") from None
        yield path
