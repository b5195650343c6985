"""The leaderboard in a terminal, a pipe, or a log."""

from __future__ import annotations

import io
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from textwrap import wrap

from rich.box import Box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from scorer.errors import shown
from scorer.reporting import (
    Options,
    Sheet,
    by_group,
    by_list,
    form,
    interval,
    level,
    mean_of,
    place,
    remarks,
)
from scorer.results import Report, Standing

# columns set apart by blanks, so that it reads the same without colour; a rule between tiers
PLAIN = Box("    \n    \n ── \n    \n ╌╌ \n    \n    \n    \n")
APART, WORD, NAME = 3, 12, 16  # blanks between columns; widths from which words, names are folded


@dataclass(frozen=True, slots=True)
class Column:
    """A column, and whether it may go where the width does not suffice: the highest goes first."""

    head: str
    cells: Sequence[str]
    spare: int = 0  # 0: it stays
    right: bool = True
    bold: bool = False
    fold: bool = False  # text that may go on in the next line

    @property
    def width(self) -> int:
        """What its cells need; a heading is folded, a number never is."""
        word = max(map(cell_len, self.head.split()), default=0)
        return max(*map(cell_len, self.cells), min(word, WORD), 1)

    @property
    def folded(self) -> str:
        """Its heading in lines that fit."""
        return "\n".join(wrap(self.head, self.width))


@form("table")
def table(report: Report, options: Options) -> str:
    """Standings, best first, baselines marked B; what was rejected stands below."""
    buffer = io.StringIO()
    console = Console(
        file=buffer,
        width=options.width,
        force_terminal=options.colour,
        color_system="standard" if options.colour else None,
        no_color=not options.colour,
        legacy_windows=False,
        emoji=False,
    )
    console.print(Text(shown(report.challenge.title), style="bold"))
    gone: list[str] = []
    if report.standings:
        gone = _standings(console, report, options)
    for scored in report.submissions:
        if not scored.valid:
            errors = sum(p.severity == "error" for p in scored.findings)
            codes = ", ".join(sorted({p.code for p in scored.findings if p.severity == "error"}))
            said = (
                f"{shown(scored.name)}: not scored, {errors:,} error{'s' * (errors != 1)} ({codes})"
            )
            console.print(Text(said, style="red"))
    notes = remarks(report, options.precision)
    if gone:
        notes.append(f"Not shown at this width: {', '.join(gone)} (--format json has all).")
    if notes:
        console.print()
    for said in notes:
        console.print(Text(said, style="dim"))
    for sheet in by_group(report, options.precision):
        _sheet(console, sheet, options, keep=-1)
    for scored in report.submissions if options.per_list else ():
        if scored.valid:
            _sheet(console, by_list(report, scored, options.precision), options, keep=0)
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n"


def _standings(console: Console, report: Report, options: Options) -> list[str]:
    """Print the leaderboard; gives the headings of what there was no room for."""
    rows, precision = report.standings, options.precision
    submissions = {scored.name: scored for scored in report.submissions}
    columns = [
        Column("rank", _places(rows), right=False),
        Column("name", [shown(row.name, 100) for row in rows], right=False, fold=True),
    ]
    others = [m for m in report.measures if m.id != report.primary.id]
    for n, measure in enumerate([report.primary, *others]):
        cells = [mean_of(row, measure, precision) for row in rows]
        columns.append(Column(shown(measure.id), cells, n and n + 1, bold=not n))
        if not n and (head := level(report)):
            ends = [interval(row, measure, precision) for row in rows]
            columns.append(Column(head, ends, 1, right=False))
    counts = [f"{submissions[row.name].values[report.primary.id].lists:,}" for row in rows]
    columns.append(Column("lists", counts, len(columns) + 1))
    tiers = {n for n, row in enumerate(rows) if row.tier and row.tier > 1}
    heads = {n for n in tiers if all(row.tier != rows[n].tier for row in rows[:n])}
    dim = {n for n, row in enumerate(rows) if row.baseline}
    return _print(console, columns, heads, dim)


def _places(rows: Sequence[Standing]) -> list[str]:
    """Ranks under each other, and their ranges too."""
    parts = [place(row).partition(" ") for row in rows]
    wide = max(len(rank) for rank, _, _ in parts)
    return [f"{rank:>{wide}} {span}".rstrip() for rank, _, span in parts]


def _sheet(console: Console, sheet: Sheet, options: Options, keep: int) -> None:
    """Print a further table. What there is no room for goes from the right, all but `keep`."""
    console.print()
    console.print(Text(shown(sheet.title), style="bold"))
    first, *others = [list(cells) for cells in zip(*sheet.rows, strict=True)]
    columns = [
        Column(
            shown(sheet.head[0], 60), [shown(cell, 100) for cell in first], right=False, fold=True
        )
    ]
    for n, (head, cells) in enumerate(zip(sheet.head[1:], others, strict=True)):
        columns.append(Column(shown(head, 60), cells, 0 if n == keep % len(others) else n + 1))
    if gone := _print(console, columns):
        console.print(Text(f"Not shown at this width: {', '.join(gone)}.", style="dim"))


def _print(
    console: Console,
    columns: Sequence[Column],
    heads: Collection[int] = (),
    dim: Collection[int] = (),
) -> list[str]:
    """Print the columns that there is room for, a rule above the rows `heads`; gives the others."""
    kept, gone = list(columns), list[Column]()
    names = next(column for column in columns if column.fold)

    def needed(name: int) -> int:
        widths = [name if column is names else column.width for column in kept]
        return sum(widths) + APART * (len(kept) - 1)

    while needed(min(names.width, NAME)) > console.width and any(column.spare for column in kept):
        gone.append(max(kept, key=lambda column: column.spare))
        kept.remove(gone[-1])
    view = Table(box=PLAIN, pad_edge=False, show_edge=False)
    spare = max(console.width - needed(0), 1)
    for column in kept:
        wide = min(column.width, spare) if column is names else column.width
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
        view.add_row(*(Text(column.cells[n]) for column in kept), style="dim" if n in dim else None)
    console.print(view)
    return [column.head for column in reversed(gone)]
