"""The commands that read submissions alone: score, check and explain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from scorer.cli import options
from scorer.cli.options import format_option
from scorer.cli.result import (
    BELOW,
    Result,
    Terminal,
    choose_formats,
    exit_code_of,
    failure_lines,
    problem_lines,
    refuse_overwrite,
    report_problem_lines,
)
from scorer.cli.verbs import MORE
from scorer.core.errors import UnknownName, UsageError
from scorer.core.text import quoted
from scorer.reports.base import MAX_PROBLEMS
from scorer.reports.github import annotation

if TYPE_CHECKING:  # all take long to import, and the help of `score` needs none
    from scorer.api.fix import CopyTarget
    from scorer.api.submissions import SubmissionFile
    from scorer.challenge.model import Challenge
    from scorer.results.report import Report, Scored
    from scorer.scoring.bind import BoundChallenge

SPARK = "spark"  # the other engine

Splits = Annotated[
    list[str] | None,
    typer.Option(
        "--split",
        metavar="S",
        help="The board of this split of the challenge's, or of `all`; repeatable. Default: "
        "all lists together, and a section a split.",
    ),
]
Top = Annotated[
    int | None,
    typer.Option(
        "--top", metavar="N", min=1, help="Show the first N ranks only.", rich_help_panel=MORE
    ),
]
FailUnder = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-under",
        metavar="MEASURE=VALUE",
        help="Exit with 5 when a submission is worse than that; may be given several times. "
        "The exit code 1 of a rejected submission takes precedence.",
        rich_help_panel=MORE,
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        metavar="N",
        min=1,
        help="How many processes read and score the files. Default: one a core for large "
        "files, else one, whose threads share small files.",
        rich_help_panel=MORE,
    ),
]
Engine = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar=SPARK,
        help="Have Apache Spark read and score the submissions: CSV, JSON Lines, TREC or "
        "Parquet, at any path or URL that its session knows.",
        rich_help_panel=MORE,
    ),
]
Fix = Annotated[
    bool,
    typer.Option(
        "--fix",
        help="Write a repaired copy of each file that then is fine: NAME.fixed.EXT, -o FILE, "
        "or in a folder -o DIR, with the files that are fine beside them: "
        "the encoding; in CSV also lines before the header, separators, quotes round lines, "
        "blanks, headers that are repeated, an index column, the capitals of the header, "
        "decimal commas and other marks in numbers, ids and classes of which it is certain "
        "what was meant (1.0, lost zeros, case), duplicate rows, ranks that start at 0.",
    ),
]
# Options of `score` that mean nothing for votes, by the names of their parameters.
OPTIONS_OF_SUBMISSIONS = {
    "per_list": "--per-list",
    "metric": "-m",
    "truth": "--truth",
    "top": "--top",
    "split": "--split",
    "fail_under": "--fail-under",
    "engine": "--engine",
}


def score(
    context: typer.Context,
    path: options.Challenge,
    submissions: options.Submissions,
    format: Annotated[str | None, format_option("leaderboard", "the report is")] = None,
    output: options.Output = None,
    per_list: options.PerList = False,
    metric: options.Metrics = None,
    truth: options.Truth = None,
    precision: options.Precision = None,
    all_rows: options.AllRows = False,
    with_notes: options.Notes = False,
    top: Top = None,
    split: Splits = None,
    fail_under: FailUnder = None,
    answers: options.AnswersFile = None,
    jobs: Jobs = None,
    engine: Engine = None,
    allow_plugins: options.AllowPlugins = False,
    private: options.Private = False,
    every: options.EveryPlace = False,
    quiet: options.Quiet = False,
) -> Result:
    """Check, score and rank submissions. Nothing is written but the report."""
    from scorer.api.floors import describe_missed_floors, parse_floors
    from scorer.leaderboard.board import first_ranks
    from scorer.scoring.bind import bind

    terminal: Terminal = context.obj
    formats = choose_formats("leaderboard", format, output, "table")
    challenge, notes = terminal.read_challenge(path, metric, truth, submissions)
    if challenge.kind == "votes":
        _refuse_options_of_submissions(context)
        inputs = Inputs(path, submissions, terminal, output)
        return _rank_votes(challenge, inputs, format, every, quiet)
    bound = bind(challenge, allow_plugins)
    floors = parse_floors(fail_under or (), bound.measures)
    inputs = Inputs(path, submissions, terminal, output, answers, split or (), jobs)
    report = _score_submissions(bound, inputs, engine, quiet)
    lines = [] if quiet else [*notes, *map(str, report.notes)]
    is_github = formats.names == {"github"}  # which has the problems itself
    lines += [] if is_github else report_problem_lines(report.submissions, quiet, every)
    missed = list(describe_missed_floors(report, floors))
    lines += [annotation("error", text) if is_github else f"error: {text}" for text in missed]
    lines += failure_lines(report.submissions)
    code = exit_code_of(report.submissions) or (BELOW if missed else 0)
    sent = [scored for scored in report.submissions if not scored.baseline]
    all_rejected = bool(sent) and not any(scored.valid for scored in sent)
    if all_rejected and not output and formats.names == {"text"}:
        return Result("", tuple(lines), exit_code=code)  # a board of baselines would hide the error
    if top is not None:
        report = first_ranks(report, top)
    look = terminal.look(output, precision, every=every, quiet=quiet, private=private)
    look = look._replace(per_list=per_list, notes=with_notes, all_rows=all_rows)
    return formats.result(report, look, lines, code)


class Inputs(NamedTuple):
    """What `score` reads, as typed, and where its report goes."""

    challenge: Path
    submissions: list[str]
    terminal: Terminal
    output: list[Path] | None
    answers: Path | None = None
    splits: Sequence[str] = ()
    jobs: int | None = None

    def refuse_overwrite(self, challenge: Challenge, submissions: Iterable[Path]) -> None:
        """Raise `UsageError` if the report would be written over a file that is read."""
        read = [] if self.answers is None else [self.answers]
        refuse_overwrite(self.output, challenge, self.challenge, *read, *submissions)


def _score_submissions(
    bound: BoundChallenge, inputs: Inputs, engine: str | None, quiet: bool
) -> Report:
    """Return the report of the submissions, scored here or by Spark."""
    from scorer.api.score import score as score_files
    from scorer.api.text import content_of

    if engine is None:
        files = inputs.terminal.find_submissions(inputs.submissions, bound.challenge)
        paths = [file.path for file in files]
        inputs.refuse_overwrite(bound.challenge, paths)
        scored = score_files(
            bound,
            files,
            progress=None if quiet else inputs.terminal.progress,
            splits=inputs.splits,
            answers=inputs.answers,
            jobs=inputs.jobs,
        )
        return content_of(scored)
    if engine != SPARK:
        raise UnknownName("engine", engine, [SPARK])
    if inputs.jobs is not None:
        raise UsageError("--jobs is of files that are read here; Spark has its own settings")
    from scorer.spark import score_paths  # of the extra `spark`

    inputs.refuse_overwrite(bound.challenge, map(Path, inputs.submissions))
    return content_of(score_paths(bound, inputs.submissions, inputs.splits, inputs.answers))


def _refuse_options_of_submissions(context: typer.Context) -> None:
    """Raise `UsageError` if the command line has an option that means nothing for votes."""
    for name, option in OPTIONS_OF_SUBMISSIONS.items():
        if context.params[name]:
            raise UsageError(f"{option} means nothing for votes, which are no submissions")


def _rank_votes(
    challenge: Challenge, inputs: Inputs, format: str | None, every: bool, quiet: bool
) -> Result:
    """Return the board of votes, which are no submissions."""
    from scorer.api.text import content_of
    from scorer.api.votes import rank_votes

    formats = choose_formats("votes", format, inputs.output, "text")
    paths = [file.path for file in inputs.terminal.find_submissions(inputs.submissions, challenge)]
    inputs.refuse_overwrite(challenge, paths)
    board = rank_votes(challenge, paths)
    look = inputs.terminal.look(inputs.output, every=every, quiet=quiet)
    return formats.result(content_of(board), look, problem_lines([board.problems], quiet, every))


def check(
    context: typer.Context,
    path: options.Challenge,
    submissions: options.Submissions,
    format: Annotated[str | None, format_option("findings", "the findings are")] = None,
    output: options.Output = None,
    fix: Fix = False,
    most: Annotated[
        int,
        typer.Option("--max", metavar="N", min=1, help="Problems a file of --format lines."),
    ] = MAX_PROBLEMS,
    allow_plugins: options.AllowPlugins = False,
    every: options.EveryPlace = False,
    quiet: options.Quiet = False,
) -> Result:
    """Check submissions without scoring them; works without the truth where lists are public."""
    from scorer.api import check as api
    from scorer.api.fix import Repairs

    terminal: Terminal = context.obj
    reports = None if fix else output
    formats = choose_formats("findings", format, reports, "text")
    challenge, notes = terminal.read_challenge(path, submissions=submissions, measured=False)
    files = terminal.find_submissions(submissions, challenge)
    paths = [file.path for file in files]
    refuse_overwrite(reports, challenge, path, *paths)
    if fix and any(word == "-" or word.endswith("=-") for word in submissions) and not output:
        raise UsageError("--fix of standard input needs a place for the copy: -o FILE")
    run = partial(
        api.check,
        challenge,
        allow_plugins=allow_plugins,
        progress=None if quiet else terminal.progress,
    )
    checked: list[Scored] = run(files)
    lines = [*notes]
    is_table = len(checked) != len(files)  # of several systems, or runs
    if fix:
        if is_table:
            raise UsageError("--fix repairs files of one submission, no table of several")
        repairs = Repairs(challenge, files, checked, run, allow_plugins)
        checked = repairs.write(_copy_target(files, output, challenge, path))
        lines += repairs.notes
    elif len(files) > 1 and not (quiet or is_table) and _has_errors(checked):
        repairs = Repairs(challenge, files, checked, run, allow_plugins)
        lines += repairs.describe_wrong_files()
    look = terminal.look(reports, every=every, quiet=quiet)._replace(max_problems=most)
    if not look.colour:  # nothing is cut or folded
        look = look._replace(width=None)
    has_excerpts = terminal.width is not None and formats.names == {"text"}
    quoted_files = files if has_excerpts and not (reports or is_table) else None
    content = api.checked_content(challenge, checked, quoted_files, every)
    return formats.result(content, look, lines, int(_has_errors(checked)))


def _has_errors(checked: Sequence[Scored]) -> bool:
    """Return whether a file would be rejected."""
    return any(scored.findings.fatal for scored in checked)


def _copy_target(
    files: list[SubmissionFile], output: list[Path] | None, challenge: Challenge, path: Path
) -> CopyTarget:
    """Return the place of repaired copies, by `-o`; `UsageError` if it is given twice."""
    from scorer.api.fix import CopyTarget, choose_copy_target

    if not output:
        return CopyTarget()
    if len(output) > 1:
        raise UsageError("--fix takes one -o: a file, or a folder")
    (place,) = output
    if not place.is_dir():
        refuse_overwrite(output, challenge, path, *(file.path for file in files))
    return choose_copy_target(files, place)


def explain(
    context: typer.Context,
    path: options.Challenge,
    submission: Annotated[
        str, typer.Argument(metavar="SUBMISSION", help="A file, or NAME=PATH, or -.")
    ],
    name: Annotated[
        str | None,
        typer.Option(
            "--list",
            metavar="ID",
            help="The list (query, user, ..) to work out; else the worst ones are told.",
        ),
    ] = None,
    split: options.Split = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--metric",
            metavar="M",
            help="The measure to explain; repeatable. Default: the primary one.",
        ),
    ] = None,
    format: Annotated[str | None, format_option("explanation")] = None,
    output: options.Output = None,
    truth: options.Truth = None,
    precision: options.Precision = 4,
    allow_plugins: options.AllowPlugins = False,
    quiet: options.Quiet = False,
) -> Result:
    """The worst lists or rows and what they cost, or one's value step by step. For organizers."""
    from scorer.api.explain import explain as explain_file
    from scorer.api.text import content_of

    terminal: Terminal = context.obj
    formats = choose_formats("explanation", format, output, "text")
    challenge, _ = terminal.read_challenge(path, metric, truth, [submission])
    files = terminal.find_submissions([submission], challenge)
    if len(files) != 1:
        several = f"{quoted(submission)} holds {len(files):,} submissions; explain takes one"
        raise UsageError(several)
    (file,) = files
    refuse_overwrite(output, challenge, path, file.path)
    explained = explain_file(challenge, file, name, split=split, allow_plugins=allow_plugins)
    explanation = content_of(explained)
    if not metric:
        primary = tuple(each for each in explanation.measures if each.measure.primary)
        explanation = replace(explanation, measures=primary)
    lines = problem_lines([explanation.findings], quiet)
    if not explanation.measures:
        return Result("", tuple(lines), 1)
    return formats.result(explanation, terminal.look(output, precision), lines)
