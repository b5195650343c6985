"""The commands of a living board's entries and ranks: add, team, board, why, feedback."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scorer.cli import options
from scorer.cli.board import (
    BoardArguments,
    ReportArguments,
    format_json,
    format_lines,
    format_table,
    format_time,
    make_report,
    on_board,
    page_address,
    parse_time,
    read_token,
)
from scorer.cli.options import Form, format_option
from scorer.cli.result import (
    FAILED,
    REFUSED,
    REJECTED,
    Result,
    choose_formats,
    prepare_folder,
    problem_lines,
    refuse_overwrite,
)
from scorer.core.errors import UsageError
from scorer.core.text import printable, quoted
from scorer.reports.base import ReportFormat

if TYPE_CHECKING:  # it takes long to import, and the help of a command does not need it
    from scorer.board.board import Board

SHORT = 16  # digits of a receipt that are said; JSON and `score log --receipts` have all
RULES = ("best", "last", "selected", "all")  # which entries of a team count
FOLDER_ENDS = tuple(filter(None, (os.sep, os.altsep)))  # signs at the end of a folder's name


@on_board
def add(
    arguments: BoardArguments,
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Files, or NAME=PATH, or -.")
    ],
    team: Annotated[
        str | None,
        typer.Option("--team", metavar="T", help="The team that the entries belong to."),
    ] = None,
    team_from_name: Annotated[
        bool,
        typer.Option(
            "--team-from-name", help="Each file is its team's, which has the file's name."
        ),
    ] = False,
    at: options.At = None,
    answer: options.Answers = None,
    baseline: Annotated[
        bool,
        typer.Option(
            "--baseline", help="Record as a baseline: outside the ranks, without quota or phases."
        ),
    ] = False,
    new: Annotated[
        bool,
        typer.Option("--new", help="Make a new team, however like the name of another its name."),
    ] = False,
    format: options.Format = Form.text,
    quiet: options.Quiet = False,
) -> Result:
    """Record entries. A number is given out only when file and row are on disk.

    For organizers: it needs the truth. Exit code 3 says that a rule refused an entry: the
    challenge is closed, the quota used up, the file sent before.
    """
    board, notes = arguments.open()
    submissions = arguments.terminal.find_submissions(files, board.challenge)
    if (team is None) != team_from_name:
        raise UsageError("write --team T, or --team-from-name for a team a file")
    families = [(s.name, [s]) for s in submissions] if team is None else [(team, submissions)]
    now, answers = parse_time(at), _parse_answers(answer or [])
    added = [
        entry
        for name, family in families
        for entry in board.add(
            family, name, now=now, answers=answers, baseline=baseline, allow_similar=new
        )
    ]
    codes = {"rejected": REJECTED, "refused": REFUSED, "failed": FAILED}
    code = max((codes.get(entry.status, 0) for entry in added), default=0)
    if format is Form.json:
        from scorer.board.entries import AddedEntries

        return Result(format_json(AddedEntries(entries=added)), notes, code)
    lines, messages = [], list(notes)
    for entry, submission in zip(added, submissions, strict=True):
        messages += problem_lines([entry.problems], quiet)
        receipt = f"; receipt {entry.receipt[:SHORT]}" if entry.receipt and not quiet else ""
        status = board.describe_added(entry, now=now)
        lines.append(f"{printable(submission.display)}: {status}{receipt}")
    return Result(format_lines(lines), tuple(messages), code)


def _parse_answers(words: list[str]) -> dict[str, str]:
    """Return question -> answer, from `KEY=VALUE` words; `UsageError` if one is not."""
    answers = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise UsageError(f"--answer {quoted(word)}: write KEY=VALUE")
        answers[key] = value
    return answers


class Verb(StrEnum):
    """What can be done with teams and tokens."""

    add = "add"
    list = "list"
    token = "token"
    revoke = "revoke"


@on_board
def team(
    arguments: BoardArguments,
    verb: Annotated[Verb, typer.Argument(metavar="VERB", help=f"One of {', '.join(Verb)}.")],
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="The team's name.")] = None,
    organizer: Annotated[
        bool, typer.Option("--organizer", help="The organizers instead of a team.")
    ] = False,
    label: Annotated[
        str | None,
        typer.Option(
            "--label",
            metavar="TEXT",
            help="Of a new token: who or what holds it; the log names it.",
        ),
    ] = None,
    number: Annotated[
        int | None,
        typer.Option(
            "--token", metavar="NUMBER", help="Of revoke: this token alone, as list NAME shows it."
        ),
    ] = None,
    at: options.At = None,
    format: options.Format = Form.text,
) -> Result:
    """Make and list teams; make, list and revoke tokens of teams and organizers. For organizers.

    A token is shown once. The log has the decisions of its holder with its label.
    """
    from scorer.board.teams import TeamTokens

    board, notes = arguments.open()
    if label is not None and verb not in (Verb.add, Verb.token):
        raise UsageError("--label belongs to add and token")
    if number is not None and verb is not Verb.revoke:
        raise UsageError("--token belongs to revoke")
    if verb is Verb.list and name is None and not organizer:
        return _list_teams(board, arguments, format, notes)
    if (name is None) != organizer or (verb is Verb.add and organizer):
        takes = "a team's name" if verb is Verb.add else "either a team's name or --organizer"
        raise UsageError(f"team {verb.value} takes {takes}")
    now = parse_time(at)
    match verb:
        case Verb.list:
            return _list_tokens(board, arguments, name, format, notes)
        case Verb.revoke:
            count = board.revoke(name, number, now=now)
            if format is Form.json:
                return Result(format_json(TeamTokens(team=name, revoked=count)), notes)
            return Result(f"{count} token{'s' * (count != 1)} revoked\n", notes)
        case Verb.add if name is not None:
            token = board.add_team(name, label, now=now)
        case _:
            token = board.new_token(name, label, now=now)
    if format is Form.json:
        return Result(format_json(TeamTokens(team=name, token=token)), notes)
    return Result(f"{token}\n", (*notes, "this token is shown once; hand it over safely"))


def _list_teams(
    board: Board, arguments: BoardArguments, format: Form, notes: tuple[str, ...]
) -> Result:
    """Return all teams, each with the number of its entries."""
    listed = board.list_teams()
    if format is Form.json:
        return Result(format_json(listed), notes)
    rows = [[printable(t.team), format_time(t.made, board), str(t.entries)] for t in listed.teams]
    return Result(format_table(("team", "made", "entries"), rows, arguments.terminal), notes)


def _list_tokens(
    board: Board, arguments: BoardArguments, name: str | None, format: Form, notes: tuple[str, ...]
) -> Result:
    """Return the tokens of a team, or of the organizers, that are not revoked."""
    listed = board.list_tokens(name)
    if format is Form.json:
        return Result(format_json(listed), notes)
    rows = []
    for token in listed.tokens:
        used = format_time(token.used, board) if token.used else ""
        made = format_time(token.made, board)
        rows.append([str(token.number), printable(token.label or ""), made, used])
    heads = ("token", "label", "made", "last seen")
    return Result(format_table(heads, rows, arguments.terminal), notes)


BoardOutput = Annotated[
    list[str] | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE|DIR/",
        help="Write there instead of to stdout, in the form of the file's suffix (.html, "
        ".json, .csv, .md, .tex, ...); repeatable. A folder, with a slash at its end if it is "
        "new, gets what visitors may see, for any web host: index.html, board.csv, "
        "board.json, kit.zip and receipts.jsonl.",
    ),
]


@on_board
def board(
    arguments: BoardArguments,
    split: options.Split = None,
    phase: options.Phase = None,
    at: options.At = None,
    entry: Annotated[
        str | None,
        typer.Option("--entry", metavar="RULE", help=f"Another entry rule: {', '.join(RULES)}."),
    ] = None,
    format: Annotated[str | None, format_option("leaderboard")] = None,
    output: BoardOutput = None,
    per_list: options.PerList = False,
    precision: options.Precision = None,
    all_rows: options.AllRows = False,
    with_notes: options.Notes = False,
    quiet: options.Quiet = False,
) -> Result:
    """Show the board. For organizers: any split may be asked for, but in a folder for visitors."""
    folders = [path for path in output or () if path.endswith(FOLDER_ENDS) or os.path.isdir(path)]
    if folders:
        for_organizers = {
            "--phase": phase,
            "--entry": entry,
            "--format": format,
            "--per-list": per_list,
            "another -o": (output or ())[1:],
        }
        _refuse_organizers_options(folders[0], for_organizers)
        opened, notes = arguments.open()
        files = _public_files(opened, Path(folders[0]), split, parse_time(at), precision)
        where = f"{printable(folders[0])}: {len(files):,} files, which visitors may see"
        return Result(notes=() if quiet else notes, files=files, written=(where,))
    paths = [Path(path) for path in output or ()]
    formats = choose_formats("leaderboard", format, paths, "table")
    if entry is not None and entry not in RULES:
        raise UsageError(f"--entry takes one of {', '.join(RULES)}")
    rule: Any = entry
    opened, notes = arguments.open()
    refuse_overwrite(paths, opened.challenge)
    ranking = opened.board(split=split, phase=phase, rule=rule, now=parse_time(at))
    look = arguments.terminal.look(paths, precision, per_list=per_list, notes=with_notes)
    look = look._replace(all_rows=all_rows, quiet=quiet)

    def write(format: ReportFormat) -> str:
        if format.name != "json":
            return format.write(ranking.with_absent_teams(), look)  # for organizers, who ask here
        report = ranking.with_entries()
        return format_json(report.with_lists() if per_list else report)

    lines = [] if quiet else [*notes, *map(str, ranking.report.notes)]
    if not (ranking.report.leaderboard or quiet):
        lines.append("note: no entry stands on this board yet; score add records entries")
    return formats.written(list(map(write, formats.report_formats)), lines)


def _refuse_organizers_options(folder: str, given: Mapping[str, object]) -> None:
    """Raise `UsageError` if an option for organizers is given with a folder for visitors."""
    for option, value in given.items():
        if value:
            message = f"{option} does not go with -o {printable(folder)}, a folder"
            raise UsageError(f"{message} of what visitors may see now")


def _public_files(
    board: Board, folder: Path, split: str | None, now: datetime | None, precision: int | None
) -> tuple[tuple[Path, str | bytes], ...]:
    """Return the files of a folder for visitors, which is made; `UsageError` if it cannot be."""
    from scorer.board.publish import public_files

    made = public_files(board, split=split, now=now, precision=precision)
    return prepare_folder(folder, made, board.challenge)


@on_board
def why(
    arguments: BoardArguments,
    team: Annotated[
        str | None,
        typer.Argument(metavar="[TEAM]", help="The team's name; default with a URL: one's own."),
    ] = None,
    split: options.Split = None,
    at: options.At = None,
    token_file: options.TokenFile = None,
    format: options.Format = Form.text,
) -> Result:
    """Explain a rank: the rules that applied, ties, what was not counted.

    Of a challenge on this machine, for organizers. Of a challenge's page, such as
    https://.../c/ID, a team sees its own rank, as far as the phase shows it.
    """
    notes: tuple[str, ...] = ()
    if url := page_address(arguments.path):
        if at is not None:
            raise UsageError("--at is for a challenge on this machine; a server tells the present")
        from scorer.board.client import open_client
        from scorer.board.explain import Why

        with open_client(url, read_token(token_file)) as client:
            explained = Why(**client.explain_rank(team, split))
    elif team is None:
        raise UsageError("of which team? add its name")
    else:
        board, notes = arguments.open()
        explained = board.why(team, split=split, now=parse_time(at))
    if format is Form.json:
        return Result(format_json(explained), notes)
    lines = [f"  {printable(str(line), 1000)}" for line in explained.lines]
    return Result(format_lines([printable(str(explained.team)), *lines]), notes)


def feedback(
    context: typer.Context,
    path: options.Challenge,
    output: options.OutputFolder,
    submissions: options.SubmissionsOrBoard = None,
    split: options.Split = None,
    phase: options.Phase = None,
    at: options.At = None,
    store: options.Store = None,
    files_at: options.Files = None,
    precision: options.Precision = None,
    allow_plugins: options.AllowPlugins = False,
    quiet: options.Quiet = False,
) -> Result:
    """Write a text for each submission, and with `grading` grades.csv: id, points, feedback.

    Of a living board these are the entries that count; a team without one gets a text with the
    reason. Where the phase hides the values, the texts do, too, unless --split names a split.
    --phase final writes them by the rules of that phase before it has begun.
    """
    from scorer.api.feedback import feedback as write_feedback

    arguments = ReportArguments(submissions or (), store, files_at, split, phase=phase, at=at)
    made = make_report(path, arguments, context.obj, allow_plugins, quiet)
    texts = write_feedback(made.report, precision=precision, hide_values=made.hides_values)
    files = prepare_folder(output, texts, made.challenge, *made.read)
    written = (f"{printable(output)}: {len(files):,} files",)
    return Result("", tuple(made.lines), made.exit_code, files, written)
