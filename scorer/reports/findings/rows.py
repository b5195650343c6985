"""Findings for a spreadsheet: a row a problem."""

from __future__ import annotations

from scorer.reports.base import ExactRows, Options
from scorer.results.findings import CheckedFiles

HEAD = ["file", "line", "column", "severity", "code", "message", "help", "list", "item"]


def rows(checked: CheckedFiles, options: Options) -> ExactRows:
    """Every problem that was kept."""
    table = [
        [scored.path, p.line, p.column, p.severity, p.code, p.message, p.help, p.list, p.item]
        for scored in checked.submissions
        for p in scored.problems
        if p.severity == "error" or not options.quiet
    ]
    return ExactRows(HEAD, table)
