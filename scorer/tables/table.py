"""Tables as arrays, each row knowing its line.

A format gives rows of cells; `Builder` makes columns of them: ids as codes into
their names, numbers as float64, and for each fault a problem with its line
and column.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from scorer.bytes.lines import count_only
from scorer.core.arrays import Floats, Ints, spread
from scorer.core.problems import Findings, Problem
from scorer.core.text import printable, quoted
from scorer.tables.columns import CodedColumn, JoinedColumn, Rows, TextColumn
from scorer.tables.marked import AMBIGUOUS, percentage, unmarked
from scorer.tables.schema import EXTRA as EXTRA
from scorer.tables.schema import NUMBER as NUMBER
from scorer.tables.schema import ORDERED as ORDERED
from scorer.tables.schema import TEXT as TEXT
from scorer.tables.schema import Schema as Schema

# possessive, so that a million digits and an x are not tried a million times
DECIMAL = re.compile(r"[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?")
_PLAIN = frozenset("0123456789.+-eE")
_NAN = {"nan", "na", "n/a", "null", "none", "-nan", "+nan", "<na>"}
_INFINITE = {sign + word for sign in ("", "+", "-") for word in ("inf", "infinity")}
FLAGS = {"true": 1.0, "false": 0.0}  # as pandas writes them
RANKED_BY = {"score", "rank", "prediction"}  # what a submission says of an item
LARGEST = 1e30  # of what is computed with: the variance of its square is finite
BATCH_ROWS, BATCH_TEXT = 20_000, 1 << 22

CellPlace = Callable[[str, int, int], "tuple[int, int | None]"]
Row = tuple[int, Sequence[str], str, int]  # line, cells, the text they were cut from, which of it


@dataclass(frozen=True, eq=False)
class Table:
    """A file's rows, column by column. All arrays have one element a row."""

    ids: Mapping[str, CodedColumn]
    numbers: Mapping[str, Floats]
    line: Ints  # the physical line each row begins on
    wanted: Schema
    facts: Mapping[str, Any] = field(default_factory=dict)  # what a format noticed

    def __len__(self) -> int:
        return len(self.line)

    def where(self, rows: Rows) -> Table:
        """The table of some rows alone."""
        return replace(
            self,
            ids={role: ids.where(rows) for role, ids in self.ids.items()},
            numbers={role: values[rows] for role, values in self.numbers.items()},
            line=self.line[rows],
        )

    def called(self, role: str) -> str:
        """The name of that column in the file."""
        return self.wanted.called(role)

    @property
    def of_items(self) -> Table:
        """The table with its texts as items, which is what lists are made of."""
        if "text" not in self.ids:
            return self
        ids = {"item" if role == "text" else role: column for role, column in self.ids.items()}
        return replace(self, ids=ids, wanted=self.wanted.of_items)

    @cached_property
    def once(self) -> bool:
        """Whether no item stands twice in a list."""
        lists, items = self.ids["list"], self.ids["item"]
        if isinstance(items, TextColumn | JoinedColumn):  # of which codes take longer to make
            hashes = spread(lists.codes) ^ items.row_hashes
            hashes.sort()
            if not (hashes[1:] == hashes[:-1]).any():
                return True
        pairs = lists.codes.astype(np.int64)
        pairs *= max(len(items.held), 1)
        pairs += items.codes
        pairs.sort()
        return not (pairs[1:] == pairs[:-1]).any()


