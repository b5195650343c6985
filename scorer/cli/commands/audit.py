"""`score audit CHALLENGE`: copies, near-copies and probing; for organizers."""

from __future__ import annotations

from scorer.cli.board import (
    At,
    Form,
    Format,
    Living,
    Memory,
    Seconds,
    as_json,
    confined,
    moment,
    on_board,
)
from scorer.cli.options import Result

ALTERED = 1  # the exit code


@on_board
def audit(
    living: Living,
    at: At = None,
    format: Format = Form.text,
    seconds: Seconds = 600,
    memory: Memory = 4096,
) -> Result:
    """List what an organizer should look at: copies and probing. No proof.

    First the whole store is held against its receipts, files and scorecards; where it was
    altered, that alone is listed, and the exit code is 1.
    """
    from scorer.board.audit import describe_audit
    from scorer.results.json import to_plain

    board, notes = living.open()
    notes += confined(board, seconds, memory)
    report = board.audit(now=moment(at))
    code = ALTERED if report.altered else 0
    if format is Form.json:
        return Result(as_json(report), notes, exit_code=code)
    text = "".join(f"{line}\n" for line in describe_audit(to_plain(report)))
    return Result(text, notes, exit_code=code)
