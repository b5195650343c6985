"""The commands of a living board's entries and ranks: add, team, board, why, feedback."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scorer.cli.board import (
    At,
    BoardWords,
    FilesWord,
    Form,
    Format,
    Living,
    Phase,
    SentWords,
    Split,
    StoreWord,
    as_json,
    moment,
    on_board,
    report_of,
    table,
    zoned,
)
from scorer.cli.options import (
    AllRows,
    BoardNotes,
    ChallengeWord,
    Plugins,
    Precision,
    Quiet,
    Result,
    Terminal,
    chosen_forms,
    form_option,
    problems,
    refuse_overwrite,
)
from scorer.cli.remote import TokenFile, page_address, read_token
from scorer.core.errors import UsageError
from scorer.core.text import format_number, printable, quoted
from scorer.reports.base import ReportFormat

if TYPE_CHECKING:
    from scorer.board.board import Board
    from scorer.board.entries import Added


REJECTED, REFUSED, FAILED = 1, 3, 4
SHORT = 16  # digits of a receipt that are said; JSON and `score log --receipts` have all


RULES = ("best", "last", "selected", "all")
# What a folder's name may end with on the command line.
SLASHES = tuple(sign for sign in (os.sep, os.altsep) if sign)


@on_board
def add(
    living: Living,
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
    at: At = None,
    answer: Annotated[
        list[str] | None,
        typer.Option(
            "--answer", metavar="KEY=VALUE", help="An answer; may be given several times."
        ),
    ] = None,
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
    format: Format = Form.text,
    quiet: Quiet = False,
) -> Result:
    """Record entries. A number is given out only when file and row are on disk.

    For organizers: it needs the truth. Exit code 3 says that a rule refused an entry: the
    challenge is closed, the quota used up, the file sent before.
    """
    from scorer.cli.options import submissions_of

    board, notes = living.open()
    submissions = submissions_of(files, living.terminal, board.challenge)
    if (team is None) != team_from_name:
        raise UsageError("write --team T, or --team-from-name for a team a file")
    families = [(s.name, [s]) for s in submissions] if team is None else [(team, submissions)]
    added = [
        one
        for name, files_of_team in families
        for one in board.add(
            files_of_team,
            name,
            now=moment(at),
            answers=_answers_of_words(answer or []),
            baseline=baseline,
            allow_similar=new,
        )
    ]
    codes = {"rejected": REJECTED, "refused": REFUSED, "failed": FAILED}
    code = max((codes.get(entry.status, 0) for entry in added), default=0)
    if format is Form.json:
        from scorer.board.entries import AddedEntries

        return Result(as_json(AddedEntries(entries=added)), notes, code)
    lines, messages = [], list(notes)
    for entry, submission in zip(added, submissions, strict=True):
        messages += problems(entry.problems, quiet)
        receipt = f"; receipt {entry.receipt[:SHORT]}" if entry.receipt and not quiet else ""
        lines.append(f"{printable(submission.display)}: {_summary(entry, board, at)}{receipt}")
    return Result("".join(f"{line}\n" for line in lines), tuple(messages), code)


def _summary(added: Added, board: Board, at: str | None) -> str:
    """The status of a file's entry, with the values that the board shows."""
    from scorer.board.explain import hold_back
    from scorer.board.phases import shown_at

    if added.status in ("refused", "failed"):
        return f"{added.status}: error[{added.code}] {added.message}"
    words = f"entry {added.entry} of {printable(added.team)}: {added.status}"
    now = moment(at) or datetime.now(UTC)
    with board.database.read():
        shown_split = shown_at(board.versions.rules(), now)
        split = "all" if shown_split == "own" else shown_split
        if not (means := (added.values or {}).get(split, {})):
            return words
        team = board.ledger.get(added.entry or 0).team
        held_back = hold_back(board.evaluations.team_state(team), team, now, split)
    if kept := held_back.get(added.entry or 0):
        return f"{words}, {kept}"
    values = ", ".join(f"{printable(key)} {format_number(mean)}" for key, mean in means.items())
    return f"{words}, {values}"


