"""The leaderboard in a terminal, a pipe, or a log."""

from __future__ import annotations

from collections.abc import Sequence

from scorer.core.text import printable, unit
from scorer.reports.base import PRIVATE, Options, TableData, form
from scorer.reports.findings.cells import counted
from scorer.reports.leaderboard.cells import (
    by_group,
    by_list,
    head_of,
    interval,
    level,
    lists_of,
    mean_of,
    place,
    remarks,
)
from scorer.reports.syntax.terminal import Column, TextReport
from scorer.results.report import Report, Standing


@form("leaderboard", "table")
def table(report: Report, options: Options) -> str:
    """Standings, best first, baselines marked B; what was rejected stands below."""
    paper = TextReport(options.width, options.colour)
    if options.private:
        paper.say(PRIVATE, "red")
    paper.say(printable(report.challenge.title), "bold")
    dropped: list[str] = []
    if report.standings:
        dropped = _standings(paper, report, options)
    for scored in report.submissions:
        if not scored.valid:
            paper.say(f"{printable(scored.name)}: not scored, {counted(scored)}", "red")
    notes = remarks(report, options.precision)
    if dropped:
        notes.append(f"Not shown at this width: {', '.join(dropped)} (--format json has all).")
    if notes:
        paper.say()
    for message in notes:
        paper.say(message, "dim")
    for sheet in by_group(report, options.precision):
        _sheet(paper, sheet, options, keep=-1)
    for scored in report.submissions if options.per_list else ():
        if scored.valid:
            _sheet(paper, by_list(report, scored, options.precision), options, keep=0)
    return paper.text


def _standings(paper: TextReport, report: Report, options: Options) -> list[str]:
    """Write the leaderboard; return the headings of what there was no room for."""
    rows, precision = report.standings, options.precision
    submissions = {scored.name: scored for scored in report.submissions}
    columns = [
        Column("rank", _places(rows), right=False),
        Column("name", [printable(row.name, 100) for row in rows], right=False, fold=True),
    ]
    others = [m for m in report.measures if m.id != report.primary.id]
    for n, measure in enumerate([report.primary, *others]):
        cells = [mean_of(row, measure, precision) for row in rows]
        columns.append(Column(printable(head_of(measure, report)), cells, n and n + 1, bold=not n))
        if not n and (heading := level(report)):
            ends = [interval(row, measure, precision) for row in rows]
            columns.append(Column(heading, ends, 1, right=False))
    counts = [lists_of(row, submissions[row.name].values[report.primary.id].lists) for row in rows]
    # who has fewer than others must not go unmarked for want of room
    last = 0 if any(row.fewer for row in rows) else len(columns) + 1
    columns.append(Column(unit(report.called), counts, last))
    tiers = {n for n, row in enumerate(rows) if row.tier and row.tier > 1}
    heads = {n for n in tiers if all(row.tier != rows[n].tier for row in rows[:n])}
    dim = {n for n, row in enumerate(rows) if row.baseline}
    return paper.table(columns, heads, dim)


def _places(rows: Sequence[Standing]) -> list[str]:
    """Ranks under each other, and their ranges too."""
    parts = [place(row).partition(" ") for row in rows]
    wide = max(len(rank) for rank, _, _ in parts)
    return [f"{rank:>{wide}} {span}".rstrip() for rank, _, span in parts]


def _sheet(paper: TextReport, sheet: TableData, options: Options, keep: int) -> None:
    """Write a further table; for want of room columns go from the right, all but `keep`."""
    paper.say()
    paper.say(printable(sheet.title), "bold")
    first, *others = [list(cells) for cells in zip(*sheet.rows, strict=True)]
    columns = [
        Column(
            printable(sheet.head[0], 60),
            [printable(cell, 100) for cell in first],
            right=False,
            fold=True,
        )
    ]
    for n, (head, cells) in enumerate(zip(sheet.head[1:], others, strict=True)):
        columns.append(Column(printable(head, 60), cells, 0 if n == keep % len(others) else n + 1))
    if dropped := paper.table(columns):
        paper.say(f"Not shown at this width: {', '.join(dropped)}.", "dim")
