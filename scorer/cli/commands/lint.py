"""`score lint CHALLENGE`: is the challenge itself sound?"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from scorer.cli.options import (
    ChallengeWord,
    Output,
    Plugins,
    Result,
    challenge_of,
    refuse_overwrite,
)


class Form(StrEnum):
    """How the findings are written."""

    text = "text"
    json = "json"


def lint(
    challenge: ChallengeWord,
    format: Annotated[Form, typer.Option("--format", help="How it is written.")] = Form.text,
    output: Output = None,
    allow_plugins: Plugins = False,
) -> Result:
    """Try a challenge out: its examples, and submissions made from its truth.

    A perfect submission, its reverse, and some that know nothing show each measure's ceiling and
    chance level, and whether the rules can be played. For organizers: it reads the truth.
    """
    from scorer.api.lint import lint as run
    from scorer.reports.soundness.json import data
    from scorer.reports.soundness.text import text as as_text
    from scorer.reports.syntax.json import dumped

    settled, _ = challenge_of(challenge)
    refuse_overwrite(output, settled, challenge)
    found = run(settled, allow_plugins=allow_plugins)
    json = format is Form.json
    text = dumped(data(found)) + "\n" if json else as_text(found)
    return Result(text, exit_code=0 if found.sound else 2, output=output)