def _answers_of_words(words: list[str]) -> dict[str, str]:
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
    living: Living,
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
    at: At = None,
    format: Format = Form.text,
) -> Result:
    """Make and list teams; make, list and revoke tokens of teams and organizers. For organizers.

    A token is shown once. The log has the decisions of its holder with its label.
    """
    from scorer.board.teams import TeamTokens

    board, notes = living.open()
    if label is not None and verb not in (Verb.add, Verb.token):
        raise UsageError("--label belongs to add and token")
    if number is not None and verb is not Verb.revoke:
        raise UsageError("--token belongs to revoke")
    if verb is Verb.list and name is None and not organizer:
        return _teams(board, living, format, notes)
    if (name is None) != organizer or (verb is Verb.add and organizer):
        takes = "a team's name" if verb is Verb.add else "either a team's name or --organizer"
        raise UsageError(f"team {verb.value} takes {takes}")
    now = moment(at)
    match verb:
        case Verb.list:
            return _tokens(board, living, name, format, notes)
        case Verb.revoke:
            count = board.revoke(name, number, now=now)
            if format is Form.json:
                return Result(as_json(TeamTokens(team=name, revoked=count)), notes)
            return Result(f"{count} token{'s' * (count != 1)} revoked\n", notes)
        case Verb.add if name is not None:
            token = board.add_team(name, label, now=now)
        case _:
            token = board.new_token(name, label, now=now)
    if format is Form.json:
        return Result(as_json(TeamTokens(team=name, token=token)), notes)
    return Result(f"{token}\n", (*notes, "this token is shown once; hand it over safely"))


def _teams(board: Board, living: Living, format: Form, notes: tuple[str, ...]) -> Result:
    """All teams, each with the number of its entries."""
    from scorer.board.teams import ListedTeam, TeamTokens

    counts = board.ledger.listing().by_team()
    teams = [(called, t, counts.get(t.id, 0)) for called, t in board.teams.by_name().items()]
    if format is Form.json:
        lines = [ListedTeam(c, t.made, n) for c, t, n in teams]
        return Result(as_json(TeamTokens(teams=lines)), notes)
    rows = [[printable(c), zoned(t.made, board), str(n)] for c, t, n in teams]
    return Result(table(("team", "made", "entries"), rows, living.terminal), notes)


def _tokens(
    board: Board, living: Living, name: str | None, format: Form, notes: tuple[str, ...]
) -> Result:
    """The tokens of a team, or of the organizers, that are not revoked."""
    from scorer.board.teams import ListedToken, TeamTokens

    tokens = board.teams.tokens(name)
    if format is Form.json:
        lines = [ListedToken(t.id, t.label, t.made, t.used) for t in tokens]
        return Result(as_json(TeamTokens(team=name, tokens=lines)), notes)
    rows = [
        [
            str(t.id),
            printable(t.label or ""),
            zoned(t.made, board),
            zoned(t.used, board) if t.used else "",
        ]
        for t in tokens
    ]
    return Result(table(("token", "label", "made", "last seen"), rows, living.terminal), notes)


@on_board
def board(
    living: Living,
    split: Annotated[
        str | None,
        typer.Option(
            "--split",
            metavar="S",
            help="The split to score on; default: the one that the phase shows.",
        ),
    ] = None,
    phase: Phase = None,
    at: At = None,
    entry: Annotated[
        str | None,
        typer.Option("--entry", metavar="RULE", help=f"Another entry rule: {', '.join(RULES)}."),
    ] = None,
    format: Annotated[str | None, form_option("leaderboard")] = None,
    output: Annotated[
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
    ] = None,
    per_list: Annotated[
        bool, typer.Option("--per-list", help="The value of every list, too.")
    ] = False,
    precision: Precision = None,
    all_rows: AllRows = False,
    with_notes: BoardNotes = False,
    quiet: Quiet = False,
) -> Result:
    """Show the board. For organizers: any split may be asked for, but in a folder for visitors."""
    folders = [path for path in output or () if path.endswith(SLASHES) or os.path.isdir(path)]
    if folders:
        for_organizers = {
            "--phase": phase,
            "--entry": entry,
            "--format": format,
            "--per-list": per_list,
            "another -o": (output or ())[1:],
        }
        for option, value in for_organizers.items():
            if value:
                message = f"{option} does not go with -o {printable(folders[0])}, a folder"
                raise UsageError(f"{message} of what visitors may see now")
        opened, notes = living.open()
        files = _public_files(opened, Path(folders[0]), split, moment(at), precision)
        where = f"{printable(folders[0])}: {len(files):,} files, which visitors may see"
        return Result(notes=() if quiet else notes, files=files, written=(where,))
    places = [Path(path) for path in output or ()]
    forms = chosen_forms("leaderboard", format, places, "table")
    if entry is not None and entry not in RULES:
        raise UsageError(f"--entry takes one of {', '.join(RULES)}")
    rule: Any = entry
    opened, notes = living.open()
    refuse_overwrite(places, opened.challenge)
    ranking = opened.board(split=split, phase=phase, rule=rule, now=moment(at))
    options = living.terminal.options(
        places, precision, per_list=per_list, notes=with_notes, all_rows=all_rows, quiet=quiet
    )

    def text(form: ReportFormat) -> str:
        if form.name != "json":
            return form.write(ranking.with_absent_teams(), options)  # for organizers, who ask here
        report = ranking.with_entries()
        return as_json(report.with_lists() if per_list else report)

    lines = [] if quiet else [*notes, *map(str, ranking.report.notes)]
    if not (ranking.report.leaderboard or quiet):
        lines.append("note: no entry stands on this board yet; score add records entries")
    return forms.written(list(map(text, forms.forms)), lines)


