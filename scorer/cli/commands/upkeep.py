"""The commands that keep a board and prove it: decide, log, rescore, audit, seal, verify, store."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from scorer.board.audit import describe_audit
from scorer.board.backup import Copied, back_up, copy_entry_files, move
from scorer.board.board import Board
from scorer.board.decisions import RecordedDecision
from scorer.board.history import BoardLog, Event, new_events
from scorer.board.integrity import find_alterations
from scorer.board.seal import REVEALED, late_seal_notes
from scorer.board.verification import Verification
from scorer.board.verification import verify as verify_published
from scorer.cli import options
from scorer.cli.board import (
    BoardArguments,
    format_json,
    format_lines,
    format_table,
    format_time,
    isolate_evaluation,
    on_board,
    parse_time,
)
from scorer.cli.options import Form
from scorer.cli.process import write_at_once
from scorer.cli.result import Result, refuse_overwrite
from scorer.core.errors import UsageError
from scorer.core.text import format_distinct, printable, quoted
from scorer.results.json import ChallengeIdentity, to_plain

FOLLOW_PAUSE = 1.0  # seconds between two looks for new events
INCONSISTENT = 1  # the exit code where a store or a file was altered, or files of it are missing


@on_board
def log(
    arguments: BoardArguments,
    team: Annotated[
        str | None, typer.Option("--team", metavar="T", help="Only this team's.")
    ] = None,
    receipts: Annotated[
        bool, typer.Option("--receipts", help="The receipts instead, one a line, for score verify.")
    ] = False,
    reference: Annotated[
        str | None,
        typer.Option(
            "--reference", metavar="REF", help="Why the evaluation of that reference failed."
        ),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="TIME", help="Only what happens from this time on."),
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", help="Go on with what comes, a line for each event.")
    ] = False,
    format: Annotated[
        Form | None, typer.Option("--format", help="How it is written; default: by -o, else text.")
    ] = None,
    output: options.OneOutput = None,
) -> Result:
    """Show what happened. For organizers."""
    begin = parse_time(since)
    if follow and (receipts or reference is not None or output is not None):
        raise UsageError("--follow goes with --team, --since and --format; redirect its output")
    board, notes = arguments.open()
    if follow:
        for note in notes:
            print(note, file=sys.stderr, flush=True)
        _follow(board, team, begin, as_json=format is Form.json)
    refuse_overwrite([output] if output else None, board.challenge)

    def result(text: str) -> Result:
        return Result(text, notes, files=((output, text),) if output else ())

    if reference is not None:
        return result(board.evaluations.failure(reference))
    if receipts:
        return result(board.receipts())
    events = [event for event in board.log(team) if begin is None or event.time >= begin]
    if (format or _form_of_suffix(output)) is Form.json:
        whole = BoardLog(challenge=ChallengeIdentity.of(board.challenge), events=events)
        return result(format_json(whole))
    rows = [_event_cells(event, board) for event in events]
    heads = ("time", "kind", "entry", "team", "status", "by", "reason")
    terminal = arguments.terminal if output is None else arguments.terminal._replace(width=None)
    return result(format_table(heads, rows, terminal))


def _form_of_suffix(path: Path | None) -> Form:
    """Return the form that a file's suffix means; `UsageError` if the log has no such form."""
    suffix = "" if path is None else path.suffix.lower()
    if suffix in (".csv", ".html", ".htm", ".md", ".tex"):
        raise UsageError(f"{printable(path)}: this is written as text or JSON, not as {suffix}")
    return Form.json if suffix == ".json" else Form.text


def _event_cells(event: Event, board: Board) -> list[str]:
    """Return the cells of an event in the table of the log."""
    time = format_time(event.time, board)
    if event.given:  # by the organizer
        time += " (--at)"
    entry = "" if event.entry is None else str(event.entry)
    texts = (event.team, event.status, event.by, event.reason)
    return [time, event.kind, entry, *(printable(text or "") for text in texts)]


