"""Files kept under the SHA-256 of their bytes, on a disk or on any filesystem of fsspec."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Protocol

from scorer.core.errors import UsageError

PIECE = 1 << 20


class Kept(NamedTuple):
    """A file that is kept, or the passing one of a process that was ended."""

    path: str  # below the place of all files
    size: int  # bytes
    time: datetime  # of the last change

    @property
    def sha256(self) -> str:
        """The digest under which it is kept; no digest for a passing one."""
        return self.path.rpartition("/")[2]


class Files(Protocol):
    """Where files are kept."""

    def keep(self, source: BinaryIO, sha256: str) -> None:
        """Keep the bytes of `source`, durably; `OSError` if that or their digest fails."""
        ...

    def has(self, sha256: str) -> bool:
        """Whether a file is there."""
        ...

    def open(self, sha256: str) -> BinaryIO:
        """Open a file that is there. Raises `OSError` where it is not."""
        ...

    def all(self) -> Iterator[Kept]:
        """All files."""
        ...

    def free(self) -> int | None:
        """Bytes that there is room for; None: it is not known."""
        ...

    def remove(self, kept: Kept) -> None:
        """Remove a file; one that is gone already is no error."""
        ...


class LocalFiles:
    """A folder: written beside, synced, then renamed; mode 0600."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, source: BinaryIO, sha256: str) -> None:
        """Keep the bytes of `source` under `sha256`, on disk when this returns."""
        target = self._path(sha256)
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

    def has(self, sha256: str) -> bool:
        """Whether it is there."""
        return self._path(sha256).exists()

    def open(self, sha256: str) -> BinaryIO:
        """Open it. Raises `OSError` where it is not there."""
        return self._path(sha256).open("rb")

    def all(self) -> Iterator[Kept]:
        """All files, by their paths."""
        for path in sorted(self.folder.glob("*/*")):
            with suppress(FileNotFoundError):  # removed meanwhile
                state = path.stat()
                time = datetime.fromtimestamp(state.st_mtime, UTC)
                yield Kept(path.relative_to(self.folder).as_posix(), state.st_size, time)

    def free(self) -> int | None:
        """Bytes that the disk has room for."""
        there = next(each for each in (self.folder, *self.folder.parents) if each.exists())
        return shutil.disk_usage(there).free

    def remove(self, kept: Kept) -> None:
        """Remove a file."""
        (self.folder / kept.path).unlink(missing_ok=True)

    def _path(self, sha256: str) -> Path:
        return self.folder / sha256[:2] / sha256


class RemoteFiles:
    """A folder on a filesystem of fsspec, such as s3://bucket/path."""

    def __init__(self, url: str) -> None:
        try:
            import fsspec
        except ImportError:
            raise UsageError(
                f"files at {url} need fsspec: pip install challenge-scorer[files]"
            ) from None
        self._system: Any
        self._system, self._root = fsspec.core.url_to_fs(url)

    def keep(self, source: BinaryIO, sha256: str) -> None:
        """Upload under a passing name, then rename."""
        if self.has(sha256):
            return
        target = self._path(sha256)
        self._system.makedirs(target.rsplit("/", 1)[0], exist_ok=True)
        passing = f"{target}.new-{os.getpid()}"
        with self._system.open(passing, "wb") as written:
            _copy(source, written, sha256)
        self._system.mv(passing, target)

    def has(self, sha256: str) -> bool:
        """Whether it is there."""
        return bool(self._system.exists(self._path(sha256)))

    def open(self, sha256: str) -> BinaryIO:
        """Open it. Raises `OSError` where it is not there."""
        opened: BinaryIO = self._system.open(self._path(sha256), "rb")
        return opened

    def all(self) -> Iterator[Kept]:
        """All files, by their paths."""
        found = self._system.find(self._root, detail=True)
        for path, fields in sorted(found.items()):
            time = self._system.modified(path)
            below = path.removeprefix(self._system._strip_protocol(self._root)).lstrip("/")
            yield Kept(below, fields["size"], time if time.tzinfo else time.replace(tzinfo=UTC))

    def free(self) -> int | None:
        """It is not known."""
        return None

    def remove(self, kept: Kept) -> None:
        """Remove a file."""
        with suppress(FileNotFoundError):
            self._system.rm_file(f"{self._root}/{kept.path}")

    def _path(self, sha256: str) -> str:
        return f"{self._root}/{sha256[:2]}/{sha256}"


def files_at(place: Path | str) -> Files:
    """The files in a folder, or at a URL."""
    if isinstance(place, str) and "://" in place:
        return RemoteFiles(place)
    return LocalFiles(Path(place))


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
    """A kept file under the name it was sent with, in a folder that goes with the context.

    Formats are told by suffixes, so the name matters.
    """
    with tempfile.TemporaryDirectory(prefix="scorer-") as folder:
        target = Path(folder) / (Path(name).name or "submission")
        kept_path = files._path(sha256) if isinstance(files, LocalFiles) else None
        linked = False
        if kept_path is not None:
            with suppress(OSError):
                os.link(kept_path, target)
                linked = True
        if not linked:
            with files.open(sha256) as read, target.open("wb") as written:
                while piece := read.read(PIECE):
                    written.write(piece)
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