class Builder:
    """Columns in the making. Rows come one by one, cells in the order of `roles`.

    Args:
        place: gives where the n-th cell stands in a row's text, of which several rows may have
            been made: how many lines below its first, and at which character, from 1.
        lenient: the roles whose cells need not be numbers; they are NaN then.
        called: gives the name of a role's column, where that depends on which row of a text it is.
    """

    def __init__(
        self,
        schema: Schema,
        roles: Sequence[str],
        findings: Findings,
        place: CellPlace | None = None,
        lenient: frozenset[str] = frozenset(),
        called: Callable[[str, int], str] | None = None,
    ) -> None:
        self.schema, self.roles, self.findings = schema, tuple(roles), findings
        self._place, self._lenient, self._called = place, lenient, called
        self._codes: dict[str, list[Ints]] = {r: [] for r in roles if r in TEXT}
        self._index: dict[str, dict[str, int]] = {r: {} for r in roles if r in TEXT}
        self._numbers: dict[str, list[Floats]] = {r: [] for r in roles if r not in TEXT}
        self._lines: list[Ints] = []
        ranked = "item" in schema.roles  # where true is no number to rank items by
        self._flags = [{} if ranked and r in RANKED_BY else FLAGS for r in roles]
        self._batch: list[Row] = []
        self._text = 0
        self.facts: dict[str, Any] = {}

    def row(self, line: int, cells: Sequence[str], raw: str = "", part: int = 0) -> None:
        """Take row `part`, from 0, of a text: its cells, in the order of `roles`."""
        self._batch.append((line, cells, raw, part))
        self._text += len(raw) or sum(map(len, cells))
        if len(self._batch) >= BATCH_ROWS or self._text > BATCH_TEXT:
            self._flush()

    def table(self) -> Table:
        """The finished columns."""
        self._flush()
        return Table(
            {
                role: CodedColumn(_ints(parts), tuple(self._index[role]))
                for role, parts in self._codes.items()
            },
            {role: np.concatenate([np.empty(0), *parts]) for role, parts in self._numbers.items()},
            _ints(self._lines),
            self.schema,
            self.facts,
        )

    def _flush(self) -> None:
        """Make arrays of the rows that wait."""
        if not self._batch:
            return
        batch, self._batch, self._text = self._batch, [], 0
        lines, cells, *_ = zip(*batch, strict=True)
        self._lines.append(np.array(lines, dtype=np.int64))
        for n, (role, column) in enumerate(zip(self.roles, zip(*cells, strict=True), strict=True)):
            if role in self._codes:
                index = self._index[role]
                codes = [index.setdefault(text, len(index)) for text in column]
                self._codes[role].append(np.array(codes, dtype=np.int64))
            else:
                self._numbers[role].append(self._parsed(n, column, batch))

    def _parsed(self, n: int, column: Sequence[str], batch: Sequence[Row]) -> Floats:
        """The numbers of a column; a cell that is none gets its problem and NaN."""
        most = largest(self.roles[n])
        if (plain := _plain_numbers(column, most)) is not None:
            return plain
        values = np.empty(len(column))
        for row, text in enumerate(column):
            values[row], fault = number(text, most)
            flag = None if fault is None else self._flags[n].get(text.strip().lower())
            if flag is not None:
                values[row], fault = flag, None
            if fault is not None and self.roles[n] not in self._lenient:
                self._tell(n, fault, *batch[row])
        return values

    def _tell(
        self, n: int, fault: tuple[str, str], line: int, cells: Sequence[str], raw: str, part: int
    ) -> None:
        """Add the problem of the n-th cell of a row."""
        code, message = fault
        if count_only(self.findings, code):
            return
        below, column = self._place(raw, n, part) if self._place else (0, None)
        role = self.roles[n]
        name = self.schema.called(role) if self._called is None else self._called(role, part)
        message = f"{printable(name, 60)} {message}"
        ids = dict(zip(self.roles, cells, strict=True))
        self.findings.add(
            Problem(
                code,
                message,
                line=line + below,
                column=column,
                list=ids.get("list"),
                item=ids.get("item"),
            )
        )


def plain_table(schema: Schema, cells: Mapping[str, Sequence[str]], first: int) -> Table | None:
    """The table of rows on lines that follow each other; None where a number is not plain.

    Args:
        cells: those of each role.
        first: the line of the first row.
    """
    ids, numbers, rows = {}, {}, 0
    for role, column in cells.items():
        rows = len(column)
        if role in TEXT:
            index = {text: code for code, text in enumerate(dict.fromkeys(column))}
            codes = np.fromiter(map(index.__getitem__, column), np.int64, rows)
            ids[role] = CodedColumn(codes, tuple(index))
        elif (values := _plain_numbers(column, largest(role))) is None:
            return None
        else:
            numbers[role] = values
    return Table(ids, numbers, np.arange(first, first + rows), schema)


def _plain_numbers(column: Sequence[str], most: float) -> Floats | None:
    """The numbers of cells in plain decimal notation; None where one is not, or too large."""
    if not _PLAIN.issuperset("".join(column)):
        return None
    try:
        values = np.array(list(map(float, column)), dtype=np.float64)
    except ValueError:
        return None
    return values if (np.abs(values) <= most).all() else None


def largest(role: str) -> float:
    """How large the numbers of a column may be."""
    return sys.float_info.max if role in ORDERED else LARGEST


def number(text: str, most: float = sys.float_info.max) -> tuple[float, tuple[str, str] | None]:
    """The value of plain decimal notation, or NaN with the code and words of what it is instead.

    >>> number("1e-6")
    (1e-06, None)
    >>> number("3,5")[1]
    ('S504', "'3,5' has a decimal comma; write 3.5")
    """
    if DECIMAL.fullmatch(text):
        value = float(text)
        if math.isinf(value):
            return math.nan, ("S503", f"{quoted(text)} is too large to be finite")
        if abs(value) > most:
            return math.nan, ("S503", f"{quoted(text)} is too large to compute with")
        return value, None
    folded = text.strip().lower()
    if not folded:
        return math.nan, ("S506", "is empty; every row needs a number")
    if folded in _NAN:
        return math.nan, ("S502", f"is {quoted(text)}; every row needs a finite number")
    if folded in _INFINITE:
        return math.nan, ("S503", f"is {quoted(text)}; every row needs a finite number")
    point = folded.replace(",", ".", 1)
    if "," in folded and DECIMAL.fullmatch(point):
        if AMBIGUOUS.fullmatch(folded):
            point += f", or {folded.replace(',', '')} if it marks thousands"
        return math.nan, (
            "S504",
            f"{quoted(text)} has a decimal comma; write {printable(point, 60)}",
        )
    if (shares := percentage(text)) is not None:
        share, plain = shares
        return math.nan, ("S501", f"{quoted(text)} is a percentage; write {share} or {plain}")
    if (marked := unmarked(text)) is not None:
        return math.nan, (
            "S501",
            f"{quoted(text)} is a number with {marked.marks}; write {marked.plain}",
        )
    return math.nan, ("S501", f"{quoted(text)} is not a number in plain decimal notation")


def _ints(parts: Sequence[Ints]) -> Ints:
    return np.concatenate([np.empty(0, dtype=np.int64), *parts])
