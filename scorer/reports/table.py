"""The leaderboard in a terminal, a pipe, or a log."""

from __future__ import annotations

import io

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from scorer.errors import shown
from scorer.reporting import Options, form, number
from scorer.results import Report


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
    if report.standings:
        console.print(_standings(report, options))
    if options.per_list:
        for scored in report.submissions:
            if scored.valid:
                console.print(Text(shown(scored.name), style="bold"))
                console.print(_lists(report, scored.name, options))
    for scored in report.submissions:
        if not scored.valid:
            errors = sum(p.severity == "error" for p in scored.findings)
            codes = ", ".join(sorted({p.code for p in scored.findings if p.severity == "error"}))
            said = (
                f"{shown(scored.name)}: not scored, {errors:,} error{'s' * (errors != 1)} ({codes})"
            )
            console.print(Text(said, style="red"))
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n"


def _standings(report: Report, options: Options) -> Table:
    view = _plain()
    view.add_column("rank", justify="right")
    view.add_column("name", overflow="fold", min_width=4)
    for measure in report.measures:
        style = "bold" if measure.primary else ""
        view.add_column(Text(shown(measure.id)), justify="right", style=style, overflow="fold")
    view.add_column("lists", justify="right")
    submissions = {scored.name: scored for scored in report.submissions}
    for standing in report.standings:
        scored = submissions[standing.name]
        view.add_row(
            "B" if standing.baseline else str(standing.rank),
            Text(shown(standing.name, 100)),
            *(number(standing.values[m.id], m, options.precision) for m in report.measures),
            f"{scored.values[report.primary.id].lists:,}",
            style="dim" if standing.baseline else None,
        )
    return view


def _lists(report: Report, name: str, options: Options) -> Table:
    scored = next(s for s in report.submissions if s.name == name)
    view = _plain()
    view.add_column(Text(shown(report.called.get("list", "list"))), overflow="fold")
    for measure in report.measures:
        view.add_column(Text(shown(measure.id)), justify="right")
    for n, each in enumerate(report.lists):
        cells = []
        for measure in report.measures:
            values = scored.values[measure.id].per_list
            value = "-" if values is None else number(float(values[n]), measure, options.precision)
            cells.append(value)
        view.add_row(Text(shown(each, 100)), *cells)
    return view


def _plain() -> Table:
    """Columns set apart by blanks, so that it reads the same without colour or Unicode."""
    return Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, safe_box=True)
