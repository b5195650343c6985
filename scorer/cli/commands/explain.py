"""`score explain CHALLENGE SUBMISSION --list ID`: a value worked out step by step."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
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
    problems,
    refuse_overwrite,
    submissions_of,
)


class Form(StrEnum):
    """How the working is written."""

    text = "text"
    json = "json"
    markdown = "markdown"


def explain(
    context: typer.Context,
    challenge: ChallengeWord,
    submission: Annotated[
        str, typer.Argument(metavar="SUBMISSION", help="A file, or NAME=PATH, or -.")
    ],
    name: Annotated[
        str, typer.Option("--list", metavar="ID", help="The list (query, user, ..) to work out.")
    ],
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "-m", "--metric", metavar="M",
            help="This value; may be given several times. By default the primary measure.",
        ),
    ] = None,
    format: Annotated[Form, typer.Option("--format", help="How it is written.")] = Form.text,
    output: Output = None,
    truth: TruthWord = None,
    precision: Precision = 4,
    allow_plugins: Plugins = False,
    quiet: Quiet = False,
) -> Result:  # fmt: skip
    """Work one list's value out, step by step. For organizers: it shows items of the truth."""
    from scorer.api.explain import explain as run
    from scorer.reports.explanation import text as workings

    edge: Terminal = context.obj
    settled, _ = challenge_of(challenge, metric, truth)
    (file,) = submissions_of([submission], edge, settled)
    refuse_overwrite(output, settled, challenge, file.path)
    found = run(settled, file, name, allow_plugins=allow_plugins)
    if not metric:
        primary = tuple(each for each in found.found if each.measure.primary)
        found = replace(found, found=primary)
    message = tuple(problems(found.findings, quiet))
    if not found.found:
        return Result("", message, 1)
    colour = edge.colour and output is None
    text = workings.WRITERS[format.value](found, precision, edge.width, colour)
    return Result(text, message, 0, output)
