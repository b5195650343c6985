"""`score study CHALLENGE SUBMISSION...`: how far does the board depend on what was decided?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scorer.cli.commands.values import Higher, Lower, systems_named
from scorer.cli.options import (
    ChallengeWord,
    Output,
    Plugins,
    Quiet,
    Result,
    Terminal,
    challenge_of,
    chosen_forms,
    form_option,
    is_truth_file,
    problems_of,
    refuse_overwrite,
    submissions_of,
)
from scorer.core.errors import UsageError

if TYPE_CHECKING:
    from scorer.api.value_tables import ValueOptions
    from scorer.api.values import ValueTables


def study(
    context: typer.Context,
    challenge: ChallengeWord,
    submissions: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SUBMISSION...",
            help="Files, folders of files, NAME=PATH, or - for standard input.",
        ),
    ] = None,
    format: Annotated[str | None, form_option("study")] = None,
    output: Output = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--metric",
            metavar="M",
            help="The measure that ranks officially, in place of the challenge's; repeatable: the "
            "others are tried beside those of the challenge.",
        ),
    ] = None,
    lower: Lower = None,
    higher: Higher = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed", metavar="N", min=0, help="Of the draws of lists. Default: the board's."
        ),
    ] = None,
    allow_plugins: Plugins = False,
    quiet: Quiet = False,
) -> Result:
    """What the board would be by other measures, rules and parts of its lists.

    Each variation is held against the official order: Kendall's tau, and whether the winner and
    the first three stay. Every file is read once. For organizers: it looks at the truth's groups
    and splits. In place of a challenge: files of values, as `score values` takes them.
    """
    from scorer.api.study import study as run
    from scorer.api.text import content_of
    from scorer.api.value_tables import ValueOptions

    forms = chosen_forms("study", format, output, "text")
    terminal: Terminal = context.obj
    alone = is_truth_file(challenge)  # whose measures are the words alone
    notes: tuple[str, ...] = ()
    if alone and (lower or higher or not (submissions and metric)):
        alone = False
        said = ValueOptions(lower=lower or (), higher=higher or ())
        settled, files, notes = _of_values([str(challenge), *(submissions or ())], said)
    elif not submissions:
        challenge_of(challenge, terminal)  # which may not be there at all
        raise UsageError("name submissions; of a living board score store files copies some")
    else:
        measures = metric if alone else None
        settled, notes = challenge_of(challenge, terminal, measures, None, submissions)
        files = submissions_of(submissions, terminal, settled)
    refuse_overwrite(output, settled, challenge, *(Path(file.path) for file in files))
    found = run(
        settled,
        files,
        measures=() if alone else metric or (),
        seed=seed,
        allow_plugins=allow_plugins,
        progress=None if quiet else terminal.progress,
    )
    messages = [] if quiet else list(notes)
    messages += problems_of([(each.findings, quiet) for each in found.rejected])
    return forms.result(
        content_of(found), terminal.options(output), messages, 1 if found.rejected else 0
    )


def _of_values(words: list[str], said: ValueOptions) -> ValueTables:
    """The challenge and the systems of files of values."""
    from scorer.api.values import read_values

    return read_values(systems_named(words), said)
