"""`score study CHALLENGE SUBMISSION...`: how far does the board depend on what was decided?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scorer.cli.board import Entries, FilesWord, StoreWord, entries_of
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
    problems,
    refuse_overwrite,
    submissions_of,
)
from scorer.core.errors import UsageError


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
    entries: Entries = None,
    store: StoreWord = None,
    files_at: FilesWord = None,
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
    and splits.
    """
    from scorer.api.study import study as run

    forms = chosen_forms("study", format, output, "text")
    terminal: Terminal = context.obj
    if bool(submissions) == bool(entries):
        raise UsageError("name either submissions or --entries")
    alone = is_truth_file(challenge)  # whose measures are the words alone
    notes: tuple[str, ...] = ()
    if entries is not None:
        settled, files = entries_of(entries, challenge, terminal, store, files_at, allow_plugins)
    else:
        words = submissions or []
        settled, notes = challenge_of(challenge, terminal, metric if alone else None, None, words)
        files = submissions_of(words, terminal, settled)
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
    for scored in found.rejected:
        messages += problems(scored.findings, quiet)
    return forms.result(found, terminal.options(output), messages, 1 if found.rejected else 0)
