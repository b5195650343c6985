"""What a report tells: headings, paragraphs, notes, tables and pictures, in no syntax yet.

A subject's `document` makes these blocks, and a syntax in `write` puts them into text. Nothing
here says how anything looks, and no text is escaped or cut yet.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from scorer.core.text import printable
from scorer.reports.charts.charts import Bar, IntervalSpan
from scorer.reports.charts.svg import Canvas, with_title

ColumnKind = Literal[
    "rank",
    "name",
    "text",
    "number",  # aligned right
    "interval",
    "count",
    "sign",
    "long",  # texts that may go below the table
    "line",  # an interval as a line: a terminal makes it of a column of intervals
    "bar",  # a number as a bar: a terminal makes it of a column of numbers
]
Tone = Literal["", "fault", "soft", "strong", "problems", "page", "prose", "steps"]


class Heading(NamedTuple):
    """Begins a section; of level 3, a part of one that may be folded; of level 4, of that."""

    text: str
    level: int = 2
    key: str = ""  # by which a link finds it
    state: str = ""  # a few words on what follows
    open: bool = True  # not folded at first
    fault: bool = False


class Paragraph(NamedTuple):
    """Running text; of tone `page` a docstring."""

    text: str
    tone: Tone = ""
    fold: str = ""  # a summary, under which it may be folded


class Prose(NamedTuple):
    """A text of the organizer's in CommonMark."""

    text: str
    pages: Collection[str] = ()  # to which it may link
    key: str = "the description"


class Notes(NamedTuple):
    """Sentences that each stand alone; of tone `problems` the lines of a file's problems."""

    items: Sequence[str]
    tone: Tone = ""


class Facts(NamedTuple):
    """Terms, each with its text."""

    pairs: Sequence[tuple[str, str]]


class Cell(NamedTuple):
    """A cell of a table."""

    text: str = ""
    sort: str | None = None  # what it is sorted by; None: its text
    link: str = ""  # the key of a heading
    note: str = ""  # a word behind the text, as "baseline"
    marks: Collection[str] = ()  # best, worse, significant, itself
    span: IntervalSpan | None = None
    file: str = ""  # the path of the file that it names


class Column(NamedTuple):
    """A column."""

    head: str
    kind: ColumnKind = "number"
    priority: int = 0  # 0: it is always shown; of the others the highest leaves first
    first: str = ""  # ascending or descending: the better end; empty: rows are not sorted by it
    primary: bool = False
    cut: int = 100  # characters of a text that are shown where there is little room
    drawn: bool = False  # its numbers are bars, too, where a terminal has colours


class Row(NamedTuple):
    """A row; a rule separates groups."""

    cells: Sequence[Cell]
    group: int | None = None
    unranked: bool = False  # outside the order of the others, as a baseline


class Table(NamedTuple):
    """A table; its first column of kind `name` names each row."""

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    key: str = ""  # of a table that can be filtered by name
    fold: str = ""  # a summary, under which it may be folded
    open: bool = False  # not folded at first
    rule: str = ""  # what the rules between groups say


class MeasureFormula(NamedTuple):
    """The formula of a measure, where a syntax can show one."""

    name: str
    lines: Sequence[str]  # in LaTeX


class Picture(NamedTuple):
    """A picture and its numbers; a text without pictures has its bars, if any."""

    key: str  # of its file
    title: str  # what it shows, in a line
    caption: str  # how it is read, and what it leaves out
    draw: Callable[[float], Canvas]  # from a width
    numbers: Table | None = None
    small: bool = False  # whether a narrow column suffices everywhere
    bars: Sequence[Bar] = ()

    def drawn(self, width: float) -> Canvas:
        """Return the drawing below its title."""
        return with_title(self.title, self.draw(width), width)


Block = Heading | Paragraph | Prose | Notes | Facts | Table | MeasureFormula | Picture


@dataclass(frozen=True, slots=True)
class Document:
    """A report before it is written."""

    title: str
    blocks: Sequence[Block]
    private: str = ""  # why it is not for publication
    about: Sequence[Paragraph | Prose] = ()  # of the whole
    source: tuple[str, str] = ("", "")  # a challenge's id, and its fingerprint
    skip: str = "Skip to the content"
    downloads: Sequence[tuple[str, str]] = ()  # files beside a page, and what each one is

    @property
    def tables(self) -> list[Table]:
        """Its tables in their order."""
        return [block for block in self.blocks if isinstance(block, Table)]


def texts(
    caption: str,
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    kind: ColumnKind = "number",
    **rest: Any,
) -> Table:
    """A table of texts: names, the first of each row, then columns of one kind."""
    columns = [Column(head[0], "name"), *(Column(text, kind) for text in head[1:])]
    return Table(caption, columns, [Row(list(map(Cell, row))) for row in rows], **rest)


def by_width(table: Table, keep: int = 0) -> Table:
    """The table, from whose right end columns leave where the width does not suffice.

    `keep` is the place of the one other column than the name that stays.
    """
    first, *others = table.columns
    kept = keep % len(others) if others else 0
    ranked = [c._replace(priority=0 if n == kept else n + 1) for n, c in enumerate(others)]
    return table._replace(columns=[first, *ranked])


def name_of(table: Table) -> int:
    """The place of the column that names each row."""
    return next((n for n, column in enumerate(table.columns) if column.kind == "name"), 0)


def cut(text: str, width: int = 60) -> str:
    """A name inside a sentence."""
    return printable(text, width)


def join_names(names: Sequence[str], most: int = 3) -> str:
    """Return the first few names for a sentence.

    >>> join_names(["a"]), join_names(["a", "b"]), join_names(["a", "b", "c", "d", "e"])
    ('a', 'a and b', 'a, b, c and 2 more')
    """
    shown = [cut(name) for name in names[:most]]
    last = f"{len(names) - most:,} more" if len(names) > most else shown.pop()
    return f"{', '.join(shown)} and {last}" if shown else last
