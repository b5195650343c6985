"""A ZIP archive of many JSON files, read within bounds."""

from __future__ import annotations

import zipfile
import zlib
from types import TracebackType
from typing import Any, Self

from scorer.bytes.archive import DAMAGE, METHODS, announced
from scorer.bytes.files import open_stored
from scorer.bytes.limits import Unreadable, format_size, most_unpacked
from scorer.core.text import quoted
from scorer.prepare.tools.base import ToolFile

MOST_DIRECTORY = 1 << 25  # bytes, of as many files as an archive without ZIP64 can have
DAMAGED = "this is a ZIP archive that is damaged, encrypted or packed in a rare way"


class Archive:
    """The JSON files of an archive, of which no more is unpacked than the limits say."""

    def __init__(self, file: ToolFile) -> None:
        self._file = file
        self._left = most_unpacked(file.path.stat().st_size, file.limits)

    def __enter__(self) -> Self:
        """Open it; `ChallengeError` if it is damaged, or too large."""
        try:
            self._stored = open_stored(self._file.path, (), self._file.limits)
        except Unreadable as error:
            self._file.wrong(error.problem.message, code=error.problem.code)
        try:
            if announced(self._stored)[1] > MOST_DIRECTORY:
                self._file.wrong("the directory of this ZIP archive is too large", code="S104")
            self._archive = zipfile.ZipFile(self._stored)
        except DAMAGE:
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
            if entry.compress_type not in METHODS:
                raise zipfile.BadZipFile
            with self._archive.open(entry) as stream:
                data = stream.read(self._left + 1)
        except (*DAMAGE, zlib.error, OSError, EOFError):
            self._file.wrong(f"{quoted(name)} in it cannot be unpacked: {DAMAGED}", code="S108")
        self._left -= len(data)
        if self._left < 0:
            most = format_size(most_unpacked(self._file.path.stat().st_size, self._file.limits))
            self._file.wrong(f"the archive unpacks to more than is accepted, {most}", code="S104")
        return self._file.parsed(data.decode("utf-8", "replace"), where=f"{name}: ")
