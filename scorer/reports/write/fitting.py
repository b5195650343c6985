"""Tables fitted to the width of a text: columns that have room, folded headings, cut names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from textwrap import wrap
from typing import NamedTuple

from rich.cells import cell_len

from scorer.core.text import printable
from scorer.reports.document import Column, Table
from scorer.reports.github import escape_commands

GAP = 3  # blanks between two columns
MIN_FOLDED_WORD = 12  # columns of a word of a heading from which on it may be folded
MAX_UNFOLDED_PIECE = 24  # columns of a piece of a word that is not cut
MIN_NAME_WIDTH = 16  # to which names are cut before a column is left out
DRAWN_KINDS = ("line", "bar")  # kinds of columns that a terminal draws, with their headings
LONGEST_CELL = 10_000  # characters of a text that is written below its table, or cut later
MIN_SHARED = 4  # columns for the begin and the end that names share, and two gaps


class TextColumn(NamedTuple):
    """A column of a table as texts."""

    column: Column
    head: str
    cells: Sequence[str]
    position: int = 0  # in the rows of its table
    folds: bool = True  # whether the heading may take several lines
    cut_width: int = 0  # to which its cells were cut; 0: they were not

    @property
    def width(self) -> int:
        """The width that its cells and its heading need."""
        if self.cut_width:
            return self.cut_width
        if self.column.kind in DRAWN_KINDS:
            return max(map(cell_len, [*self.cells, *self.head.split("\n"), " "]))
        if self.folds:
            word = max(map(cell_len, self.head.split()), default=0)
            piece = max((cell_len(piece.rstrip()) for piece in self.pieces), default=0)
            head = max(min(word, MIN_FOLDED_WORD), min(piece, MAX_UNFOLDED_PIECE))
        else:
            head = cell_len(self.head)
        return max(*map(cell_len, self.cells), head, 1)

    @property
    def pieces(self) -> list[str]:
        """The parts of its heading between which a line may end: words, and parts of long ones."""
        words = re.split(r"(?<=\s)(?![↓↑])", self.head)
        return [
            piece
            for word in words
            for piece in (
                re.split(r"(?=\()|(?<=[=,])", word) if len(word) > MIN_FOLDED_WORD else [word]
            )
        ]

    @property
    def folded_head(self) -> str:
        """Its heading in lines that fit, of one piece or more; a piece is cut if it must be.

        >>> TextColumn(Column(""), "F1(average=macro)", ["0.5"]).folded_head.split()
        ['F1(average=', 'macro)']
        """
        if self.column.kind in DRAWN_KINDS:
            return self.head
        lines = [""]
        for piece in self.pieces:
            if cell_len((lines[-1] + piece).rstrip()) <= self.width:
                lines[-1] += piece
            else:
                lines += wrap(piece, self.width, drop_whitespace=False)
        return "\n".join(line.strip() for line in lines if line.strip())


class FittedTable(NamedTuple):
    """A table as it fits a width."""

    table: Table
    columns: Sequence[TextColumn]  # that there is room for
    gap: int  # blanks between two columns
    cuts_names: bool

    @property
    def is_dense(self) -> bool:
        """Whether one blank separates columns."""
        return self.gap == 1

    @property
    def width(self) -> int:
        """The width of its columns and gaps."""
        return total_width([each.width for each in self.columns], self.gap)


def fit_table(table: Table, room: int, text_room: int, gap: int) -> FittedTable:
    """Return the columns of a table that fit a width, with names that are cut if they must be.

    Args:
        table: The table.
        room: The width of a terminal, or more than any table has.
        text_room: The width of running text, in which headings that fit are not folded.
        gap: The blanks between two columns.
    """
    columns = [text_column(table, n) for n in range(len(table.columns))]
    unfolded = [each._replace(folds=False) for each in columns]
    shown = [each.width for each in unfolded if each.column.kind != "long"]
    if total_width(shown, gap) <= text_room:
        columns = unfolded
    has_priorities = any(column.priority for column in table.columns)
    # A table of names and numbers, of which none may be left out, is as narrow as running text.
    kinds = {column.kind for column in table.columns}
    max_width = text_room if kinds == {"name", "number"} and not has_priorities else room
    needed = total_width([each.width for each in columns if each.column.kind != "bar"], gap)
    has_signs = any(each.column.kind == "sign" for each in columns)
    if has_signs or (not has_priorities and needed > max_width):
        gap = 1
    kept = [each for each in columns if each.column.kind != "long"]
    names = next((each for each in kept if each.column.kind == "name"), None)

    def width_with_names(width: int) -> int:
        return total_width([width if each is names else each.width for each in kept], gap)

    least = min(names.width, MIN_NAME_WIDTH) if names else 0
    while width_with_names(least) > room and any(each.column.priority for each in kept):
        kept.remove(max(kept, key=lambda each: each.column.priority))
    names_room = max_width - width_with_names(0)
    if names is None or names not in kept or names_room >= names.width:
        return FittedTable(table, kept, gap, cuts_names=False)
    names_room = max(names_room, 1)
    cells = cut_names(names.cells, names_room)
    kept[kept.index(names)] = names._replace(cells=cells, cut_width=names_room)
    return FittedTable(table, kept, gap, cuts_names=True)


def total_width(widths: Sequence[int], gap: int) -> int:
    """Return the width of columns with gaps between them."""
    return sum(widths) + gap * (len(widths) - 1)


def text_column(table: Table, n: int) -> TextColumn:
    """Return a column of a table as texts; of ranks, the numbers and the ranges are aligned."""
    column = table.columns[n]
    texts = [row.cells[n].text for row in table.rows]
    if column.kind == "rank":
        parts = [text.partition(" ") for text in texts]
        width = max((len(rank) for rank, _, _ in parts), default=0)
        texts = [f"{rank:>{width}} {ranks}".rstrip() for rank, _, ranks in parts]
    if column.kind == "name":
        shown = cut_names([printable(text, LONGEST_CELL) for text in texts], column.cut)
    else:
        longest = LONGEST_CELL if column.kind == "long" else column.cut
        shown = [printable(text, longest) for text in texts]
    head = column.head if column.kind in DRAWN_KINDS else printable(column.head)
    return TextColumn(column, head, list(map(escape_commands, shown)), n)


def cut_names(names: Sequence[str], width: int) -> list[str]:
    """Return names of at most so many columns, cut in the middle; different ones stay different.

    Where names differ in the middle, that part stays; where it is too long, they get numbers.

    >>> cut_names(["team-a-of-ljubljana", "team-b-of-ljubljana", "short"], 9)
    ['team-a…na', 'team-b…na', 'short']
    >>> cut_names(["abcdefgh-1-ijklmnop", "abcdefgh-2-ijklmnop"], 9)
    ['abc…1…nop', 'abc…2…nop']
    """
    short = {name: _cut_middle(name, width) for name in dict.fromkeys(names)}
    for same in _equal_texts(short):
        short |= _cut_around_differences(same, width)
    if same := [*chain.from_iterable(_equal_texts(short))]:  # of several groups
        short |= _cut_around_differences(same, width)
    for n, name in enumerate(chain.from_iterable(_equal_texts(short)), start=1):
        mark = f"#{n}"
        short[name] = f"{_cut_middle(name, max(width - len(mark), 1))}{mark}"
    return [short[name] for name in names]


def _equal_texts(short: Mapping[str, str]) -> list[list[str]]:
    """Return the names of each text that several names have."""
    names_of: dict[str, list[str]] = {}
    for name, text in short.items():
        names_of.setdefault(text, []).append(name)
    return [names for names in names_of.values() if len(names) > 1]


def _cut_around_differences(names: Sequence[str], width: int) -> dict[str, str]:
    """Return names without parts of what all begin or end with; cut in the middle if too long."""
    begin = _common_length(names)
    end = _common_length([name[begin:][::-1] for name in names])
    room = width - (max(map(len, names)) - begin - end)  # for what they share, and gaps
    if begin < room:  # one gap, behind the difference
        head = begin
        tail = room - 1 - begin
    elif end + width // 4 < room:  # one gap, before it
        head = room - 1 - end
        tail = end
    elif room >= MIN_SHARED:  # two gaps
        tail = (room - 2) // 2
        head = room - 2 - tail
    else:
        return {name: _cut_middle(name, width) for name in names}
    short = {}
    for name in names:
        middle = name[begin : len(name) - end]
        gap_before, gap_behind = "…" * (head < begin), "…" * (tail < end)
        last = name[len(name) - tail :]
        short[name] = f"{name[:head]}{gap_before}{middle}{gap_behind}{last}"
    if max(map(cell_len, short.values())) > width:  # some characters take two columns
        return _cut_around_differences(names, width // 2)
    return short


def _common_length(texts: Sequence[str]) -> int:
    """Return how many characters all texts begin with in common."""
    first, last = min(texts), max(texts)
    pairs = enumerate(zip(first, last, strict=False))
    return next((n for n, (one, other) in pairs if one != other), min(len(first), len(last)))


def _cut_middle(text: str, width: int) -> str:
    """Return the text with … in place of its middle if it is wider than that."""
    kept = len(text)
    shown = text
    while cell_len(shown) > width and kept > 1:
        kept = min(kept - 1, width - 1)
        last = kept * 2 // 5
        shown = f"{text[: kept - last]}…{text[len(text) - last :]}"
    return shown
