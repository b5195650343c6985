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
from scorer.core.text import printable


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
    precision: Precision = None,
    allow_plugins: Plugins = False,
    quiet: Quiet = False,
) -> Result:
    """Write a text for each submission, and with `grading` grades.csv: id, points, feedback.

    Of a living board these are the entries that count; a team without one gets a text with the
    reason. Where the phase hides the values, the texts do, too, unless --split names a split.
    --phase final writes them by the rules of that phase before it has begun.
    """
    from scorer.api.feedback import feedback as write_feedback
    from scorer.reading.write import make_folder

    terminal: Terminal = context.obj
    sent = BoardWords(submissions or (), store, files_at, split, phase=phase, at=at)
    found = report_of(challenge, sent, terminal, allow_plugins, quiet)
    texts = write_feedback(found.report, precision=precision, hide_values=found.blind)
    files = tuple((output / name, text) for name, text in texts.items())
    refuse_overwrite([path for path, _ in files], found.challenge, *found.read)
    make_folder(output)
    written = (f"{printable(output)}: {len(files):,} files",)
    return Result("", tuple(found.lines), found.exit_code, files, written)
