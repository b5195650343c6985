"""A ZIP archive of many JSON files, read within bounds."""

from __future__ import annotations

import io
import os
import struct
import sys
import zipfile
import zlib
from types import TracebackType
from typing import Any, Self

from scorer.core.text import quoted
from scorer.prepare.tools.base import ToolFile
from scorer.reading.limits import UnreadableError, format_size, largest_unpacked, refuse_size
from scorer.reading.open import open_file
from scorer.reading.unpack import ZIP_DAMAGE, ZIP_METHODS, read_zip_directory

ZSTANDARD = 93  # how newer archives are packed
WINDOW = 27  # of a frame, 2**27 bytes: what it takes to unpack it
LENGTHS = 26  # bytes of a file's header before the lengths of its name and extra field
MOST_DIRECTORY = 1 << 25  # bytes, of as many files as an archive without ZIP64 can have
DAMAGED = "this is a ZIP archive that is damaged, encrypted or packed in a rare way"


class Archive:
    """The JSON files of an archive, of which no more is unpacked than the limits say."""

    def __init__(self, file: ToolFile) -> None:
        self._file = file
        self._left = largest_unpacked(file.path.stat().st_size, file.limits)

    def __enter__(self) -> Self:
        """Open it; `ChallengeError` if it is damaged, or too large."""
        try:
            self._stored = open_file(self._file.path)
            refuse_size(os.fstat(self._stored.fileno()).st_size, self._file.limits)
        except UnreadableError as error:
            self._file.wrong(error.problem.message, code=error.problem.code)
        try:
            if read_zip_directory(self._stored).size > MOST_DIRECTORY:
                self._file.wrong("the directory of this ZIP archive is too large", code="S104")
            self._archive = zipfile.ZipFile(self._stored)
        except ZIP_DAMAGE:
            self._stored.close()
            self._file.wrong(DAMAGED, code="S108")
        self.names = {entry.filename: entry for entry in self._archive.infolist()}
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self._archive.close()
        self._stored.close()

    def json(self, name: str) -> Any:
        """What one of its files holds. Raises `ChallengeError`."""
        entry = self.names[name]
        try:
            data = self._unpacked(entry)
        except (*ZIP_DAMAGE, zlib.error, OSError, EOFError):
            self._file.wrong(f"{quoted(name)} in it cannot be unpacked: {DAMAGED}", code="S108")
        self._left -= len(data)
        if self._left < 0:
            most = format_size(largest_unpacked(self._file.path.stat().st_size, self._file.limits))
            self._file.wrong(f"the archive unpacks to more than is accepted, {most}", code="S104")
        return self._file.parsed(data.decode("utf-8", "replace"), where=f"{name}: ")

    def _unpacked(self, entry: zipfile.ZipInfo) -> bytes:
        """What a file holds, or one byte more than is left."""
        if entry.compress_type in ZIP_METHODS:
            with self._archive.open(entry) as stream:
                return stream.read(self._left + 1)
        if entry.compress_type != ZSTANDARD:
            raise zipfile.BadZipFile
        self._stored.seek(entry.header_offset + LENGTHS)
        self._stored.seek(sum(struct.unpack("<HH", self._stored.read(4))), os.SEEK_CUR)
        packed = io.BytesIO(self._stored.read(entry.compress_size))
        data = _unpack_zstandard(packed, self._left + 1)  # `zipfile` has no bound
        if len(data) <= self._left and zlib.crc32(data) != entry.CRC:
            raise zipfile.BadZipFile
        return data


def _unpack_zstandard(packed: io.BytesIO, most: int) -> bytes:
    """The first bytes of a frame; `BadZipFile` if it is damaged."""
    if sys.version_info >= (3, 14):
        from compression.zstd import DecompressionParameter, ZstdError, ZstdFile
    else:
        from backports.zstd import DecompressionParameter, ZstdError, ZstdFile
    options = {int(DecompressionParameter.window_log_max): WINDOW}
    try:
        with ZstdFile(packed, options=options) as stream:
            return stream.read(most)
    except ZstdError:
        raise zipfile.BadZipFile from None
