"""The options and arguments that commands share, each declared once.

Options of one command alone stand in the module of the command.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from scorer.cli.verbs import MORE
from scorer.reports.base import format_names

STORE = "SCORER_STORE"  # the environment variable with the URL of the store's database
FILES = "SCORER_FILES"  # the environment variable with the folder in which entry files are kept
TOKEN = "SCORER_TOKEN"  # the environment variable with a team's token


def format_option(subject: str, what: str = "it is") -> Any:
    """Return the option that names the format in which a subject of `scorer.reports` is written."""
    words = f"How {what} written: {format_names(subject)}; default: by the suffix of -o."
    return typer.Option("--format", metavar="FORMAT", help=words)


# What is read

Challenge = Annotated[
    Path,
    typer.Argument(
        metavar="CHALLENGE",
        help="challenge.yaml, the folder that holds it, or a kit; to score, check, compare and "
        "explain also a truth, as a file.",
    ),
]
Submissions = Annotated[
    list[str],
    typer.Argument(
        metavar="SUBMISSION...", help="Files, folders of files, NAME=PATH, or - for standard input."
    ),
]
SubmissionsOrBoard = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[SUBMISSION...]",
        help="Files, folders of files, NAME=PATH, or - for standard input; without any the "
        "entries that the living board shows.",
    ),
]
AllowPlugins = Annotated[
    bool,
    typer.Option("--allow-plugins", help="Run the challenge's own metrics, which are Python code."),
]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "-m",
        "--metric",
        metavar="M",
        help="Score by this measure instead of the challenge's; repeatable.",
    ),
]
Truth = Annotated[
    Path | None,
    typer.Option(
        "--truth",
        metavar="FILE",
        help="Use this truth instead of the challenge's.",
        rich_help_panel=MORE,
    ),
]
AnswersFile = Annotated[
    Path | None,
    typer.Option(
        "--answers",
        metavar="FILE",
        help="What the submissions answer to the challenge's questions: CSV with the column "
        "`name`, and one a question.",
        rich_help_panel=MORE,
    ),
]
Split = Annotated[
    str | None,
    typer.Option(
        "--split",
        metavar="S",
        help="On this split of the lists; default: all, of a living board those that it shows.",
    ),
]

# What is written

Output = Annotated[
    list[Path] | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        help="Write there instead of to stdout, in the form of the file's suffix (.html, .json, "
        ".csv, .md, .tex, ...); repeatable.",
    ),
]
OneOutput = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE", help="Write there instead of to stdout."),
]
OutputFolder = Annotated[
    Path, typer.Option("-o", "--output", metavar="DIR", help="The folder where the files go.")
]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="No warnings and no progress.")]
EveryPlace = Annotated[
    bool,
    typer.Option(
        "--all", help="Every place of a problem; else one in more than three places is told once."
    ),
]
Precision = Annotated[
    int | None,
    typer.Option(
        "--precision",
        metavar="N",
        min=0,
        max=17,
        help="Decimals of values up to 1; larger ones have N + 1 digits. Default: 3, and up to 6 "
        "where neighbours of different rank would look alike. JSON and CSV are exact.",
        rich_help_panel=MORE,
    ),
]
PerList = Annotated[
    bool,
    typer.Option(
        "--per-list",
        help="The value of every list, too; not for publication while the challenge runs.",
    ),
]
AllRows = Annotated[
    bool, typer.Option("--all-rows", help="All rows on a terminal, not only the first 20.")
]
Notes = Annotated[
    bool,
    typer.Option(
        "--notes",
        help="What the intervals, tests and ranks mean, below the board; on a terminal also the "
        "means by group of all measures.",
    ),
]
Private = Annotated[
    bool,
    typer.Option(
        "--private",
        help="A report for organizers only: with paths, digests of baselines, and warnings that "
        "name items of the truth.",
        rich_help_panel=MORE,
    ),
]

# Living boards


class Form(StrEnum):
    """How a command of a living board writes its result."""

    text = "text"
    json = "json"


class LogForm(StrEnum):
    """Whether the log of a server or worker is written."""

    json = "json"
    off = "off"


Format = Annotated[Form, typer.Option("--format", help="How the result is written.")]
Store = Annotated[
    str | None,
    typer.Option(
        "--store", metavar="URL", help=f"The store's database; default: {STORE}, else .scorer/."
    ),
]
Files = Annotated[
    str | None,
    typer.Option(
        "--files",
        metavar="FOLDER",
        help=f"Where entry files are kept; default: {FILES}, else .scorer/files.",
        rich_help_panel=MORE,
    ),
]
At = Annotated[
    str | None,
    typer.Option(
        "--at", metavar="TIME", help="The time instead of now: 2011-04-18T10:00:00+02:00."
    ),
]
Phase = Annotated[
    str | None,
    typer.Option(
        "--phase",
        metavar="P",
        help="The phase whose rules apply; default: the one that shows the split.",
    ),
]
Answers = Annotated[
    list[str] | None,
    typer.Option("--answer", metavar="KEY=VALUE", help="An answer; repeatable."),
]
TokenFile = Annotated[
    Path | None,
    typer.Option("--token-file", metavar="F", help=f"A file with the token; default: {TOKEN}."),
]
Seconds = Annotated[
    int,
    typer.Option(
        "--seconds",
        metavar="N",
        min=1,
        help="CPU seconds that an evaluation may take.",
        rich_help_panel=MORE,
    ),
]
Memory = Annotated[
    int,
    typer.Option(
        "--memory",
        metavar="MIB",
        min=1,
        help="MiB that an evaluation may take.",
        rich_help_panel=MORE,
    ),
]
Log = Annotated[
    LogForm,
    typer.Option(
        "--log",
        envvar="SCORER_LOG",
        help="What is logged on standard error: an object for each event, or nothing.",
        rich_help_panel=MORE,
    ),
]
LogFile = Annotated[
    Path | None,
    typer.Option(
        "--log-file", metavar="FILE", help="Append the log to FILE instead.", rich_help_panel=MORE
    ),
]
