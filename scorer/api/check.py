"""Check submissions without opening the answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Unpack

from scorer.api.evaluate import Columns, Measures, RunRules, bind_data
from scorer.api.submissions import (
    Progress,
    Submissions,
    find_submitted_lists,
    list_submissions,
    scored_files,
)
from scorer.api.text import Renderable
from scorer.challenge.model import Challenge
from scorer.core.text import printable
from scorer.results.findings import CheckedFiles
from scorer.results.report import Scored
from scorer.scoring.open import open_challenge


class Checked(Renderable, list[Scored]):
    """Submissions that were only checked."""

    __slots__ = ("challenge",)
    subject, plain = "findings", "text"

    def __init__(self, challenge: Challenge, checked: list[Scored]) -> None:
        super().__init__(checked)
        self.challenge = challenge

    def content(self) -> Any:
        """The data that the form writes."""
        return CheckedFiles.of(self.challenge, self)

    def __repr__(self) -> str:
        states = [
            f"{printable(scored.name, 40)} {'rejected' if scored.findings.fatal else 'fine'}"
            for scored in self[:10]
        ]
        return f"<Checked {', '.join(states)}{', ...' if len(self) > 10 else ''}>"


def check(
    challenge: Challenge | Path | str | object,
    submissions: Submissions,
    *,
    measures: Measures | None = None,
    columns: Columns | None = None,
    allow_plugins: bool = False,
    progress: Progress | None = None,
    **rules: Unpack[RunRules],
) -> Checked:
    """Check submissions without reading the answers.

    Args:
        challenge: a challenge as `score` takes it; with `measures`, a truth as `evaluate` does.
        submissions: as `score` takes them.
        measures: as of `evaluate`; with `columns` and `rules` they stand for a challenge.yaml.
        columns: as of `evaluate`.
        allow_plugins: whether the challenge's own code may be run.
        progress: called before each submission is read.
        rules: as of `evaluate`.

    Raises as `score` and `evaluate` do.
    """
    bound, runs = bind_data(challenge, submissions, measures, columns, allow_plugins, **rules)
    files = list_submissions(runs, bound)
    ready = open_challenge(bound, with_truth=False, submitted=find_submitted_lists(bound, files))
    return Checked(bound.challenge, scored_files(ready, files, progress))
