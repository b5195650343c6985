"""Check submissions without opening the answers."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from scorer.api.submissions import (
    Named,
    Progress,
    loaded,
    named_files,
    scored_files,
)
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
    ready = opened(prepare(loaded(challenge), allow_plugins), blind=True)
    files = named_files(submissions)
    return scored_files(ready, files, progress)
