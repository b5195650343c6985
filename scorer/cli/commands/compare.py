"""`score compare CHALLENGE A B ...`: submissions compared list by list."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scorer.cli.options import (
    BELOW,
    ChallengeWord,
    MetricWords,
    Output,
    Plugins,
    Precision,
    Private,
    Quiet,
    Result,
    SubmissionWords,
    Terminal,
    TruthWord,
    challenge_of,
    chosen_forms,
    form_option,
    problems,
    refuse_overwrite,
    submissions_of,
)
from scorer.core.errors import UsageError

if TYPE_CHECKING:
    from scorer.challenge.model import Challenge


class PairedTest(StrEnum):
    """The tests of a pair."""

    permutation = "permutation"
    wilcoxon = "wilcoxon"
    t = "t"


def compare(
    context: typer.Context,
    challenge: ChallengeWord,
    submissions: SubmissionWords,
    preference: Annotated[
        list[str] | None,
        typer.Option(
            "-p",
            "--preference",
            metavar="P",
            help="A preference such as RPP; repeatable. CSV and JSON have all by default.",
        ),
    ] = None,
    format: Annotated[str | None, form_option("comparison")] = None,
    output: Output = None,
    metric: MetricWords = None,
    truth: TruthWord = None,
    precision: Precision = None,
    margin: Annotated[
        float | None,
        typer.Option(
            "--margin",
            metavar="D",
            min=0.0,
            help="Test as well whether the primary measure's means differ by less than D.",
        ),
    ] = None,
    test: Annotated[
        PairedTest,
        typer.Option(
            "--test",
            help="The paired test of means over lists; wilcoxon finds medians of differences, "
            "which can point the other way than means.",
        ),
    ] = PairedTest.permutation,
    fail_if_worse: Annotated[
        bool,
        typer.Option(
            "--fail-if-worse",
            help="End with 5 if the first of two is significantly worse than the second by the "
            "primary measure; with --margin, if the interval of the difference reaches more than D "
            "worse.",
        ),
    ] = False,
    measures: Annotated[
        str | None,
        typer.Option(
            "--measures", metavar="A,B", help="Compare by these measures of the challenge only."
        ),
    ] = None,
    split: Annotated[
        str | None,
        typer.Option(
            "--split",
            metavar="S",
            help="Compare on the lists of this split of the challenge's. Default: all lists.",
        ),
    ] = None,
    allow_plugins: Plugins = False,
    private: Private = False,
    every: Annotated[bool, typer.Option("--all", help="Every pair, however many.")] = False,
    quiet: Quiet = False,
) -> Result:
    """Per-list wins, ties and losses, paired tests and preferences of every two submissions.

    A single file of JSON Lines that this command wrote before is read back and
    aggregated, without its submissions.
    """
    from scorer.api.compare import compare as run
    from scorer.api.compare import find_regression, read_comparison
    from scorer.api.text import content_of

    terminal: Terminal = context.obj
    forms = chosen_forms("comparison", format, output, "table")
    settled, notes = challenge_of(challenge, terminal, metric, truth, submissions)
    refuse_overwrite(output, settled, challenge, *map(Path, submissions))
    messages = [] if quiet else list(notes)
    exit_code, order = 0, list[str]()
    compared = None
    if len(submissions) == 1:
        compared = read_comparison(settled, submissions[0], preference)
    if compared is None:
        files = submissions_of(submissions, terminal, settled)
        refuse_overwrite(output, settled, *(file.path for file in files))
        ran = run(
            settled,
            files,
            preference or _preferences(settled, forms.names),
            margin=margin,
            test=test.value,
            only=None if measures is None else [key.strip() for key in measures.split(",")],
            split=split,
            allow_plugins=allow_plugins,
            progress=None if quiet else terminal.progress,
        )
        compared = content_of(ran)
        order = [scored.name for scored in ran.report.submissions]
        for scored in ran.report.submissions:
            messages += problems(scored.findings, quiet)
        exit_code = 0 if all(scored.valid for scored in ran.report.submissions) else 1
        if len(ran.names) < 2:
            count = f"{len(ran.names)} of {len(order)} submissions can be scored"
            if len(files) > len(order):
                count += " (files called NAME#1, NAME#2 are runs of one)"
            if exit_code:
                return Result("", (*messages, f"error: nothing to compare: {count}"), exit_code)
            raise UsageError(f"nothing to compare: {count}, two are needed")
    if fail_if_worse:
        worse = find_regression(compared, order)
        messages += [f"error: {worse} (--fail-if-worse)"] if worse else []
        exit_code = exit_code or (BELOW if worse else 0)
    options = terminal.options(output, precision, every=every, quiet=quiet, private=private)
    compared = replace(compared, every_measure=bool(metric or measures))
    return forms.result(compared, options, messages, exit_code)


def _preferences(challenge: Challenge, forms: set[str]) -> tuple[str, ...] | None:
    """The default preferences: for text the one that ranks, if any, else all (None)."""
    from scorer.api.compare import READ_FORMS

    rank_by = challenge.leaderboard.rank_by
    if not forms <= {*READ_FORMS}:
        return None
    if isinstance(rank_by, str) or rank_by.preference is None:
        return ()
    return (rank_by.preference,)
