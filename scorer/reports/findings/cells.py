"""The data that the forms of findings share, and the state of a file in a few words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from scorer.challenge.model import Challenge
from scorer.core.problems import Severity
from scorer.results.report import Scored


class Checked(NamedTuple):
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
