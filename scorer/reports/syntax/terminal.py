"""Text for a terminal, a pipe or a log: lines, and tables that know how wide it is."""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from textwrap import wrap

from rich.box import Box
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from scorer.core.text import set_apart
from scorer.reports.syntax.github import no_command

# columns set apart by blanks, so that it reads the same without colour; a rule between tiers
PLAIN = Box("    \n    \n ── \n    \n ╌╌ \n    \n    \n    \n")
UNBOUNDED, PROSE = 10**6, 80  # widths where there is no terminal
GAP, WORD, NAME = 3, 12, 16  # blanks between columns; widths from which words, names are folded


@dataclass(frozen=True, slots=True)
class Column:
    """A column, and whether it may go where the width does not suffice: the highest goes first."""

    head: str
    cells: Sequence[str]
    drop_order: int = 0  # 0: it stays
    right: bool = True
    bold: bool = False
    fold: bool = False  # text that may go on in the next line

    @property
    def width(self) -> int:
        """The width that its cells need; a heading is folded, a number never is."""
        word = max(map(cell_len, self.head.split()), default=0)
        return max(*map(cell_len, self.cells), min(word, WORD), 1)

    @property
    def folded(self) -> str:
        """Its heading in lines that fit: broken at blanks and signs, and inside words only at last.

        >>> Column("F1(average=macro)", ["0.5"]).folded.split()
        ['F1(average=', 'macro)']
        """
        lines = [""]
        for piece in re.split(r"(?<=\s)|(?=\()|(?<=[=,])", self.head):
            if cell_len((lines[-1] + piece).rstrip()) <= self.width:
                lines[-1] += piece
            else:
                lines += wrap(piece, self.width, drop_whitespace=False)
        return "\n".join(line.strip() for line in lines if line.strip())


@dataclass(frozen=True, slots=True)
class TextReport:
    """A text that is written line by line."""

    width: int | None = None  # None: no terminal, so that tables are as wide as they need
    colour: bool = False
    _console: Console = field(init=False, repr=False)

    @property
    def room(self) -> int:
        """How wide a table may be."""
        return self.width or UNBOUNDED

    @property
    def prose(self) -> int:
        """How wide running text is."""
        return self.width or PROSE

    def __post_init__(self) -> None:
        console = Console(
            file=io.StringIO(),
            width=self.room,
            force_terminal=self.colour,
            color_system="standard" if self.colour else None,
            no_color=not self.colour,
            legacy_windows=False,
            emoji=False,
        )
        object.__setattr__(self, "_console", console)

    def say(self, text: str = "", style: str = "", *, fold: bool = True) -> None:
        """Write a line.

        Args:
            text: the line.
            style: rich's name of it.
            fold: whether the line is folded where it is too long.
        """
        self._console.print(Text(text, style=style), soft_wrap=not fold, width=self.prose)

    def show(self, drawable: RenderableType) -> None:
        """Write anything that rich can draw."""
        self._console.print(drawable)

    def table(
        self, columns: Sequence[Column], heads: Collection[int] = (), dim: Collection[int] = ()
    ) -> list[str]:
        """Write the columns that there is room for.

        Args:
            columns: from left to right; exactly one folds.
            heads: the places of rows that have a rule above them.
            dim: the places of rows that are less bright.

        Returns:
            The headings of the columns that there was no room for.
        """
        columns = [replace(column, cells=list(map(no_command, column.cells))) for column in columns]
        kept_columns, dropped = list(columns), list[Column]()
        names = next(column for column in columns if column.fold)

        def needed(name: int) -> int:
            widths = [name if column is names else column.width for column in kept_columns]
            return sum(widths) + GAP * (len(kept_columns) - 1)

        while needed(min(names.width, NAME)) > self.room and any(
            column.drop_order for column in kept_columns
        ):
            dropped.append(max(kept_columns, key=lambda column: column.drop_order))
            kept_columns.remove(dropped[-1])
        view = Table(box=PLAIN, pad_edge=False, show_edge=False)
        name_width = max(self.room - needed(0), 1)
        for column in kept_columns:
            wide = min(column.width, name_width) if column is names else column.width
            view.add_column(
                Text(column.folded),
                justify="right" if column.right else "left",
                style="bold" if column.bold else "",
                width=wide,
                no_wrap=column is not names,
                overflow="fold",
                vertical="top",
            )
        for n in range(len(names.cells)):
            if n in heads:
                view.add_section()
            cells = (Text(column.cells[n]) for column in kept_columns)
            view.add_row(*cells, style="dim" if n in dim else None)
        self.show(view)
        return [column.head for column in reversed(dropped)]

    @property
    def text(self) -> str:
        """All that was written; no line ends in blanks."""
        output = self._console.file.getvalue()  # type: ignore[attr-defined]
        lines = map(str.rstrip, output.rstrip().splitlines())
        return "".join(f"{set_apart(no_command(line))}\n" for line in lines)
