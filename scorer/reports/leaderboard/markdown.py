"""A table that GitHub, a wiki or a mail shows as it is."""

from __future__ import annotations

from collections.abc import Iterator

from scorer.core.text import unit
from scorer.reports.base import PRIVATE, Options, TableData, form
from scorer.reports.findings.text import format_findings
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
from scorer.reports.syntax.markdown import escaped, piped
from scorer.results.report import Report, Standing


@form("leaderboard", "markdown")
def markdown(report: Report, options: Options) -> str:
    """The leaderboard, what to know beside it, then what was rejected and why."""
    banner = [f"**{PRIVATE}**", ""] if options.private else []
    lines = [*banner, f"# {escaped(report.challenge.title)}", "", *_standings(report, options)]
    if notes := remarks(report, options.precision):
        lines += ["", *(f"- {escaped(note)}" for note in notes)]
    for sheet in by_group(report, options.precision):
        lines += _sheet(sheet)
    for scored in report.submissions if options.per_list else ():
        if scored.valid:
            lines += _sheet(by_list(report, scored, options.precision))
    for scored in report.submissions:
        if len(scored.findings):
            state = "has problems" if scored.valid else "was rejected"
            lines += ["", f"## {escaped(scored.name)} {state}", ""]
            lines += [
                f"- {escaped(line.strip())}"
                for line in format_findings(scored.findings, options.every)
            ]
    return "\n".join(lines) + "\n"


def _standings(report: Report, options: Options) -> Iterator[str]:
    others = [m for m in report.measures if m.id != report.primary.id]
    lists = {s.name: s.values[report.primary.id].lists for s in report.submissions if s.valid}
    tiers = any(standing.tier for standing in report.standings)

    def row(standing: Standing) -> list[str]:
        primary, *rest = (
            mean_of(standing, m, options.precision) for m in (report.primary, *others)
        )
        return [
            place(standing),
            escaped(standing.name),
            *([str(standing.tier or "")] if tiers else []),
            primary,
            *([interval(standing, report.primary, options.precision)] if level(report) else []),
            *rest,
            lists_of(standing, lists[standing.name]),
        ]

    head = [
        "rank", "name", *(["tier"] if tiers else []), head_of(report.primary, report),
        *([level(report)] if level(report) else []), *(head_of(m, report) for m in others),
        unit(report.called),
    ]  # fmt: skip
    return piped([escaped(h) for h in head], map(row, report.standings), range(2))


def _sheet(sheet: TableData) -> list[str]:
    rows = [list(map(escaped, row[:1])) + list(row[1:]) for row in sheet.rows]
    lines = piped([*map(escaped, sheet.head)], rows, range(1))
    return ["", f"## {escaped(sheet.title)}", "", *lines]
