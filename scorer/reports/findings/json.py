"""Problems as JSON."""

from __future__ import annotations

from scorer.reports.base import Options, form
from scorer.reports.findings.cells import Checked
from scorer.reports.syntax.json import dumped, head, problem


@form("findings", "json")
def json(checked: Checked, options: Options) -> str:
    """Every problem that was kept, with how many there are of each code."""
    submissions = [
        {
            "name": scored.name,
            "path": scored.path,
            "sha256": scored.sha256,
            "valid": not scored.findings.fatal,
            "problems": [problem(finding) for finding in scored.findings],
            "counts": dict(sorted(scored.findings.counts.items())),
        }
        for scored in checked.submissions
    ]
    return dumped({**head(checked.challenge), "submissions": submissions}) + "\n"
