"""What the commands of a living board share: its challenge and store, times, tables and JSON."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import update_wrapper
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from zoneinfo import ZoneInfo

import typer

from scorer.api.text import content_of
from scorer.cli import options
from scorer.cli.options import FILES, STORE, TOKEN
from scorer.cli.result import Result, Terminal, exit_code_of, report_problem_lines
from scorer.core.errors import UsageError
from scorer.core.text import printable, quoted

if TYPE_CHECKING:  # all take long to import, and the help of a command needs none
    from scorer.board.board import Board
    from scorer.challenge.model import Challenge
    from scorer.results.report import Report


class BoardArguments(NamedTuple):
    """The challenge and the options that every command of a living board has, as typed."""

    path: Path  # of the challenge
    terminal: Terminal
    store: str | None
    files: str | None
    allow_plugins: bool

    def open(self) -> tuple[Board, tuple[str, ...]]:
        """Return the board of the challenge, closed when the command ends, and notes on it."""
        from scorer.board.board import Board
        from scorer.challenge.kit_archive import refuse_without_truth

        challenge, notes = self.terminal.read_challenge(self.path)
        refuse_without_truth(challenge)  # a kit, which has no board
        board = Board.open(
            challenge,
            self.store or os.environ.get(STORE),
            self.files or os.environ.get(FILES),
            allow_plugins=self.allow_plugins,
        )
        self.terminal.cleanup.callback(board.close)
        if changed := board.versions.changed:
            names, version = ", ".join(changed), board.versions.in_force()
            notes = (
                *notes,
                f"warning: {names} changed since version {version.number} came into force, which "
                "still counts; score rescore makes the files as they are now count",
            )
        return board, notes


def on_board(command: Callable[..., Result]) -> Callable[..., Result]:
    """Return a command with the argument and options of `BoardArguments`, which it takes first.

    typer reads a command from the signature of its function. The signature that is made here has
    CHALLENGE, then the parameters of the command itself, then --store, --files and
    --allow-plugins; and --quiet comes last in the help of every command.
    """

    def run(
        context: typer.Context,
        challenge: options.Challenge,
        store: options.Store = None,
        files_at: options.Files = None,
        allow_plugins: options.AllowPlugins = False,
        **own: Any,
    ) -> Result:
        board = BoardArguments(challenge, context.obj, store, files_at, allow_plugins)
        return command(board, **own)

    context, challenge, *shared, _ = signature(run, eval_str=True).parameters.values()
    _, *own = signature(command, eval_str=True).parameters.values()
    parameters = sorted([*own, *shared], key=lambda parameter: parameter.name == "quiet")
    update_wrapper(run, command)
    run.__signature__ = signature(run).replace(  # type: ignore[attr-defined]
        parameters=[context, challenge, *parameters]
    )
    return run


class ReportArguments(NamedTuple):
    """The words for the submissions that a report is made of, or for a living board."""

    submissions: Sequence[str]
    store: str | None
    files: str | None
    split: str | None
    metric: list[str] | None = None
    truth: Path | None = None
    answers: Path | None = None
    phase: str | None = None
    at: str | None = None


class ReadReport(NamedTuple):
    """A report, its challenge, the files that were read for it, and what is said of them."""

    report: Report
    challenge: Challenge
    read: Sequence[Path]
    lines: Sequence[str]
    exit_code: int
    hides_values: bool = False  # whether the phase of the board does


def make_report(
    path: Path, arguments: ReportArguments, terminal: Terminal, allow_plugins: bool, quiet: bool
) -> ReadReport:
    """Return the report of submissions; without any, that of the living board as it stands.

    `UsageError` if there are neither.
    """
    if not arguments.submissions:
        return _report_of_living_board(path, arguments, terminal, allow_plugins, quiet)
    from scorer.api.score import score

    if arguments.store or arguments.files:
        raise UsageError("name either submissions or a store")
    if arguments.phase or arguments.at:
        raise UsageError("--phase and --at are of a living board; they do not go with submissions")
    words = list(arguments.submissions)
    challenge, notes = terminal.read_challenge(path, arguments.metric, arguments.truth, words)
    files = terminal.find_submissions(words, challenge)
    scored = score(
        challenge,
        files,
        allow_plugins=allow_plugins,
        progress=None if quiet else terminal.progress,
        splits=() if arguments.split is None else (arguments.split,),
        answers=arguments.answers,
    )
    report = content_of(scored)
    lines = [] if quiet else list(notes)
    lines += report_problem_lines(report.submissions, quiet)
    read = [file.path for file in files] + ([arguments.answers] if arguments.answers else [])
    return ReadReport(report, challenge, read, lines, exit_code_of(report.submissions))


def _report_of_living_board(
    path: Path, arguments: ReportArguments, terminal: Terminal, allow_plugins: bool, quiet: bool
) -> ReadReport:
    from scorer.board.phases import shown_at
    from scorer.challenge.model import FOLDER

    folder = path if path.is_dir() else path.parent
    if not (arguments.store or os.environ.get(STORE) or (folder / FOLDER).is_dir()):
        terminal.read_challenge(path)  # which says more where there is no challenge
        raise UsageError(
            "name submissions; this challenge has no living board, whose entries count"
        )
    if arguments.metric or arguments.truth or arguments.answers:
        raise UsageError("-m, --truth and --answers go with submissions, not with a living board")
    store = BoardArguments(path, terminal, arguments.store, arguments.files, allow_plugins)
    board, notes = store.open()
    now = parse_time(arguments.at)
    ranking = board.board(split=arguments.split, phase=arguments.phase, now=now)
    rules = board.versions.rules(board.versions.in_force(now))
    shown = shown_at(rules, now or datetime.now(UTC), arguments.phase)
    return ReadReport(
        ranking.with_absent_teams(),
        board.challenge,
        read=(),
        lines=() if quiet else notes,
        exit_code=0,
        hides_values=arguments.split is None and shown == "none",
    )


def isolate_evaluation(board: Board, seconds: int, memory: int) -> tuple[str, ...]:
    """Have entries evaluated by child processes, each with seconds of CPU and MiB of memory.

    Return a note if the system lacks some protection.
    """
    from scorer.board.confine import fully_confined, protections
    from scorer.board.isolation import BoardPlace, ChildLimits, evaluate_in_isolation

    place = BoardPlace(str(board.challenge.path), allow_plugins=board.allow_plugins)
    evaluate_in_isolation(board, place, ChildLimits(seconds, memory << 20))
    return () if fully_confined() else (f"note: {protections()}",)


def begin_log(context: typer.Context, form: options.LogForm, path: Path | None) -> None:
    """Write the log until the command ends; `UsageError` if its file cannot be written."""
    from scorer.core.log import start_log

    if form is not options.LogForm.off:
        context.call_on_close(start_log(path))


def page_address(path: Path) -> str | None:
    """Return the address of a challenge's page that was taken for a path; None if it is a path."""
    scheme, separator, rest = path.as_posix().partition(":/")
    return f"{scheme}://{rest.lstrip('/')}" if separator and scheme in ("http", "https") else None


