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
from typing import BinaryIO, NamedTuple

PIECE = 1 << 20  # bytes that are copied at a time


class StagedFile(NamedTuple):
    """A copy of a file that is on disk, but not kept yet."""

    path: Path | None  # None: the store has the file already
    target: Path

    def keep(self) -> None:
        """Keep the file; it is durable when this returns. Raises `OSError` if that fails."""
        if self.path is not None:
            os.replace(self.path, self.target)
            _sync_folder(self.target.parent)


class FileStore:
    """A folder of files by their SHA-256, which only their owner can read (mode 0600)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, source: BinaryIO, sha256: str) -> None:
        """Keep the bytes of `source` under their SHA-256; they are on disk when this returns.

        Raises:
            OSError: That fails, or the bytes have another SHA-256.
        """
        with self.stage(source, sha256) as staged:
            staged.keep()

    @contextmanager
    def stage(self, source: BinaryIO, sha256: str) -> Iterator[StagedFile]:
        """Yield a copy of `source` on disk, which the end of the `with` removes if it was not kept.

        To copy a file may take long, to keep the copy does not: a transaction can wait for that.

        Raises:
            OSError: The bytes cannot be copied, or have another SHA-256.
        """
        target = self.path(sha256)
        if target.exists():
            yield StagedFile(None, target)
            return
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.folder.chmod(0o700)  # whoever made the folder
        target.parent.mkdir(exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(prefix=".new-", dir=target.parent)  # mode 0600
        try:
            with os.fdopen(handle, "wb") as written:
                _copy(source, written, sha256)
                written.flush()
                os.fsync(written.fileno())
            yield StagedFile(Path(name), target)
        finally:
            with suppress(OSError):  # it was kept, and has another name
                os.unlink(name)

    def open(self, sha256: str) -> BinaryIO:
        """Open a file. Raises `OSError` if the store does not have it."""
        return self.path(sha256).open("rb")

    def free(self) -> int:
        """Return how many bytes the disk has room for."""
        existing = next(each for each in (self.folder, *self.folder.parents) if each.exists())
        return shutil.disk_usage(existing).free

    def path(self, sha256: str) -> Path:
        """Return where the file with that SHA-256 is, or would be."""
        return self.folder / sha256[:2] / sha256

    @contextmanager
    def link(self, sha256: str, name: str) -> Iterator[Path]:
        """Yield the path of a file under the name with which it was sent, inside the `with`.

        The suffix of the name says which format the file has.
        """
        with tempfile.TemporaryDirectory(prefix="scorer-") as folder:
            target = Path(folder) / (Path(name).name or "submission")
            try:
                os.link(self.path(sha256), target)
            except OSError:  # the temporary folder is on another disk
                shutil.copyfile(self.path(sha256), target)
            yield target


def digest_of(path: Path) -> tuple[str, int]:
    """Return the SHA-256 and the size in bytes of a file."""
    with path.open("rb") as stream:
        return digest_of_stream(stream)


def digest_of_stream(stream: BufferedReader) -> tuple[str, int]:
    """Return the SHA-256 and the number of the bytes from a stream's position to its end."""
    start = stream.tell()
    sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
    return sha256, stream.tell() - start


def _copy(source: BinaryIO, target: BinaryIO, sha256: str) -> None:
    """Copy the whole of `source`. Raises `OSError` if its bytes have another SHA-256."""
    source.seek(0)
    digest = hashlib.sha256()
    while piece := source.read(PIECE):
        digest.update(piece)
        target.write(piece)
    if digest.hexdigest() != sha256:
        raise OSError(errno.EIO, "the file changed while it was read")


def _sync_folder(folder: Path) -> None:
    """Make a rename in a folder durable."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except PermissionError:  # Windows cannot open a folder, and has no other way to sync it
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
