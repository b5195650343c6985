"""A ZIP archive of one file, which pandas writes and competition sites ask for."""

from __future__ import annotations

import io
import os
import struct
import zipfile
from pathlib import PurePosixPath
from typing import Any

from scorer.bytes.limits import Unreadable
from scorer.core.problems import Problem
from scorer.core.text import join_first, nearest, quoted

ZIP = b"PK\x03\x04"
END, END64 = b"PK\x05\x06", b"PK\x06\x07"  # of the directory, and what goes before a large one's
SHORTEST = 22  # bytes of the end of the directory, without a comment
LONGEST = SHORTEST + (1 << 16)
MOST_FILES, MOST_DIRECTORY = 1000, 1 << 20  # what is looked through
# the others unpack without a bound on how much at once
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# what `zipfile` raises of an archive that is damaged, encrypted or packed in a rare way
DAMAGE = (zipfile.BadZipFile, RuntimeError, ValueError, struct.error)
ONE = "a ZIP archive of one file is read; send that file, or each file alone"


def is_office(head: bytes) -> bool:
    """Whether what begins so is a workbook, which is a ZIP archive too."""
    return any(word in head for word in (b"[Content_Types].xml", b"xl/", b"opendocument.spread"))


class Member(io.RawIOBase):
    """The one file of an archive, or the one of that name; its damage is an `OSError`.

    The archive can be sought, and is closed with this. `Unreadable` if it has no file or several,
    or the one cannot be unpacked.
    """

    def __init__(self, stored: Any, name: str | None = None) -> None:
        super().__init__()
        self._stored, self._source = stored, None
        try:
            entry = _only(stored) if name is None else _entry_named(stored, name)
            self.name = entry.filename
            if entry.compress_type not in METHODS:
                raise NotImplementedError
            self._source = zipfile.ZipFile(stored).open(entry)  # noqa: SIM115
        except DAMAGE:
            stored.close()
            message = "this is a ZIP archive that is damaged, encrypted or packed in a rare way"
            hint = "pack and send the file again"
            raise Unreadable(Problem("S108", message, help=hint)) from None
        except Unreadable:
            stored.close()
            raise

    def read(self, size: int = -1) -> bytes:
        """At most `size` bytes; `EOFError` if the archive ends early, `OSError` if damaged."""
        assert self._source is not None
        try:
            return self._source.read(size)
        except zipfile.BadZipFile as error:
            raise OSError(str(error)) from None

    @property
    def position(self) -> int:
        """How far the archive has been read."""
        return int(self._stored.tell())

    def close(self) -> None:
        """Close the archive too."""
        if self._source is not None:
            self._source.close()
        self._stored.close()
        super().close()


def file_names(stored: Any) -> list[str]:
    """The names of the files of an archive, without folders; none of a damaged one."""
    try:
        return [PurePosixPath(entry.filename).name for entry in _entries(stored)]
    except (*DAMAGE, Unreadable):
        return []


def _only(stored: Any) -> zipfile.ZipInfo:
    """The entry of the one file of an archive."""
    files = _entries(stored)
    if len(files) != 1:
        message = f"this is a ZIP archive of {len(files) or 'no'} files, not a table"
        raise Unreadable(Problem("S107", message, help=ONE))
    return files[0]


def _entry_named(stored: Any, name: str) -> zipfile.ZipInfo:
    """The entry of one of several files, whatever folder of the archive it is in."""
    files = _entries(stored)
    matches = [entry for entry in files if PurePosixPath(entry.filename).name == name]
    if len(matches) != 1:
        names = [PurePosixPath(entry.filename).name for entry in files]
        raise Unreadable(lost_part(name, names, len(matches)))
    return matches[0]


def lost_part(name: str, names: list[str], times: int = 0) -> Problem:
    """The problem of a part of a submission that is not there exactly once."""
    if times:
        return Problem("S213", f"{quoted(name)} is in this archive {times:,} times")
    similar = nearest(name, names)
    hint = f"; rename {quoted(similar)}?" if similar else ""
    listing = join_first(sorted(names)) or "no file"
    return Problem("S213", f"{quoted(name)} is missing; found: {listing}{hint}")


def announced(stored: Any, comment: bool = True) -> tuple[int, int]:
    """The number of entries of an archive's directory, and its bytes, from its end alone.

    `BadZipFile` if it has no such end, or is a ZIP64 archive, whose end does not say it.
    """
    size = stored.seek(0, os.SEEK_END)
    stored.seek(max(size - (LONGEST if comment else SHORTEST), 0))
    tail = stored.read(LONGEST)
    end = tail.rfind(END)
    if end < 0 or len(tail) - end < SHORTEST or tail[max(end - 20, 0) :].startswith(END64):
        raise zipfile.BadZipFile
    entries, directory = struct.unpack("<HI", tail[end + 10 : end + 16])
    return entries, directory


def _entries(stored: Any) -> list[zipfile.ZipInfo]:
    """The entries of the files of an archive; what a Mac puts beside them is none."""
    entries, directory = announced(stored)
    if entries > MOST_FILES or directory > MOST_DIRECTORY:
        message = f"this is a ZIP archive of {entries:,} files, not a table"
        raise Unreadable(Problem("S107", message, help=ONE))
    return [entry for entry in zipfile.ZipFile(stored).infolist() if _is_file(entry)]


def _is_file(entry: zipfile.ZipInfo) -> bool:
    path = PurePosixPath(entry.filename)
    return not (entry.is_dir() or path.parts[:1] == ("__MACOSX",) or path.name.startswith("."))
