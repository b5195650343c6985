"""The commands that hold systems against each other: compare, values, votes and study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scorer.api.text import content_of
from scorer.cli import options
from scorer.cli.options import format_option
from scorer.cli.result import (
    BELOW,
    REJECTED,
    Result,
    Terminal,
    choose_formats,
    exit_code_of,
    problem_lines,
    refuse_overwrite,
    refuse_to_overwrite_inputs,
)
from scorer.core.errors import UsageError
from scorer.core.text import quoted

if TYPE_CHECKING:  # all take long to import, and the help of a command needs none
    from scorer.api.compare import Comparison as Compared
    from scorer.api.values import ValueTables
    from scorer.results.comparison import Comparison
    from scorer.results.report import Scored


class PairedTest(StrEnum):
    """The tests of a pair."""

    permutation = "permutation"
    wilcoxon = "wilcoxon"
    t = "t"


Preferences = Annotated[
    list[str] | None,
    typer.Option(
        "-p",
        "--preference",
        metavar="P",
        help="A preference such as RPP; repeatable. CSV and JSON have all by default.",
    ),
]
Margin = Annotated[
    float | None,
    typer.Option(
        "--margin",
        metavar="D",
        min=0.0,
        help="Test as well whether the primary measure's means differ by less than D.",
    ),
]
Test = Annotated[
    PairedTest,
    typer.Option(
        "--test",
        help="The paired test of means over lists; wilcoxon finds medians of differences, "
        "which can point the other way than means.",
    ),
]
FailIfWorse = Annotated[
    bool,
    typer.Option(
        "--fail-if-worse",
        help="End with 5 if the first of two is significantly worse than the second by the "
        "primary measure; with --margin, if the interval of the difference reaches more than D "
        "worse.",
    ),
]
SomeMeasures = Annotated[
    str | None,
    typer.Option(
        "--measures", metavar="A,B", help="Compare by these measures of the challenge only."
    ),
]


def compare(
    context: typer.Context,
    path: options.Challenge,
    submissions: options.Submissions,
    preference: Preferences = None,
    format: Annotated[str | None, format_option("comparison")] = None,
    output: options.Output = None,
    metric: options.Metrics = None,
    truth: options.Truth = None,
    precision: options.Precision = None,
    margin: Margin = None,
    test: Test = PairedTest.permutation,
    fail_if_worse: FailIfWorse = False,
    measures: SomeMeasures = None,
    split: options.Split = None,
    allow_plugins: options.AllowPlugins = False,
    private: options.Private = False,
    every: Annotated[bool, typer.Option("--all", help="Every pair, however many.")] = False,
    quiet: options.Quiet = False,
) -> Result:
    """Per-list wins, ties and losses, paired tests and preferences of every two submissions.

    A file of JSON Lines that this command wrote is read back, without its submissions.
    """
    from scorer.api import compare as api

    terminal: Terminal = context.obj
    formats = choose_formats("comparison", format, output, "table")
    challenge, notes = terminal.read_challenge(path, metric, truth, submissions)
    refuse_overwrite(output, challenge, path, *map(Path, submissions))
    lines = [] if quiet else [*notes]
    scored: Sequence[Scored] = ()
    earlier = None  # which this command wrote
    if len(submissions) == 1:
        earlier = api.read_comparison(challenge, submissions[0], preference)
    if earlier is None:
        files = terminal.find_submissions(submissions, challenge)
        refuse_overwrite(output, challenge, *(file.path for file in files))
        compared = api.compare(
            challenge,
            files,
            preference or api.default_preferences(challenge, formats.names),
            margin=margin,
            test=test.value,
            only=None if measures is None else [key.strip() for key in measures.split(",")],
            split=split,
            allow_plugins=allow_plugins,
            progress=None if quiet else terminal.progress,
        )
        scored = compared.report.submissions
        if len(compared.names) < 2:
            return _too_few(lines, compared, len(files), quiet)
    comparison = earlier or content_of(compared)
    code = 0 if all(each.valid for each in scored) else REJECTED
    lines += _problems_one_by_one(scored, quiet)
    if fail_if_worse and (worse := _find_regression(comparison, scored)):
        lines.append(f"error: {worse} (--fail-if-worse)")
        code = code or BELOW
    comparison = replace(comparison, every_measure=bool(metric or measures))
    look = terminal.look(output, precision, every=every, quiet=quiet, private=private)
    return formats.result(comparison, look, lines, code)


def _problems_one_by_one(scored: Sequence[Scored], quiet: bool) -> list[str]:
    """Return the problems of submissions as lines, of each submission all of them."""
    return [line for each in scored for line in problem_lines([each.findings], quiet)]


def _too_few(lines: list[str], compared: Compared, files: int, quiet: bool) -> Result:
    """Return the result where fewer than two submissions can be scored, of which some are wrong.

    `UsageError` where none is.
    """
    scored = compared.report.submissions
    message = (
        f"nothing to compare: {len(compared.names)} of {len(scored)} submissions can be scored"
    )
    if files > len(scored):
        message += " (files called NAME#1, NAME#2 are runs of one)"
    if all(each.valid for each in scored):
        raise UsageError(f"{message}, two are needed")
    shown = [*lines, *_problems_one_by_one(scored, quiet), f"error: {message}"]
    return Result("", tuple(shown), REJECTED)


def _find_regression(comparison: Comparison, scored: Sequence[Scored]) -> str | None:
    """Return in what the first of two submissions is significantly worse than the second."""
    from scorer.api.compare import find_regression

    try:
        return find_regression(comparison, [each.name for each in scored])
    except UsageError as error:
        raise UsageError(f"--fail-if-worse: {error}") from error


Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="A table of systems, cases and values, a board of score --per-list; or files and "
        "folders, each a system named after it, or NAME=PATH.",
    ),
]
Lower = Annotated[
    list[str] | None,
    typer.Option("--lower", metavar="VALUE", help="Lower is better of this value; repeatable."),
]
Higher = Annotated[
    list[str] | None,
    typer.Option(
        "--higher",
        metavar="VALUE",
        help="Higher is better of this value; repeatable. Default: as its name says, such as loss.",
    ),
]
ValueColumns = Annotated[
    list[str] | None,
    typer.Option(
        "--value",
        metavar="COLUMN",
        help="A column of values, or PART/WHOLE, whose sums are divided; repeatable, the first "
        "ranks. Default: all of numbers.",
    ),
]
System = Annotated[
    str | None, typer.Option("--system", metavar="COLUMN", help="The column of systems.")
]
Run = Annotated[
    str | None,
    typer.Option("--run", metavar="COLUMN", help="The column of runs of a system, such as seeds."),
]
Case = Annotated[str | None, typer.Option("--case", metavar="COLUMN", help="The column of cases.")]
MeasureColumn = Annotated[
    str | None,
    typer.Option("--measure", metavar="COLUMN", help="The column that says which value a row has."),
]
Missing = Annotated[
    str | None,
    typer.Option(
        "--missing",
        metavar="RULE",
        help="Cases that a system lacks and others have: error, zero or skip; default: error.",
    ),
]


def values(
    context: typer.Context,
    files: Files,
    format: Annotated[str | None, format_option("leaderboard", "the report is")] = None,
    output: options.Output = None,
    per_list: options.PerList = False,
    lower: Lower = None,
    higher: Higher = None,
    value: ValueColumns = None,
    system: System = None,
    run: Run = None,
    case: Case = None,
    measure: MeasureColumn = None,
    missing: Missing = None,
    precision: options.Precision = None,
    all_rows: options.AllRows = False,
    with_notes: options.Notes = False,
    every: options.EveryPlace = False,
    quiet: options.Quiet = False,
) -> Result:
    """Rank systems by values of each case that other tools computed.

    There is no truth and no challenge.yaml. What the columns are, and which direction is better, is
    guessed by names, and told. Where two readings are plausible, it asks for an option.
    """
    from scorer.api.score import score

    terminal: Terminal = context.obj
    formats = choose_formats("leaderboard", format, output, "table")
    columns = {"system": system, "run": run, "case": case, "measure": measure}
    tables = _read_values(
        files,
        columns={role: name for role, name in columns.items() if name is not None},
        values=value or (),
        lower=lower or (),
        higher=higher or (),
        rules={} if missing is None else {"missing_list": missing},
    )
    refuse_overwrite(output, tables.challenge, *(file.path for file in tables.files))
    progress = None if quiet else terminal.progress
    report = content_of(score(tables.challenge, tables.files, progress=progress))
    lines = [] if quiet else [*tables.notes, *map(str, report.notes)]
    lines += problem_lines((each.findings for each in report.submissions), quiet, every)
    code = exit_code_of(report.submissions)
    has_valid = any(each.valid for each in report.submissions)
    if not (has_valid or output) and formats.names == {"text"}:
        return Result("", tuple(lines), exit_code=code)  # the lines say why
    look = terminal.look(output, precision, per_list=per_list, every=every, quiet=quiet)
    look = look._replace(notes=with_notes, all_rows=all_rows)
    return formats.result(report, look, lines, code)


def _read_values(words: list[str], **typed: Any) -> ValueTables:
    """Return the challenge and the systems of files of values, by the fields of ValueOptions."""
    from scorer.api.value_tables import ValueOptions
    from scorer.api.values import read_values

    return read_values(_named_systems(words), ValueOptions(**typed))


def _named_systems(words: list[str]) -> list[object]:
    """Return the files that words name, each with its name; `UsageError` if one is not there."""
    from scorer.api.submissions import SubmissionFile, submission_name

    files: list[object] = []
    for word in words:
        name, equals, path = word.partition("=")
        if equals and not Path(word).exists():
            file = SubmissionFile(name, Path(path), is_named=True)
        else:
            file = SubmissionFile(submission_name(Path(word)), Path(word))
        if not file.path.exists():
            raise UsageError(f"{file.path} is not found")
        files.append(file)
    return files


Level = Annotated[float, typer.Option("--level", metavar="P", help="The level of the intervals.")]
Alpha = Annotated[
    float, typer.Option("--alpha", metavar="P", help="The level of the tests for tiers.")
]
Draws = Annotated[
    int,
    typer.Option(
        "--draws",
        metavar="N",
        min=100,
        max=1_000_000,
        help="Permutations of the tests; of prompts, for intervals, at most 1,000.",
    ),
]


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
    level: Level = 0.95,
    alpha: Alpha = 0.05,
    draws: Draws = 10_000,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of all draws.")] = 1,
    title: Annotated[
        str, typer.Option("--title", metavar="TEXT", help="The title of the board.")
    ] = "",
    format: Annotated[str | None, format_option("votes")] = None,
    output: options.Output = None,
    every: Annotated[
        bool, typer.Option("--all", help="What ratings mean, win rates, every place of a problem.")
    ] = False,
    quiet: options.Quiet = False,
) -> Result:
    """Rank systems by votes. Each vote prefers one of two systems, or neither.

    Strengths are of Bradley and Terry's model with Davidson's ties; intervals are by draws of
    prompts, with all votes on each.
    """
    from scorer.api.votes import votes as rank_votes

    formats = choose_formats("votes", format, output, "text")
    terminal: Terminal = context.obj
    for name, share in (("--level", level), ("--alpha", alpha)):
        if not 0 < share < 1:
            raise UsageError(f"{name} {share:g}: write a number between 0 and 1")
    for file in output or ():
        refuse_to_overwrite_inputs(file, files)
    columns = _named_columns(column or [])
    rules = {"level": level, "alpha": alpha}
    board = rank_votes(files, columns, **rules, draws=draws, seed=seed, title=title)
    look = terminal.look(output, every=every, quiet=quiet)
    return formats.result(content_of(board), look, problem_lines([board.problems], quiet, every))


def _named_columns(words: list[str]) -> dict[str, str]:
    """Return role -> name, from `ROLE=NAME` words; `UsageError` if one is not."""
    columns = {}
    for word in words:
        role, equals, name = word.partition("=")
        if not equals or not name:
            raise UsageError(f"--column {quoted(word)}: write ROLE=NAME, such as a=model_a")
        columns[role] = name
    return columns


TriedMetrics = Annotated[
    list[str] | None,
    typer.Option(
        "-m",
        "--metric",
        metavar="M",
        help="The measure that ranks officially, in place of the challenge's; repeatable: the "
        "others are tried beside those of the challenge.",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option("--seed", metavar="N", min=0, help="Of the draws of lists. Default: the board's."),
]


def study(
    context: typer.Context,
    path: options.Challenge,
    submissions: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SUBMISSION...",
            help="Files, folders of files, NAME=PATH, or - for standard input.",
        ),
    ] = None,
    format: Annotated[str | None, format_option("study")] = None,
    output: options.Output = None,
    metric: TriedMetrics = None,
    lower: Lower = None,
    higher: Higher = None,
    seed: Seed = None,
    allow_plugins: options.AllowPlugins = False,
    quiet: options.Quiet = False,
) -> Result:
    """What the board would be by other measures, rules and parts of its lists.

    Each variation is held against the official order: Kendall's tau, and whether the winner and
    the first three stay. Every file is read once. For organizers: it looks at the truth's groups
    and splits. In place of a challenge: files of values, as `score values` takes them.
    """
    from scorer.api import inputs
    from scorer.api.study import study as study_board

    formats = choose_formats("study", format, output, "text")
    terminal: Terminal = context.obj
    is_truth = inputs.is_truth_file(path)  # whose measures are the words alone
    notes: tuple[str, ...] = ()
    if is_truth and (lower or higher or not (submissions and metric)):
        is_truth = False
        words = [str(path), *(submissions or ())]
        challenge, files, notes = _read_values(words, lower=lower or (), higher=higher or ())
    elif not submissions:
        terminal.read_challenge(path)  # which may not be there at all
        raise UsageError("name submissions; of a living board score store files copies some")
    else:
        measures = metric if is_truth else None
        challenge, notes = terminal.read_challenge(path, measures, None, submissions)
        files = terminal.find_submissions(submissions, challenge)
    refuse_overwrite(output, challenge, path, *(file.path for file in files))
    found = study_board(
        challenge,
        files,
        measures=() if is_truth else metric or (),
        seed=seed,
        allow_plugins=allow_plugins,
        progress=None if quiet else terminal.progress,
    )
    lines = [] if quiet else list(notes)
    lines += problem_lines((each.findings for each in found.rejected), quiet)
    code = REJECTED if found.rejected else 0
    return formats.result(content_of(found), terminal.look(output), lines, code)
