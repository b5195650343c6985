"""`score audit CHALLENGE`: copies, near-copies, probing and the shake-up; for organizers."""

from __future__ import annotations

import typer

from scorer.cli.board import (
    At,
    FilesWord,
    Form,
    Format,
    Memory,
    Seconds,
    StoreWord,
    as_json,
    board_of,
    confined,
    moment,
)
from scorer.cli.options import ChallengeWord, Plugins, Result, Terminal

ALTERED = 1  # the exit code


def audit(
    context: typer.Context,
    challenge: ChallengeWord,
    at: At = None,
    format: Format = Form.text,
    seconds: Seconds = 600,
    memory: Memory = 4096,
    store: StoreWord = None,
    files_at: FilesWord = None,
    allow_plugins: Plugins = False,
) -> Result:
    """List what an organizer should look at: copies, probing, large moves in rank. No proof.

    First the whole store is held against its receipts, files and scorecards; where it was
    altered, that alone is listed, and the exit code is 1.
    """
    from scorer.board.fields.audit import fields as record
    from scorer.board.fields.audit import sentences
    from scorer.reports.codec import to_fields

    terminal: Terminal = context.obj
    board, notes = board_of(challenge, terminal, store, files_at, allow_plugins)
    notes += confined(board, seconds, memory)
    report = board.audit(now=moment(at))
    code = ALTERED if report.altered else 0
    fields = to_fields(record(report, board.challenge))
    if format is Form.json:
        return Result(as_json(fields), notes, exit_code=code)
    text = "".join(f"{line}\n" for line in sentences(fields))
    return Result(text, notes, exit_code=code)
