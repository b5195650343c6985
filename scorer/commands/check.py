"""`score check CHALLENGE SUBMISSION...`: only the checks, blind to the answers."""

from __future__ import annotations

import typer

from scorer.command import (
    ChallengeWord,
    Edge,
    Every,
    Plugins,
    Quiet,
    Result,
    SubmissionWords,
    challenge_of,
    problems,
    submissions_of,
)
from scorer.errors import shown


def check(
    context: typer.Context,
    challenge: ChallengeWord,
    submissions: SubmissionWords,
    allow_plugins: Plugins = False,
    every: Every = False,
    quiet: Quiet = False,
) -> Result:
    """Check submissions without scoring them; works without the truth where lists are public."""
    from scorer import pipeline

    edge: Edge = context.obj
    settled, _ = challenge_of(challenge)
    files = submissions_of(submissions, edge, settled)
    checked = pipeline.check(
        settled, files, allow_plugins=allow_plugins, progress=None if quiet else edge.progress
    )
    said: list[str] = []
    for scored in checked:
        said += problems(scored.findings, quiet, every)
        if scored.findings.fatal:
            said.append(f"{shown(scored.path)}: would be rejected")
        elif not quiet:
            said.append(f"{shown(scored.path)}: fine")
    bad = any(scored.findings.fatal for scored in checked)
    return Result("".join(f"{line}\n" for line in said), exit_code=1 if bad else 0)
