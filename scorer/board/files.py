"""Files kept in a folder under the SHA-256 of their bytes."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

PIECE = 1 << 20


class Files:
    """A folder of files by their SHA-256: written beside, synced, then renamed; mode 0600."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, source: BinaryIO, sha256: str) -> None:
        """Keep the bytes of `source` under `sha256`, on disk when this returns.

        `OSError` if that fails, or they have another digest.
        """
        target = self.path(sha256)
        if target.exists():
            return
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.folder.chmod(0o700)  # also of an older store
        target.parent.mkdir(exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(prefix=".new-", dir=target.parent)  # mode 0600
        try:
            with os.fdopen(handle, "wb") as written:
                _copy(source, written, sha256)
                written.flush()
                os.fsync(written.fileno())
            os.replace(name, target)
        except BaseException:
            with suppress(OSError):
                os.unlink(name)
            raise
        _sync_folder(target.parent)

    def open(self, sha256: str) -> BinaryIO:
        """Open a file. Raises `OSError` where it is not there."""
        return self.path(sha256).open("rb")

    def free(self) -> int:
        """Bytes that the disk has room for."""
        there = next(each for each in (self.folder, *self.folder.parents) if each.exists())
        return shutil.disk_usage(there).free

    def path(self, sha256: str) -> Path:
        """Where the file of that digest is, or would be."""
        return self.folder / sha256[:2] / sha256


def digest_of(path: Path) -> tuple[str, int]:
    """SHA-256 and size in bytes of a file as it is stored."""
    with path.open("rb") as stream:
        return digest_of_stream(stream)


def digest_of_stream(stream: BufferedReader) -> tuple[str, int]:
    """SHA-256 and number of a stream's bytes, from where it stands."""
    start = stream.tell()
    sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
    return sha256, stream.tell() - start


def _copy(source: BinaryIO, target: BinaryIO, sha256: str) -> None:
    """Copy the bytes that have that digest. Raises `OSError` where they have another one."""
    source.seek(0)
    digest = hashlib.sha256()
    while piece := source.read(PIECE):
        digest.update(piece)
        target.write(piece)
    if digest.hexdigest() != sha256:
        raise OSError(errno.EIO, "the file changed while it was read")


def digest_in(files: Files, sha256: str) -> str:
    """The SHA-256 that a kept file has now. Raises `OSError` where it is not there."""
    digest = hashlib.sha256()
    with files.open(sha256) as read:
        while piece := read.read(PIECE):
            digest.update(piece)
    return digest.hexdigest()


@contextmanager
def as_path(files: Files, sha256: str, name: str) -> Iterator[Path]:
    """Yield the path of a kept file under the name with which it was sent, inside the `with`.

    The suffix of the name tells the format.
    """
    with tempfile.TemporaryDirectory(prefix="scorer-") as folder:
        target = Path(folder) / (Path(name).name or "submission")
        try:
            os.link(files.path(sha256), target)
        except OSError:  # the temporary folder is on another disk
            shutil.copyfile(files.path(sha256), target)
        yield target


def _sync_folder(folder: Path) -> None:
    """Make a rename in a folder durable."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except PermissionError:  # Windows opens no folder
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
