"""`score CHALLENGE SUBMISSION...`: check, score, rank, show."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from scorer.command import (
    ChallengeWord,
    Edge,
    Every,
    MetricWords,
    Output,
    Plugins,
    Quiet,
    Result,
    SubmissionWords,
    TruthWord,
    challenge_of,
    problems,
    submissions_of,
)


class Form(StrEnum):
    """How the report is written."""

    table = "table"
    json = "json"
    csv = "csv"
    markdown = "markdown"


def score(
    context: typer.Context,
    challenge: ChallengeWord,
    submissions: SubmissionWords,
    format: Annotated[Form, typer.Option("--format", help="How the report is written.")] = (
        Form.table
    ),
    output: Output = None,
    per_list: Annotated[
        bool, typer.Option("--per-list", help="The value of every list, too.")
    ] = False,
    metric: MetricWords = None,
    truth: TruthWord = None,
    precision: Annotated[
        int, typer.Option("--precision", min=0, max=17, help="Decimals shown; values stay exact.")
    ] = 4,
    allow_plugins: Plugins = False,
    every: Every = False,
    quiet: Quiet = False,
) -> Result:
    """Check, score and rank submissions. Nothing is written but the report."""
    from scorer import pipeline
    from scorer.reporting import Options, forms

    edge: Edge = context.obj
    settled, notes = challenge_of(challenge, metric, truth)
    files = submissions_of(submissions, edge, settled)
    report = pipeline.score(
        settled, files, allow_plugins=allow_plugins, progress=None if quiet else edge.progress
    )
    options = Options(precision, per_list, edge.width, edge.colour and output is None, every)
    said = [*([] if quiet else [*notes, *map(str, report.notes)])]
    for scored in report.submissions:
        said += problems(scored.findings, quiet, every)
    return Result(
        forms().get(format.value).write(report, options),
        tuple(said),
        0 if all(scored.valid for scored in report.submissions) else 1,
        output,
    )
