"""`score feedback CHALLENGE [SUBMISSION...] -o DIR`: a text for each student, and the gradebook."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scorer.cli.board import (
    At,
    BoardWords,
    FilesWord,
    Phase,
    SentWords,
    Split,
    StoreWord,
    report_of,
)
from scorer.cli.options import (
    ChallengeWord,
    Plugins,
    Precision,
    Quiet,
    Result,
    Terminal,
    refuse_overwrite,
)
from scorer.core.errors import UsageError
from scorer.core.text import printable

BOOK = "grades.csv"


def feedback(
    context: typer.Context,
    challenge: ChallengeWord,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="The folder where the texts go.")
    ],
    submissions: SentWords = None,
    split: Split = None,
    phase: Phase = None,
    at: At = None,
    store: StoreWord = None,
    files_at: FilesWord = None,
    precision: Precision = 4,
    allow_plugins: Plugins = False,
    quiet: Quiet = False,
) -> Result:
    """Write a text for each submission, and with `grading` grades.csv: id, points, feedback.

    Of a living board these are the entries that count; a team of which none counts gets a text with
    the reason. Where the phase hides the values, the texts do, too, unless --split names a split.
    --phase final writes them by the rules of that phase before it has begun.
    """
    from scorer.reading.write import file_name, make_folder
    from scorer.reports.base import Options
    from scorer.reports.leaderboard.feedback import feedback as text_of
    from scorer.reports.leaderboard.feedback import feedback_of_absent
    from scorer.reports.leaderboard.grades import grades

    terminal: Terminal = context.obj
    sent = BoardWords(submissions or (), store, files_at, split, phase=phase, at=at)
    found = report_of(challenge, sent, terminal, allow_plugins, quiet)
    report = found.report.published()
    texts: dict[Path, str] = {}

    def add_text(name: str, text: str) -> None:
        path = output / f"{file_name(name)}.txt"
        if path in texts:
            raise UsageError(f"two submissions would be written to {printable(path)}")
        texts[path] = text

    for scored in report.submissions:
        if not scored.baseline:
            add_text(scored.name, text_of(report, scored, precision, found.blind))
    for team in report.absent:
        add_text(team, feedback_of_absent(report, team, precision))
    if report.definition.grading is not None and not found.blind:
        texts[output / BOOK] = grades(report, Options(precision))
    if not texts:
        raise UsageError("there is no submission to write about")
    refuse_overwrite(list(texts), found.challenge, *found.read)
    make_folder(output)
    written = (f"{printable(output)}: {len(texts):,} files",)
    return Result("", tuple(found.lines), found.exit_code, tuple(texts.items()), written)
