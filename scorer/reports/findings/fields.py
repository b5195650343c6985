"""Findings as fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scorer.reports.base import Options
from scorer.reports.findings.problems import CheckedFile
from scorer.results.json import VERSION, ChallengeIdentity, ReportedProblem


@dataclass(frozen=True, slots=True)
class Submission:
    """A file with its problems."""

    name: str
    path: str
    sha256: str | None
    valid: bool
    problems: Sequence[ReportedProblem]
    counts: Mapping[str, int]  # code -> how many there are, which may be more than were kept
    description: str | None  # what the file looks like; null: it cannot be read


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """Submissions that were only checked."""

    schema: str = "findings/1"
    scorer: str = VERSION
    challenge: ChallengeIdentity
    submissions: Sequence[Submission]
    files_by_code: Mapping[str, int]  # code -> in how many files it was found


def fields(checked: CheckedFile, options: Options) -> Record:
    """Every problem that was kept, with how many there are of each code."""
    submissions = [
        Submission(
            scored.name,
            scored.path,
            scored.sha256,
            not scored.findings.fatal,
            [ReportedProblem.of(finding) for finding in scored.findings],
            dict(sorted(scored.findings.counts.items())),
            scored.description or None,
        )
        for scored in checked.submissions
    ]
    return Record(
        challenge=ChallengeIdentity.of(checked.challenge),
        submissions=submissions,
        files_by_code=checked.files_by_code,
    )
