"""`score lint CHALLENGE`: is the challenge itself sound?"""

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
    chosen_forms,
    form_option,
    refuse_overwrite,
)


def lint(
    context: typer.Context,
    challenge: ChallengeWord,
    format: Annotated[str | None, form_option("soundness")] = None,
    output: Output = None,
    every: Annotated[
        bool,
        typer.Option(
            "--all", help="Notes, values of made submissions, and how differences are detected."
        ),
    ] = False,
    allow_plugins: Plugins = False,
) -> Result:
    """Try a challenge out: its examples, and submissions made from its truth.

    A perfect submission, its reverse, and random ones show each measure's ceiling and chance
    level, and whether the rules can be exploited. For organizers: it reads the truth.
    """
    from scorer.api.lint import lint as run
    from scorer.api.text import content_of

    forms = chosen_forms("soundness", format, output, "text")
    terminal: Terminal = context.obj
    settled, _ = challenge_of(challenge, terminal)
    refuse_overwrite(output, settled, challenge)
    soundness = run(settled, allow_plugins=allow_plugins)
    options = terminal.options(output, every=every)
    return forms.result(content_of(soundness), options, exit_code=0 if soundness.sound else 2)