def read_token(path: Path | None) -> str:
    """Return the token in a file, or in the environment.

    A file may be what editors and shells of Windows write: UTF-8 or UTF-16 with a byte order mark,
    CRLF, blank lines. No message shows the token.

    Raises:
        UsageError: There is no token, or something else.
    """
    if path is None:
        text, source = os.environ.get(TOKEN, ""), TOKEN
    else:
        source = f"token file {printable(path.name)}"
        try:
            data = path.read_bytes()
            is_wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
            text = data.decode("utf-16" if is_wide else "utf-8-sig")
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise UsageError(f"{source} is no text") from None
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        raise UsageError(f"a token is needed: --token-file, or {TOKEN}")
    if len(lines) > 1:
        raise UsageError(f"{source} has {len(lines):,} lines; it is to hold the token alone")
    if not re.fullmatch(r"[\x21-\x7e]+", lines[0]):
        raise UsageError(f"{source} holds something else than a token, which has no blanks")
    return lines[0]


def parse_time(text: str | None) -> datetime | None:
    """Return a time as typed; `UsageError` if it is no time, or has no offset from UTC."""
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


def format_time(time: datetime, board: Board) -> str:
    """Return a time in the challenge's zone, with its offset."""
    return time.astimezone(ZoneInfo(board.challenge.timezone)).isoformat(timespec="seconds")


def format_table(head: Sequence[str], rows: Sequence[Sequence[str]], terminal: Terminal) -> str:
    """Return rows as text in columns; the last column may be cut where the terminal is narrow."""
    from scorer.reports.document import Cell, Column, Row, Table
    from scorer.reports.write.text import TextWriter

    writer = TextWriter(terminal.width, terminal.colour)
    columns = [Column(name, "text", cut=1000) for name in head]
    columns[-1] = columns[-1]._replace(kind="name")
    writer.write_table(Table("", columns, [Row(list(map(Cell, row))) for row in rows]))
    return writer.text


def format_lines(lines: Sequence[str]) -> str:
    """Return lines as text for stdout."""
    return "".join(f"{line}\n" for line in lines)


def format_json(record: Any) -> str:
    """Return the JSON of a command's result."""
    from scorer.results.json import to_json

    return to_json(record) + "\n"
