"""Problems as GitHub workflow commands."""

from __future__ import annotations

from scorer.core.problems import Findings
from scorer.reports.base import Options
from scorer.reports.findings.problems import places
from scorer.reports.github import annotation
from scorer.results.findings import CheckedFiles


def github(checked: CheckedFiles, options: Options) -> str:
    """A mark at every problem; every line is a workflow command."""
    lines: list[str] = []
    for scored in checked.submissions:
        lines += workflow_commands(scored.problems, options.every)
    return "".join(f"{line}\n" for line in lines)


def workflow_commands(findings: Findings, every: bool = False) -> list[str]:
    """A file's problems as marks at their lines."""
    lines = []
    for problem, rest, _ in places(findings, every):
        more = f" (and {rest:,} more)" if rest > 0 else ""
        hint = f"\n{problem.help}" if problem.help else ""
        lines.append(
            annotation(
                problem.severity,
                f"{problem.message}{more}{hint}",
                file=problem.path,
                line=problem.line,
                col=problem.column,
                title=problem.code,
            )
        )
    return lines
