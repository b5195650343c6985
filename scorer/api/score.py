"""The straight line, in the order in which it happens.

challenge.yaml -- Challenge -- measures --+
files -- Columns --(checks)-- Judged -----+-- Scorecard -- Standings -- Report
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from scorer.api.submissions import (
    Named,
    Progress,
    baselines,
    loaded,
    named_files,
    scored_files,
    terms_of,
)
from scorer.challenge.model import Challenge
from scorer.leaderboard.board import board
from scorer.prepare.bind import prepare
from scorer.prepare.open import opened
from scorer.prepare.probes import answerable
from scorer.results.report import Report


def score(
    challenge: Challenge | Path | str,
    submissions: Iterable[Named | Path | str],
    *,
    allow_plugins: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Check, score and rank submissions; nothing is written.

    Args:
        challenge: a loaded challenge, or the path of its challenge.yaml or folder.
        submissions: paths, each named after its file, or `Named` ones.
        allow_plugins: whether the challenge's own metrics may be run.
        progress: called before each submission is read.

    Raises:
        ChallengeError: the challenge itself is wrong.
        PluginError: a metric failed.
        UsageError: two submissions have one name.
    """
    ready = answerable(opened(prepare(loaded(challenge), allow_plugins)))
    files = [*named_files(submissions), *baselines(ready.prepared)]
    scored = scored_files(ready, files, progress)
    return board(terms_of(ready), scored)
