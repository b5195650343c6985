"""`score paper CHALLENGE SUBMISSION... -o DIR`: figures, tables, methods and numbers in LaTeX."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scorer.cli.options import (
    ChallengeWord,
    Plugins,
    Precision,
    Quiet,
    Result,
    SubmissionWords,
    Terminal,
    challenge_of,
    exit_code,
    problems,
    refuse_overwrite,
    submissions_of,
)
from scorer.core.text import printable


def paper(
    context: typer.Context,
    challenge: ChallengeWord,
    submissions: SubmissionWords,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="The folder where the files go.")
    ],
    width: Annotated[
        str,
        typer.Option("--width", metavar="W", help="How wide figures are: 84mm, 17cm, 3.3in."),
    ] = "120mm",
    precision: Precision = 4,
    allow_plugins: Plugins = False,
    quiet: Quiet = False,
) -> Result:
    r"""Write a main.tex with the board, its figures, methods, references and macros.

    numbers.tex has macros such as \bestscore. Figures are in it as PDF where vl-convert-python is
    installed (challenge-scorer[figures]). For organizers: values of lists are drawn.
    """
    from scorer.api.figures import EXTRA, converts, millimetres_of
    from scorer.api.paper import paper as made
    from scorer.api.score import score

    terminal: Terminal = context.obj
    millimetres_of(width)
    settled, notes = challenge_of(challenge, terminal)
    named = submissions_of(submissions, terminal, settled)
    progress = None if quiet else terminal.progress
    report = score(settled, named, allow_plugins=allow_plugins, progress=progress)
    lines = [] if quiet else list(notes)
    for scored in report.submissions:
        lines += problems(scored.findings, quiet or scored.baseline)
    files = tuple((output / name, data) for name, data in made(report, width, precision))
    refuse_overwrite([path for path, _ in files], settled, *(file.path for file in named))
    output.mkdir(parents=True, exist_ok=True)
    lines += [] if converts() else [f"note: {EXTRA}"]
    main = printable(output / "main.tex")
    return Result("", tuple(lines), exit_code(report.submissions), files, (main,))
