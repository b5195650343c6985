"""Text that leaves us: files written beside, then renamed, so that none is half-written; JSON."""

from __future__ import annotations

import io
import os
import shutil
import zipfile
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from scorer.core.errors import UsageError
from scorer.core.text import printable, quoted

NEW = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
OLDEST = (1980, 1, 1, 0, 0, 0)  # fixed timestamp, for reproducible archives
SYSTEM = (Path("/dev"), Path("/proc"))  # of whose names, such as /dev/stdout, none is replaced
MEMORY = Path("/dev/shm")  # a folder of files for all that


def write(path: Path, data: bytes) -> None:
    """Put `data` at `path`, all of it or nothing; a link stays and what it leads to is written.

    `UsageError` if it cannot be written there.
    """
    try:
        there = os.path.abspath(path)
        if path.is_dir():
            raise IsADirectoryError(0, "this is a folder")
        if (path.exists() and not path.is_file()) or _of_system(Path(there)):
            with path.open("ab") as stream:  # a pipe or a device: nothing to rename
                stream.write(data)
            return
        target = Path(os.path.realpath(path))
        mode = target.stat().st_mode & 0o777 if target.exists() else None
        if mode is not None and not mode & 0o222:
            raise PermissionError(0, "the file there is read-only")
        beside = target.with_name(f".{target.name[:100]}.{token_hex(8)}")
        try:
            # the system takes the umask off; to ask for it would be to change it
            handle = os.open(beside, NEW, 0o666 if mode is None else mode & 0o600)
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            if mode is not None:
                beside.chmod(mode)
            beside.replace(target)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise UsageError(f"{printable(path)} cannot be written: {error.strerror}") from None
    except ValueError:  # a NUL character
        raise UsageError(f"{printable(path)} cannot be written: not a file name") from None


def _of_system(path: Path) -> bool:
    return any(map(path.is_relative_to, SYSTEM)) and not path.is_relative_to(MEMORY)


def with_parents(path: Path) -> None:
    """Make a folder where there is none. `UsageError` if it cannot be made."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "not a file name"
        raise UsageError(f"{quoted(path)} cannot be made: {why}") from None


def folder(path: Path, files: Mapping[str, bytes]) -> None:
    """Make a folder with these files, all of them or nothing; or fill one that is empty.

    They are written to a folder beside it, which is renamed.

    `UsageError` if it cannot be made, or something is there.
    """
    try:
        there = Path(os.path.abspath(path))
        filled = there.is_dir()
        if os.path.lexists(there) and (not filled or any(there.iterdir())):
            raise UsageError(f"{quoted(path)} exists and is not an empty folder")
        first = there  # the first folder of the path that is not there yet
        while not os.path.lexists(first.parent):
            first = first.parent
        # an empty folder can be a volume of its own, or the only one that may be written to
        inside = filled and (there.is_mount() or not os.access(there.parent, os.W_OK))
        beside = (there if inside else first.parent) / f".{first.name[:100]}.{token_hex(8)}"
        moved: list[Path] = []
        try:
            for name, data in files.items():
                target = beside / there.relative_to(first) / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
            if not filled:
                beside.rename(first)
                return
            # the folder itself may be the working directory of a process
            for entry in sorted(beside.iterdir()):
                moved.append(there / entry.name)
                entry.rename(moved[-1])
        except BaseException:
            for entry in moved:
                shutil.rmtree(entry, ignore_errors=True)
                with suppress(OSError):
                    entry.unlink(missing_ok=True)
            raise
        finally:
            shutil.rmtree(beside, ignore_errors=True)
    except OSError as error:
        raise UsageError(f"{quoted(path)} cannot be made: {error.strerror}") from None
    except ValueError:  # a NUL character
        raise UsageError(f"{quoted(path)} cannot be made: not a file name") from None


def zipped(files: Mapping[str, bytes], runnable: Collection[str] = ()) -> bytes:
    """A zip archive of the files; the same files give the same bytes.

    `runnable` names the files that are commands.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in sorted(files):
            member = zipfile.ZipInfo(name, OLDEST)
            member.compress_type = zipfile.ZIP_DEFLATED
            mode = 0o755 if name in runnable else 0o644
            member.create_system, member.external_attr = 3, mode << 16
            archive.writestr(member, files[name], compresslevel=9)
    return out.getvalue()