def _follow(board: Board, team: str | None, begin: datetime | None, *, as_json: bool) -> NoReturn:
    """Write a line for each event of the log, and go on with new ones until interrupted.

    Events before `begin` are left out, unless they get another status later.
    """
    seen: Counter[Event] = Counter()
    new_events((event for event in board.log(team) if begin and event.time < begin), seen)
    last_stamp: tuple[int, ...] | None = None
    while True:
        stamp = board.database.stamp()
        if stamp != last_stamp:  # else the database is as it was
            last_stamp = stamp
            for event in new_events(board.log(team), seen):
                write_at_once(_event_line(event, board, as_json) + "\n")
        time.sleep(FOLLOW_PAUSE)


def _event_line(event: Event, board: Board, as_json: bool) -> str:
    """Return an event as a line: of JSON, or its cells that are not empty."""
    if as_json:
        return json.dumps(to_plain(event), ensure_ascii=False)
    return "  ".join(filter(None, _event_cells(event, board)))


@on_board
def rescore(
    arguments: BoardArguments,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only report what would change, and whose rank.")
    ] = False,
    at: options.At = None,
    format: options.Format = Form.text,
    seconds: options.Seconds = 600,
    memory: options.Memory = 4096,
) -> Result:
    """Put a changed truth, rule or plugin into force; earlier evaluations stay. For organizers."""
    board, notes = arguments.open()
    notes += isolate_evaluation(board, seconds, memory)
    rescored = board.rescore(dry_run=dry_run, now=parse_time(at))
    if format is Form.json:
        return Result(format_json(rescored))
    would = "would change" if dry_run else "changed"
    lines = [f"values of {rescored.lists_changed:,} lists {would}\n"]
    for words, entries in (("count now", rescored.entered), ("count no longer", rescored.left)):
        if entries:
            lines.append(f"entries that {words}: {', '.join(map(str, entries))}\n")
    if rescored.moves:
        rows = []
        for change in rescored.moves:
            ranks, values = _format_change(*change.rank), _format_change(*change.value)
            rows.append([change.split, printable(change.team), ranks, values])
        lines.append(format_table(("split", "team", "rank", "value"), rows, arguments.terminal))
    return Result("".join(lines), () if rescored.applied else notes)


def _format_change(before: float | None, after: float | None) -> str:
    """Return `before -> after`, or one number if both are equal; `-` is no number."""
    if before is None or after is None:
        texts = ["-" if value is None else f"{value:.6g}" for value in (before, after)]
    else:
        texts = format_distinct(before, after)
    return texts[0] if before == after else " -> ".join(texts)


@on_board
def audit(
    arguments: BoardArguments,
    at: options.At = None,
    format: options.Format = Form.text,
    seconds: options.Seconds = 600,
    memory: options.Memory = 4096,
) -> Result:
    """List what an organizer should look at: copies and probing. No proof.

    First the whole store is held against its receipts, files and scorecards; where it was
    altered, that alone is listed, and the exit code is 1.
    """
    board, notes = arguments.open()
    notes += isolate_evaluation(board, seconds, memory)
    report = board.audit(now=parse_time(at))
    code = INCONSISTENT if report.altered else 0
    if format is Form.json:
        return Result(format_json(report), notes, exit_code=code)
    text = format_lines(describe_audit(to_plain(report)))
    return Result(text, notes, exit_code=code)


@on_board
def seal(arguments: BoardArguments, at: options.At = None) -> Result:
    """Write challenge.seal, which is to be published, and print the commitment."""
    board, notes = arguments.open()
    commitment = board.seal(now=parse_time(at))
    notes += late_seal_notes(board.challenge, board.database)
    return Result(f"{commitment}\n", (*notes, "publish challenge.seal; keep .scorer/seal.salt"))


