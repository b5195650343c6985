"""`score values FILE...`: rank systems by values that other tools computed, without a challenge."""

from __future__ import annotations

from typing import Annotated

import typer

from scorer.cli.options import (
    AllRows,
    BoardNotes,
    Every,
    Output,
    Precision,
    Quiet,
    Result,
    Terminal,
    chosen_forms,
    exit_code,
    form_option,
    problems_of,
    refuse_overwrite,
)
from scorer.core.errors import UsageError

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
    return forms.result(report, options, lines, exit_code(report.submissions))


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
