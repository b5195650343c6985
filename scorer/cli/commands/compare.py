"""The commands that hold systems against each other: compare, values, votes and study."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scorer.cli.options import (
    BELOW,
    AllRows,
    BoardNotes,
    ChallengeWord,
    Every,
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
    exit_code,
    form_option,
    is_truth_file,
    problems,
    problems_of,
    refuse_overwrite,
    submissions_of,
)
from scorer.core.errors import UsageError
from scorer.core.text import printable, quoted

if TYPE_CHECKING:
    from scorer.api.value_tables import ValueOptions
    from scorer.api.values import ValueTables
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
        try:
            worse = find_regression(compared, order)
        except UsageError as error:
            raise UsageError(f"--fail-if-worse: {error}") from error
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


FileWords = Annotated[
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
ValueWords = Annotated[
    list[str] | None,
    typer.Option(
        "--value",
        metavar="COLUMN",
        help="A column of values, or PART/WHOLE, whose sums are divided; repeatable, the first "
        "ranks. Default: all of numbers.",
    ),
]
Run = Annotated[
    str | None,
    typer.Option("--run", metavar="COLUMN", help="The column of runs of a system, such as seeds."),
]
System = Annotated[
    str | None, typer.Option("--system", metavar="COLUMN", help="The column of systems.")
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
    files: FileWords,
    format: Annotated[str | None, form_option("leaderboard", "the report is")] = None,
    output: Output = None,
    per_list: Annotated[
        bool, typer.Option("--per-list", help="The value of every case, too.")
    ] = False,
    lower: Lower = None,
    higher: Higher = None,
    value: ValueWords = None,
    system: System = None,
    run: Run = None,
    case: Case = None,
    measure: MeasureColumn = None,
    missing: Missing = None,
    precision: Precision = None,
    all_rows: AllRows = False,
    with_notes: BoardNotes = False,
    every: Every = False,
    quiet: Quiet = False,
) -> Result:
    """Rank systems by values of each case that other tools computed.

    There is no truth and no challenge.yaml. What the columns are, and which direction is better, is
    guessed by names, and told. Where two readings are plausible, it asks for an option.
    """
    from scorer.api.score import score
    from scorer.api.text import content_of
    from scorer.api.value_tables import ValueOptions
    from scorer.api.values import read_values

    terminal: Terminal = context.obj
    forms = chosen_forms("leaderboard", format, output, "table")
    columns = {"system": system, "run": run, "case": case, "measure": measure}
    rules = {} if missing is None else {"missing_list": missing}
    said = ValueOptions(
        {role: name for role, name in columns.items() if name is not None},
        value or (),
        lower or (),
        higher or (),
        rules,
    )
    given = read_values(systems_named(files), said)
    refuse_overwrite(output, given.challenge, *(file.path for file in given.files))
    progress = None if quiet else terminal.progress
    report = content_of(score(given.challenge, given.files, progress=progress))
    options = terminal.options(
        output,
        precision,
        per_list=per_list,
        notes=with_notes,
        all_rows=all_rows,
        every=every,
        quiet=quiet,
    )
    lines = [] if quiet else [*given.notes, *map(str, report.notes)]
    lines += problems_of([(each.findings, quiet) for each in report.submissions], every)
    code = exit_code(report.submissions)
    scored = any(each.valid for each in report.submissions)
    if not scored and not output and forms.names == {"text"}:
        return Result("", tuple(lines), exit_code=code)  # the lines say why
    return forms.result(report, options, lines, code)


def systems_named(words: list[str]) -> list[object]:
    """The files, each with its name; `UsageError` if one is not there."""
    from pathlib import Path

    from scorer.api.submissions import SubmissionFile, submission_name

    files: list[object] = []
    for word in words:
        name, equals, path = word.partition("=")
        if equals and not Path(word).exists():
            files.append(SubmissionFile(name, Path(path), is_named=True))
        else:
            files.append(SubmissionFile(submission_name(Path(word)), Path(word)))
    for file in files:
        if isinstance(file, SubmissionFile) and not file.path.exists():
            raise UsageError(f"{file.path} is not found")
    return files


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
    """Rank systems by votes. Each vote prefers one of two systems, or neither.

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
