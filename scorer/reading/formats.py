"""Formats: how the lines of a file become text columns.

A format is a function from the lines of a file to text columns. It gets problems of the encoding,
numbers, layouts and the places of cells for free.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import polars as pl

from scorer.core.plugins import Registry, mark
from scorer.reading.layout import PLAIN, Layout
from scorer.reading.open import table_suffix, zip_names
from scorer.reading.recognize import is_certain_run
from scorer.reading.table import Cells, ReadRequest

PACKAGE = "scorer.reading"  # whose modules hold our formats
ENTRY_POINTS = "scorer.formats"  # the group of those that installed projects add

ReadLines = Callable[[pl.DataFrame, ReadRequest], Cells]
ReadBytes = Callable[[bytes, ReadRequest], Cells]
ReadNames = Callable[[bytes], Sequence[str]]
ReadClean = Callable[[bytes, ReadRequest], "Cells | None"]
Rows = Sequence[Mapping[str, object]]  # each role -> value
WriteRows = Callable[[Rows, Mapping[str, str]], bytes]  # the mapping is role -> name of the column


@dataclass(frozen=True)
class Format:
    """A way to write a table in a file.

    Attributes:
        name: As `format:` names it.
        suffixes: The ends of the names of its files, each with its point, in small letters.
        read_lines: Returns the cells of the lines of a text file; None if its files are no text.
        read_bytes: Returns the cells of the bytes of a file that is no text.
        read_clean: Returns what `read_lines` returns, in less time, of the bytes of a clean file;
            None of a file that is not clean.
        read_names: Returns the names of the columns of the bytes of a file that is no text.
        is_document: Whether a line of its files may be of any length.
        write: Returns a file of rows, for the sample in a kit; None if no file can be made.
        aliases: Other names.
    """

    name: str
    suffixes: tuple[str, ...]
    read_lines: ReadLines | None = None
    read_bytes: ReadBytes | None = None
    read_clean: ReadClean | None = None
    read_names: ReadNames | None = None
    is_document: bool = False
    write: WriteRows | None = None
    aliases: tuple[str, ...] = ()


def format(
    name: str,
    *suffixes: str,
    read_clean: ReadClean | None = None,
    is_document: bool = False,
    write: WriteRows | None = None,
) -> Callable[[ReadLines], ReadLines]:
    """Make a function from a frame of `line` and `text` to its cells the format of that name.

    It gets a `ReadRequest`, too, to which it reports problems. `Format` explains the arguments.
    A format of files that are no text is marked with a `Format` by itself, as Parquet's is.
    """
    return lambda read: mark(
        read,
        Format(name, suffixes, read, read_clean=read_clean, is_document=is_document, write=write),
    )


@cache
def formats() -> Registry[Format]:
    """Return all formats, of this package and of installed projects."""
    return Registry("format", PACKAGE, Format, ENTRY_POINTS)


def find_format(
    path: Path,
    name: str | None,
    layout: Layout = PLAIN,
    own: Sequence[Path] | None = None,
) -> Format:
    """Return the format of that name, else the one of the file's suffix; or CSV.

    A run of TREC needs no name and no suffix.

    Args:
        path: The file.
        name: The name, if the challenge has one.
        layout: Its JSON paths make the file a JSON document.
        own: The challenge's own files if the file was sent; it is opened for the name of the file
            in a ZIP archive, and for the first lines of a text file.
    """
    if name is not None or layout.json:
        return formats().get(name or "json")
    suffix = table_suffix(path)
    if not suffix and path.suffix.lower() == ".zip":
        names = zip_names(path, own)
        suffix = table_suffix(Path(names[0] if len(names) == 1 else ""))
    found = next((each for each in formats() if suffix in each.suffixes), None)
    if (found is None or suffix == ".txt") and is_certain_run(path, own):
        return formats().get("trec")
    return found or formats().get("csv")


def known_suffix(name: str) -> str:
    """Return the end of a file's name, in small letters, that is a format's suffix; or ""."""
    suffixes = [suffix for format in formats() for suffix in format.suffixes]
    return max((each for each in suffixes if name.endswith(each)), key=len, default="")
