"""How a file is written, by its content: a table of forms, each a function that knows its own."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from scorer.core.errors import UsageError
from scorer.core.text import display_path
from scorer.infer.look import Preview
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

LISTS = re.compile(r"[^][{},:\"]+:[^][{},:\"]+(,[^][{},:\"]+)+,?\s*")

MOST_DOCUMENT = 1 << 24  # bytes of a JSON document that is looked at
SEPARATORS = {",": ",", ";": ";", "\t": "tab", "|": "|"}  # and how challenge.yaml calls them
PLACE_NAMES = ("list", "item", "value")  # what columns without names are called

Form = Callable[[Path, Sequence[str]], Preview | None]


def look(path: Path) -> Preview | None:
    """The columns and first rows of a file, by the first form that fits; None where none does."""
    lines = first_lines(path)
    return next((content for form in FORMS if (content := form(path, lines)) is not None), None)


def looked(path: Path) -> Preview:
    """The columns and first rows of a file; `UsageError` if no form fits it."""
    if (content := look(path)) is not None:
        return content
    try:
        refuse_unreadable(path)
    except UnreadableError as error:
        raise UsageError(f"{display_path(path)}: {error.problem.message}") from None
    raise UsageError(
        f"{display_path(path)}: no header is seen in which columns have names; if its lines have "
        "no ids, write lines: lists, and as lists: the file whose rows they follow"
    )


def refuse_unreadable(path: Path) -> None:
    """Raise UnreadableError if the beginning of a file shows that it is no text, or is blank."""
    head = read_head(path, HEAD_BYTES)
    if not head.strip() and len(head) < HEAD_BYTES:
        raise UnreadableError("S102", "the file holds nothing but blank lines")


def _parts(path: Path, lines: Sequence[str]) -> Preview | None:
    """A ZIP archive of several tables with the same columns, each of which is a part."""
    names = sorted(zip_names(path))
    parts = {name.partition(".")[0]: name for name in names}
    if not 1 < len(names) == len(parts) <= MOST_PARTS:
        return None
    looks: dict[str, Preview] = {}
    for part, name in parts.items():
        part_lines = first_lines(path, part=name)
        part_look = next(
            (fitting for form in (_objects, _table) if (fitting := form(Path(name), part_lines))),
            None,
        )
        if part_look is None:
            return None
        looks[part] = part_look
    first, *others = looks.values()
    if any((other.names, other.written) != (first.names, first.written) for other in others):
        return None
    rows = [
        (f"{part}{PART_MARK}{name}", *rest)
        for part, other in looks.items()
        for name, *rest in other.rows
    ]
    return Preview(first.names, tuple(rows), {**first.written, "parts": parts})


def _tails(path: Path, lines: Sequence[str]) -> Preview | None:
    """An id, then the ids of its items to the end of the line; what begins otherwise is no row."""
    if find_format(path, None).name != "csv":
        return None
    for mark in SEPARATORS:
        rows = [[cell.strip() for cell in line.split(mark)] for line in lines]
        data_rows = [row for row in rows if row[0].isdigit()]
        notes = list(dict.fromkeys(row[0] for row in rows if not row[0].isdigit()))
        if (
            len(data_rows) < 2
            or len(notes) > 1
            or len(rows) - len(data_rows) > 1
            or _is_header(rows)
        ):
            continue
        if not _are_ids([row[1:] for row in data_rows]):
            continue
        written: dict[str, Any] = {"header": ["list", "item"], "cells": {"item": mark}}
        if mark != _usual(path):
            written["separator"] = SEPARATORS[mark]
        if notes:
            written["comment"] = notes
        pairs = [(row[0], item) for row in data_rows for item in row[1:] if item]
        return Preview(PLACE_NAMES[:2], tuple(pairs), written)
    return None


def _is_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first line has a name for each column of the others."""
    return not rows[0][0].isdigit() and {len(row) for row in rows} == {len(rows[0])}


def _are_ids(rows: Sequence[Sequence[str]]) -> bool:
    """Whether rows have ids in any order: each once, and the same ones in other columns."""
    rows = [[cell for cell in row if cell] for row in rows]
    if not all(len(row) == len(set(row)) for row in rows) or max(map(len, rows)) < 2:
        return False
    if any(not re.search(r"\d", cell) or "." in cell for row in rows for cell in row):
        return False
    places: dict[str, set[int]] = {}
    for row in rows:
        for n, cell in enumerate(row):
            places.setdefault(cell, set()).add(n)
    again = [cell for row in rows for cell in row if len(places[cell]) > 1]
    return 2 * len(again) > sum(map(len, rows))


def _usual(path: Path) -> str:
    """The separator of columns by a file's suffix."""
    return "\t" if path.name.lower().removesuffix(".gz").endswith(".tsv") else ","


