"""Submissions that were only checked, as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from scorer.challenge.model import Challenge
from scorer.results.json import VERSION, ChallengeIdentity, Internal, ShownFindings
from scorer.results.report import Scored


@dataclass(frozen=True, slots=True)
class CheckedSubmission:
    """A file with its problems."""

    name: str
    path: str
    sha256: str | None
    valid: bool
    problems: ShownFindings
    counts: Mapping[str, int]  # code -> how many there are, which may be more than were kept
    description: str | None  # what the file looks like; None: it cannot be read

    @classmethod
    def of(cls, scored: Scored) -> CheckedSubmission:
        """Return what a check found of a submission."""
        findings = scored.findings
        counts = dict(sorted(findings.counts.items()))
        description = scored.description or None
        valid = not findings.fatal
        return cls(scored.name, scored.path, scored.sha256, valid, findings, counts, description)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFiles:
    """Submissions that were only checked."""

    schema: str = "findings/1"
    scorer: str = VERSION
    challenge: ChallengeIdentity
    submissions: Sequence[CheckedSubmission]
    files_by_code: Mapping[str, int]  # in how many files each code was found, most frequent first
    # For a terminal: path -> the text of each line that is shown with a caret.
    excerpts: Internal[Mapping[str, Mapping[int, str]]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        challenge: Challenge,
        checked: Sequence[Scored],
        excerpts: Mapping[str, Mapping[int, str]] | None = None,
    ) -> CheckedFiles:
        """Return what a check found of submissions."""
        files = Counter(code for scored in checked for code in scored.findings.counts)
        return cls(
            challenge=ChallengeIdentity.of(challenge),
            submissions=[CheckedSubmission.of(scored) for scored in checked],
            files_by_code=dict(sorted(files.items(), key=lambda entry: (-entry[1], entry[0]))),
            excerpts=excerpts or {},
        )
