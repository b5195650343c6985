"""`score paper CHALLENGE [SUBMISSION...] -o DIR`: figures, tables, methods and numbers in LaTeX."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scorer.cli.board import BoardWords, FilesWord, SentWords, Split, StoreWord, report_of
from scorer.cli.options import (
    AnswersFile,
    ChallengeWord,
    Plugins,
    Precision,
    Quiet,
    Result,
    Terminal,
    refuse_overwrite,
)
from scorer.core.text import printable


def paper(
    context: typer.Context,
    challenge: ChallengeWord,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="The folder where the files go.")
    ],
    submissions: SentWords = None,
    width: Annotated[
        str,
        typer.Option("--width", metavar="W", help="How wide figures are: 84mm, 17cm, 3.3in."),
    ] = "120mm",
    split: Split = None,
    answers: AnswersFile = None,
    store: StoreWord = None,
    files_at: FilesWord = None,
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
    from scorer.bytes.write import with_parents

    terminal: Terminal = context.obj
    millimetres_of(width)
    sent = BoardWords(submissions or (), store, files_at, split, answers=answers)
    scored = report_of(challenge, sent, terminal, allow_plugins, quiet)
    files = tuple((output / name, data) for name, data in made(scored.report, width, precision))
    refuse_overwrite([path for path, _ in files], scored.challenge, *scored.read)
    with_parents(output)
    lines = [*scored.lines, *([] if converts() else [f"note: {EXTRA}"])]
    main = printable(output / "main.tex")
    return Result("", tuple(lines), scored.exit_code, files, (main,))
