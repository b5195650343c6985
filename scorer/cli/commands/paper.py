"""`score paper CHALLENGE [SUBMISSION...] -o DIR`: figures, tables, methods, BibTeX for a paper."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from scorer.cli.board import BoardWords, FilesWord, SentWords, Split, StoreWord, report_of
from scorer.cli.options import (
    AnswersFile,
    ChallengeWord,
    MetricWords,
    Plugins,
    Precision,
    Quiet,
    Result,
    Terminal,
    TruthWord,
    refuse_overwrite,
)
from scorer.core.text import printable
from scorer.reports.base import DECIMALS


def paper(
    context: typer.Context,
    challenge: ChallengeWord,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="The folder where the files go.")
    ],
    submissions: SentWords = None,
    figures: Annotated[
        str | None,
        typer.Option(
            "--figures",
            metavar="A,B",
            help="These figures only: forest, pairs, pareto, values, lists, differences, "
            "curves. Default: forest, pairs and pareto, as far as the board has them.",
        ),
    ] = None,
    width: Annotated[
        str,
        typer.Option("--width", metavar="W", help="How wide figures are: 84mm, 17cm, 3.3in."),
    ] = "120mm",
    metric: MetricWords = None,
    truth: TruthWord = None,
    split: Split = None,
    answers: AnswersFile = None,
    store: StoreWord = None,
    files_at: FilesWord = None,
    precision: Precision = None,
    allow_plugins: Plugins = False,
    quiet: Quiet = False,
) -> Result:
    r"""Write a main.tex with the board, its figures, methods, references and macros.

    numbers.tex has macros such as \bestscore. Figures are SVG, and in main.tex as PDF where
    vl-convert-python is installed (challenge-scorer[figures]). For organizers: values of lists are
    drawn.
    """
    from scorer.api.figures import (
        MISSING_CONVERTER,
        has_converter,
        parse_width,
        refuse_unknown_kind,
    )
    from scorer.api.paper import DEFAULT_FIGURES
    from scorer.api.paper import paper as write_paper
    from scorer.reading.write import make_folder

    terminal: Terminal = context.obj
    kinds: Sequence[Any] = DEFAULT_FIGURES
    if figures:
        kinds = [word.strip() for word in figures.split(",")]
    for kind in kinds:
        refuse_unknown_kind(kind)
    parse_width(width)
    sent = BoardWords(submissions or (), store, files_at, split, metric, truth, answers=answers)
    scored = report_of(challenge, sent, terminal, allow_plugins, quiet)
    decimals = DECIMALS if precision is None else precision
    written = write_paper(scored.report, kinds, width=width, precision=decimals)
    files = tuple((output / name, data) for name, data in written.files.items())
    refuse_overwrite([path for path, _ in files], scored.challenge, *scored.read)
    make_folder(output)
    lines = [*scored.lines]
    if figures:
        lines += [f"note: no {kind}: it takes {needs}" for kind, needs in written.missing.items()]
    lines += [] if has_converter() else [f"note: {MISSING_CONVERTER}"]
    main = printable(output / "main.tex")
    return Result("", tuple(lines), scored.exit_code, files, (main,))
