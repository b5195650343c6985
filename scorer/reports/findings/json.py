"""Problems as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from scorer.challenge.model import Challenge
from scorer.core.version import __version__
from scorer.reports.syntax.json import dumped
from scorer.results.report import Scored

KEYS = ("code", "severity", "line", "column", "list", "item", "message", "help")


def as_json(challenge: Challenge, checked: Sequence[Scored]) -> str:
    """Every problem that was kept, with how many there are of each code."""
    submissions = [
        {
            "name": scored.name,
            "path": scored.path,
            "sha256": scored.sha256,
            "valid": not scored.findings.fatal,
            "problems": [{key: getattr(each, key) for key in KEYS} for each in scored.findings],
            "counts": dict(sorted(scored.findings.counts.items())),
        }
        for scored in checked
    ]
    about = {"id": challenge.id, "title": challenge.title}
    return dumped({"scorer": __version__, "challenge": about, "submissions": submissions}) + "\n"
