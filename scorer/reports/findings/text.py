"""Problems as lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from scorer.core.problems import PLACES, Findings, Problem


def places(findings: Findings, every: bool = False) -> Iterator[tuple[Problem, int]]:
    """The problems to show: the first of each code, its last with how many more there are."""
    seen: dict[str, int] = {}
    kept: list[Problem] = []
    for problem in findings:
        seen[problem.code] = seen.get(problem.code, 0) + 1
        if every or seen[problem.code] <= PLACES:
            kept.append(problem)
    last = {problem.code: n for n, problem in enumerate(kept)}
    for n, problem in enumerate(kept):
        rest = findings.counts[problem.code] - (
            seen[problem.code] if every else min(seen[problem.code], PLACES)
        )
        yield problem, rest if last[problem.code] == n else 0


def format_findings(findings: Findings, every: bool = False) -> list[str]:
    """Problems as lines: the first places of each code, how many more, and what would help."""
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
    return lines
