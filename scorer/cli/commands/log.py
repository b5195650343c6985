"""`score log CHALLENGE`: entries, decisions, versions and teams in the order of time."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from scorer.cli.board import Form, Living, as_json, form_by_suffix, moment, on_board, table, zoned
from scorer.cli.options import OneOutput, Result, refuse_overwrite
from scorer.cli.process import write_at_once
from scorer.core.errors import UsageError
from scorer.core.text import printable

if TYPE_CHECKING:
    from scorer.board.board import Board
    from scorer.board.log import Event

PAUSE = 1.0  # seconds between looks for something new
Since = Annotated[
    str | None,
    typer.Option("--since", metavar="TIME", help="Only what happens from this time on."),
]


@on_board
def log(
    living: Living,
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
    since: Since = None,
    follow: Annotated[
        bool, typer.Option("--follow", help="Go on with what comes, a line for each event.")
    ] = False,
    format: Annotated[
        Form | None, typer.Option("--format", help="How it is written; default: by -o, else text.")
    ] = None,
    output: OneOutput = None,
) -> Result:
    """Show what happened. For organizers."""
    begin = moment(since)
    if follow and (receipts or reference is not None or output is not None):
        raise UsageError("--follow goes with --team, --since and --format; redirect its output")
    board, notes = living.open()
    if follow:
        print(*notes, sep="\n", end="\n" * bool(notes), file=sys.stderr, flush=True)
        _follow(board, team, begin, as_json=format is Form.json)
    refuse_overwrite([output] if output else None, board.challenge)

    def result(text: str) -> Result:
        return Result(text, notes, files=((output, text),) if output else ())

    if reference is not None:
        return result(board.evaluations.failure(reference))
    if receipts:
        return result(board.receipts())
    events = [event for event in board.log(team) if begin is None or event.time >= begin]
    if (format or form_by_suffix(output)) is Form.json:
        from scorer.board.log import BoardLog
        from scorer.results.json import ChallengeIdentity

        whole = BoardLog(challenge=ChallengeIdentity.of(board.challenge), events=events)
        return result(as_json(whole))
    rows = [_event_cells(event, board) for event in events]
    heads = ("time", "kind", "entry", "team", "status", "by", "reason")
    terminal = living.terminal if output is None else living.terminal._replace(width=None)
    return result(table(heads, rows, terminal))


def _event_cells(event: Event, board: Board) -> list[str]:
    """An event as a row of a table."""
    entry = "" if event.entry is None else str(event.entry)
    words = (event.team, event.status, event.by, event.reason)
    when = zoned(event.time, board) + " (--at)" * event.given
    return [when, event.kind, entry, *(printable(text or "") for text in words)]


def _follow(board: Board, team: str | None, begin: datetime | None, *, as_json: bool) -> NoReturn:
    """Write what happened and goes on to happen, until interrupted.

    What had happened by `begin` is left out, unless it has another status later.
    """
    from scorer.board.log import fresh
    from scorer.results.json import to_plain

    seen: Counter[Event] = Counter()
    fresh((each for each in board.log(team) if begin and each.time < begin), seen)
    stamp: tuple[int, ...] | None = None
    while True:
        stamp, before = board.database.stamp(), stamp
        for event in fresh(board.log(team), seen) if stamp != before else ():
            fields = json.dumps(to_plain(event), ensure_ascii=False)
            text = fields if as_json else "  ".join(filter(None, _event_cells(event, board)))
            write_at_once(text + "\n")
        time.sleep(PAUSE)
