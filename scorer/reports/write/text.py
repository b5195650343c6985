"""Text for a terminal, a pipe or a log: lines, and tables that fit its width."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from textwrap import wrap

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
from scorer.reports.github import escape_commands
from scorer.reports.terminal import (
    INTERVAL_WIDTHS,
    NARROW,
    THEME,
    Patterns,
    draw_sides,
    find_indents,
    join_folded_lines,
    style_cell,
    style_line,
    style_text,
    with_bars,
)
from scorer.reports.write.fitting import (
    DRAWN_KINDS,
    GAP,
    MIN_NAME_WIDTH,
    FittedTable,
    TextColumn,
    fit_table,
    text_column,
)

# The lines of a box of rich: blanks between columns, so that it reads the same without colour, and
# a rule between groups.
PLAIN_BOX = Box("    \n    \n ── \n    \n ╌╌ \n    \n    \n    \n")
UNBOUNDED = 10**6  # columns of a table without a terminal
TEXT_WIDTH = 80  # columns of running text without a terminal
STYLED_TONES = ("fault", "soft", "strong")
TIGHT_TONES = ("fault", "soft")  # of lines that no blank line separates from the table beside them
LEFT_KINDS = ("rank", "name", "text", "interval", "long", "line", "bar")  # aligned left
# Rows of a plain table that rich draws: the first, below its heading. The others are written as
# rich would draw them, in a fraction of the time.
ROWS_BY_RICH = 1
MAX_BAR = 20  # blocks of the longest bar to each side
MAX_BAR_NAME = 21  # columns of the name of a bar


def text(document: Document, options: Options) -> str:
    """Return the document as lines, with the columns of tables that there is room for."""
    writer = TextWriter(options.width, options.colour)
    if document.private:
        writer.write_line(document.private, "fault")
    if document.title:
        writer.write_line(printable(document.title), "title")
    before: Block | None = None
    for block in document.blocks:
        if isinstance(block, MeasureFormula):  # LaTeX, which nobody reads in a terminal
            continue
        if _needs_blank_line(before, block, document):
            writer.write_line()
        writer.write_block(block)
        before = block
    return writer.text


def _needs_blank_line(before: Block | None, block: Block, document: Document) -> bool:
    """Return whether a blank line separates two blocks, or the first one from the title."""
    if isinstance(block, Prose):
        return True
    if before is None:
        return not document.title and bool(document.private)
    if isinstance(before, Heading):
        return isinstance(block, Paragraph) and block.tone == "steps"
    if isinstance(before, Paragraph):
        is_table = isinstance(block, Table)
        return before.tone not in (("steps", *TIGHT_TONES) if is_table else TIGHT_TONES)
    if isinstance(block, Notes):
        tones = (before.tone if isinstance(before, Notes) else "", block.tone)
        return block.tone not in TIGHT_TONES and tones not in (
            ("problems", "problems"),
            ("strong", ""),
        )
    return True


@dataclass(frozen=True)
class TextWriter:
    """A text that is written block by block.

    Attributes:
        width: The columns of the terminal; None without one, where tables are as wide as they need.
        colour: Whether the terminal has colours.
    """

    width: int | None = None
    colour: bool = False

    @property
    def _room(self) -> int:
        """The width that a table may have."""
        return self.width or UNBOUNDED

    @property
    def _text_room(self) -> int:
        """The width that running text may have."""
        return self.width or TEXT_WIDTH

    @property
    def _gap(self) -> int:
        """The blanks between columns: one fewer with colours, which separate them, too."""
        return GAP - self.colour

    @cached_property
    def _output(self) -> io.StringIO:
        return io.StringIO()

    @cached_property
    def _console(self) -> Console:
        return Console(
            file=self._output,
            theme=Theme(THEME) if self.colour else None,
            width=self._room,
            force_terminal=self.colour,
            color_system="standard" if self.colour else None,
            no_color=not self.colour,
            legacy_windows=False,
            force_jupyter=False,  # text stays text in a notebook, where rich would show it itself
            emoji=False,
        )

    def write_line(self, text: str = "", style: str = "", *, fold: bool = True) -> None:
        """Write a line; with `fold` it is folded if it is too long."""
        is_short = len(text) < min(self._text_room, TEXT_WIDTH) and text.isascii()
        if not self.colour and (is_short or not fold):
            self._output.write(f"{text}\n")
            return
        shown = Text(text, style=style)
        if self.colour and not style:
            shown = style_line(text, with_links=self.width is not None)
        self._console.print(shown, soft_wrap=not fold, width=self._text_room)

    def write_problems(self, lines: Sequence[str]) -> None:
        """Write lines of problems in colours, with a blank line before each problem."""
        for line in lines:
            if not line.startswith(" ") and self._output.tell():
                self._output.write("\n")
            self._write_hanging(style_line(_escape(line), with_links=self.width is not None))

    def write_text(self, text: str, patterns: Patterns) -> None:
        """Write a text that is folded already, in the colours of the patterns."""
        for line in style_text(join_folded_lines(text, self._room), patterns).split("\n"):
            self._write_hanging(line)

    def _write_hanging(self, line: Text) -> None:
        """Write a line; if it is too long, fold it between words, with its rest indented."""
        indents = find_indents(line.plain)
        parts = [line]
        if indents.first is not None and line.cell_len > self._room:
            room = max(self._room - indents.rest, MIN_NAME_WIDTH)
            first, *others = line[indents.first :].wrap(self._console, room)
            parts = [line[: indents.first] + first]
            parts += [Text(" " * indents.rest) + part for part in others]
        for part in parts:
            self._console.print(part, soft_wrap=True)

    def write_block(self, block: Block) -> None:
        """Write a block of a document."""
        match block:
            case Heading(text, level):
                self.write_line(printable(text, 1000), "title" if level < 4 else "")
            case Paragraph(text, tone):
                for line in text.split("\n"):
                    fold = tone != "steps" or self.width is not None
                    style = tone if tone in STYLED_TONES else ""
                    self.write_line(_escape(line), style, fold=fold)
            case Prose(text):
                from scorer.reports.commonmark import plain

                self._output.write(f"{plain(text, self._text_room, self.colour)}\n")
            case Notes(items, "problems") if self.colour:
                self.write_problems([line for item in items for line in item.split("\n")])
            case Notes(items, tone):
                notes_style = tone if tone in STYLED_TONES else "" if tone else "note"
                for line in (line for item in items for line in item.split("\n")):
                    self.write_line(_escape(line), notes_style, fold=tone != "problems")
            case Facts(pairs):
                for term, text in pairs:
                    self.write_line(_escape(f"{term}: {text}"))
            case Table():
                self.write_table(block)
            case Picture(title=title, bars=bars) if bars:
                self._write_bars(title, bars)

    def write_table(self, table: Table) -> None:
        """Write the columns that there is room for, and below them the long texts of others."""
        if self.width and not any(column.priority for column in table.columns):
            table = by_width(table)
        fitted = fit_table(table, self._room, self._text_room, self._gap)
        if self.colour:
            for interval_width in INTERVAL_WIDTHS[self._room < NARROW :]:
                wider = with_bars(table, interval_width)
                fitted = fit_table(wider, self._room, self._text_room, self._gap)
                if not fitted.cuts_names:  # else a narrower bar may leave them room
                    break
        self._write_rows(fitted)
        for n, column in enumerate(table.columns):
            if column.kind == "long":
                names = text_column(table, name_of(table)).cells
                self._write_long_texts(text_column(table, n), names)

    def _write_rows(self, fitted: FittedTable) -> None:
        """Write a table; rich draws colours, groups and the first row, which has the heading."""
        rows, rule = fitted.table.rows, fitted.table.rule
        starts = _group_starts(rows)
        is_simple = not self.colour and not starts and fitted.width <= self._room
        by_rich = ROWS_BY_RICH if is_simple else len(rows)
        start = 0
        for end in [*starts, by_rich]:
            if start:
                label = f" {rule} " if rule and start == starts[0] else ""
                line = f"──{label}".ljust(fitted.width, "─")
                self.write_line(line[: fitted.width], "soft", fold=False)
            self._draw_rows(fitted, start, end)
            start = end
        self._write_plain_rows(fitted, by_rich)

    def _draw_rows(self, fitted: FittedTable, start: int, end: int) -> None:
        """Write rows as rich draws them, the first of all below the heading."""
        grid = Grid(
            box=None if fitted.is_dense else PLAIN_BOX,
            pad_edge=False,
            show_edge=False,
            show_header=not start,
            padding=(0, 1, 0, 0) if fitted.is_dense or self.colour else (0, 1),
        )
        for each in fitted.columns:
            is_drawn = each.column.kind in DRAWN_KINDS
            grid.add_column(
                Text(each.folded_head, style=self._style("soft" if is_drawn else "")),
                justify="left" if each.column.kind in LEFT_KINDS else "right",
                style=self._style("primary" if each.column.primary else ""),
                width=each.width,
                no_wrap=True,
                overflow="fold",
                vertical="top",
            )
        for n, row in enumerate(fitted.table.rows[start:end], start):
            cells = (self._style_cell(each, n, row) for each in fitted.columns)
            grid.add_row(*cells, style=self._style("unranked" if row.unranked else ""))
        self._console.print(grid)

    def _write_plain_rows(self, fitted: FittedTable, start: int) -> None:
        """Write the rows from `start` on: one line each, without colours."""
        padded = []
        for each in fitted.columns:
            cells = each.cells[start:]
            if each.column.kind in LEFT_KINDS:
                padded.append([cell + " " * (each.width - cell_len(cell)) for cell in cells])
            else:
                texts = [cell.rstrip() for cell in cells]
                padded.append([" " * (each.width - cell_len(text)) + text for text in texts])
        gap = " " * (1 if fitted.is_dense else GAP)
        self._output.writelines(f"{gap.join(line)}\n" for line in zip(*padded, strict=True))

    def _style(self, name: str) -> str:
        """Return the name of a style; none without colours."""
        return name if self.colour else ""

    def _style_cell(self, column: TextColumn, n: int, row: Row) -> Text:
        cell = column.cells[n]
        if not self.colour:
            return Text(cell)
        with_link = self.width is not None
        return style_cell(column.column, cell, row.cells[column.position], with_link=with_link)

    def _write_long_texts(self, texts: TextColumn, names: Sequence[str]) -> None:
        """Write the texts of a column below each other, with the names of their rows."""
        self.write_line()
        self.write_line(f"{texts.head}:")
        for name, cell in zip(names, texts.cells, strict=True):
            line = f"{name}: {cell}" if name else cell
            width = max(self._text_room - 2, 20)
            for part in wrap(line, width, subsequent_indent="  ", break_on_hyphens=False):
                self.write_line(f"  {part}")

    def _write_bars(self, title: str, bars: Sequence[Bar]) -> None:
        """Write each of some differences as a bar, to the left if it is below 0."""
        self.write_line(title, "title")
        largest = max((abs(bar.value) for bar in bars), default=0.0) or 1.0
        text_width = max((len(bar.text) for bar in bars), default=0)
        name_width = MAX_BAR_NAME
        if self.colour:
            name_width = min(max((len(bar.name) for bar in bars), default=0), MAX_BAR_NAME)
        side = min(MAX_BAR, max(4, (self._text_room - name_width - 3 - text_width) // 2))
        for bar in bars:
            share = bar.value / largest
            if self.colour:
                left, right = draw_sides(share, side)
                parts = (left, "less"), ("│", "zero"), (right, "more")
                styled = Text.assemble(f"{bar.name:{name_width}} ", *parts, f" {bar.text}")
                self._console.print(styled, soft_wrap=True)
                continue
            left = "#" * round(side * max(-share, 0.0))
            right = "#" * round(side * max(share, 0.0))
            line = f"{bar.name:>{name_width}} {left:>{side}}|{right:<{side}} {bar.text}"
            self.write_line(line, fold=False)

    @property
    def text(self) -> str:
        """All that was written; no line ends in blanks."""
        lines = map(str.rstrip, self._output.getvalue().rstrip().splitlines())
        return "".join(f"{isolate_rtl(escape_commands(line))}\n" for line in lines)


def _escape(line: str) -> str:
    """Return a line of running text with invisible characters, as names may have, escaped."""
    return printable(line, max(len(line), 1))


def _group_starts(rows: Sequence[Row]) -> list[int]:
    """Return the places of the rows that begin a later group than those above them."""
    starts, latest = list[int](), 0
    for n, row in enumerate(rows):
        if row.group and latest and row.group > latest:
            starts.append(n)
        latest = max(latest, row.group or 0)
    return starts
