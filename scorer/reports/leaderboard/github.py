"""Annotations that GitHub shows beside a pull request: every problem, and the board."""

from scorer.core.text import printable, unit
from scorer.reports.base import Options
from scorer.reports.findings.lines import workflow_commands
from scorer.reports.github import annotation
from scorer.reports.leaderboard.cells import (
    has_ranges,
    interval,
    level,
    lists_of,
    mean_of,
    place,
    with_digits,
)
from scorer.reports.leaderboard.remarks import cautions, ranked_below, remarks, scope
from scorer.reports.leaderboard.verdict import verdict
from scorer.results.json import PRIVATE
from scorer.results.report import Report, Standing


def github(report: Report, options: Options) -> str:
    """Every line is a workflow command, so that no text from a file can be one."""
    options = with_digits(report, options)
    lines = []
    for scored in report.submissions:
        lines += workflow_commands(scored.findings, options.every)
    primary = report.primary
    rows = []
    for standing in report.leaderboard:
        value = mean_of(standing, primary, options.precision)
        ends = interval(standing, primary, options.precision)
        rank, name = place(standing, has_ranges(report)), printable(standing.name, 100)
        rows.append(f"{rank} {name}: {value} {ends}".strip() + _fewer(standing, report))
    rows += [f"- {printable(s.name, 100)}: not scored" for s in report.submissions if not s.valid]
    head = f"Rank, name: {printable(primary.id)}{f' [{level(report)}]' if level(report) else ''}"
    banner = [PRIVATE] if options.private else []
    part = [scope(report.scope, report.called)] if report.scope else []
    said = [
        verdict(report, options.precision),
        *cautions(report, options.precision),
        *remarks(report, options.precision),
    ]
    part += [ranked_below(report)] if report.omitted else []
    board = "\n".join([*banner, head, *rows, *part, *filter(None, said)])
    lines.append(annotation("notice", board, title=printable(report.challenge.title)))
    return "\n".join(lines) + "\n"


def _fewer(standing: Standing, report: Report) -> str:
    """A mark of a value that is of fewer lists than others: ` (20 of 60 users)`."""
    if standing.fewer_lists is None:
        return ""
    return f" ({lists_of(standing, 0, report)} {unit(report.called, standing.fewer_lists[1])})"
