"""Rows written as a challenge asks for them, for the sample of a kit."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from scorer.reading.formats import Rows, WriteRows
from scorer.reading.layout import (
    EACH,
    NO_SEPARATOR,
    PART_MARK,
    WHITESPACE,
    Layout,
    RowKeys,
    Steps,
    WideColumns,
    container_path,
    parse_path,
    part_of,
    row_of,
    separator_of,
    wide_value,
)
from scorer.reading.schema import Schema
from scorer.reading.write import csv_text, zip_files

Row = Mapping[str, Any]  # role -> value


def write_sample(
    rows: Rows,
    columns: Mapping[str, str],
    layout: Layout,
    write: WriteRows,
    keys: Mapping[str, RowKeys],
) -> bytes:
    """Return a file of rows; a ZIP archive if the layout has parts.

    Args:
        rows: A row for each item of each list, best first; or for the value of each list.
        columns: role -> the name of its column.
        write: Writes a plain file of its format.
        keys: The rows of the files that `lines` and `candidates` of the layout name.
    """
    if layout.parts:
        files: dict[str, bytes] = {}
        for part, file in layout.parts:
            in_part = [row for row in rows if part_of(str(row["list"])) == part]
            part_rows = [{**row, "list": row_of(str(row["list"]))} for row in in_part]
            is_tabbed = file.lower().endswith(".tsv") and not layout.separator
            separator = "tab" if is_tabbed else layout.separator
            part_layout = layout._replace(parts=(), separator=separator)
            files[file] = write_sample(part_rows, columns, part_layout, write, keys)
        return zip_files(files)
    if layout.json:
        paths = {role: parse_path(path) for role, path in layout.json if rows and role in rows[0]}
        document = _container(rows, paths) if paths else {}
        return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()
    shaped, names = [dict(row) for row in rows], dict(columns)
    if layout.cells:
        shaped = _join_in_cells(shaped, layout, keys.get("candidates"))
    if layout.wide is not None:
        shaped, names = _widen(shaped, names, layout.wide)
    if layout.lines is not None:
        shaped = _order_by_keys(shaped, keys["lines"])
    if layout.header or layout.separator or layout.lines:
        return _write_separated(shaped, names, layout)
    return write(shaped, names)


def _join_in_cells(
    rows: Sequence[Row], layout: Layout, candidates: RowKeys | None
) -> list[dict[str, Any]]:
    """Return a row for each list, whose cells hold several values."""
    items = candidates.by_list if candidates is not None else {}
    by_list: dict[str, list[Row]] = {}
    for row in rows:
        by_list.setdefault(str(row["list"]), []).append(row)
    joined = []
    for name, list_rows in by_list.items():
        if layout.is_vector:
            by_item = {str(row["item"]): row for row in list_rows}
            list_rows = [by_item[item] for item in items[name]]
        cells = {
            role: (" " if mark == WHITESPACE else mark).join(str(row[role]) for row in list_rows)
            for role, mark in layout.cells
        }
        joined.append({"list": name, **cells})
    return joined


def _widen(
    rows: Sequence[Row], names: dict[str, str], wide: WideColumns
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Return a row for each list, with a cell for each item, rank or part; and role -> column."""
    role, patterns = wide
    value = wide_value(role, Schema(tuple(rows[0]) if rows else ()))
    starred = next((pattern for pattern in patterns if "*" in pattern), "*")
    by_list: dict[str, dict[str, Any]] = {}
    columns: dict[str, str] = {}  # `wide LABEL`, which is no role -> the name of its column
    for row in rows:
        name, label = str(row["list"]), str(row.get(role, ""))
        if role == "list":
            label, _, name = name.partition(PART_MARK)
        columns[f"wide {label}"] = label if label in patterns else starred.replace("*", label)
        by_list.setdefault(name, {"list": name})[f"wide {label}"] = row[value]
    full = [{key: row.get(key, "") for key in ("list", *columns)} for row in by_list.values()]
    return full, names | columns


def _order_by_keys(rows: Sequence[Row], keys: RowKeys) -> list[dict[str, Any]]:
    """Return the rows in the order of the public file, without their ids."""
    ids = {"list", "item"} if keys.items else {"list"}
    by_key = {(str(row["list"]), str(row["item"]) if keys.items else ""): row for row in rows}
    items = keys.items or [""] * len(keys.lists)
    ordered = [by_key.get(key, {}) for key in zip(keys.lists, items, strict=True)]
    return [{role: cell for role, cell in row.items() if role not in ids} for row in ordered]


def _write_separated(rows: Sequence[Row], names: Mapping[str, str], layout: Layout) -> bytes:
    """Return the rows as lines of separated cells; a missing cell is "-"."""
    roles = {names.get(role, role): role for row in rows for role in row}
    columns = list(layout.header) or list(roles)
    lines = [[str(row.get(roles.get(name, ""), "-")) for name in columns] for row in rows]
    if not layout.header:
        lines.insert(0, columns)
    mark = separator_of(layout.separator) or ","
    takes_rest = layout.header and layout.cells and separator_of(layout.cells[-1][1]) == mark
    if len(columns) == 1 or mark in (WHITESPACE, NO_SEPARATOR):
        mark, takes_rest = " ", True
    if takes_rest:  # the last cell has the rest of the line: nothing is quoted
        return "".join(f"{mark.join(line)}\n" for line in lines).encode()
    return csv_text(lines, mark).encode()


def _container(rows: Rows, paths: Mapping[str, Steps]) -> Any:
    """Return rows as a JSON value, with cells at paths that share the steps to the first EACH."""
    *head, kind = container_path(next(iter(paths.values())))
    inner = {role: path[len(head) :] for role, path in paths.items()}
    shallow = [role for role, path in inner.items() if sum(step in EACH for step in path) == 1]
    deeper = {role: path[1:] for role, path in inner.items() if role not in shallow}
    groups: dict[tuple[str, ...], list[Row]] = {}
    for n, row in enumerate(rows):
        key = tuple(str(row[role]) for role in shallow) if deeper else (str(n),)
        groups.setdefault(key, []).append(row)
    entries: list[tuple[str, Any]] = []
    for group in groups.values():
        name, value = "", None
        for role in shallow:
            if inner[role] == ("*",) and not name:
                name = str(group[0][role])
            else:
                value = _nest_cell(value, inner[role][1:], group[0][role])
        if deeper:
            below = _container(group, deeper)
            value = {**value, **below} if isinstance(value, dict) else below
        entries.append((name, value))
    container: Any = [value for _, value in entries] if kind == "[]" else dict(entries)
    for step in reversed(head):
        container = {step: container}
    return container


def _nest_cell(value: Any, path: Steps, cell: Any) -> Any:
    """Return a value with a cell at the end of a path of names."""
    if not path:
        return cell
    members = value if isinstance(value, dict) else {}
    return {**members, path[0]: _nest_cell(members.get(path[0]), path[1:], cell)}
