"""The table of one file, the same whatever its format; and what a format's reader works with."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import polars as pl

from scorer.core.arrays import Floats, Ints
from scorer.core.matching import RowIndex
from scorer.core.problems import Findings, Problem, Severity
from scorer.reading.layout import PLAIN, Layout
from scorer.reading.limits import ReadLimits
from scorer.reading.schema import Schema, holds_text

Texts = Callable[[], pl.Series]  # gives the texts of all lines of a file
NO_TEXTS = pl.Series([], dtype=pl.String)
NO_ITEMS_FACT = "no items"  # of `Table.facts`: whether lists are named, of which none has items
IN_LINE = "number in line"  # a column of Cells; a blank, so that no role has this name


class CellPlace(NamedTuple):
    """A cell and its place in the file."""

    text: str
    line: int  # the physical line on which it begins, from 1
    column: int | None  # its first character in that line, from 1, if that is known


class LineTexts(Protocol):
    """The texts of all lines of a file: line n is at n - 1. A pl.Series is one."""

    def __len__(self) -> int: ...
    def __getitem__(self, position: int, /) -> str: ...


# (texts of the lines, line, role) -> the cells of the role in the rows that begin on the line, in
# their order.
FindCells = Callable[[LineTexts, int, str], Sequence[CellPlace]]


@dataclass(eq=False)
class Table:
    """The rows of a file, in the file's order.

    Attributes:
        frame: `line` (UInt32), then a column for each role that the file has: String for a role
            that `holds_text`, else Float64. A row's line is the physical line on which it begins,
            from 1, in the unpacked file. No cell is null; a number that cannot be read is NaN.
        schema: The roles that were asked for, and the names of their columns.
        header: The names of all columns of the file, unused ones included; empty for a format
            without a header.
        empty_lists: The lists that the file names without an item, each with its line.
        find_cells: Finds cells again in the lines of the file; None for a format without lines.
        facts: Further facts of the file for the views, each under a constant such as ANSWERS_FACT.
    """

    frame: pl.DataFrame
    schema: Schema
    header: tuple[str, ...] = ()
    empty_lists: Mapping[str, int] = field(default_factory=dict)
    find_cells: FindCells | None = None
    facts: Mapping[str, object] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.frame.height

    def __contains__(self, role: object) -> bool:
        return role in self.frame.columns

    def column_name(self, role: str) -> str:
        """Return what the file calls the column of a role."""
        return self.schema.column_name(role)

    @property
    def names_empty_lists(self) -> bool:
        """Whether a table without rows names lists, which then are as good as missing."""
        return NO_ITEMS_FACT in self.facts

    def numbers(self, role: str) -> Floats:
        """Return a column of numbers; it is copied once, as its parts do not follow each other."""
        if role not in self._numbers:
            self._numbers[role] = self.frame[role].to_numpy()
        return self._numbers[role]

    @cached_property
    def _numbers(self) -> dict[str, Floats]:
        return {}

    @cached_property
    def pair_index(self) -> RowIndex:
        """The index of the rows by list and item."""
        return RowIndex.of([self.frame["list"], self.frame["item"]])

    def with_frame(self, frame: pl.DataFrame) -> Table:
        """Return the table with other rows, or other columns."""
        return replace(self, frame=frame)

    def with_items(self) -> Table:
        """Return the table with its column of texts, if it has one, as items."""
        find_cells = self.find_cells
        if "text" not in self:
            return self

        def find_texts(texts: LineTexts, line: int, role: str) -> Sequence[CellPlace]:
            assert find_cells is not None
            return find_cells(texts, line, "text" if role == "item" else role)

        return replace(
            self,
            frame=self.frame.rename({"text": "item"}),
            schema=self.schema.with_items(),
            find_cells=find_cells and find_texts,
        )


@dataclass(eq=False)
class Cells(Table):
    """What a format's reader returns: a table whose columns of numbers are String or Float64.

    Lines ascend. If a line can have several rows, the frame has a column IN_LINE (UInt32), too: the
    position, from 0, of the row's cells among all that `find_cells` returns for the line.

    Attributes:
        wide_names: role -> the names of the wide columns that hold its cells, if the rows of a line
            come from such columns. The IN_LINE of a row is the position of its name.
        free_roles: The roles of numbers in which a cell that is no number, or too large a one, is
            NaN without a problem.
        first_line: The first line that can be a row.
    """

    wide_names: Mapping[str, Sequence[str]] = field(default_factory=dict)
    free_roles: Collection[str] = ()
    first_line: int = 1


class ReadRequest(NamedTuple):
    """What a format's reader is given.

    Attributes:
        path: The file, for its suffix and for messages; its bytes are read already.
        schemas: The shapes that the file may have, the likeliest first.
        findings: Receives the problems.
        layout: How the file is written where it is not plain.
        texts: Returns the texts of all its lines, also of those that the layout skips; line n is at
            n - 1. Empty for a format without lines.
    """

    path: Path
    schemas: Sequence[Schema]
    findings: Findings
    limits: ReadLimits
    layout: Layout = PLAIN
    texts: Texts = lambda: NO_TEXTS

    def report(
        self,
        code: str,
        message: str,
        line: int | None,
        column: int | None = None,
        help: str | None = None,
        list: str | None = None,
        severity: Severity = "error",
    ) -> None:
        """Add a problem to the findings, or only count it if they keep no more of its code."""
        if not self.findings.count_if_full(code):
            problem = Problem(
                code, message, severity, line=line, column=column, list=list, help=help
            )
            self.findings.add(problem)


def make_table(
    columns: Mapping[str, Any], schema: Schema | None = None, lines: Any = None
) -> Table:
    """Return a table that was read from no file.

    Args:
        columns: role -> the cells of its column, one a row.
        schema: The roles, and the names of their columns; None for the roles' own names.
        lines: The line of each row; None to count them from 1.
    """
    series = [
        pl.Series(role, cells, dtype=pl.String if holds_text(role) else pl.Float64, strict=False)
        for role, cells in columns.items()
    ]
    if lines is None:
        lines = range(1, len(series[0]) + 1)
    line = pl.Series("line", lines, dtype=pl.UInt32)
    return Table(pl.DataFrame([line, *series]), schema or Schema(tuple(columns)))


def encode(ids: pl.Series) -> tuple[pl.Series, Ints]:
    """Return the distinct ids in order of appearance, and where among them each row's id is.

    >>> names, numbers = encode(pl.Series(["b", "a", "b"]))
    >>> names.to_list(), numbers.tolist()
    (['b', 'a'], [0, 1, 0])
    """
    names = ids.unique(maintain_order=True)
    return names, find_indices(ids, names)


def sort_ids(ids: pl.Series) -> pl.Series:
    """Return the distinct ids, sorted."""
    # Stretches of equal ids are few: in most files the rows of a list follow each other. Lists are
    # often sorted.
    distinct = ids.rle().struct.field("value")
    return distinct if distinct.is_sorted() else distinct.sort().rle().struct.field("value")


def find_indices(ids: pl.Series, names: Sequence[str] | pl.Series) -> Ints:
    """Return the position of each id in a sequence of different names; -1 for an unknown id.

    >>> find_indices(pl.Series(["b", "c"]), ["a", "b"]).tolist()
    [1, -1]
    """
    names = pl.Series(names, dtype=pl.String)
    if ids.equals(names):
        return np.arange(len(names))
    if len(ids) == len(names):  # often each name once, in another order
        order, order_of_names = ids.arg_sort(), names.arg_sort()
        if ids.gather(order).equals(names.gather(order_of_names)):
            places = np.empty(len(names), dtype=np.int64)
            places[order.to_numpy()] = order_of_names.to_numpy()
            return places
    known = pl.DataFrame({"id": names}).with_row_index("place")
    found = pl.DataFrame({"id": ids}).join(known, on="id", how="left", maintain_order="left")
    return found["place"].cast(pl.Int64).fill_null(-1).to_numpy()


def cells_frame(lines: Sequence[int] | Ints, columns: Mapping[str, Sequence[str]]) -> pl.DataFrame:
    """Return the frame of Cells, given the line of each row and role -> the text of each row."""
    texts = {role: pl.Series(cells, dtype=pl.String) for role, cells in columns.items()}
    return pl.DataFrame({"line": pl.Series(lines, dtype=pl.UInt32)} | texts)


def merge_rows(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return the rows of several frames with the same columns, in the order of their lines."""
    filled = [frame for frame in frames if not frame.is_empty()]
    if len(filled) < 2:
        return filled[0] if filled else frames[0]
    return pl.concat(filled).sort("line", maintain_order=True)
