"""`score init [KIND] DIR`: write a challenge to start from; --from TRUTH SAMPLE guesses it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from scorer.cli.options import Result
from scorer.core.errors import UsageError
from scorer.core.text import nearest, quoted

FORM = "score init [KIND] DIR, or score init --from TRUTH [SAMPLE] DIR"
RESULTS_FORM = "score init --from RESULTS... DIR"


def init(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[KIND] DIR",
            help="A kind of challenge (default: ranking; none and no folder: the list of them) "
            "and a folder. With --from: a sample submission and a folder; or further results of a "
            "tool.",
        ),
    ] = None,
    truth: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="TRUTH",
            help="Write the challenge that fits this truth, or results of an evaluation tool.",
        ),
    ] = None,
    term: Annotated[
        bool,
        typer.Option(
            "--term",
            help="With --from TRUTH: write splits, phases, a quota and grading, too, as lines "
            "that begin with #.",
        ),
    ] = False,
) -> Result:
    """Make a folder with a challenge that scores at once, to be changed into your own."""
    from scorer.api.init import describe_templates
    from scorer.api.init import init as write_challenge
    from scorer.importers.results import find_tool

    words = words or []
    if truth is not None and (truth.is_dir() or find_tool(truth) is not None):
        if not words:
            raise UsageError(RESULTS_FORM)
        made = write_challenge(words[-1], results=[truth, *words[:-1]], term=term)
    elif truth is not None:
        if not 1 <= len(words) <= 2:
            raise UsageError(FORM)
        sample = words[0] if len(words) == 2 else None
        made = write_challenge(words[-1], truth, sample, term=term)
    elif not words:
        templates = describe_templates()
        width = max(map(len, templates))
        lines = [f"{name:{width}}  {about}\n" for name, about in templates.items()]
        return Result(f"{''.join(lines)}\nmake one:  score init KIND DIR\n")
    else:
        if len(words) > 2:
            raise UsageError(FORM)
        # `init` refuses a word that is no template.
        kind: Any = words[0] if len(words) == 2 else None
        if kind is None:
            _refuse_kind_as_folder(words[0], list(describe_templates()))
        made = write_challenge(words[-1], kind=kind, term=term)
    return Result(f"{made}\n", made.problems)


def _refuse_kind_as_folder(folder: str, kinds: list[str]) -> None:
    """Raise UsageError if the only word is a kind of challenge, or nearly one."""
    if (kind := nearest(folder, kinds)) is None:
        return
    nearly = "" if folder == kind else "nearly "
    raise UsageError(
        f"{quoted(folder)} is {nearly}a kind of challenge; write score init {kind} DIR, or "
        f"./{folder} for that folder"
    )
