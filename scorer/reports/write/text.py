"""Text for a terminal, a pipe or a log: lines, and tables that know how wide it is."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from textwrap import wrap
from typing import NamedTuple

from rich.box import Box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text
from rich.theme import Theme

from scorer.core.text import isolate_rtl, printable
from scorer.reports.base import Options
from scorer.reports.charts.charts import Bar
from scorer.reports.document import (
    Block,
    Column,
    Document,
    Facts,
    Heading,
    MeasureFormula,
    Notes,
    Paragraph,
    Picture,
    Prose,
    Row,
    Table,
    by_width,
    name_of,
)
from scorer.reports.github import no_command
from scorer.reports.terminal import (
    INTERVAL_WIDTHS,
    NARROW,
    THEME,
    coloured,
    hanging,
    joined,
    painted,
    said_line,
    sides,
    with_bars,
)

# columns set apart by blanks, so that it reads the same without colour; a rule between groups
PLAIN = "    \n    \n ── \n    \n ╌╌ \n    \n    \n    \n"
LONGEST_CELL = 10_000  # characters of a text that is written below its table, or cut later
UNBOUNDED, PROSE = 10**6, 80  # widths where there is no terminal
# blanks between columns; widths from which words, pieces of words and names are folded
GAP, WORD, LONGEST, NAME = 3, 12, 24, 16
DRAWN = ("line", "bar")  # kinds of columns that a terminal draws, whose headings have lines
TONES = ("fault", "soft", "strong")  # that have a style
CLOSE = ("fault", "soft")  # tones of lines that stand close to the table beside them
LEFT = ("rank", "name", "text", "interval", "long", "line", "bar")  # set to the left
ALIKE = 1  # rows of a plain table that rich draws; the others are written as it would
MIN_SHARED = 4  # columns for the begin and the end that names share, and two gaps
BAR = 20  # blocks of the longest bar to each side


def text(document: Document, options: Options) -> str:
    """As a person reads it from top to bottom; the columns that there is room for."""
    paper = Paper(options.width, options.colour)
    if document.private:
        paper.say(document.private, "fault")
    if document.title:
        paper.say(printable(document.title), "title")
    before: Block | None = None
    for block in document.blocks:
        if isinstance(block, MeasureFormula):  # which a table of numbers has no room for
            continue
        if _needs_blank_line(before, block, document):
            paper.say()
        paper.block(block)
        before = block
    return paper.text


def _needs_blank_line(before: Block | None, block: Block, document: Document) -> bool:
    """Whether a blank line parts two blocks."""
    if isinstance(block, Prose):
        return True
    if before is None:
        return not document.title and bool(document.private)
    if isinstance(before, Heading):
        return isinstance(block, Paragraph) and block.tone == "steps"
    if isinstance(before, Paragraph):
        is_table = isinstance(block, Table)
        return before.tone not in (("steps", *CLOSE) if is_table else CLOSE)
    if isinstance(block, Notes):
        tones = (_tone(before), block.tone)
        return not (block.tone in CLOSE or tones in (("problems", "problems"), ("strong", "")))
    return True


def _tone(block: Block) -> str:
    """The tone of a block that has one."""
    return block.tone if isinstance(block, Paragraph | Notes) else ""


class Drawn(NamedTuple):
    """A column as it is drawn: its heading and its cells in text."""

    column: Column
    head: str
    cells: Sequence[str]
    place: int = 0  # in the rows of its table
    folds: bool = True  # whether the heading may take several lines
    room: int = 0  # columns that its cells were cut to; 0: they need what they need

    @property
    def width(self) -> int:
        """The width that its cells and its heading need; a number is never folded."""
        if self.room:
            return self.room
        if self.column.kind in DRAWN:
            return max(map(cell_len, [*self.cells, *self.head.split("\n"), " "]))
        word = max(map(cell_len, self.head.split()), default=0)
        piece = max((cell_len(piece.rstrip()) for piece in self.pieces), default=0)
        head = max(min(word, WORD), min(piece, LONGEST)) if self.folds else cell_len(self.head)
        return max(*map(cell_len, self.cells), head, 1)

    @property
    def pieces(self) -> list[str]:
        """Its heading, between whose pieces a line may end: no short words, and no numbers."""
        words = re.split(r"(?<=\s)(?![↓↑])", self.head)
        return [
            piece
            for word in words
            for piece in (re.split(r"(?=\()|(?<=[=,])", word) if len(word) > WORD else [word])
        ]

    @property
    def folded(self) -> str:
        """Its heading in lines that fit, one piece or more each; only very long words are cut.

        >>> Drawn(Column(""), "F1(average=macro)", ["0.5"]).folded.split()
        ['F1(average=', 'macro)']
        """
        if self.column.kind in DRAWN:
            return self.head
        lines = [""]
        for piece in self.pieces:
            if cell_len((lines[-1] + piece).rstrip()) <= self.width:
                lines[-1] += piece
            else:
                lines += wrap(piece, self.width, drop_whitespace=False)
        return "\n".join(line.strip() for line in lines if line.strip())


class Layout(NamedTuple):
    """A table as it fits a width."""

    table: Table
    columns: Sequence[Drawn]  # that there is room for
    dense: bool  # with one blank between columns
    cuts_names: bool


@dataclass(frozen=True)
class Paper:
    """A text that is written block by block."""

    width: int | None = None  # None: no terminal, so that tables are as wide as they need
    colour: bool = False

    @property
    def room(self) -> int:
        """How wide a table may be."""
        return self.width or UNBOUNDED

    @property
    def prose(self) -> int:
        """How wide running text is."""
        return self.width or PROSE

    @cached_property
    def _output(self) -> io.StringIO:
        return io.StringIO()

    @cached_property
    def _console(self) -> Console:
        return Console(
            file=self._output,
            theme=Theme(THEME) if self.colour else None,
            width=self.room,
            force_terminal=self.colour,
            color_system="standard" if self.colour else None,
            no_color=not self.colour,
            legacy_windows=False,
            force_jupyter=False,  # text stays text in a notebook, where rich would show it itself
            emoji=False,
        )

    def say(self, text: str = "", style: str = "", *, fold: bool = True) -> None:
        """Write a line; with `fold` it is folded where it is too long."""
        if not self.colour and (
            not fold or (len(text) < min(self.prose, PROSE) and text.isascii())
        ):
            self._output.write(f"{text}\n")
            return
        shown = Text(text, style=style)
        if self.colour and not style:
            shown = said_line(text, self.width is not None)
        self._console.print(shown, soft_wrap=not fold, width=self.prose)

    def problems(self, lines: Sequence[str]) -> None:
        """Write lines of a file's problems in colours, each problem set apart from the others."""
        for line in lines:
            if not line.startswith(" ") and self._output.tell():
                self._output.write("\n")
            self._hang(said_line(_seen(line), self.width is not None))

    def page(self, text: str, patterns: Sequence[tuple[str, str]]) -> None:
        """Write a text that is folded already, in colours."""
        for line in coloured(joined(text, self.room), patterns).split("\n"):
            self._hang(line)

    def _hang(self, line: Text) -> None:
        """Write a line, folded between words where it is too long; the rest stands further in."""
        begin, further = hanging(line.plain)
        parts = [line]
        if begin is not None and line.cell_len > self.room:
            parts = [*line[begin:].wrap(self._console, max(self.room - further, NAME))]
            parts = [Text(" " * (further if n else begin)) + part for n, part in enumerate(parts)]
            parts[0] = line[:begin] + parts[0][begin:]
        for part in parts:
            self._console.print(part, soft_wrap=True)

    def block(self, block: Block) -> None:
        """Write a block of a document."""
        match block:
            case Heading(text, level):
                self.say(printable(text, 1000), "title" if level < 4 else "")
            case Paragraph(text, tone):
                for line in text.split("\n"):
                    fold = tone != "steps" or self.width is not None
                    self.say(_seen(line), tone * (tone in TONES), fold=fold)
            case Prose(text):
                from scorer.reports.commonmark import plain

                self._output.write(f"{plain(text, self.prose, self.colour)}\n")
            case Notes(items, "problems") if self.colour:
                self.problems([line for item in items for line in item.split("\n")])
            case Notes(items, tone):
                for item in items:
                    style = tone * (tone in TONES) or "note" * (tone == "")
                    for line in item.split("\n"):
                        self.say(_seen(line), style, fold=tone != "problems")
            case Facts(pairs):
                for term, text in pairs:
                    self.say(_seen(f"{term}: {text}"))
            case Table():
                self.table(block)
            case Picture(title=title, bars=bars) if bars:
                self.bars(title, bars)

    def table(self, table: Table) -> None:
        """Write the columns that there is room for; long texts go below."""
        if self.width and not any(column.priority for column in table.columns):
            table = by_width(table)
        layout = self._lay_out(table)
        if self.colour:
            for wide in INTERVAL_WIDTHS[self.room < NARROW :]:
                layout = self._lay_out(with_bars(table, wide))
                if not layout.cuts_names:  # a narrower bar has room for them
                    break
        self._grid(layout.columns, layout.table, layout.dense)
        named = next((n for n, c in enumerate(table.columns) if c.kind in ("name", "long")), None)
        for n, column in enumerate(table.columns):
            if column.kind == "long" and named is not None:
                self._below(_drawn(table, n), _drawn(table, name_of(table)).cells)

    def _lay_out(self, table: Table) -> Layout:
        """Return the columns that there is room for, with names that are cut where they must be."""
        ordered = any(column.priority for column in table.columns)
        drawn = _unfolded(
            [_drawn(table, n) for n in range(len(table.columns))], self.prose, self._gap
        )
        room = self.prose if _must_fit(table.columns) else self.room
        needing = [each.width for each in drawn if each.column.kind != "bar"]
        width = sum(needing) + self._gap * (len(needing) - 1)
        signs = any(each.column.kind == "sign" for each in drawn)
        dense = signs or (not ordered and width > room)
        gap = 1 if dense else self._gap
        kept = [each for each in drawn if each.column.kind != "long"]
        names = next((each for each in kept if each.column.kind == "name"), None)

        def needed(width: int) -> int:
            widths = [width if each is names else each.width for each in kept]
            return sum(widths) + gap * (len(kept) - 1)

        floor = min(names.width, NAME) if names else 0
        while needed(floor) > self.room and any(each.column.priority for each in kept):
            kept.remove(max(kept, key=lambda each: each.column.priority))
        cuts_names = names in kept and room - needed(0) < names.width if names else False
        if names and cuts_names:
            width = max(room - needed(0), 1)
            cells = cut_names(names.cells, width)
            kept[kept.index(names)] = names._replace(cells=cells, room=width)
        return Layout(table, kept, dense, cuts_names)

    def _grid(self, columns: Sequence[Drawn], table: Table, dense: bool) -> None:
        """Write a table; rich draws colours, groups and the first row, which has the heading."""
        gap = 1 if dense else self._gap
        wide = sum(each.width for each in columns) + gap * (len(columns) - 1)
        ends = _group_starts(table.rows)
        by_rich = len(table.rows) if self.colour or ends or wide > self.room else ALIKE
        start = 0
        for end in [*ends, by_rich]:
            if start:
                label = f" {table.rule} " if table.rule and start == ends[0] else ""
                self.say(f"──{label}".ljust(wide, "─")[:wide], "soft", fold=False)
            self._rows(columns, table.rows[start:end], start, dense)
            start = end
        self._lines(columns, by_rich, 1 if dense else GAP)

    def _rows(self, columns: Sequence[Drawn], rows: Sequence[Row], first: int, dense: bool) -> None:
        """Write some rows as rich draws them, the first of all below the heading."""
        grid = Grid(
            box=None if dense else Box(PLAIN),
            pad_edge=False,
            show_edge=False,
            show_header=not first,
            padding=(0, 1, 0, 0) if dense or self.colour else (0, 1),
        )
        for each in columns:
            grid.add_column(
                Text(each.folded, style=self._style("soft" * (each.column.kind in DRAWN))),
                justify="left" if each.column.kind in LEFT else "right",
                style=self._style("primary" if each.column.primary else ""),
                width=each.width,
                no_wrap=True,
                overflow="fold",
                vertical="top",
            )
        for n, row in enumerate(rows, first):
            cells = (self._cell(each, n, row) for each in columns)
            grid.add_row(*cells, style=self._style("aside" if row.unranked else ""))
        self._console.print(grid)

    def _lines(self, columns: Sequence[Drawn], after: int, gap: int) -> None:
        """Write the rows from `after` on: one line each, without colours."""
        padded = []
        for each in columns:
            left, width, cells = each.column.kind in LEFT, each.width, each.cells[after:]
            texts = cells if left else [cell.rstrip() for cell in cells]
            blanks = [" " * (width - cell_len(text)) for text in texts]
            padded.append(list(map(str.__add__, *((texts, blanks) if left else (blanks, texts)))))
        self._output.writelines(f"{(' ' * gap).join(line)}\n" for line in zip(*padded, strict=True))

    @property
    def _gap(self) -> int:
        """The number of blanks between columns: fewer with colours."""
        return GAP - self.colour

    def _style(self, name: str) -> str:
        """A style of the theme; none without colours."""
        return name if self.colour else ""

    def _cell(self, drawn: Drawn, n: int, row: Row) -> Text:
        if not self.colour:
            return Text(drawn.cells[n])
        cell = row.cells[drawn.place]
        return painted(drawn.column, drawn.cells[n], cell, self.width is not None)

    def _below(self, texts: Drawn, names: Sequence[str]) -> None:
        """Write the long texts of a column, a row below the other."""
        self.say()
        self.say(f"{texts.head}:")
        for name, cell in zip(names, texts.cells, strict=True):
            line = f"{name}: {cell}" if name else cell
            width = max(self.prose - 2, 20)
            for part in wrap(line, width, subsequent_indent="  ", break_on_hyphens=False):
                self.say(f"  {part}")

    def bars(self, label: str, bars: Sequence[Bar]) -> None:
        """Write each of the differences as a bar, to the left where it is below 0."""
        self.say(label, "title")
        largest = max((abs(value) for _, value, _ in bars), default=0.0)
        decimals = max((len(text) for *_, text in bars), default=0)
        wide = min(max((len(name) for name, *_ in bars), default=0), 21) if self.colour else 21
        half = min(BAR, max(4, (self.prose - wide - 3 - decimals) // 2))
        for name, value, text in bars:
            if self.colour:
                self._sides(f"{name:{wide}}", value / largest if largest else 0.0, half, text)
                continue
            shares = (max(side * value / largest, 0.0) if largest else 0.0 for side in (-1, 1))
            left, right = ("#" * round(half * share) for share in shares)
            self.say(f"{name:>21} {left:>{half}}|{right:<{half}} {text}", fold=False)

    def _sides(self, name: str, share: float, half: int, text: str) -> None:
        """Write a difference as blocks to the left or to the right of a line."""
        left, right = sides(share, half)
        parts = (left, "less"), ("│", "zero"), (right, "more")
        self._console.print(Text.assemble(f"{name} ", *parts, f" {text}"), soft_wrap=True)

    @property
    def text(self) -> str:
        """All that was written; no line ends in blanks."""
        lines = map(str.rstrip, self._output.getvalue().rstrip().splitlines())
        return "".join(f"{isolate_rtl(no_command(line))}\n" for line in lines)


def _seen(line: str) -> str:
    """Return a line of running text with invisible characters, as names may have, escaped."""
    return printable(line, max(len(line), 1))


def _unfolded(drawn: Sequence[Drawn], room: int, gap: int) -> Sequence[Drawn]:
    """The columns with headings of one line, where these fit."""
    flat = [each._replace(folds=False) for each in drawn]
    shown = [each.width for each in flat if each.column.kind != "long"]
    return flat if sum(shown) + gap * (len(shown) - 1) <= room else drawn


def _must_fit(columns: Sequence[Column]) -> bool:
    """Return whether a table has names and numbers alone, and none may be left out."""
    kinds = {column.kind for column in columns}
    return kinds == {"name", "number"} and not any(column.priority for column in columns)


def _drawn(table: Table, n: int) -> Drawn:
    """Return a column of a table as texts; ranks under each other, and their ranges too."""
    column = table.columns[n]
    cells = [row.cells[n] for row in table.rows]
    texts = [cell.text for cell in cells]
    if column.kind == "rank":
        parts = [text.partition(" ") for text in texts]
        wide = max((len(rank) for rank, _, _ in parts), default=0)
        texts = [f"{rank:>{wide}} {span}".rstrip() for rank, _, span in parts]
    if column.kind == "name":
        shown = cut_names([printable(text, LONGEST_CELL) for text in texts], column.cut)
    else:
        shown = [printable(t, LONGEST_CELL if column.kind == "long" else column.cut) for t in texts]
    head = column.head if column.kind in DRAWN else printable(column.head)
    return Drawn(column, head, list(map(no_command, shown)), n)


def _group_starts(rows: Sequence[Row]) -> list[int]:
    """Return the places of the rows that begin a later group than those above them."""
    starts, latest = list[int](), 0
    for n, row in enumerate(rows):
        if row.group and latest and row.group > latest:
            starts.append(n)
        latest = max(latest, row.group or 0)
    return starts


def cut_names(names: Sequence[str], width: int) -> list[str]:
    """Return names of at most so many columns, cut in the middle; different ones stay different.

    Where names differ in the middle, that part stays; where it is too long, they get numbers.

    >>> cut_names(["team-a-of-ljubljana", "team-b-of-ljubljana", "short"], 9)
    ['team-a…na', 'team-b…na', 'short']
    >>> cut_names(["abcdefgh-1-ijklmnop", "abcdefgh-2-ijklmnop"], 9)
    ['abc…1…nop', 'abc…2…nop']
    """
    short = {name: _cut_middle(name, width) for name in dict.fromkeys(names)}
    for alike in _equal_texts(short):
        short |= _cut_around_differences(alike, width)
    if alike := [*chain.from_iterable(_equal_texts(short))]:  # several groups were cut alike
        short |= _cut_around_differences(alike, width)
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
        gaps = "…" * (head < begin), "…" * (tail < end)
        short[name] = f"{name[:head]}{gaps[0]}{middle}{gaps[1]}{name[len(name) - tail :]}"
    if max(map(cell_len, short.values())) > width:  # some characters take two columns
        return _cut_around_differences(names, width // 2)
    return short


def _common_length(texts: Sequence[str]) -> int:
    """Return how many characters all texts begin with in common."""
    first, last = min(texts), max(texts)
    pairs = enumerate(zip(first, last, strict=False))
    return next((n for n, (one, other) in pairs if one != other), min(len(first), len(last)))


def _cut_middle(text: str, width: int) -> str:
    kept = len(text)
    shown = text
    while cell_len(shown) > width and kept > 1:
        kept = min(kept - 1, width - 1)
        last = kept * 2 // 5
        shown = f"{text[: kept - last]}…{text[len(text) - last :]}"
    return shown
