"""Tables that are read where lists are looked for, and kept to be scored without a second reading.

Files of one benchmark name the same cases in the same order: what is known of these is shared.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from scorer.bytes.limits import ReadLimits
from scorer.core.arrays import Ints
from scorer.core.problems import Findings
from scorer.formats.base import Format
from scorer.formats.pieces import joined, pieces
from scorer.tables.columns import CodedColumn, RunColumn, TextColumn
from scorer.tables.table import Schema, Table

MOST = 512 << 20  # bytes of tables that are kept
ROW = 48  # bytes that the ids and the line of a row take, about


class ReadTable(NamedTuple):
    """A file in which a reader found nothing wrong."""

    table: Table
    sha256: str


class _Order(NamedTuple):
    """The ids and lines of a file, and what tables have instead."""

    ids: Mapping[str, CodedColumn]
    line: Ints
    rows: Ints | None  # in the order of the lists; None: as they stand
    shared: Table  # without numbers

    def fits(self, table: Table) -> bool:
        """Whether a file has the same rows."""
        alike = len(table) == len(self.line) and table.ids.keys() == self.ids.keys()
        return alike and all(_same_ids(table.ids[role], own) for role, own in self.ids.items())


class TablesReadOnce:
    """The tables of files, read one after the other."""

    def __init__(self) -> None:
        self.kept: dict[Path, ReadTable] = {}
        self._order: _Order | None = None
        self._size = 0

    def read(
        self, path: Path, format: Format, shapes: Sequence[Schema], limits: ReadLimits
    ) -> Table | None:
        """The table of a file, which is kept while there is room; None where something is wrong."""
        findings, sha256 = Findings(), hashlib.sha256()
        with pieces(path, format, shapes, limits, findings, sha256=sha256) as parts:
            table = joined(parts)
        if table is None or len(findings) or not parts.hashed or format.form.parts:
            return None
        table, shared = self._ordered(table)
        self._size += sum(values.nbytes for values in table.numbers.values())
        self._size += 0 if shared else ROW * len(table)
        if self._size <= MOST:
            self.kept[path] = ReadTable(table, sha256.hexdigest())
        return table

    def _ordered(self, table: Table) -> tuple[Table, bool]:
        """The table with the ids of an earlier one that has the same, and whether there is one."""
        if (order := self._order) is not None and order.fits(table):
            return _with_numbers(order, table), True
        self._order = order = _order_of(table)
        return _with_numbers(order, table), False


def _order_of(table: Table) -> _Order:
    """Rows in the order of their lists' names, where each list has one row."""
    lists = table.ids["list"]
    bare, names = replace(table, numbers={}), lists.names
    if len(names) < len(table) or not names:
        return _Order(table.ids, table.line, None, bare)
    ordered, place = lists.in_order
    rows = np.empty_like(place)
    rows[place[lists.codes]] = np.arange(place.size)
    others = {role: each.where(rows) for role, each in table.ids.items() if role != "list"}
    held = tuple(ordered)
    column = RunColumn(np.arange(1, len(held) + 1), held)
    shared = replace(bare, ids={"list": column, **others}, line=table.line[rows])
    return _Order(table.ids, table.line, rows, shared)


def _with_numbers(order: _Order, table: Table) -> Table:
    rows = order.rows
    numbers = table.numbers if rows is None else {r: v[rows] for r, v in table.numbers.items()}
    return replace(table, ids=order.shared.ids, line=order.shared.line, numbers=numbers)


def _same_ids(one: CodedColumn, other: CodedColumn) -> bool:
    """Whether two columns are known to hold the same ids."""
    if isinstance(one, TextColumn) and isinstance(other, TextColumn):
        return one.series.equals(other.series)
    if isinstance(one.held, tuple | list) and isinstance(other.held, tuple | list):
        return np.array_equal(one.codes, other.codes) and tuple(one.held) == tuple(other.held)
    return False
