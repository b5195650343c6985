"""A file read as a table, by the format of its name or its suffix."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from scorer.bytes.files import member_name, open_bytes
from scorer.bytes.limits import ReadLimits, Unreadable
from scorer.bytes.lines import lines
from scorer.core.problems import Findings
from scorer.formats.base import Format, by_reader, format_of_suffix, formats
from scorer.formats.form import PLAIN, FileForm, Keys, KeyTable
from scorer.formats.parts import part_columns, part_tables
from scorer.formats.pieces import joined, pieces
from scorer.formats.reshape import Reshaped
from scorer.tables.table import Schema, Table

COMPRESSED = (".gz", ".zst", ".zip")
SHA256 = "sha256"  # the fact of a table: the digest of its file as stored


def key_table(keys: Keys) -> KeyTable:
    """The ids of lines, or values, that have none; `Unreadable` if the file cannot be read."""
    findings, columns = Findings(str(keys.file)), dict(keys.columns)
    shape = Schema(("list",), ("item",), columns)
    format = format_of(keys.file, keys.format, form=keys.form or PLAIN)
    table = read(keys.file, format, [shape], findings, ReadLimits())
    if table is None or findings.fatal:
        problem = next(iter(p for p in findings if p.severity == "error"))
        raise Unreadable(problem)
    rows = range(len(table))
    items = list(map(table.ids["item"].text, rows)) if "item" in table.ids else None
    names = [table.ids["list"].text(n) for n in rows]
    return KeyTable(names, items, keys.file.name).of_part(keys.part)


def format_of(
    path: Path,
    name: str | None,
    fallback: str = "csv",
    form: FileForm = PLAIN,
    own: Sequence[Path] | None = None,
) -> Format:
    """The format of that name, else the one of the file's suffix, else the fallback."""
    chosen = _format_of(path, name, fallback, form, own)._replace(form=form)
    if not form.parts:
        return _reshaping(chosen)

    names = {file: part for part, file in form.parts}

    def of_part(file: str) -> Format:
        lines = None if form.lines is None else form.lines._replace(part=names[file])
        return format_of(Path(file), name, fallback, form._replace(parts=(), lines=lines))

    return chosen._replace(
        tables=lambda request: part_tables(request, of_part),
        columns=lambda request, cells: part_columns(request, of_part, cells),
    )


def _reshaping(format: Format) -> Format:
    """The format, with a reader of the form where that changes the rows of a text file."""
    reader = format.reader
    if reader is None or not format.form.reshapes:
        return format
    return by_reader(format, lambda request: Reshaped(reader, request, key_table))


def _format_of(
    path: Path, name: str | None, fallback: str, form: FileForm, own: Sequence[Path] | None
) -> Format:
    if name is not None or form.json:
        return formats().get(name or "json")
    suffixes = [s.lower() for s in path.suffixes if s.lower() not in COMPRESSED]
    if path.suffix.lower() == ".zip" and not suffixes:  # as its one file is called
        suffixes = [s.lower() for s in Path(member_name(path, own) or "").suffixes]
    found = format_of_suffix(suffixes[-1]) if suffixes else None
    return found or formats().get(fallback)


def read(
    path: Path,
    format: Format,
    shapes: Sequence[Schema],
    findings: Findings,
    limits: ReadLimits,
    digested: bool = False,
) -> Table | None:
    """The table in a file, or None where it cannot be read as one; `findings` say why.

    Where it is to be `digested`, and is one file, `SHA256` is a fact of the table.
    """
    sha256 = hashlib.sha256() if digested and not format.form.parts else None
    with pieces(path, format, shapes, limits, findings, sha256=sha256) as parts:
        table = joined(parts)
    if table is None or sha256 is None or not parts.hashed:
        return table
    return replace(table, facts={**table.facts, SHA256: sha256.hexdigest()})


def header(path: Path, format: Format, limits: ReadLimits) -> frozenset[str]:
    """The words of a text file's first line that says anything, none where it cannot be read.

    For what can be known of a file without reading any row.
    """
    if format.form.header:
        return frozenset(format.form.header)
    try:
        with open_bytes(path, limits, format.binary) as stream:
            if format.words is not None:
                return format.words(path)
            first = next(
                (text for _, text in lines(stream, limits, Findings()) if text.strip()), ""
            )
    except Unreadable:
        return frozenset()
    return frozenset(re.findall(r"[^\s,;|\"{}:]+", first))
