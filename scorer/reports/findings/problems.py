"""Problems as lines of text, and the state of a file in a few words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scorer.challenge.model import Challenge
from scorer.core.problems import SHOWN_PLACES, Findings, Problem, Severity
from scorer.reports.github import no_command
from scorer.results.report import Scored


class CheckedFile(NamedTuple):
    """Submissions whose files were checked, and for which challenge."""

    challenge: Challenge
    submissions: Sequence[Scored]


def counted(scored: Scored, severity: Severity = "error") -> str:
    """How many problems of a severity a file has, and their codes: `300 errors (S306)`."""
    counts = scored.findings.tally(severity)
    count = sum(counts.values())
    return f"{count:,} {severity}{'s' * (count != 1)} ({', '.join(counts)})"


def summary(scored: Scored) -> str:
    """The state of a file in a few words: `fine: 2 warnings (S205)`."""
    severities: tuple[Severity, ...] = ("error", "warning")
    lines = [
        counted(scored, severity) for severity in severities if scored.findings.tally(severity)
    ]
    verdict = "would be rejected" if scored.findings.fatal else "fine"
    return f"{verdict}{': ' if lines else ''}{', '.join(lines)}"


def places(findings: Findings, every: bool = False) -> Iterator[tuple[Problem, int]]:
    """The problems to show: the first of each code, its last with how many more there are."""
    counts: dict[str, int] = {}
    problems: list[Problem] = []
    for problem in findings:
        counts[problem.code] = counts.get(problem.code, 0) + 1
        if every or counts[problem.code] <= SHOWN_PLACES:
            problems.append(problem)
    last = {problem.code: n for n, problem in enumerate(problems)}
    for n, problem in enumerate(problems):
        rest = findings.counts[problem.code] - (
            counts[problem.code] if every else min(counts[problem.code], SHOWN_PLACES)
        )
        yield problem, rest if last[problem.code] == n else 0


def format_findings(findings: Findings, every: bool = False, quiet: bool = False) -> list[str]:
    """Problems as lines: the first places of each code, how many more, and what would help.

    No line is a command to the runner of a workflow.
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
