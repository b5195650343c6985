"""Text to a file: written beside, then renamed, so that no half-written file is ever left."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from scorer.errors import UsageError, shown


def write(path: Path, data: bytes) -> None:
    """Put `data` at `path`, all of it or nothing.

    Raises:
        UsageError: it cannot be written there.
    """
    try:
        if path.exists() and not path.is_file():  # a pipe or a device: nothing to rename
            path.write_bytes(data)
            return
        handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
            Path(beside).chmod(mode)
            Path(beside).replace(path)
        except BaseException:
            Path(beside).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise UsageError(f"{shown(path)} cannot be written: {error.strerror}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