@on_board
def reveal(
    arguments: BoardArguments,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="A new folder, to be published.")
    ],
    altered: Annotated[
        bool,
        typer.Option("--altered", help="Also where the store was altered; the folder says what."),
    ] = False,
    now: Annotated[
        bool,
        typer.Option("--now", help="Also while entries are taken: the truth becomes public."),
    ] = False,
    at: options.At = None,
) -> Result:
    """Publish the sealed files, the truth among them, the salt, and all receipts.

    First the whole store is held against its receipts, files and scorecards.
    """
    board, notes = arguments.open()
    board.reveal(output, altered=altered, early=now, now=parse_time(at))
    notes += late_seal_notes(board.challenge, board.database)
    return Result(f"{printable(output)}: holds the truth; score verify checks it\n", notes)


def verify(
    context: typer.Context,
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="receipts.jsonl, a revealed folder, or a challenge, whose store is verified.",
        ),
    ],
    format: options.Format = Form.text,
    store: options.Store = None,
    files_at: options.Files = None,
    allow_plugins: options.AllowPlugins = False,
) -> Result:
    """Find entries that were removed, altered, reordered or added, and a changed truth.

    A receipt alone in its file, and an earlier copy of a chain, are looked up in the longest chain
    that is given. Times that go back, or that the organizer gave, are listed; they are no fault.

    Of a challenge (its folder or file) the store is verified, which takes the truth: every row
    against its receipt, every kept file against its digest, splits and fingerprints against the
    files of each version, means against scorecards.
    """
    challenges = [path for path in paths if _is_challenge(path)]
    checked, problems, notes = verify_published([path for path in paths if path not in challenges])
    for path in challenges:
        board, _ = BoardArguments(path, context.obj, store, files_at, allow_plugins).open()
        checked += len(board.receipts().splitlines())
        found = find_alterations(board.evaluations)
        problems += [f"{printable(path)}: {fault}" for fault in found]
    code = INCONSISTENT if problems else 0
    if format is Form.json:
        record = Verification(ok=not problems, checked=checked, problems=problems, notes=notes)
        return Result(format_json(record), exit_code=code)
    lines = [*notes, *(problems or [f"{checked:,} checked; everything is consistent"])]
    return Result(format_lines(lines), exit_code=code)


def _is_challenge(path: Path) -> bool:
    """Whether a path is a challenge, and no folder that score reveal made of one."""
    if path.is_dir():
        return (path / "challenge.yaml").is_file() and not (path / REVEALED).is_file()
    return path.suffix in (".yaml", ".yml")


class Upkeep(StrEnum):
    """What can be done with a store."""

    backup = "backup"
    move = "move"
    files = "files"


USAGE = {
    Upkeep.backup: "backup CHALLENGE DIR",
    Upkeep.move: "move CHALLENGE URL",
    Upkeep.files: "files CHALLENGE --entries 3,9 -o DIR",
}


def store(
    context: typer.Context,
    verb: Annotated[Upkeep, typer.Argument(metavar="VERB", help=f"One of {', '.join(Upkeep)}.")],
    challenge: Annotated[Path, typer.Argument(metavar="CHALLENGE", help="The challenge.")],
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="DIR-or-URL", help="The backup's new folder; the database to move to."
        ),
    ] = None,
    entries: Annotated[
        str | None,
        typer.Option("--entries", metavar="N,M", help="Of files: the numbers of the entries."),
    ] = None,
    output: options.OneOutput = None,
    store: options.Store = None,
    files: options.Files = None,
    allow_plugins: options.AllowPlugins = False,
) -> Result:
    """Keep a store, or take files out of it. For organizers.

    backup writes a new folder with all that a board needs, the truth and its keys among them, while
    it goes on; a copy of that folder is the board again. move copies the board to another database,
    SQLite or PostgreSQL; end servers and workers before. files copies what entries 3 and 9 sent to
    a new or empty folder, for score compare, explain or study.
    """
    words = {"target": target, "entries": entries, "-o": output}
    given = {name for name, value in words.items() if value is not None}
    if given != ({"entries", "-o"} if verb is Upkeep.files else {"target"}):
        raise UsageError(f"write: score store {USAGE[verb]}")
    numbers = _parse_entry_numbers(entries) if entries is not None else []
    board, notes = BoardArguments(challenge, context.obj, store, files, allow_plugins).open()
    if output is not None:
        count = copy_entry_files(board, numbers, output)
        return Result(f"{_count_files(count)} copied to {printable(output)}\n", notes)
    if verb is Upkeep.backup:
        copied = back_up(board, Path(str(target)))
        notes = (*notes, "it holds the truth and the store's keys: keep it as safe as these")
    else:
        copied = move(board, str(target))
        message = "name it from now on by --store or SCORER_STORE; the old store is unchanged"
        notes = (*notes, message)
    code = INCONSISTENT if copied.missing else 0
    return Result(_describe_copy(verb, str(target), copied), notes, code)