def _qrels(path: Path, lines: Sequence[str]) -> Preview | None:
    return _trec(("list", "Q0", "item", "grade"), trec_lines(lines, path, QRELS_LINES))


def _run(path: Path, lines: Sequence[str]) -> Preview | None:
    return _trec(("list", "Q0", "item", "rank", "score", "tag"), trec_lines(lines, path, RUN_LINES))


def _trec(named: tuple[str, ...], lines: Sequence[str]) -> Preview | None:
    rows = tuple(tuple(line.split()[: len(named)]) for line in lines)
    return Preview(named, rows, {"format": "trec"}, True) if lines else None


def _lists(path: Path, lines: Sequence[str]) -> Preview | None:
    """One list a line: `s1: 4, 9, 12`."""
    is_lists = find_format(path, None).name == "lists"
    # Names without a colon are the header of a table, whose rows may begin with times.
    if not lines or not (is_lists or (":" in lines[0] and matching_lines(lines, LISTS))):
        return None
    pairs = [line.partition(":") for line in lines]
    rows = [(name, item) for name, _, items in pairs for item in items.split(",")]
    return Preview(("list", "item"), tuple(rows), {} if is_lists else {"format": "lists"})


def _binary(path: Path, lines: Sequence[str]) -> Preview | None:
    """Parquet: names of columns, and no row."""
    format = find_format(path, None)
    if format.read_names is None:
        return None
    try:
        data = read_bytes(path, is_binary=True).data
        return Preview(tuple(sorted(format.read_names(data))))
    except UnreadableError:
        return None


def _document(path: Path, lines: Sequence[str]) -> Preview | None:
    """A JSON document: lists with their items in arrays, by id or in objects that have one."""
    if not lines or lines[0].lstrip()[:1] != "{":
        return None
    try:
        data = read_head(path, MOST_DOCUMENT + 1)
        document = parse_json(data) if len(data) <= MOST_DOCUMENT else None
    except (UnreadableError, ValueError):
        return None
    if not isinstance(document, dict) or not document:
        return None
    if all(map(_is_ids, document.values())):
        rows = [(name, str(item)) for name, items in document.items() for item in items]
        return Preview(("list", "item"), tuple(rows[:MOST_HEAD_LINES]), {"format": "json"})
    for name, value in document.items():
        objects = (
            [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
        )
        if not objects or len(objects) < len(value):
            continue
        keys = [k for k, v in objects[0].items() if isinstance(v, str | int) and "id" in k.lower()]
        items = [
            k for k in objects[0] if all(k in entry and _is_ids(entry[k]) for entry in objects)
        ]
        items = [k for k in items if any(entry[k] for entry in objects)] or items
        if len(keys) == 1 and len(items) == 1:
            rows = [(str(entry.get(keys[0])), str(i)) for entry in objects for i in entry[items[0]]]
            paths = {"list": f"{name}[].{keys[0]}", "item": f"{name}[].{items[0]}[]"}
            return Preview(("list", "item"), tuple(rows[:MOST_HEAD_LINES]), {"json": paths})
    return None


def _is_ids(value: object) -> bool:
    """Whether a value of a document is an array of texts and numbers."""
    return isinstance(value, list) and all(isinstance(entry, str | int | float) for entry in value)


def _objects(path: Path, lines: Sequence[str]) -> Preview | None:
    """JSON Lines: an object a line."""
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


def _table(path: Path, lines: Sequence[str]) -> Preview | None:
    """A table of text: separated by what separates all lines alike, with a header or without."""
    if not lines or find_format(path, None).name != "csv":
        return None
    usual = _usual(path)
    for mark in (usual, *(mark for mark in SEPARATORS if mark != usual)):
        head, *rows = csv.reader(lines, delimiter=mark)
        if len(head) < 2 or (mark != usual and any(len(row) != len(head) for row in rows)):
            continue
        if rows and all(len(row) < 2 for row in rows):
            continue  # a comma of a sentence
        written: dict[str, Any] = {} if mark == usual else {"separator": SEPARATORS[mark]}
        names = tuple(name.strip() for name in head)
        if _is_data([head, *rows]):
            names = (*PLACE_NAMES, *(f"column{n + 1}" for n in range(3, len(head))))[: len(head)]
            written, rows = {"header": list(names), **written}, [head, *rows]
        return Preview(names, tuple(map(tuple, rows)), written)
    return None


FORMS: tuple[Form, ...] = (
    *(_parts, _qrels, _run, _binary, _document, _objects, _lists, _tails, _table),
)


def _is_data(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row is no header: it begins as the others do, with a number in it."""
    shapes = [re.sub(r"\d+", "0", row[0].strip()) for row in rows if row]
    return "0" in shapes[0] and set(shapes[1:]) <= {shapes[0]}
