"""`score explain CHALLENGE SUBMISSION [--list ID]`: the worst lists, or a value step by step."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from scorer.cli.options import (
    ChallengeWord,
    Output,
    Plugins,
    Precision,
    Quiet,
    Result,
    Terminal,
    TruthWord,
    challenge_of,
    chosen_forms,
    form_option,
    problems,
    refuse_overwrite,
    submissions_of,
)
from scorer.core.errors import UsageError
from scorer.core.text import quoted


def explain(
    context: typer.Context,
    challenge: ChallengeWord,
    submission: Annotated[
        str, typer.Argument(metavar="SUBMISSION", help="A file, or NAME=PATH, or -.")
    ],
    name: Annotated[
        str | None,
        typer.Option(
            "--list", metavar="ID",
            help="The list (query, user, ..) to work out; else the worst ones are told.",
        ),
    ] = None,
    split: Annotated[
        str | None,
        typer.Option(
            "--split", metavar="S",
            help="The worst of this split of the challenge's. Default: of all lists.",
        ),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "-m", "--metric", metavar="M",
            help="The measure to explain; repeatable. Default: the primary one.",
        ),
    ] = None,
    format: Annotated[str | None, form_option("explanation")] = None,
    output: Output = None,
    truth: TruthWord = None,
    precision: Precision = 4,
    allow_plugins: Plugins = False,
    quiet: Quiet = False,
) -> Result:  # fmt: skip
    """The worst lists or rows and what they cost, or one's value step by step. For organizers."""
    from scorer.api.explain import explain as run
    from scorer.api.text import content_of

    terminal: Terminal = context.obj
    forms = chosen_forms("explanation", format, output, "text")
    settled, _ = challenge_of(challenge, terminal, metric, truth, [submission])
    files = submissions_of([submission], terminal, settled)
    if len(files) != 1:
        several = f"{quoted(submission)} holds {len(files):,} submissions; explain takes one"
        raise UsageError(several)
    (file,) = files
    refuse_overwrite(output, settled, challenge, file.path)
    explanation = content_of(run(settled, file, name, split=split, allow_plugins=allow_plugins))
    if not metric:
        primary = tuple(
            explained for explained in explanation.measures if explained.measure.primary
        )
        explanation = replace(explanation, measures=primary)
    messages = tuple(problems(explanation.findings, quiet))
    if not explanation.measures:
        return Result("", messages, 1)
    options = terminal.options(output, precision)
    return forms.result(explanation, options, messages)
