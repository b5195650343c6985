"""Problems as lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from scorer.core.problems import PLACES, Findings, Problem
from scorer.core.text import printable, set_apart
from scorer.reports.base import Options, form
from scorer.reports.findings.cells import Checked, summary
from scorer.reports.syntax.github import no_command


@form("findings", "text")
def text(checked: Checked, options: Options) -> str:
    """Every file's problems, then its state; when quiet, only errors."""
    lines: list[str] = []
    for scored in checked.submissions:
        lines += format_findings(scored.findings, options.every, options.quiet)
        if scored.findings.fatal or not options.quiet:
            lines.append(no_command(f"{printable(scored.path)}: {summary(scored)}"))
    return "".join(f"{set_apart(line)}\n" for line in lines)


def places(findings: Findings, every: bool = False) -> Iterator[tuple[Problem, int]]:
    """The problems to show: the first of each code, its last with how many more there are."""
    counts: dict[str, int] = {}
    problems: list[Problem] = []
    for problem in findings:
        counts[problem.code] = counts.get(problem.code, 0) + 1
        if every or counts[problem.code] <= PLACES:
            problems.append(problem)
    last = {problem.code: n for n, problem in enumerate(problems)}
    for n, problem in enumerate(problems):
        rest = findings.counts[problem.code] - (
            counts[problem.code] if every else min(counts[problem.code], PLACES)
        )
        yield problem, rest if last[problem.code] == n else 0


def format_findings(findings: Findings, every: bool = False, quiet: bool = False) -> list[str]:
    """Problems as lines: the first places of each code, how many more, and what would help.

    Args:
        findings: of one file.
        every: every place of a problem that was kept.
        quiet: only errors.

    Returns:
        Lines of which none is a command to the runner of a workflow.
    """
    if quiet:
        errors = Findings(findings.path)
        errors.extend(problem for problem in findings if problem.severity == "error")
        findings = errors
    lines: list[str] = []
    helped: set[str] = set()
    for problem, rest in places(findings, every):
        lines.append(str(problem))
        if problem.help and problem.help not in helped:
            helped.add(problem.help)
            lines.append(f"  help: {problem.help}")
        if rest > 0:
            hint = "" if every else " (--all)"
            lines.append(f"  and {rest:,} more of {problem.code}{hint}")
    return list(map(no_command, lines))
