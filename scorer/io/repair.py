"""A repaired copy of a file, of what can be repaired without guessing what was meant.

No value is changed: only how the table is written. Whoever repairs looks at
the copy and the list of changes; scoring never repairs anything.
"""

from __future__ import annotations

import csv
import io
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scorer.core.errors import UsageError
from scorer.core.text import printable
from scorer.io.files import beginning, open_bytes
from scorer.io.formats.base import COMPRESSED
from scorer.io.limits import Limits, Unreadable

MOST = 256 * 1024 * 1024  # bytes of a file that is repaired in memory
INDEX = {"", "Unnamed: 0", "index"}  # what pandas calls a column that nobody asked for
UTF16 = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


@dataclass(frozen=True, slots=True)
class Repaired:
    """The bytes of a copy, and what is different in it."""

    data: bytes
    changes: tuple[str, ...]


def repair(path: Path, tabular: bool, roles: Sequence[str], separator: str = ",") -> Repaired:
    """The file with its encoding, separators, blanks and index column put right.

    Args:
        path: the file; compressed ones come out unpacked.
        tabular: whether it is a table of separated columns, so that more than
            the encoding can be told.
        roles: the columns' names that are expected.
        separator: what is expected between columns.

    Raises:
        UsageError: it cannot be read, or is too large.
    """
    changes: list[str] = []
    text = _text(_bytes(path), changes)
    if tabular:
        text = _table(text, roles, separator, changes)
    return Repaired(text.encode("utf-8"), tuple(changes))


def beside(path: Path) -> Path:
    """Where a repaired copy goes: `runs/a.csv.gz` -> `runs/a.fixed.csv`."""
    name = path.name
    for suffix in COMPRESSED:
        if name.lower().endswith(suffix):
            name = name[: -len(suffix)]
    stem, dot, suffix = name.rpartition(".")
    return path.with_name(f"{stem}.fixed.{suffix}" if dot and stem else f"{name}.fixed")


def _bytes(path: Path) -> bytes:
    try:
        if beginning(path, 2) in UTF16:  # no table to the readers, which look no further
            data = beginning(path, MOST + 1)
        else:
            with open_bytes(path, Limits(size=MOST, unpacked=MOST)) as stream:
                data = stream.read(MOST + 1)
    except Unreadable as error:
        raise UsageError(f"{printable(path)} cannot be repaired: {error.problem.message}") from None
    if len(data) > MOST:
        raise UsageError(f"{printable(path)} is too large to be repaired")
    return data


def _text(data: bytes, changes: list[str]) -> str:
    if data[:2] in UTF16:
        changes.append("encoding: UTF-16 became UTF-8")
        text = data.decode("utf-16", "replace")
    else:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            changes.append("encoding: Windows-1252 became UTF-8")
            text = data.decode("cp1252", "replace")
    if text.startswith("\ufeff"):
        text = text[1:]
        changes.append("the byte-order mark went")
    if "\0" in text:
        changes.append(f"{text.count(chr(0)):,} NUL bytes went")
        text = text.replace("\0", "")
    return text


def _table(text: str, roles: Sequence[str], separator: str, changes: list[str]) -> str:
    """The table with its columns separated as expected, its cells bare, its index gone."""
    header = text.lstrip("\r\n").split("\n", 1)[0]
    found = _separator(header, roles, separator)
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=found) if row]
    except csv.Error:
        return text  # a quote that nobody closed: what was meant cannot be told
    told: Counter[str] = Counter()
    if found != separator:
        told[f"columns separated by {found!r} are now by {separator!r}"] = 1
    bare = [[_bare(cell) for cell in row] for row in rows]
    if blanks := sum(
        cell.strip(" \t") != clean
        for row, clean_row in zip(rows, bare, strict=True)
        for cell, clean in zip(row, clean_row, strict=True)
    ):
        told[f"blanks and invisible characters round {blanks:,} values went"] = blanks
    if bare and _is_index(bare, roles):
        told[f"the index column {bare[0][0]!r} went"] = 1
        bare = [row[1:] for row in bare]
    if not told:
        return text
    changes.extend(told)
    if "\r" in text:
        changes.append("lines end with a line feed alone")
    written = io.StringIO()
    csv.writer(written, delimiter=separator, lineterminator="\n").writerows(bare)
    return written.getvalue()


def _separator(header: str, roles: Sequence[str], separator: str) -> str:
    """What separates the columns: the mark that cuts the header into the most known names."""

    def known(mark: str) -> int:
        return len({_bare(name.strip('"')) for name in header.split(mark)} & set(roles))

    return max((separator, ",", ";", "\t", "|"), key=known)


def _is_index(rows: list[list[str]], roles: Sequence[str]) -> bool:
    """Whether the first column only counts the rows, and nobody asked for it."""
    if rows[0][:1] == [] or rows[0][0] not in INDEX or rows[0][0] in roles or len(rows) < 2:
        return False
    counted = [row[0] for row in rows[1:]]
    return any(counted == [str(n + start) for n in range(len(counted))] for start in (0, 1))


def _bare(cell: str) -> str:
    """A cell less the blanks and the invisible characters round it."""
    if cell.isascii():
        return cell.strip()
    start, end = 0, len(cell)
    while start < end and _nothing(cell[start]):
        start += 1
    while end > start and _nothing(cell[end - 1]):
        end -= 1
    return cell[start:end]


def _nothing(character: str) -> bool:
    return character.isspace() or unicodedata.category(character) in ("Cf", "Cc")
