"""`score figures CHALLENGE [SUBMISSION...] -o DIR`: pictures of a board for a paper or a talk."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

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
from scorer.core.errors import UsageError
from scorer.core.text import printable


def figures(
    context: typer.Context,
    challenge: ChallengeWord,
    output: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="DIR", help="The folder where the figures go."),
    ],
    submissions: SentWords = None,
    kind: Annotated[
        str | None,
        typer.Option(
            "--kind",
            metavar="A,B",
            help="Of these kinds only: forest, pairs, ranks, pareto, values, lists, groups, "
            "head-to-head, power, recall-precision, curves.",
        ),
    ] = None,
    width: Annotated[
        str,
        typer.Option("--width", metavar="W", help="How wide: 84mm, 17cm, 3.3in, 240pt."),
    ] = "160mm",
    metric: MetricWords = None,
    truth: TruthWord = None,
    split: Split = None,
    answers: AnswersFile = None,
    store: StoreWord = None,
    files_at: FilesWord = None,
    precision: Precision = 4,
    allow_plugins: Plugins = False,
    quiet: Quiet = False,
) -> Result:
    """Draw a board as SVG, PDF and PNG, each figure with its caption in a text file.

    Without vl-convert-python (challenge-scorer[figures]) only SVG is written. For organizers:
    values of lists are drawn. Precision by recall is measured besides what the challenge measures.
    """
    from scorer.api.figures import (
        EXTRA,
        KINDS,
        converts,
        drawings,
        files,
        refuse_unknown,
        with_recall,
    )  # fmt: skip
    from scorer.bytes.write import with_parents

    terminal: Terminal = context.obj
    asked = [word.strip() for word in kind.split(",")] if kind else list(KINDS)
    for name in asked:
        refuse_unknown(name, width)
    sent = BoardWords(submissions or (), store, files_at, split, metric, truth, answers=answers)
    more = partial(with_recall, plugins=allow_plugins) if "recall-precision" in asked else None
    scored = report_of(challenge, sent, terminal, allow_plugins, quiet, more)
    lines, drawn, published = list(scored.lines), [], scored.report.published()
    for name in asked:
        made = list(drawings(published, name, width, precision))
        if not made and (kind or not quiet):
            lines.append(f"note: {_lack(name)}")
        drawn += made
    if not drawn:
        raise UsageError("there is nothing to draw: " + "; ".join(map(_lack, asked)))
    made_files = tuple(files(drawn, output))
    refuse_overwrite([path for path, _ in made_files], scored.challenge, *scored.read)
    with_parents(output)
    lines += [] if converts() else [f"note: {EXTRA}"]
    written = tuple(f"{printable(output / d.key)}: {printable(d.title)}" for d in drawn)
    return Result("", tuple(lines), scored.exit_code, made_files, written)


def _lack(kind: str) -> str:
    """Why there is no figure of a kind."""
    from scorer.api.figures import KINDS

    return f"no {kind}: it takes {KINDS[kind].needs}"
