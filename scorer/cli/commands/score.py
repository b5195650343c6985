"""`score CHALLENGE SUBMISSION...`: check, score, rank, show."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scorer.cli.options import (
    BELOW,
    AllRows,
    AnswersFile,
    BoardNotes,
    ChallengeWord,
    Every,
    Forms,
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
    causes,
    challenge_of,
    chosen_forms,
    exit_code,
    form_option,
    problems,
    problems_of,
    refuse_overwrite,
    submissions_of,
)
from scorer.cli.verbs import MORE
from scorer.core.errors import UnknownName, UsageError
from scorer.core.text import format_distinct, printable, quoted

if TYPE_CHECKING:
    from scorer.api.submissions import SubmissionFile
    from scorer.challenge.model import Challenge
    from scorer.metrics.notation import Measure
    from scorer.reports.base import Options
    from scorer.results.report import Report


SPARK = "spark"  # the other engine


def score(
    context: typer.Context,
    challenge: ChallengeWord,
    submissions: SubmissionWords,
    format: Annotated[str | None, form_option("leaderboard", "the report is")] = None,
    output: Output = None,
    per_list: Annotated[
        bool,
        typer.Option(
            "--per-list",
            help="The value of every list, too; not for publication while the challenge runs.",
        ),
    ] = False,
    metric: MetricWords = None,
    truth: TruthWord = None,
    precision: Precision = None,
    all_rows: AllRows = False,
    with_notes: BoardNotes = False,
    first: Annotated[
        int | None,
        typer.Option(
            "--top", metavar="N", min=1, help="Show the first N ranks only.", rich_help_panel=MORE
        ),
    ] = None,
    split: Annotated[
        list[str] | None,
        typer.Option(
            "--split",
            metavar="S",
            help="The board of this split of the challenge's, or of `all`; repeatable. Default: "
            "all lists together, and a section a split.",
        ),
    ] = None,
    fail_under: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-under",
            metavar="MEASURE=VALUE",
            help="Exit with 5 when a submission is worse than that; may be given several times. "
            "The exit code 1 of a rejected submission takes precedence.",
            rich_help_panel=MORE,
        ),
    ] = None,
    answers: AnswersFile = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            metavar="N",
            min=1,
            help="How many processes read and score the files. Default: one a core for large "
            "files, else one, whose threads share small files.",
            rich_help_panel=MORE,
        ),
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            "--engine",
            metavar="spark",
            help="Have Apache Spark read and score the submissions: CSV, JSON Lines, TREC or "
            "Parquet, at any path or URL that its session knows.",
            rich_help_panel=MORE,
        ),
    ] = None,
    allow_plugins: Plugins = False,
    private: Private = False,
    every: Every = False,
    quiet: Quiet = False,
) -> Result:
    """Check, score and rank submissions. Nothing is written but the report."""
    from scorer.api.score import score as run
    from scorer.api.text import content_of
    from scorer.leaderboard.board import first_ranks
    from scorer.reports.github import annotation
    from scorer.scoring.bind import bind
    from scorer.scoring.keys import VOTES
    from scorer.scoring.run import default_jobs

    terminal: Terminal = context.obj
    forms = chosen_forms("leaderboard", format, output, "table")
    settled, notes = challenge_of(challenge, terminal, metric, truth, submissions)
    if settled.kind == VOTES:
        beside = {
            "--per-list": per_list, "-m": metric, "--truth": truth, "--top": first,
            "--split": split, "--fail-under": fail_under, "--engine": engine,
        }  # fmt: skip
        if odd := next((option for option, value in beside.items() if value), None):
            raise UsageError(f"{odd} means nothing for votes, which are no submissions")
        forms = chosen_forms("votes", format, output, "text")
        voted = submissions_of(submissions, terminal, settled)
        refuse_overwrite(output, settled, challenge, *(file.path for file in voted))
        return _voted(settled, voted, forms, terminal.options(output, every=every, quiet=quiet))
    prepared = bind(settled, allow_plugins)
    floors = _floors(fail_under or (), prepared.measures)
    read = [] if answers is None else [answers]
    if engine is not None:
        if engine != SPARK:
            raise UnknownName("engine", engine, [SPARK])
        if jobs is not None:
            raise UsageError("--jobs is of files that are read here; Spark has its own settings")
        from scorer.spark import score_paths

        refuse_overwrite(output, settled, challenge, *read, *map(Path, submissions))
        scored = score_paths(prepared, submissions, split or (), answers)
    else:
        files = submissions_of(submissions, terminal, settled)
        refuse_overwrite(output, settled, challenge, *read, *(file.path for file in files))
        scored = run(
            prepared,
            files,
            progress=None if quiet else terminal.progress,
            splits=split or (),
            answers=answers,
            jobs=jobs or default_jobs([file.path for file in files], prepared.measures),
        )
    report = content_of(scored)
    options = terminal.options(
        output,
        precision,
        per_list=per_list,
        notes=with_notes,
        all_rows=all_rows,
        every=every,
        quiet=quiet,
        private=private,
    )
    lines = [*([] if quiet else [*notes, *map(str, report.notes)])]
    github = forms.names == {"github"}
    # what a baseline is warned of, the organizer meant
    told = () if github else report.submissions
    lines += problems_of([(each.findings, quiet or each.baseline) for each in told], every)
    failed = _failed(report, floors)
    lines += [annotation("error", message) if github else f"error: {message}" for message in failed]
    lines += causes(report.submissions)
    code = exit_code(report.submissions) or (BELOW if failed else 0)
    sent = [scored for scored in report.submissions if not scored.baseline]
    if sent and not any(scored.valid for scored in sent) and not output and forms.names == {"text"}:
        return Result("", tuple(lines), exit_code=code)  # a board of baselines would hide the error
    if first is not None:
        report = first_ranks(report, first)
    return forms.result(report, options, lines, code)


def _voted(
    settled: Challenge, files: Sequence[SubmissionFile], forms: Forms, options: Options
) -> Result:
    """The board of votes, which are no submissions."""
    from scorer.api.text import content_of
    from scorer.api.votes import rank_votes

    board = rank_votes(settled, [file.path for file in files])
    notes = problems(board.problems, options.quiet, options.every)
    return forms.result(content_of(board), options, notes)


def _floors(words: Sequence[str], measures: Sequence[Measure]) -> dict[str, float]:
    """Measure id -> the value that no submission may be worse than.

    `UsageError` if a word is not MEASURE=VALUE, or the challenge has no such measure.
    """
    from scorer.metrics.notation import find_measure
    from scorer.reading.numbers import parse_number

    floors = {}
    for word in words:
        name, equals, value = word.rpartition("=")
        least, fault, _ = parse_number(value)
        if not equals or fault:
            raise UsageError(f"--fail-under {quoted(word)}: write MEASURE=VALUE, such as P@5=0.4")
        measure = find_measure(measures, name)
        if measure is None:
            raise UnknownName("measure of this challenge", name, [m.id for m in measures])
        floors[measure.id] = least
    return floors


def _failed(report: Report, floors: Mapping[str, float]) -> list[str]:
    """Messages about submissions below a floor, or without a value; baselines are exempt."""
    from scorer.core.arrays import round_for_ranks

    lines = []
    for measure in report.measures:
        if (floor := floors.get(measure.id)) is None:
            continue
        for scored in report.submissions:
            if scored.baseline or not scored.valid:
                continue
            mean = scored.values[measure.id].mean
            reached, asked = round_for_ranks([mean, floor]).tolist()
            fine = reached >= asked if measure.metric.better == "higher" else reached <= asked
            if not fine:
                side = "below" if measure.metric.better == "higher" else "above"
                values = f", {side} ".join(format_distinct(mean, floor))
                value = "undefined" if math.isnan(mean) else values
                lines.append(
                    f"{printable(scored.name)}: {printable(measure.id)} is {value} (--fail-under)"
                )
    return lines
