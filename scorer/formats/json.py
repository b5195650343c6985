"""A JSON document: `{id: [items]}`, `{id: {item: score}}`, `{id: text}`, or as `json:` says."""

from __future__ import annotations

import json as library
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from scorer.bytes.files import at_most
from scorer.bytes.limits import BOM, ROW, NoTable, Unreadable, format_size, limit, too_careful
from scorer.bytes.lines import count_only, mended
from scorer.core.arrays import Ints, distinct, spread
from scorer.core.problems import Problem
from scorer.core.text import join_first, printable, quoted
from scorer.formats.base import Rows, format
from scorer.formats.documents import (
    JSONL,
    Found,
    JsonCell,
    JsonDocument,
    PlainRows,
    TooMany,
    Wrong,
    rows,
)
from scorer.formats.header import resolve
from scorer.formats.steps import Steps, depth, steps
from scorer.formats.text import Request
from scorer.tables.columns import RunColumn, hashed, series_of, text_of
from scorer.tables.table import BATCH_ROWS, TEXT, Builder, Schema, Table

MOST = 256 * 1024**2  # bytes of a document, which is held as text while it is read
MOST_LISTS = 2_000_000
LOCATED = 32 * 1024**2  # bytes that are read again to tell where on a line a cell stands
VALUES = ("prediction", "label", "score", "grade", "rating", "target")


def as_json(rows: Rows, columns: Mapping[str, str]) -> bytes:
    """An object of lists: their items in order, or the value of each item, or of each list."""
    by_list: dict[str, Any] = {}
    for row in rows:
        name, value = str(row["list"]), next((row[role] for role in VALUES if role in row), None)
        if "item" not in row:
            by_list[name] = value
        elif value is None:
            by_list.setdefault(name, []).append(row["item"])
        else:
            by_list.setdefault(name, {})[str(row["item"])] = value
    return (library.dumps(by_list, ensure_ascii=False, indent=1) + "\n").encode()


def _cell_columns(request: Request, cells: Sequence[tuple[int, str, str]]) -> list[int | None]:
    """At which character of its line each cell begins."""
    columns: list[int | None] = [None] * len(cells)
    places = {cell: n for n, cell in enumerate(cells)}
    try:
        document = _document(request)
        _, _, paths = _shape(request, document)
        for row in rows(document, paths):
            if not places or document.ended > LOCATED:
                break
            for line, cells_of_row in _rows_with(document, row, places):
                for role, cell in cells_of_row.items():
                    if (n := places.pop((line, role, cell.text), None)) is not None:
                        at, column = document.place(cell.at)
                        columns[n] = column if at == line else None
    except (Wrong, TooMany, Unreadable, NoTable):
        pass  # what stands before it has been found
    return columns


def _rows_with(
    document: JsonDocument, row: Found, cells: Collection[tuple[int, str, str]]
) -> Iterator[tuple[int, dict[str, JsonCell]]]:
    """The lines and the cells of some rows, at least of each that has one of these first."""
    if not isinstance(row, PlainRows):
        yield _line(document, row)
        return
    lines, (columns, at, *_) = _lines(document, row), row.members
    on = np.isin(lines, [line for line, *_ in cells])
    for role in {role for _, role, _ in cells}:
        if role in columns and role in TEXT:
            texts = text_of(columns[role])
            wanted = {text for _, each, text in cells if each == role}
            there = np.flatnonzero(texts.is_in(list(wanted)).to_numpy() & on)
            once = hashed(texts.gather(there)) ^ spread(lines[there])  # of a list there are many
            for n in there[np.sort(np.unique(once, return_index=True)[1])].tolist():
                yield int(lines[n]), {role: JsonCell(texts[n], int(at[role][n]))}
        elif role in row.outer_cells and on.any():
            for line in distinct(lines[on]).tolist():
                yield line, {role: row.outer_cells[role]}


@format("json", columns=_cell_columns, write=as_json)
def json(request: Request) -> Iterator[Table]:
    """One document. Which of its values are the cells of a row, `json:` says."""
    document = _document(request)
    try:
        shape, roles, paths = _shape(request, document)
        yield from _row_tables(request, document, shape, roles, paths)
    except Wrong as error:
        line, column = document.place(error.at)
        raise Unreadable(Problem("S207", error.message, line=line, column=column)) from None
    except TooMany:
        raise Unreadable(too_careful(request.limits, document=True)) from None


