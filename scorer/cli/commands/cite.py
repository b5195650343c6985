"""`score cite CHALLENGE [SUBMISSION...]`: what was computed, for a paper, and whom to cite."""

from __future__ import annotations

from typing import Annotated

import typer

from scorer.cli.options import (
    ChallengeWord,
    Output,
    Plugins,
    Result,
    Terminal,
    challenge_of,
    refuse_overwrite,
    submissions_of,
)
from scorer.core.errors import UsageError
from scorer.core.text import printable


def cite(
    context: typer.Context,
    challenge: ChallengeWord,
    submissions: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SUBMISSION...]",
            help="Files, or folders of files; with them the tests are those of their board.",
        ),
    ] = None,
    output: Output = None,
    allow_plugins: Plugins = False,
) -> Result:
    """Write a paragraph of methods, true of this challenge, and BibTeX of all that it uses.

    Files by their suffix: refs.bib, methods.tex, methods.txt. Without -o the paragraph and the
    BibTeX go to stdout. It reads the truth.
    """
    from scorer.api.score import score
    from scorer.reports.methods import FORMS, as_bibtex, as_text

    terminal: Terminal = context.obj
    settled, notes = challenge_of(challenge, terminal)
    if wrong := [path for path in output or () if path.suffix.casefold() not in FORMS]:
        raise UsageError(f"{printable(wrong[0])}: the file's suffix can be {', '.join(FORMS)}")
    refuse_overwrite(output, settled, challenge, *(submissions or ()))
    named = submissions_of(submissions or [], terminal, settled)
    report = score(settled, named, allow_plugins=allow_plugins).published()
    files = tuple((path, FORMS[path.suffix.casefold()](report)) for path in output or ())
    said = "" if files else f"{as_text(report)}\n{as_bibtex(report)}"
    written = tuple(printable(path) for path, _ in files)
    return Result(terminal.page(said, "prose"), notes, files=files, written=written)
