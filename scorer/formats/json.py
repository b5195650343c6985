"""A JSON document: `{id: [items]}`, `{id: {item: score}}`, `{id: text}`, or as `json:` says."""

from __future__ import annotations

import json as library
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from scorer.bytes.files import at_most
from scorer.bytes.limits import NoTable, Unreadable, format_size, limit, too_careful
from scorer.bytes.lines import count_only, mended
from scorer.core.problems import Problem
from scorer.core.text import join_first, printable, quoted
from scorer.formats.base import Rows, format
from scorer.formats.documents import (
    JsonCell,
    JsonDocument,
    Steps,
    TooMany,
    Wrong,
    depth,
    rows,
    steps,
)
from scorer.formats.header import resolve
from scorer.formats.text import Request
from scorer.tables.table import BATCH_ROWS, TEXT, Builder, Schema, Table

MOST = 256 * 1024**2  # bytes of a document, which is held as text while it is read
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


def _places(request: Request, cells: Sequence[tuple[int, str, str]]) -> list[int | None]:
    """At which character of its line each cell begins."""
    columns: list[int | None] = [None] * len(cells)
    places = {cell: n for n, cell in enumerate(cells)}
    try:
        document, text = _document(request)
        _, _, paths = _shape(request, document, text)
        for row in rows(document, paths):
            if not places:
                break
            line, cells_of_row = _line(document, row)
            for role, cell in cells_of_row.items():
                if (n := places.pop((line, role, cell.text), None)) is not None:
                    at, column = document.place(cell.at)
                    columns[n] = column if at == line else None
    except (Wrong, TooMany, Unreadable, NoTable):
        pass  # what stands before it has been found
    return columns


@format("json", columns=_places, write=as_json)
def json(request: Request) -> Iterator[Table]:
    """One document. Which of its values are the cells of a row, `json:` says."""
    document, text = _document(request)
    try:
        shape, roles, paths = _shape(request, document, text)
        yield from _tables(request, document, shape, roles, paths)
    except Wrong as error:
        line, column = document.place(error.at)
        raise Unreadable(Problem("S207", error.message, line=line, column=column)) from None
    except TooMany:
        raise Unreadable(too_careful(request.limits)) from None


def _document(request: Request) -> tuple[JsonDocument, str]:
    data = at_most(request.stream, MOST + 1)
    if len(data) > MOST:
        message = f"a JSON document of more than {format_size(MOST)}"
        raise Unreadable(Problem("S104", message, help="write an object a line, in a .jsonl file"))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        lines = data.split(b"\n")
        text = "\n".join(mended(line, n, request.findings) for n, line in enumerate(lines, 1))
    if not text.strip():
        raise Unreadable(Problem("S102", "the file holds nothing but blank lines"))
    # a value is looked at some times, and takes a tenth of what a row does
    return JsonDocument(text, 10 * request.limits.careful), text


def _shape(
    request: Request, document: JsonDocument, text: str
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
        shape, paths = _guessed(request, document, text)
    paths = {role: path for role, path in paths.items() if role in shape.roles}
    return shape, tuple(role for role in shape.roles if role in paths), paths


def _guessed(
    request: Request, document: JsonDocument, text: str
) -> tuple[Schema, dict[str, Steps]]:
    """Where the cells are in a document of a plain form."""
    at = document.space(0)
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
        if kind == "*":
            value = value if value in shape.required else "item"
            paths = {"list": "*", str(value): "*"}
        elif kind == "*[]":
            paths = {"list": "*", "item": "*[]"}
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


def _tables(
    request: Request,
    document: JsonDocument,
    shape: Schema,
    roles: tuple[str, ...],
    paths: Mapping[str, Steps],
) -> Iterator[Table]:
    """The rows, some thousands at a time, without those of lists that are given again."""
    limits, findings = request.limits, request.findings
    offsets = list[tuple[int, ...]]()
    first_places: dict[
        str, tuple[int, int]
    ] = {}  # the line of each list, and where its name stands
    again: set[int] = set()
    empty: list[tuple[str, int]] = []
    # of a list whose items are all below its name, none can stand elsewhere
    whole = "item" in roles and "list" in roles and depth(paths["item"]) > depth(paths["list"])

    def place(raw: str, cell: int, part: int) -> tuple[int, int | None]:
        return 0, document.place(offsets[part][cell])[1]

    def finished(builder: Builder) -> Table:
        table = builder.table()
        return Table(
            table.ids, table.numbers, table.line, shape, {"columns": roles, "empty": tuple(empty)}
        )

    builder, count, total = Builder(shape, roles, findings, place), 0, 0
    yielded = False
    for row in rows(document, paths):
        line, cells = _line(document, row)
        if whole:
            name, at = cells["list"]
            first = first_places.get(name)
            if first is None:
                first = first_places[name] = document.line(at), at
            if first[1] != at:
                if at not in again and not count_only(findings, "S303"):
                    message = (
                        f"{printable(shape.called('list'), 60)} {quoted(name)} appears in two "
                        f"separate places (first on line {first[0]})"
                    )
                    there, column = document.place(at)
                    findings.add(Problem("S303", message, line=there, column=column, list=name))
                again.add(at)
                continue
        if isinstance(row, JsonCell):
            empty.append((row.text, line))
            if len(empty) > limits.rows:
                message = f"more than {limits.rows:,} lists, which is what is accepted here"
                raise Unreadable(Problem("S104", message, line=line, help=limit("rows")))
            continue
        builder.row(line, [cells[role].text for role in roles], "", len(offsets))
        offsets.append(tuple(cells[role].at for role in roles))
        count += 1
        if (total := total + 1) > limits.careful:
            raise TooMany
        if count == BATCH_ROWS:
            yield finished(builder)
            builder, count, yielded = Builder(shape, roles, findings, place), 0, True
            offsets, empty = [], []
    if count or empty or not yielded:
        yield finished(builder)
