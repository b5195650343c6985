"""Tables as arrays, each row knowing its line.

A format gives rows of cells; `Builder` makes columns of them: ids as codes into
their names, numbers as float64, and for whatever is wrong a problem with its
line and column.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorer.errors import Findings, Problem, quoted
from scorer.streams import Limits, Unreadable

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

TEXT = frozenset({"list", "item", "better", "worse", "tag", "subtopic", "group", "fold"})
DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_PLAIN = frozenset("0123456789.+-eE")
_NAN = {"nan", "na", "n/a", "null", "none", "-nan", "+nan", "<na>"}
_INFINITE = {sign + word for sign in ("", "+", "-") for word in ("inf", "infinity")}
EXACT = 2**53  # whole numbers up to here are told apart by a double


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a table is asked for: the columns by their roles."""

    required: tuple[str, ...]
    optional: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)  # role -> name in the file

    @property
    def roles(self) -> tuple[str, ...]:
        """All of them, in order."""
        return (*self.required, *self.optional)

    def called(self, role: str) -> str:
        """What the file calls that column."""
        return self.columns.get(role, role)


@dataclass(frozen=True, slots=True)
class Ids:
    """A column of ids: each row's code is the place of its text in `names`."""

    codes: Ints
    names: Sequence[str]  # the distinct ids, in order of appearance

    def text(self, row: int) -> str:
        """The id of one row."""
        return self.names[int(self.codes[row])]


@dataclass(frozen=True, slots=True)
class Table:
    """A file's rows, column by column. All arrays have one element a row."""

    ids: Mapping[str, Ids]
    numbers: Mapping[str, Floats]
    line: Ints  # the physical line each row begins on
    wanted: Wanted
    facts: Mapping[str, Any] = field(default_factory=dict)  # what a format noticed

    def __len__(self) -> int:
        return len(self.line)

    def called(self, role: str) -> str:
        """What the file calls that column."""
        return self.wanted.called(role)


class Builder:
    """Columns in the making. Rows come in batches, cells in the order of `roles`."""

    def __init__(
        self,
        wanted: Wanted,
        roles: Sequence[str],
        findings: Findings,
        limits: Limits,
        place: Callable[[str, int], int | None] | None = None,
    ) -> None:
        self.wanted, self.roles, self.findings = wanted, tuple(roles), findings
        self._limits, self._place = limits, place
        self._codes: dict[str, list[NDArray[np.int64]]] = {r: [] for r in roles if r in TEXT}
        self._index: dict[str, dict[str, int]] = {r: {} for r in roles if r in TEXT}
        self._numbers: dict[str, list[Floats]] = {r: [] for r in roles if r not in TEXT}
        self._lines: list[Ints] = []
        self._rows = 0
        self.facts: dict[str, Any] = {}

    def add(self, lines: Sequence[int], cells: Sequence[Sequence[str]], raw: Sequence[str]) -> None:
        """Take a batch: for each row its line, its cells, and the text they were cut from.

        Raises:
            Unreadable: the table has more rows or different ids than are accepted.
        """
        if not lines:
            return
        self._rows += len(lines)
        if self._rows > self._limits.rows:
            said = f"more than {self._limits.rows:,} rows, which is what is accepted here"
            raise Unreadable(Problem("S104", said, line=lines[-1]))
        self._lines.append(np.array(lines, dtype=np.int64))
        for n, (role, column) in enumerate(zip(self.roles, zip(*cells, strict=True), strict=True)):
            if role in self._codes:
                index = self._index[role]
                codes = [index.setdefault(text, len(index)) for text in column]
                self._codes[role].append(np.array(codes, dtype=np.int64))
                if len(index) > self._limits.ids:
                    said = f"more than {self._limits.ids:,} different ids, as accepted here"
                    raise Unreadable(Problem("S104", said, line=lines[-1]))
            else:
                self._numbers[role].append(self._parsed(role, n, column, lines, raw))

    def table(self) -> Table:
        """The finished columns."""
        return Table(
            {
                role: Ids(_ints(parts), tuple(self._index[role]))
                for role, parts in self._codes.items()
            },
            {role: np.concatenate([np.empty(0), *parts]) for role, parts in self._numbers.items()},
            _ints(self._lines),
            self.wanted,
            self.facts,
        )

    def _parsed(
        self, role: str, n: int, column: Sequence[str], lines: Sequence[int], raw: Sequence[str]
    ) -> Floats:
        """The numbers of a column; a cell that is none gets its problem and NaN."""
        if _PLAIN.issuperset("".join(column)):
            try:
                values = np.array(list(map(float, column)), dtype=np.float64)
                if np.isfinite(values).all():
                    return values
            except ValueError:
                pass
        values = np.empty(len(column))
        for row, text in enumerate(column):
            values[row], fault = number(text)
            if fault is not None:
                code, said = fault
                said = f"{self.wanted.called(role)} {said}"
                column_at = self._place(raw[row], n) if self._place else None
                self.findings.add(Problem(code, said, line=lines[row], column=column_at))
        return values


def number(text: str) -> tuple[float, tuple[str, str] | None]:
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
        return value, None
    folded = text.strip().lower()
    if not folded:
        return math.nan, ("S506", "is empty; every row needs a number")
    if folded in _NAN:
        return math.nan, ("S502", f"is {quoted(text)}; every row needs a finite number")
    if folded in _INFINITE:
        return math.nan, ("S503", f"is {quoted(text)}; every row needs a finite number")
    if DECIMAL.fullmatch(folded.replace(",", ".", 1)):
        return math.nan, ("S504", f"{quoted(text)} has a decimal comma; write "
                                  f"{folded.replace(',', '.', 1)}")  # fmt: skip
    return math.nan, ("S501", f"{quoted(text)} is not a number in plain decimal notation")


def _ints(parts: Sequence[Ints]) -> Ints:
    return np.concatenate([np.empty(0, dtype=np.int64), *parts])
