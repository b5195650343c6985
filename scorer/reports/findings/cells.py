"""What the forms of findings share: their data, and how a file stands in a few words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scorer.challenge.model import Challenge
from scorer.results.report import Scored


@dataclass(frozen=True, slots=True)
class Checked:
    """Submissions whose files were checked, and for which challenge."""

    challenge: Challenge
    submissions: Sequence[Scored]


def summary(scored: Scored) -> str:
    """How it stands with a file, in a few words: `fine: 2 warnings (S205)`."""
    errors: dict[str, int] = {}
    warnings: dict[str, int] = {}
    severe = {problem.code for problem in scored.findings if problem.severity == "error"}
    for code, count in sorted(scored.findings.counts.items()):
        (errors if code in severe else warnings)[code] = count
    lines = [
        f"{sum(found.values()):,} {word}{'s' * (sum(found.values()) != 1)} ({', '.join(found)})"
        for word, found in (("error", errors), ("warning", warnings))
        if found
    ]
    verdict = "would be rejected" if severe else "fine"
    return f"{verdict}{': ' if lines else ''}{', '.join(lines)}"
