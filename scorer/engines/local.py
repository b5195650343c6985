"""The engine of one machine: submissions one after the other, sharing one reading of the truth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from scorer.checking import Submitted, examine
from scorer.errors import Findings
from scorer.preparing import Opened
from scorer.results import Outcome
from scorer.scoring import score
from scorer.streams import Unreadable, digest
from scorer.tables import format_of, read


def local(opened: Opened, submissions: Sequence[Path]) -> Iterator[Outcome]:
    """Read, check and score each submission."""
    for path in submissions:
        yield outcome(opened, path)


def outcome(opened: Opened, path: Path) -> Outcome:
    """What becomes of one submission: its problems, and its scorecard if it has no error."""
    prepared, rules = opened.prepared, opened.prepared.challenge.submission
    findings = Findings(str(path))
    table = read(path, format_of(path, rules.format), prepared.shapes, findings, prepared.limits)
    sha256 = None
    if table is not None:
        examine(Submitted(table, opened.public, rules), findings)
    try:
        sha256 = digest(path)
    except (OSError, Unreadable):
        return Outcome(findings, None, None)
    if table is None or findings.fatal or opened.answers is None:
        return Outcome(findings, sha256, None)
    meeting = opened.answers.meet(table, rules.ties, opened.views)
    digests = {**opened.digests, "submission": sha256}
    card = score(meeting, opened.answers.lists, opened.measures, digests)
    folds = {
        name: score(
            fold.meet(table, rules.ties, opened.views), fold.lists, opened.measures, digests
        )
        for name, fold in opened.folds.items()
    }
    return Outcome(findings, sha256, card, folds)