def _public_files(
    board: Board, folder: Path, split: str | None, now: datetime | None, precision: int | None
) -> tuple[tuple[Path, bytes], ...]:
    """Return the files of a folder for visitors, which is made; `UsageError` if it cannot be."""
    from scorer.board.publish import public_files
    from scorer.reading.write import make_folder

    made = public_files(board, split=split, now=now, precision=precision)
    files = tuple((folder / name, data) for name, data in made.items())
    refuse_overwrite([path for path, _ in files], board.challenge)
    make_folder(folder)
    return files


@on_board
def why(
    living: Living,
    team: Annotated[
        str | None,
        typer.Argument(metavar="[TEAM]", help="The team's name; default with a URL: one's own."),
    ] = None,
    split: Annotated[str | None, typer.Option("--split", metavar="S", help="The split.")] = None,
    at: At = None,
    token_file: TokenFile = None,
    format: Format = Form.text,
) -> Result:
    """Explain a rank: the rules that applied, ties, what was not counted.

    Of a challenge on this machine, for organizers. Of a challenge's page, such as
    https://.../c/ID, a team sees its own rank, as far as the phase shows it.
    """
    notes: tuple[str, ...] = ()
    if url := page_address(living.challenge):
        if at is not None:
            raise UsageError("--at is for a challenge on this machine; a server tells the present")
        from scorer.board.client import open_client
        from scorer.board.explain import Why

        with open_client(url, read_token(token_file)) as client:
            explained = Why(**client.explain_rank(team, split))
    else:
        if team is None:
            raise UsageError("of which team? add its name")

        board, notes = living.open()
        explained = board.why(team, split=split, now=moment(at))
    if format is Form.json:
        return Result(as_json(explained), notes)
    lines = [
        printable(str(explained.team)),
        *(f"  {printable(str(line), 1000)}" for line in explained.lines),
    ]
    return Result("".join(f"{line}\n" for line in lines), notes)


def feedback(
    context: typer.Context,
    challenge: ChallengeWord,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="The folder where the texts go.")
    ],
    submissions: SentWords = None,
    split: Split = None,
    phase: Phase = None,
    at: At = None,
    store: StoreWord = None,
    files_at: FilesWord = None,
    precision: Precision = None,
    allow_plugins: Plugins = False,
    quiet: Quiet = False,
) -> Result:
    """Write a text for each submission, and with `grading` grades.csv: id, points, feedback.

    Of a living board these are the entries that count; a team without one gets a text with the
    reason. Where the phase hides the values, the texts do, too, unless --split names a split.
    --phase final writes them by the rules of that phase before it has begun.
    """
    from scorer.api.feedback import feedback as write_feedback
    from scorer.reading.write import make_folder

    terminal: Terminal = context.obj
    sent = BoardWords(submissions or (), store, files_at, split, phase=phase, at=at)
    found = report_of(challenge, sent, terminal, allow_plugins, quiet)
    texts = write_feedback(found.report, precision=precision, hide_values=found.blind)
    files = tuple((output / name, text) for name, text in texts.items())
    refuse_overwrite([path for path, _ in files], found.challenge, *found.read)
    make_folder(output)
    written = (f"{printable(output)}: {len(files):,} files",)
    return Result("", tuple(found.lines), found.exit_code, files, written)
