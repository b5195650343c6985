"""The words that the commands of a living board share."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial, update_wrapper
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple
from zoneinfo import ZoneInfo

import typer

from scorer.cli.options import (
    ChallengeWord,
    Plugins,
    Result,
    Terminal,
    challenge_of,
    exit_code,
    problems_of,
    submissions_of,
)
from scorer.cli.verbs import MORE
from scorer.core.errors import UsageError
from scorer.core.text import printable, quoted

if TYPE_CHECKING:
    from scorer.board.board import Board
    from scorer.challenge.model import Challenge
    from scorer.results.report import Report

STORE = "SCORER_STORE"  # of the environment: the database's URL
FILES = "SCORER_FILES"  # of the environment: the folder in which entry files are kept

StoreWord = Annotated[
    str | None,
    typer.Option(
        "--store", metavar="URL", help=f"The store's database; default: {STORE}, else .scorer/."
    ),
]
FilesWord = Annotated[
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
SentWords = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[SUBMISSION...]",
        help="Files, folders of files, NAME=PATH, or - for standard input; without any the "
        "entries that the living board shows.",
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
Phase = Annotated[
    str | None,
    typer.Option(
        "--phase",
        metavar="P",
        help="The phase whose rules apply; default: the one that shows the split.",
    ),
]
By = Annotated[str | None, typer.Option("--by", metavar="NAME", help="Who decides.")]


class LogForm(StrEnum):
    """Whether the log of a server or worker is written."""

    json = "json"
    off = "off"


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


def begin_log(context: typer.Context, form: LogForm, path: Path | None) -> None:
    """Write the log until the command ends; `UsageError` if its file cannot be written."""
    from scorer.core.log import start_log

    if form is not LogForm.off:
        context.call_on_close(start_log(path))


class Form(StrEnum):
    """How a command of a living board writes its result."""

    text = "text"
    json = "json"


def form_by_suffix(path: Path | None) -> Form:
    """The form that a file's suffix means.

    `UsageError` if it is no form of results of a living board.
    """
    suffix = "" if path is None else path.suffix.lower()
    if suffix in (".csv", ".html", ".htm", ".md", ".tex"):
        raise UsageError(f"{printable(path)}: this is written as text or JSON, not as {suffix}")
    return Form.json if suffix == ".json" else Form.text


Format = Annotated[Form, typer.Option("--format", help="How the result is written.")]


def board_of(
    path: Path,
    terminal: Terminal,
    store: str | None,
    files: str | None,
    allow_plugins: bool = False,
) -> tuple[Board, tuple[str, ...]]:
    """Return the board of a challenge, closed when the command ends, and notes on it."""
    from scorer.board.board import Board
    from scorer.challenge.kit_archive import refuse_without_truth

    challenge, notes = challenge_of(path, terminal)
    refuse_without_truth(challenge)  # which has no board
    board = Board.open(
        challenge,
        store or os.environ.get(STORE),
        files or os.environ.get(FILES),
        allow_plugins=allow_plugins,
    )
    terminal.cleanup.callback(board.close)
    if changed := board.versions.changed:
        names, version = ", ".join(changed), board.versions.in_force()
        notes = (
            *notes,
            f"warning: {names} changed since version {version.number} came into force, which "
            "still counts; score rescore makes the files as they are now count",
        )
    return board, notes


class BoardWords(NamedTuple):
    """What a command draws the board of: words for files, or where the store of a board is."""

    submissions: Sequence[str]
    store: str | None
    files: str | None
    split: str | None
    metric: list[str] | None = None
    truth: Path | None = None
    answers: Path | None = None
    phase: str | None = None
    at: str | None = None


class Drawable(NamedTuple):
    """Return the report of a board, its challenge and files, and lines on it."""

    report: Report
    challenge: Challenge
    read: Sequence[Path]
    lines: Sequence[str]
    exit_code: int
    blind: bool = False  # whether the phase hides the values


def report_of(
    path: Path, sent: BoardWords, terminal: Terminal, plugins: bool, quiet: bool
) -> Drawable:
    """The report of files, or without any of the living board as it stands.

    `UsageError` if there are neither.
    """
    if not sent.submissions:
        return _living_report(path, sent, terminal, plugins, quiet)
    from scorer.api.score import score
    from scorer.api.text import content_of

    if sent.store or sent.files:
        raise UsageError("name either submissions or a store")
    if sent.phase or sent.at:
        raise UsageError("--phase and --at are of a living board; they do not go with submissions")
    words = list(sent.submissions)
    settled, notes = challenge_of(path, terminal, sent.metric, sent.truth, words)
    named = submissions_of(words, terminal, settled)
    splits = () if sent.split is None else (sent.split,)
    progress = None if quiet else terminal.progress
    scored = score(
        settled,
        named,
        allow_plugins=plugins,
        progress=progress,
        splits=splits,
        answers=sent.answers,
    )
    report = content_of(scored)
    lines = [] if quiet else list(notes)
    lines += problems_of([(each.findings, quiet or each.baseline) for each in report.submissions])
    read = [file.path for file in named] + ([sent.answers] if sent.answers else [])
    return Drawable(report, settled, read, lines, exit_code(report.submissions))


def _living_report(
    path: Path, sent: BoardWords, terminal: Terminal, plugins: bool, quiet: bool
) -> Drawable:
    from scorer.board.phases import shown_at
    from scorer.challenge.model import FOLDER

    folder = path if path.is_dir() else path.parent
    if not (sent.store or os.environ.get(STORE) or (folder / FOLDER).is_dir()):
        challenge_of(path, terminal)  # which says more where there is no challenge
        raise UsageError(
            "name submissions; this challenge has no living board, whose entries count"
        )
    if sent.metric or sent.truth or sent.answers:
        raise UsageError("-m, --truth and --answers go with submissions, not with a living board")
    board, notes = board_of(path, terminal, sent.store, sent.files, plugins)
    now = moment(sent.at)
    ranking = board.board(split=sent.split, phase=sent.phase, now=now)
    report = ranking.with_absent_teams()
    rules = board.versions.rules(board.versions.in_force(now))
    shown = shown_at(rules, now or datetime.now(UTC), sent.phase)
    blind = sent.split is None and shown == "none"
    lines = () if quiet else notes
    return Drawable(report, board.challenge, (), lines, 0, blind)


def confined(board: Board, seconds: int, memory: int) -> tuple[str, ...]:
    """Have entries read by confined child processes, each with seconds of CPU and MiB of memory.

    Gives a note if the system lacks some protection.
    """
    from scorer.board.confine import fully_confined, protections
    from scorer.board.isolation import BoardPlace, ChildLimits, evaluate_in_isolation

    place = BoardPlace(str(board.challenge.path), allow_plugins=board.allow_plugins)
    evaluate_in_isolation(board, place, ChildLimits(seconds, memory << 20))
    return () if fully_confined() else (f"note: {protections()}",)


class Living(NamedTuple):
    """How a command opens its board, which gives notes as well, and the process around."""

    open: Callable[[], tuple[Board, tuple[str, ...]]]
    terminal: Terminal
    challenge: Path  # as the command line has it, and these
    store: str | None = None
    files: str | None = None


def on_board(command: Callable[..., Result]) -> Callable[..., Result]:
    """A command that takes `Living` first, with the challenge and options of every living board."""

    def run(
        context: typer.Context,
        challenge: ChallengeWord,
        store: StoreWord = None,
        files_at: FilesWord = None,
        allow_plugins: Plugins = False,
        **words: Any,
    ) -> Result:
        terminal: Terminal = context.obj
        opened = partial(board_of, challenge, terminal, store, files_at, allow_plugins)
        return command(Living(opened, terminal, challenge, store, files_at), **words)

    context, challenge, *shared, _ = signature(run, eval_str=True).parameters.values()
    _, *own = signature(command, eval_str=True).parameters.values()
    parameters = sorted([*own, *shared], key=lambda each: each.name == "quiet")  # at the end
    update_wrapper(run, command)
    run.__signature__ = signature(run).replace(  # type: ignore[attr-defined]
        parameters=[context, challenge, *parameters]
    )
    return run


def moment(text: str | None) -> datetime | None:
    """A time in a command's words; `UsageError` if it is no time, or has no offset from UTC."""
    if text is None:
        return None
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(
            f"{quoted(text)} is no time; write it as 2011-04-18T10:00:00+02:00"
        ) from None
    if time.tzinfo is None:
        raise UsageError(f"{quoted(text)} has no offset from UTC; write it as {text}+00:00")
    return time


def zoned(time: datetime, board: Board) -> str:
    """A time in the challenge's zone, with its offset."""
    return time.astimezone(ZoneInfo(board.challenge.timezone)).isoformat(timespec="seconds")


def table(head: Sequence[str], rows: Sequence[Sequence[str]], terminal: Terminal) -> str:
    """Rows as text in columns."""
    from scorer.reports.document import Cell, Column, Row, Table
    from scorer.reports.write.text import TextWriter

    writer = TextWriter(terminal.width, terminal.colour)
    columns = [Column(name, "text", cut=1000) for name in head]
    columns[-1] = columns[-1]._replace(kind="name")
    writer.write_table(Table("", columns, [Row(list(map(Cell, row))) for row in rows]))
    return writer.text


def as_json(record: Any) -> str:
    """JSON of a command's result."""
    from scorer.results.json import to_json

    return to_json(record) + "\n"
