"""Text files in pieces: whole lines, cut into columns by polars or by the careful parser.

A format is a `TextReader`. Its `parse` is the careful parser, a record at a time; its `plain`
cuts a whole block with polars and names the lines that it leaves to `parse`; its `plain_cells`
cuts a small file of nothing but plain lines. All give the same rows, lines and findings, so
that it does not matter which line goes where.
"""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scorer.bytes.files import BLOCK_SIZE, open_bytes, open_part
from scorer.bytes.limits import ReadLimits, Unreadable
from scorer.bytes.lines import lines
from scorer.core.arrays import Floats, Ints, Mask
from scorer.core.problems import Findings
from scorer.formats.blocks import NONE, Block, Lines, Places
from scorer.formats.form import PLAIN, FileForm, offset
from scorer.tables.columns import CodedColumn, TextColumn
from scorer.tables.table import TEXT, Schema, largest

if TYPE_CHECKING:
    import polars as pl


BLANK_LINE = re.compile(rb"\n\r?\n")
# its line, its cells, the text they were cut from, and which of the rows of that text it is
Row = tuple[int, Sequence[str], str] | tuple[int, Sequence[str], str, int]


class LineIndex:
    """What is remembered of the lines of a text that is read, to find some of them again.

    Attributes:
        begins: the first line of each block -> its first byte.
        columns: gives for cells of a file of one block, which is kept, what `columns` gives.
    """

    def __init__(self) -> None:
        self.begins = dict[int, int]()
        self.columns: Callable[[Sequence[tuple[int, str, str]]], list[int | None]] | None = None


class Request(NamedTuple):
    """A file to be read: its bytes, what is wanted of it, and where findings go."""

    path: Path
    stream: BufferedReader
    wanted: Sequence[Schema]  # the shapes it may have, the likeliest first
    findings: Findings
    limits: ReadLimits
    stack: ExitStack  # what must be gone when the file is left: threads, processes
    form: FileForm = PLAIN
    lines: LineIndex | None = None  # remembers where they stand


def all_lines(request: Request) -> Iterator[tuple[int, str]]:
    """Each line of the file from its beginning, as it is read a second time; none if it cannot be.

    A file inside an archive or a folder of parts is opened there.
    """
    try:
        with _again(request) as stream:
            yield from lines(stream, request.limits, Findings())
    except Unreadable:
        return


def has_blank_lines(request: Request) -> bool:
    """Whether an empty line stands between two others, or in the file's beginning."""
    end = b"\n"
    try:
        with _again(request) as stream:
            while block := stream.read(BLOCK_SIZE):
                if BLANK_LINE.search(end + block):
                    return True
                end = block[-2:]
    except Unreadable:
        pass
    return False


def _again(request: Request) -> AbstractContextManager[BufferedReader]:
    path = request.path
    if os.path.exists(path):
        return open_bytes(path, request.limits)
    whole = next(parent for parent in path.parents if os.path.exists(parent))
    return open_part(whole, str(path.relative_to(whole)), request.limits)


class Plain(NamedTuple):
    """The rows of a block that polars cut."""

    columns: dict[str, Any]  # by role: pl.Series of text, or float64
    at: Places  # the line of each row, from 0; ascending
    odd: Places  # the lines that are left to the careful parser; ascending
    usual: bool = False  # as of `CodedColumn`


def plain_rows(
    frame: pl.DataFrame,
    places: Mapping[str, int],
    at: Places,
    odd: Places,
    lenient: Collection[str] = (),
) -> tuple[Plain, Mask | None]:
    """The rows that polars cut, without those with a cell that is no number, or too large a one.

    Args:
        frame: the columns, by their numbers; one row a line.
        places: the number of each role's column.
        at: the line of each row, from 0.
        odd: the lines that are not among these.
        lenient: the roles whose cells need not be numbers.

    Returns:
        The rows, and of the frame's rows, which these are; None: all.
    """
    by_role: dict[str, Any] = {
        role: frame[str(n)] if role in TEXT else frame[str(n)].to_numpy().astype(float, copy=False)
        for role, n in places.items()
    }
    right: Mask | None = None
    for role, column in by_role.items():
        if role in TEXT or _fits(column, largest(role)):
            continue
        fit = np.abs(column) <= largest(role)
        if role in lenient:
            by_role[role] = np.where(fit, column, np.nan)
        else:
            right = fit if right is None else right & fit
    if right is not None:
        odd = np.union1d(odd, at[~right])
        at = at[right]
        by_role = {role: column[np.flatnonzero(right)] for role, column in by_role.items()}
    return Plain(by_role, at, odd), right


