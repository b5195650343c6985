"""Columns that a challenge declares in addition to scorer's roles, by name, for metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scorer.core.arrays import Ints, Mask, at_or_missing
from scorer.core.errors import ChallengeError
from scorer.core.problems import Findings, Problem
from scorer.core.text import format_distinct, printable, quoted
from scorer.reading.numbers import parse_number
from scorer.reading.schema import EXTRA, NUMBER
from scorer.reading.table import Table, encode

Column = NDArray[Any]  # (rows,): texts or numbers; (rows, classes): shares of classes
Columns = Mapping[str, Sequence[Any]]  # name -> cells, as examples write them


class NamedColumns(dict[str, Column]):
    """Columns by name; looking up another name raises an error that says how to declare it."""

    def __init__(
        self,
        columns: Mapping[str, Column],
        section: str,
        levels: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        super().__init__(columns)
        self.section = section
        self.levels = dict(levels or {})  # column of classes -> the class names

    def __missing__(self, name: str) -> Column:
        in_yaml = {"list": "lists", "item": "items"}
        section = in_yaml.get(self.section, self.section)
        declared = f"; declared: {', '.join(self)}" if self else ""
        raise ChallengeError(
            f"{section} has no further column {quoted(name)}{declared}; declare it: "
            f"{section}: {{columns: {{extra: {{{printable(name, 60)}: text}}}}}}"
        )

    def at(self, rows: Ints | Mask | None) -> NamedColumns:
        """Return the columns at some rows; at all of them if `rows` is None."""
        if rows is None or not self:
            return self
        columns = {name: column[rows] for name, column in self.items()}
        return NamedColumns(columns, self.section, self.levels)

    def at_or_missing(self, rows: Ints) -> NamedColumns:
        """Return the columns at some rows; '', NaN, or shares of 0 where a row is -1."""
        columns = {}
        for name, column in self.items():
            of_number = 0.0 if column.ndim > 1 else np.nan
            columns[name] = at_or_missing(column, rows, "" if column.dtype == object else of_number)
        return NamedColumns(columns, self.section, self.levels)


class Extras(NamedTuple):
    """The further columns of each section, with one element a row of its table."""

    truth: NamedColumns = NamedColumns({}, "truth")
    submission: NamedColumns = NamedColumns({}, "submission")
    list: NamedColumns = NamedColumns({}, "list")
    item: NamedColumns = NamedColumns({}, "item")

    def at(
        self,
        truth: Ints | Mask | None = None,
        submission: Ints | Mask | None = None,
        list: Ints | Mask | None = None,
        item: Ints | Mask | None = None,
    ) -> Extras:
        """Return the columns at some rows, given for each section as indices or as a mask.

        A section for which neither is given keeps all of its rows.
        """
        sections = zip(self, (truth, submission, list, item), strict=True)
        return Extras(*(columns.at(rows) for columns, rows in sections))


NO_EXTRAS = Extras()


class View:
    """A submission joined with the truth; the type of a metric's first argument is one."""

    __slots__ = ()
    kinds: ClassVar[frozenset[str]] = frozenset()  # the kinds of challenge that have it
    # Whether the values of a list depend on its order, and so on the rule for equal scores.
    in_order: ClassVar[bool] = False
    # Whether unjudged items can be left out, by a method `only_judged`.
    has_judgements: ClassVar[bool] = False
    # Whether the truth leaves no list without a value, so that only a submission can.
    truth_defines_all: ClassVar[bool] = False
    names: Sequence[str]  # of the lists

    @property
    def lists(self) -> int:
        """The number of lists."""
        return len(self.names)


def read_columns(
    table: Table, kinds: Mapping[str, str], section: str, findings: Findings | None = None
) -> NamedColumns:
    """Return the further columns of a table, one element a row.

    A column of classes is left out if a cell has shares that sum to more than 1.

    Args:
        table: Its columns are called `number[NAME]` if of numbers, else `extra[NAME]`.
        kinds: column name -> text, number or classes.
        section: The section of challenge.yaml that declares them.
        findings: Where to add the problems of cells that cannot be read.
    """
    columns, levels = {}, {}
    for name, kind in kinds.items():
        role = f"{NUMBER if kind == 'number' else EXTRA}{name}]"  # the constants end in "["
        if role not in table:
            continue
        if kind == "number":
            columns[name] = table.frame[role].to_numpy()
            continue
        distinct, codes = encode(table.frame[role])
        cells = distinct.to_list()
        if kind != "classes":
            columns[name] = np.array(cells, dtype=object)[codes]
            continue
        shares = [_parse_shares(cell) for cell in cells]
        totals = [sum(of_cell.values()) for of_cell in shares]
        faults = [n for n, total in enumerate(totals) if total > 1 + 1e-9]  # sums are rounded
        for n in faults:
            message = f"has shares that sum to {format_distinct(totals[n], 1)[0]}, over 1"
            message = f"{printable(name, 60)} {quoted(cells[n])} {message}"
            if findings is not None:
                line = table.frame["line"][int(np.argmax(codes == n))]
                findings.add(Problem("S501", message, line=line))
        if not faults:
            levels[name] = tuple(sorted(set[str]().union(*shares)))
            columns[name] = _class_shares(shares, levels[name])[codes]
    return NamedColumns(columns, section, levels)


def _class_shares(shares: Sequence[Mapping[str, float]], classes: Sequence[str]) -> Column:
    """Return the share of each class in each cell, shape (cells, classes)."""
    places = {name: n for n, name in enumerate(classes)}
    array = np.zeros((len(shares), len(classes)))
    for row, of_cell in enumerate(shares):
        for name, share in of_cell.items():
            array[row, places[name]] = share
    return array


def _parse_shares(cell: str) -> dict[str, float]:
    """Return class -> share of a cell `a`, `a|b` (a half each) or `a:0.7|b:0.3`.

    A colon without a number after it is part of a name.
    """
    shares: dict[str, float] = {}
    parts = [part for part in cell.split("|") if part.strip()]
    for part in parts:
        name, colon, text = part.rpartition(":")
        value, fault, _ = parse_number(text.strip())
        if not colon or fault or value < 0:
            name, value = part, 1 / len(parts)
        shares[name.strip()] = shares.get(name.strip(), 0.0) + value
    return shares
