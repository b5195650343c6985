"""`score power CHALLENGE --difference D`: how many lists does it take to detect a difference?"""

from __future__ import annotations

from typing import Annotated

import typer

from scorer.cli.options import (
    ChallengeWord,
    MetricWords,
    Output,
    Plugins,
    Result,
    Terminal,
    challenge_of,
    chosen_forms,
    form_option,
    refuse_overwrite,
)


def power(
    context: typer.Context,
    challenge: ChallengeWord,
    difference: Annotated[
        float,
        typer.Option(
            "-d",
            "--difference",
            metavar="D",
            help="The difference in the primary measure to detect, above 0.",
        ),
    ],
    submissions: Annotated[
        list[int] | None,
        typer.Option(
            "-n",
            "--submissions",
            metavar="N",
            help="For so many submissions, all pairs tested; repeatable. Default: 2, 5, 10 and 30.",
        ),
    ] = None,
    format: Annotated[str | None, form_option("power")] = None,
    output: Output = None,
    metric: MetricWords = None,
    allow_plugins: Plugins = False,
) -> Result:
    """How many lists are needed to detect a difference about 80 % of the time.

    By the board's own test and its correction for all pairs. How much differences vary from list
    to list is taken from the examples and baselines, else from perfect submissions that are
    partly random. For organizers: it reads the truth.
    """
    from scorer.api.power import SUBMISSIONS
    from scorer.api.power import power as run

    forms = chosen_forms("power", format, output, "text")
    terminal: Terminal = context.obj
    settled, notes = challenge_of(challenge, terminal, metric)
    refuse_overwrite(output, settled, challenge)
    estimate = run(settled, difference, submissions or SUBMISSIONS, allow_plugins=allow_plugins)
    return forms.result(estimate, terminal.options(output), notes)
