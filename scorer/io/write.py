"""Text that leaves us: files written beside, then renamed, so that none is half-written; JSON."""

from __future__ import annotations

import os
from pathlib import Path
from secrets import token_hex

from scorer.core.errors import UsageError
from scorer.core.text import printable, quoted

NEW = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
SYSTEM = (Path("/dev"), Path("/proc"))  # of whose names, such as /dev/stdout, none is replaced


def write(path: Path, data: bytes) -> None:
    """Put `data` at `path`, all of it or nothing; a link stays and what it leads to is written.

    Raises:
        UsageError: it cannot be written there.
    """
    try:
        there = os.path.abspath(path)
        if path.is_dir():
            raise IsADirectoryError(0, "this is a folder")
        if (path.exists() and not path.is_file()) or any(
            Path(there).is_relative_to(folder) for folder in SYSTEM
        ):
            with path.open("ab") as stream:  # a pipe or a device: nothing to rename
                stream.write(data)
            return
        path = Path(os.path.realpath(path))
        kept = path.stat().st_mode & 0o777 if path.exists() else None
        if kept is not None and not kept & 0o222:
            raise PermissionError(0, "the file there is read-only")
        beside = path.with_name(f".{path.name[:100]}.{token_hex(8)}")
        try:
            # the system takes the umask off; to ask for it would be to change it
            handle = os.open(beside, NEW, 0o666 if kept is None else kept & 0o600)
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            if kept is not None:
                beside.chmod(kept)
            beside.replace(path)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise UsageError(f"{printable(path)} cannot be written: {error.strerror}") from None
    except ValueError:  # a NUL character
        raise UsageError(f"{printable(path)} cannot be written: not a file name") from None


def folder(path: Path) -> None:
    """Make a folder, or take one that is empty.

    Raises:
        UsageError: it cannot be made, or something is there.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        taken = any(path.iterdir())
    except FileExistsError:
        taken = True
    except (OSError, ValueError) as error:
        message = error.strerror if isinstance(error, OSError) else "not a file name"
        raise UsageError(f"{quoted(path)} cannot be made: {message}") from None
    if taken:
        raise UsageError(f"{quoted(path)} exists and is not an empty folder")