def _parse_entry_numbers(text: str) -> list[int]:
    """Return the numbers in a text such as `3,9`; `UsageError` if one is no number."""
    try:
        return [int(word) for word in text.split(",")]
    except ValueError:
        raise UsageError(f"--entries {quoted(text)}: write numbers, such as 3,9") from None


def _count_files(count: int) -> str:
    """Return `1 file`, or a number of files."""
    return f"{count:,} file{'s' * (count != 1)}"


def _describe_copy(verb: Upkeep, other: str, copied: Copied) -> str:
    """Return how much went to another folder or database, and which files were lost."""
    done = "backed up to" if verb is Upkeep.backup else "moved to"
    name = other.rpartition("@")[2] if "://" in other else other  # without the password of a URL
    entries = f"{copied.entries:,} {'entry' if copied.entries == 1 else 'entries'}"
    files = f" and {_count_files(copied.files)}" if copied.files else ""
    lost = "".join(f"file {sha256} is not kept any more\n" for sha256 in copied.missing)
    return f"{entries}{files} {done} {printable(name)}\n{lost}"


class Act(StrEnum):
    """What can be decided."""

    disqualify = "disqualify"
    restore = "restore"
    select = "select"
    unselect = "unselect"
    withdraw = "withdraw"
    rename = "rename"


@on_board
def decide(
    arguments: BoardArguments,
    act: Annotated[Act, typer.Argument(metavar="ACT", help=f"One of {', '.join(Act)}.")],
    subject: Annotated[
        str, typer.Argument(metavar="ENTRY-or-TEAM", help="An entry's number or a team's name.")
    ],
    reason: Annotated[
        str, typer.Option("--reason", metavar="TEXT", help="The reason, which is recorded.")
    ],
    name: Annotated[
        str | None, typer.Option("--name", metavar="NEW", help="The new name, of a rename.")
    ] = None,
    late: Annotated[
        bool,
        typer.Option(
            "--late", help="Decide for a team after the time for it; log, board and why say so."
        ),
    ] = False,
    by: Annotated[str | None, typer.Option("--by", metavar="NAME", help="Who decides.")] = None,
    at: options.At = None,
    format: options.Format = Form.text,
) -> Result:
    """Record a decision. Nothing is deleted; another decision undoes one. For organizers.

    Exit code 3 says that the time is over in which teams select, unselect and withdraw entries.
    """
    board, notes = arguments.open()
    now = parse_time(at)
    decision = board.decide(act.value, subject, reason, by=by, name=name, now=now, late=late)
    if format is Form.json:
        return Result(format_json(RecordedDecision.of(decision, subject)), notes)
    act_words = f"{decision.act}, late," if decision.late else decision.act
    text = f"{act_words} {printable(subject)}: {printable(reason, 500)}"
    return Result(f"{format_time(decision.time, board)}: {text}\n", notes)