def _fits(numbers: Floats, most: float) -> bool:
    """Whether all are numbers of at most that size, found without an array of their sizes."""
    return not numbers.size or bool(-most <= numbers.min() and numbers.max() <= most)


class TextReader(ABC):
    """One file of a text format.

    What is learnt of more than one line goes, block by block, into `notes`, which
    `settle` gets in the order of the file.
    """

    shape: Schema
    roles: tuple[str, ...]  # of a row's cells
    lenient: frozenset[str] = frozenset()  # roles whose cells need not be numbers: NaN then
    begun = True  # whether `begin` has nothing (more) to do
    whole_ranks = True  # whether ranks are tried as whole numbers, which nearly all are

    def __init__(self, request: Request) -> None:
        self.request = request
        self.facts: dict[str, Any] = {}

    def begin(self, lines: Lines, last: bool, findings: Findings) -> int:
        """Look at the file's beginning until `begun`.

        Args:
            lines: the first lines that no call has used yet.

        Returns:
            How many lines are done with. Those that are not are shown again, with more.

        Raises:
            NoTable: there is none; the findings say why.
            Unreadable: as well.
        """
        return 0

    @abstractmethod
    def parse(
        self, lines: Lines, line: int, last: bool, findings: Findings, notes: Any
    ) -> tuple[int, Sequence[Row]]:
        """The rows of the record that begins on a line.

        Args:
            line: where the record begins, from 0.

        Returns:
            The line after the record, and its rows; `line` itself where it goes on beyond
            these lines.

        Raises:
            Unreadable: the file cannot be read further.
        """

    def plain_cells(self, block: Block, notes: Any) -> Sequence[Sequence[str]] | None:
        """The cells of each role where each line of a block is a row, and plain; else None.

        They are cut in less time than by `parse`, and without polars, which takes long to import.
        """
        return None

    def plain(self, block: Block, notes: Any) -> Plain:
        """The columns of a block's plain lines, by polars."""
        return Plain({}, NONE, np.arange(block.count))

    def called(self, role: str, part: int = 0) -> str:
        """The name of the column that a role's cell in the `part`-th row of a text is from."""
        return self.shape.called(role)

    def place(self, raw: str, cell: int, part: int = 0) -> tuple[int, int | None]:
        """Where a cell stands in a row's text: lines below its first, and character from 1.

        Args:
            part: which of the rows of that text it is, from 0.
        """
        return 0, None

    def inside(self, text: str, separator: str, n: int) -> int:
        """At which character of a text, that begins with a cell, the n-th of several begins.

        Both are counted from 0; `separator` stands between them.
        """
        return offset(text, separator, n)

    def column(self, lines: Lines, line: int, role: str, cell: str) -> int | None:
        """At which character of a line a cell of the record begins that begins there.

        Args:
            line: where the record begins, from 0.

        Returns:
            None where the cell is not in this line.
        """
        if role not in self.roles:
            return None
        n = self.roles.index(role)
        _, rows = self.parse(lines, line, True, Findings(), self.notes())
        for _, cells, raw, *part in rows:
            if cells[n] == cell:
                below, column = self.place(raw, n, *part)
                return None if below else column
        return None

    def notes(self) -> Any:
        """An empty note on a block."""
        return None

    def settle(self, piece: Piece) -> None:  # noqa: B027  # most have nothing to do
        """Take a block's notes, in the order of the file; `Unreadable` if it cannot be read on."""

    def end(self, findings: Findings) -> None:  # noqa: B027
        """Add the problems that only the whole file shows."""


@dataclass(eq=False)
class Piece:
    """The rows of a block, and what was found and noted in it."""

    block: Block
    ids: dict[str, CodedColumn]
    numbers: dict[str, Floats]
    line: Ints
    findings: Findings
    notes: Any
    error: Unreadable | None = None
    rest: bytes = b""  # of a record that goes on in the next block
    careful: int = 0  # rows and lines that the careful parser read
    facts: dict[str, Any] = field(default_factory=dict)

    def keep(self, rows: Any) -> None:
        """Leave out rows."""
        self.ids = {
            role: TextColumn(column.series.filter(rows), column.usual)
            if isinstance(column, TextColumn)
            else CodedColumn(column.codes[rows], column.held)
            for role, column in self.ids.items()
        }
        self.numbers = {role: values[rows] for role, values in self.numbers.items()}
        self.line = self.line[rows]
