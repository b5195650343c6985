"""`score votes VOTES...`: rank systems by votes on pairs of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scorer.cli.options import (
    Output,
    Quiet,
    Result,
    Terminal,
    chosen_forms,
    form_option,
    problems,
)
from scorer.core.errors import UsageError
from scorer.core.text import printable, quoted


def votes(
    context: typer.Context,
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="VOTES...",
            help="Tables with a row a vote: a, b, winner (a name, a, b or tie), and if there are "
            "any, list (the prompt) and judge. Several files are one set of votes.",
        ),
    ],
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--column",
            metavar="ROLE=NAME",
            help="The name of the column of a, b, winner, list or judge; repeatable. "
            "Default: usual names, such as model_a.",
        ),
    ] = None,
    level: Annotated[
        float, typer.Option("--level", metavar="P", help="The level of the intervals.")
    ] = 0.95,
    alpha: Annotated[
        float, typer.Option("--alpha", metavar="P", help="The level of the tests for tiers.")
    ] = 0.05,
    draws: Annotated[
        int,
        typer.Option(
            "--draws",
            metavar="N",
            min=100,
            max=1_000_000,
            help="Permutations of the tests; of prompts, for intervals, at most 1,000.",
        ),
    ] = 10_000,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of all draws.")] = 1,
    title: Annotated[
        str, typer.Option("--title", metavar="TEXT", help="The title of the board.")
    ] = "",
    format: Annotated[str | None, form_option("votes")] = None,
    output: Output = None,
    every: Annotated[
        bool, typer.Option("--all", help="What ratings mean, win rates, every place of a problem.")
    ] = False,
    quiet: Quiet = False,
) -> Result:
    """Rank systems by votes, each of which prefers one of two systems or neither.

    Strengths are of Bradley and Terry's model with Davidson's ties; intervals are by draws of
    prompts, with all votes on each.
    """
    from scorer.api.text import content_of
    from scorer.api.votes import votes as run

    forms = chosen_forms("votes", format, output, "text")
    terminal: Terminal = context.obj
    for name, share in (("--level", level), ("--alpha", alpha)):
        if not 0 < share < 1:
            raise UsageError(f"{name} {share:g}: write a number between 0 and 1")
    for file in output or ():
        if any(file.exists() and each.exists() and each.samefile(file) for each in files):
            raise UsageError(f"{printable(file)} is read here; -o needs a file of its own")
    board = run(
        files,
        named_columns(column or ()),
        level=level,
        alpha=alpha,
        draws=draws,
        seed=seed,
        title=title,
    )
    notes = problems(board.problems, quiet, every)
    options = terminal.options(output, every=every, quiet=quiet)
    return forms.result(content_of(board), options, notes)


def named_columns(words: list[str] | tuple[()]) -> dict[str, str]:
    """Role -> name, from `ROLE=NAME` words; `UsageError` if one is not."""
    columns = {}
    for word in words:
        role, equals, name = word.partition("=")
        if not equals or not name:
            raise UsageError(f"--column {quoted(word)}: write ROLE=NAME, such as a=model_a")
        columns[role] = name
    return columns