def _document(request: Request) -> JsonDocument:
    data = at_most(request.stream, MOST + 1)
    if len(data) > MOST:
        message = f"a JSON document of more than {format_size(MOST)}"
        raise Unreadable(Problem("S104", message, help=JSONL))
    data = data.removeprefix(BOM)
    try:
        if not data.isascii():
            data.decode()
    except UnicodeDecodeError:
        lines = data.split(b"\n")
        text = "\n".join(mended(line, n, request.findings) for n, line in enumerate(lines, 1))
        data = text.encode()
    if not data.strip():
        raise Unreadable(Problem("S102", "the file holds nothing but blank lines"))
    # a value is looked at some times, and takes a tenth of what a row does
    return JsonDocument(data, 10 * request.limits.careful // ROW)


def _shape(
    request: Request, document: JsonDocument
) -> tuple[Schema, tuple[str, ...], dict[str, Steps]]:
    """The shape that the document has, its roles, and where their cells are."""
    if request.form.json:
        paths = {role: steps(path) for role, path in request.form.json}
        lost = min(
            ([r for r in shape.required if r not in paths] for shape in request.wanted), key=len
        )
        if lost:
            message = f"json: says nothing of {join_first(lost)}, which is needed here"
            raise Unreadable(Problem("S201", message))
        shape = next(s for s in request.wanted if set(s.required) <= set(paths))
    else:
        shape, paths = _guessed(request, document)
    paths = {role: path for role, path in paths.items() if role in shape.roles}
    return shape, tuple(role for role in shape.roles if role in paths), paths


def _guessed(request: Request, document: JsonDocument) -> tuple[Schema, dict[str, Steps]]:
    """Where the cells are in a document of a plain form."""
    text, at = document.text, document.space(0)
    if text[at] not in "[{":
        raise Wrong(at, "expected an object or an array")
    first = next((start for _, start in document.members(at)), None)
    if first is None:
        raise Unreadable(Problem("S103", "the document is empty"))
    sign = text[first]
    if text[at] == "[":
        if sign != "{":
            raise Wrong(first, "expected an array of objects")
        fit = resolve(list(document.entries(first)), request, document.place(first)[0])
        if fit is None:
            raise NoTable
        shape, roles = fit
        return shape, {role: ("[]", shape.called(role)) for role in roles}
    kind = {"[": "*[]", "{": "*.*"}.get(sign, "*")
    for shape in request.wanted:
        value = next((r for r in (*shape.required, *shape.optional) if r in VALUES), None)
        item = "text" if "text" in shape.roles else "item"
        if kind == "*":
            value = value if value in shape.required else item
            paths = {"list": "*", str(value): "*"}
        elif kind == "*[]":
            paths = {"list": "*", item: "*[]"}
        else:
            paths = {"list": "*", "item": "*.*"} | ({value: "*.*"} if value else {})
        if set(shape.required) <= paths.keys() and "list" in shape.required:
            return shape, {role: steps(path) for role, path in paths.items()}
    wants = ", ".join(map(request.wanted[0].called, request.wanted[0].required))
    raise Wrong(at, f"such a document cannot hold the columns that are needed here ({wants})")


def _line(
    document: JsonDocument, row: JsonCell | dict[str, JsonCell]
) -> tuple[int, dict[str, JsonCell]]:
    """The line of a row: that of its number, else of its item, else of its list."""
    if isinstance(row, JsonCell):
        return document.line(row.at), {"list": row}
    main = _main(tuple(row))
    last = row[main] if main else max(row.values(), key=lambda cell: cell.at)
    return document.line(last.at), row


@cache
def _main(roles: tuple[str, ...]) -> str | None:
    """The role whose cell says the line of a row, where one does."""
    item = "item" if "item" in roles else None
    return next((role for role in roles if role not in TEXT), item)


def _lines(document: JsonDocument, rows: PlainRows) -> Ints:
    """The lines of plain rows, as `_line` says that of one."""
    at, outer = rows.members.at, rows.outer_cells
    main = _main((*outer, *at))
    if main is not None and main in outer:
        return np.full(next(iter(at.values())).size, document.line(outer[main].at))
    last: Ints = at[main] if main else np.stack(list(at.values())).max(axis=0)
    return document.lines(last)


class _Lists:
    """The lists of a document: where each is, and which have no rows.

    `whole`: all items of a list are below its name, so that none can stand elsewhere.
    """

    def __init__(
        self, request: Request, document: JsonDocument, shape: Schema, whole: bool
    ) -> None:
        self._limits, self._findings = request.limits, request.findings
        self._document, self._called, self._whole = document, shape.called("list"), whole
        self._first: dict[str, int] = {}  # where the name of each list stands
        self._again: set[int] = set()
        self._empty: list[tuple[str, int]] = []

    def is_new(self, name: str, at: int) -> bool:
        """Whether a list is given there first; it is told where it is not."""
        if not self._whole or (first := self._first.setdefault(name, at)) == at:
            if len(self._first) > MOST_LISTS:
                message = f"more than {MOST_LISTS:,} lists in one document"
                line = self._document.line(at)
                raise Unreadable(Problem("S104", message, line=line, help=JSONL))
            return True
        if at not in self._again and not count_only(self._findings, "S303"):
            message = (
                f"{printable(self._called, 60)} {quoted(name)} appears in two "
                f"separate places (first on line {self._document.line(first)})"
            )
            line, column = self._document.place(at)
            self._findings.add(Problem("S303", message, line=line, column=column, list=name))
        self._again.add(at)
        return False

    def add_empty(self, name: str, line: int) -> None:
        """Keep that a list has no rows."""
        self._empty.append((name, line))
        if len(self._empty) > self._limits.rows:
            message = f"more than {self._limits.rows:,} lists, which is what is accepted here"
            raise Unreadable(Problem("S104", message, line=line, help=limit("rows")))

    def take_empty(self) -> tuple[tuple[str, int], ...]:
        """Those without rows since the last call, and their lines."""
        empty, self._empty = self._empty, []
        return tuple(empty)


def _row_tables(
    request: Request,
    document: JsonDocument,
    shape: Schema,
    roles: tuple[str, ...],
    paths: Mapping[str, Steps],
) -> Iterator[Table]:
    """The rows, some thousands at a time, without those of lists that are given again."""
    offsets = list[tuple[int, ...]]()
    whole = "item" in roles and "list" in roles and depth(paths["item"]) > depth(paths["list"])
    lists = _Lists(request, document, shape, whole)
    alone = "item" in roles and paths["item"] == paths.get("list")  # "" is no answer there

    def place(raw: str, cell: int, part: int) -> tuple[int, int | None]:
        return 0, document.place(offsets[part][cell])[1]

    def new_builder() -> Builder:
        offsets.clear()
        return Builder(shape, roles, request.findings, place)

    def finished(table: Table) -> Table:
        return replace(
            table, facts={"columns": roles, "empty": lists.take_empty(), "answers": alone}
        )

    builder, total, given = new_builder(), 0, False
    for row in rows(document, paths):
        if isinstance(row, PlainRows):
            if offsets:
                yield finished(builder.table())
                builder = new_builder()
            table = _plain_table(document, row, roles, shape, lists)
            yield finished(_answered(table, lists) if alone else table)
            given = True
            continue
        line, cells = _line(document, row)
        if whole and not lists.is_new(*cells["list"]):
            continue
        if isinstance(row, JsonCell):
            lists.add_empty(row.text, line)
            continue
        if alone and not cells["item"].text:
            lists.add_empty(cells["list"].text, line)
            continue
        builder.row(line, [cells[role].text for role in roles], "", len(offsets))
        offsets.append(tuple(cells[role].at for role in roles))
        if (total := total + 1) > request.limits.careful // ROW:
            raise TooMany
        if len(offsets) == BATCH_ROWS:
            yield finished(builder.table())
            builder, given = new_builder(), True
    last = finished(builder.table())
    if len(last) or last.facts["empty"] or not given:
        yield last


def _answered(table: Table, lists: _Lists) -> Table:
    """The rows with an answer; the lists of the others are remembered as empty."""
    item = table.ids["item"]
    if not item.any_of([""]):
        return table
    answered = (text_of(item) != "").to_numpy()
    for row in np.flatnonzero(~answered).tolist():
        lists.add_empty(table.ids["list"].text(row), int(table.line[row]))
    return table.where(np.flatnonzero(answered))


def _plain_table(
    document: JsonDocument, rows: PlainRows, roles: Sequence[str], shape: Schema, lists: _Lists
) -> Table:
    """The table of plain rows, without those of lists that are given again."""
    line, members = _lines(document, rows), rows.members
    columns: dict[str, Any] = {
        role: members.columns[role]
        if role in members.columns
        else RunColumn(np.array([line.size]), series_of([rows.outer_cells[role].text]))
        for role in roles
    }
    ids = {role: column for role, column in columns.items() if role in TEXT}
    numbers = {role: column for role, column in columns.items() if role not in TEXT}
    table = Table(ids, numbers, line, shape)
    if members.lists is None:
        cell = rows.outer_cells.get("list")
        return table if cell is None or lists.is_new(*cell) else table.where(line[:0])
    texts, places, counts = members.lists
    new = [lists.is_new(*cell) for cell in zip(texts, places.tolist(), strict=True)]
    for n in np.flatnonzero(new & (counts == 0)).tolist():
        lists.add_empty(texts[n], document.line(int(places[n])))
    return table if all(new) else table.where(np.flatnonzero(np.repeat(new, counts)))
