"""Finds out how a file is written, from its first lines, and reads its first rows.

`FORMS` lists the forms of files, each a function that returns a preview of a file of its form.
The first that fits wins, so that rarer forms come first.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl

from scorer.core.errors import UsageError
from scorer.core.text import display_path
from scorer.infer.base import Preview
from scorer.reading.formats import (
    HEAD_BYTES,
    MOST_HEAD_LINES,
    QRELS_LINES,
    RUN_LINES,
    find_format,
    first_lines,
    matching_lines,
    trec_lines,
)
from scorer.reading.json_faults import parse_json
from scorer.reading.layout import MOST_PARTS, PART_MARK
from scorer.reading.limits import UnreadableError
from scorer.reading.unpack import read_bytes, read_head, zip_names

LIST_LINE = re.compile(r"[^][{},:\"]+:[^][{},:\"]+(,[^][{},:\"]+)+,?\s*")
MOST_DOCUMENT = 1 << 24  # bytes of a JSON document that is looked at
SEPARATORS = {",": ",", ";": ";", "\t": "tab", "|": "|"}  # -> the word of challenge.yaml
ROLES_BY_PLACE = ("list", "item", "value")  # the names of columns in a file without a header
QRELS_NAMES = ("list", "Q0", "item", "grade")
RUN_NAMES = ("list", "Q0", "item", "rank", "score", "tag")


def preview_table(table: Path | pl.DataFrame) -> Preview:
    """Return a preview of a file or frame.

    Raises:
        UsageError: The file has no known form, or the frame has one column or none.
    """
    if isinstance(table, pl.DataFrame):
        if len(table.columns) < 2:
            raise UsageError("a frame of one column does not show what it is")
        return preview_frame(table)
    if (preview := preview_file(table)) is not None:
        return preview
    try:
        refuse_blank(table)
    except UnreadableError as error:
        raise UsageError(f"{display_path(table)}: {error.problem.message}") from None
    raise UsageError(
        f"{display_path(table)}: no header is seen in which columns have names; if its lines have "
        "no ids, write lines: lists, and as lists: the file whose rows they follow"
    )


def preview_frame(frame: pl.DataFrame) -> Preview:
    """Return a preview of a data frame, whose values are written as CSV has them."""
    head = frame.head(MOST_HEAD_LINES)
    columns = [
        pl.lit("").alias(name) if dtype.is_nested() or dtype in (pl.Binary, pl.Object) else name
        for name, dtype in head.schema.items()
    ]
    texts = head.select(columns).cast(pl.String).fill_null("")
    return Preview(tuple(frame.columns), tuple(texts.rows()))


def preview_file(path: Path) -> Preview | None:
    """Return a preview of a file by the first form that fits; None if none does."""
    lines = first_lines(path)
    return next((preview for form in FORMS if (preview := form(path, lines)) is not None), None)


def refuse_blank(path: Path) -> None:
    """Raise UnreadableError if a file cannot be unpacked, or its beginning is blank or no text."""
    head = read_head(path, HEAD_BYTES)
    if not head.strip() and len(head) < HEAD_BYTES:
        raise UnreadableError("S102", "the file holds nothing but blank lines")


def _preview_parts(path: Path, lines: Sequence[str]) -> Preview | None:
    """Return a preview of a ZIP archive of several tables with the same columns."""
    files = {name.partition(".")[0]: name for name in sorted(zip_names(path))}
    if not 1 < len(files) <= MOST_PARTS or len(files) < len(zip_names(path)):
        return None
    previews: dict[str, Preview] = {}
    for part, name in files.items():
        file = Path(name)
        part_lines = first_lines(path, part=name)
        preview = _preview_objects(file, part_lines) or _preview_delimited(file, part_lines)
        if preview is None:
            return None
        previews[part] = preview
    first, *others = previews.values()
    if any((other.names, other.layout) != (first.names, first.layout) for other in others):
        return None
    rows = [
        (f"{part}{PART_MARK}{name}", *rest)
        for part, preview in previews.items()
        for name, *rest in preview.rows
    ]
    return Preview(first.names, tuple(rows), {**first.layout, "parts": files})


def _preview_trec(path: Path, lines: Sequence[str]) -> Preview | None:
    """Return a preview of qrels, or of a run, of TREC."""
    for names, patterns in ((QRELS_NAMES, QRELS_LINES), (RUN_NAMES, RUN_LINES)):
        if found := trec_lines(lines, path, patterns):
            rows = tuple(tuple(line.split()[: len(names)]) for line in found)
            return Preview(names, rows, {"format": "trec"}, is_trec=True)
    return None


def _preview_binary(path: Path, lines: Sequence[str]) -> Preview | None:
    """Return a preview of a Parquet file: the names of its columns, and no row."""
    format = find_format(path, None)
    if format.read_names is None:
        return None
    try:
        return Preview(tuple(sorted(format.read_names(read_bytes(path, is_binary=True).data))))
    except UnreadableError:
        return None


def _preview_document(path: Path, lines: Sequence[str]) -> Preview | None:
    """Return a preview of a JSON document: `{id: [items]}`, or `{name: [{id, items}]}`."""
    if not lines or lines[0].lstrip()[:1] != "{":
        return None
    try:
        data = read_head(path, MOST_DOCUMENT + 1)
        document = parse_json(data) if len(data) <= MOST_DOCUMENT else None
    except (UnreadableError, ValueError):
        return None
    if not isinstance(document, dict) or not document:
        return None
    if all(map(_is_array_of_ids, document.values())):
        rows = [(name, str(item)) for name, items in document.items() for item in items]
        return Preview(("list", "item"), tuple(rows[:MOST_HEAD_LINES]), {"format": "json"})
    found = (_preview_array(name, value) for name, value in document.items())
    return next((preview for preview in found if preview is not None), None)


def _preview_array(name: str, value: object) -> Preview | None:
    """Return a preview of an array in a JSON document: objects with an id and an array of ids."""
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        return None
    first = value[0] if value else {}
    keys = [k for k, v in first.items() if isinstance(v, str | int) and "id" in k.lower()]
    arrays = [k for k in first if all(_is_array_of_ids(entry.get(k)) for entry in value)]
    arrays = [k for k in arrays if any(entry[k] for entry in value)] or arrays
    if len(keys) != 1 or len(arrays) != 1:
        return None
    key = keys[0]
    array = arrays[0]
    rows = [(str(entry.get(key)), str(item)) for entry in value for item in entry[array]]
    paths = {"list": f"{name}[].{key}", "item": f"{name}[].{array}[]"}
    return Preview(("list", "item"), tuple(rows[:MOST_HEAD_LINES]), {"json": paths})


def _is_array_of_ids(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(entry, str | int | float) for entry in value)


def _preview_objects(path: Path, lines: Sequence[str]) -> Preview | None:
    """Return a preview of JSON Lines: an object of texts and numbers a line."""
    rows = list[dict[str, Any]]()
    for line in lines:
        with suppress(ValueError):
            row = parse_json(line)
            rows += [row] if isinstance(row, dict) else []
    if 2 * len(rows) <= len(lines):
        return None
    if any(isinstance(value, list | dict) for row in rows for value in row.values()):
        return None
    names = tuple(rows[0])
    cells = tuple(tuple(str(row.get(name, "")) for name in names) for row in rows)
    is_jsonl = find_format(path, None).name == "jsonl"
    return Preview(names, cells, {} if is_jsonl else {"format": "jsonl"})


def _preview_lists(path: Path, lines: Sequence[str]) -> Preview | None:
    """Return a preview of a file with one list a line: `s1: 4, 9, 12`."""
    has_suffix = find_format(path, None).name == "lists"
    # Names without a colon are the header of a table, whose rows may begin with times.
    if not lines or not (has_suffix or (":" in lines[0] and matching_lines(lines, LIST_LINE))):
        return None
    lists = [line.partition(":") for line in lines]
    rows = [(name, item) for name, _, items in lists for item in items.split(",")]
    return Preview(("list", "item"), tuple(rows), {} if has_suffix else {"format": "lists"})


def _preview_long_rows(path: Path, lines: Sequence[str]) -> Preview | None:
    """Return a preview of lines of a number and the ids of its items: `17, a, b, c`.

    One line may begin with a word. It is a note before the rows, and is read as a comment.
    """
    if find_format(path, None).name != "csv":
        return None
    for mark in SEPARATORS:
        rows = [[cell.strip() for cell in line.split(mark)] for line in lines]
        of_lists = [row for row in rows if row[0].isdigit()]
        notes = [row[0] for row in rows if not row[0].isdigit()]
        has_header = notes and rows[0][0] == notes[0] and {*map(len, rows)} == {len(rows[0])}
        if len(of_lists) < 2 or len(notes) > 1 or has_header:
            continue
        if not _are_ranked_ids([row[1:] for row in of_lists]):
            continue
        layout: dict[str, Any] = {"header": ["list", "item"], "cells": {"item": mark}}
        if mark != _usual_separator(path):
            layout["separator"] = SEPARATORS[mark]
        if notes:
            layout["comment"] = notes
        pairs = [(row[0], item) for row in of_lists for item in row[1:] if item]
        return Preview(ROLES_BY_PLACE[:2], tuple(pairs), layout)
    return None


def _are_ranked_ids(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether rows have ids in some order: none twice in a row, most in several columns."""
    rows = [[cell for cell in row if cell] for row in rows]
    if not all(len(row) == len(set(row)) for row in rows) or max(map(len, rows)) < 2:
        return False
    if any(not re.search(r"\d", cell) or "." in cell for row in rows for cell in row):
        return False
    places: dict[str, set[int]] = {}
    for row in rows:
        for n, cell in enumerate(row):
            places.setdefault(cell, set()).add(n)
    moved = [cell for row in rows for cell in row if len(places[cell]) > 1]
    return 2 * len(moved) > sum(map(len, rows))


