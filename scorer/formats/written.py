"""Rows written in the form that a challenge asks for, for the sample of a kit."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

from scorer.formats.base import Rows, Write
from scorer.formats.form import (
    NO_SEPARATOR,
    PART,
    WHITESPACE,
    FileForm,
    KeyTable,
    separator_of,
    wide_value,
)
from scorer.formats.steps import EACH, Steps, depth, steps, through
from scorer.tables.table import Schema

OLDEST = (1980, 1, 1, 0, 0, 0)


def in_form(
    rows: Rows,
    columns: Mapping[str, str],
    form: FileForm,
    write: Write,
    tables: Mapping[str, KeyTable],
) -> bytes:
    """Rows as a file of that form.

    Args:
        rows: of each list its items, best first, or its value.
        tables: what `lines` and `candidates` of the form stand for.
    """
    if form.parts:
        return _archive(rows, columns, form, write, tables)
    if form.json:
        return _json_document(rows, {role: steps(path) for role, path in form.json})
    if not (form.header or form.separator or form.reshapes):
        return write(rows, columns)
    shaped = [dict(row) for row in rows]
    if form.cells:
        shaped = _celled(shaped, form, tables.get("candidates"))
    names = dict(columns)
    if form.wide is not None:
        shaped, names = _widened(shaped, names, form.wide)
    if form.lines is not None:
        shaped = _lined(shaped, tables["lines"])
    if not (form.header or form.separator or form.lines):
        return write(shaped, names)
    return _separated(shaped, names, form)


def _archive(
    rows: Rows,
    columns: Mapping[str, str],
    form: FileForm,
    write: Write,
    tables: Mapping[str, KeyTable],
) -> bytes:
    """A ZIP archive of the parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for part, file in form.parts:
            prefix = f"{part}{PART}"
            part_rows = [
                {**row, "list": str(row["list"]).removeprefix(prefix)}
                for row in rows
                if str(row["list"]).startswith(prefix)
            ]
            tabs = file.lower().endswith(".tsv") and not form.separator  # as it is read, then
            part_form = form._replace(parts=(), separator="tab" if tabs else form.separator)
            data = in_form(part_rows, columns, part_form, write, tables)
            member = zipfile.ZipInfo(file, OLDEST)
            member.external_attr = 0o644 << 16
            archive.writestr(member, data)
    return out.getvalue()


def _celled(
    rows: Sequence[dict[str, Any]], form: FileForm, candidates: KeyTable | None
) -> list[dict[str, Any]]:
    """A row for each list, whose cells hold several."""
    several, by_list = dict(form.cells), dict[str, list[dict[str, Any]]]()
    for row in rows:
        by_list.setdefault(str(row["list"]), []).append(row)
    items_by_list = candidates.by_list if candidates is not None else {}
    celled = []
    for name, list_rows in by_list.items():
        if form.vector:
            by_item = {str(row["item"]): row for row in list_rows}
            list_rows = [by_item[item] for item in items_by_list[name]]
        cells = {
            role: (" " if mark == WHITESPACE else mark).join(str(row[role]) for row in list_rows)
            for role, mark in several.items()
        }
        celled.append({"list": name} | cells)
    return celled


def _widened(
    rows: Sequence[dict[str, Any]], names: dict[str, str], wide: tuple[str, tuple[str, ...]]
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """A row for each list, with a column for each item, rank, or part."""
    role, patterns = wide
    value = wide_value(role, Schema(tuple(rows[0]) if rows else (), (), {}))
    by_list: dict[str, dict[str, Any]] = {}
    columns: dict[str, str] = {}
    for row in rows:
        name, label = str(row["list"]), str(row.get(role, ""))
        if role == "list":
            label, _, name = name.partition(PART)
        starred = next((pattern for pattern in patterns if "*" in pattern), None)
        called = label if label in patterns or starred is None else starred.replace("*", label)
        columns[f"wide {label}"] = called
        by_list.setdefault(name, {"list": name})[f"wide {label}"] = row[value]
    full = [{key: row.get(key, "") for key in ("list", *columns)} for row in by_list.values()]
    return full, names | columns


def _lined(rows: Sequence[dict[str, Any]], keys: KeyTable) -> list[dict[str, Any]]:
    """The rows in the order of the public file, without their ids."""
    by_key = {(str(row["list"]), str(row["item"]) if keys.items else ""): row for row in rows}
    items = keys.items or [""] * len(keys.lists)
    ids = {"list", "item"} if keys.items else {"list"}
    ordered = [by_key.get((name, item), {}) for name, item in zip(keys.lists, items, strict=True)]
    return [{role: cell for role, cell in row.items() if role not in ids} for row in ordered]


def _separated(rows: Rows, names: Mapping[str, str], form: FileForm) -> bytes:
    """Lines of columns."""
    roles = list(dict.fromkeys(role for row in rows for role in row))
    called = {names.get(role, role): role for role in roles}
    columns = list(form.header) or [names.get(role, role) for role in roles]
    lines = [[str(row.get(called.get(name, ""), "-")) for name in columns] for row in rows]
    if not form.header:
        lines.insert(0, columns)
    mark = separator_of(form.separator) or ","
    if len(columns) == 1 or mark in (WHITESPACE, NO_SEPARATOR):
        return "".join(f"{' '.join(line)}\n" for line in lines).encode()
    if form.header and form.cells and separator_of(form.cells[-1][1]) == mark:
        return "".join(f"{mark.join(line)}\n" for line in lines).encode()
    text = io.StringIO()
    csv.writer(text, delimiter=mark, lineterminator="\n").writerows(lines)
    return text.getvalue().encode()


def _json_document(rows: Rows, paths: Mapping[str, Steps]) -> bytes:
    """A JSON document whose values stand where the paths say."""
    paths = {role: path for role, path in paths.items() if rows and role in rows[0]}
    document = _level(rows, paths) if paths else {}
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()


def _level(rows: Rows, paths: Mapping[str, Steps]) -> Any:
    """The value whose elements, or members, the first steps of the paths lead through."""
    *head, kind = through(next(iter(paths.values())))
    inner_paths = {role: path[len(head) :] for role, path in paths.items()}
    key_roles = [role for role, path in inner_paths.items() if depth(path) == 1]
    groups: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for n, row in enumerate(rows):
        key = (
            tuple(str(row[role]) for role in key_roles)
            if len(key_roles) < len(inner_paths)
            else (str(n),)
        )
        groups.setdefault(key, []).append(row)
    level: Any = [] if kind == "[]" else {}
    for group in groups.values():
        name, value = None, None
        for role in key_roles:
            if inner_paths[role] == ("*",) and name is None:
                name = str(group[0][role])
            else:
                value = _put(value, inner_paths[role][1:], group[0][role])
        deeper = {role: path[1:] for role, path in inner_paths.items() if role not in key_roles}
        if deeper:
            inner = _level(group, deeper)
            value = {**value, **inner} if isinstance(value, dict) else inner
        if kind == "[]":
            level.append(value)
        else:
            level[name] = value
    for step in reversed(head):
        level = {step: level}
    return level


def _put(value: Any, path: Steps, cell: Any) -> Any:
    """A value with a cell at the end of a path of names."""
    if not path:
        return cell
    assert not set(path) & set(EACH)
    members = value if isinstance(value, dict) else {}
    return {**members, path[0]: _put(members.get(path[0]), path[1:], cell)}
