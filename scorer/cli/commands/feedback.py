"""`score feedback CHALLENGE [SUBMISSION...] -o DIR`: a text for each student, and the gradebook."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from scorer.cli.board import BoardWords, FilesWord, SentWords, Split, StoreWord, report_of
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
    store: StoreWord = None,
    files_at: FilesWord = None,
    precision: Precision = 4,
    allow_plugins: Plugins = False,
    quiet: Quiet = False,
) -> Result:
    """Write a text for each submission, and with `grading` grades.csv: id, points, feedback.

    Of a living board these are the entries that count; where its phase hides the values, the texts
    do, too, unless --split names a split.
    """
    from scorer.bytes.write import with_parents
    from scorer.reports.leaderboard.feedback import feedback as text_of
    from scorer.reports.leaderboard.feedback import sentence
    from scorer.reports.leaderboard.grades import gradebook
    from scorer.results.grading import grade

    terminal: Terminal = context.obj
    sent = BoardWords(submissions or (), store, files_at, split)
    found = report_of(challenge, sent, terminal, allow_plugins, quiet)
    report = found.report.published()
    texts: dict[Path, str] = {}
    rows = []
    for scored in report.submissions:
        if scored.baseline:
            continue
        received = found.received.get(scored.name)
        path = output / f"{_file_name(scored.name)}.txt"
        if path in texts:
            raise UsageError(f"two submissions would be written to {printable(path)}")
        texts[path] = text_of(report, scored, precision, received, found.blind)
        if report.challenge.grading is not None and not found.blind:
            given = grade(report, scored, received)
            rows.append((scored.name, given.points, sentence(report, scored, precision, received)))
    rows += [(team, 0.0, why) for team, why in report.absent.items()]
    if report.challenge.grading is not None and not found.blind:
        texts[output / BOOK] = gradebook(rows)
    if not texts:
        raise UsageError("there is no submission to write about")
    refuse_overwrite(list(texts), found.challenge, *found.read)
    with_parents(output)
    written = (f"{printable(output)}: {len(texts):,} files",)
    return Result("", tuple(found.lines), found.exit_code, tuple(texts.items()), written)


def _file_name(name: str) -> str:
    """A name as one of a file: no folder, no hidden file."""
    return re.sub(r"[^\w.\-]", "_", name).lstrip(".") or "_"
