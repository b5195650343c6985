"""Check submissions without opening the answers."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from scorer.api.submissions import Named, Progress, _loaded, _named, _run, _scored, distinct
from scorer.challenge.model import Challenge
from scorer.prepare.bind import prepare
from scorer.prepare.open import opened
from scorer.results.report import Scored


def check(
    challenge: Challenge | Path | str,
    submissions: Iterable[Named | Path | str],
    *,
    allow_plugins: bool = False,
    progress: Progress | None = None,
) -> list[Scored]:
    """Only the checks; the answers stay closed. Raises as `score` does."""
    ready = opened(prepare(_loaded(challenge), allow_plugins), blind=True)
    files = _named(submissions)
    distinct(files)
    outcomes = _run(ready, files, progress)
    return [_scored(ready, file, outcome) for file, outcome in zip(files, outcomes, strict=True)]