def _preview_delimited(path: Path, lines: Sequence[str]) -> Preview | None:
    """Return a preview of a table with one separator, with a header or without."""
    if not lines or find_format(path, None).name != "csv":
        return None
    usual = _usual_separator(path)
    for mark in dict.fromkeys((usual, *SEPARATORS)):
        head, *rows = csv.reader(lines, delimiter=mark)
        if len(head) < 2 or (mark != usual and any(len(row) != len(head) for row in rows)):
            continue
        if rows and all(len(row) < 2 for row in rows):
            continue  # a comma of a sentence
        layout: dict[str, Any] = {} if mark == usual else {"separator": SEPARATORS[mark]}
        names = tuple(name.strip() for name in head)
        if _begins_with_number_as_others([head, *rows]):
            names = (*ROLES_BY_PLACE, *(f"column{n}" for n in range(4, len(head) + 1)))[: len(head)]
            layout = {"header": list(names), **layout}
            rows = [head, *rows]
        return Preview(names, tuple(map(tuple, rows)), layout)
    return None


def _usual_separator(path: Path) -> str:
    """Return the separator of columns by a file's suffix."""
    return "\t" if path.name.lower().removesuffix(".gz").endswith(".tsv") else ","


def _begins_with_number_as_others(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row is no header: it begins as the others do, with a number."""
    shapes = [re.sub(r"\d+", "0", row[0].strip()) for row in rows if row]
    return "0" in shapes[0] and set(shapes[1:]) <= {shapes[0]}


Form = Callable[[Path, Sequence[str]], Preview | None]
FORMS: tuple[Form, ...] = (
    _preview_parts,
    _preview_trec,
    _preview_binary,
    _preview_document,
    _preview_objects,
    _preview_lists,
    _preview_long_rows,
    _preview_delimited,
)
