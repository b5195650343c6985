"""`score audit CHALLENGE`: copies, near-copies, probing and the shake-up; for organizers."""

from __future__ import annotations

import typer

from scorer.cli.board import At, FilesWord, Form, Format, StoreWord, as_json, board_of, moment
from scorer.cli.options import ChallengeWord, Plugins, Result, Terminal
from scorer.core.text import printable

ALTERED = 1  # the exit code


def audit(
    context: typer.Context,
    challenge: ChallengeWord,
    at: At = None,
    format: Format = Form.text,
    store: StoreWord = None,
    files_at: FilesWord = None,
    allow_plugins: Plugins = False,
) -> Result:
    """List what an organizer should look at: copies, probing, large moves in rank. No proof.

    First the whole store is held against its receipts, files and scorecards; where it was
    altered, that alone is listed, and the exit code is 1.
    """
    terminal: Terminal = context.obj
    board, notes = board_of(challenge, terminal, store, files_at, allow_plugins)
    report = board.audit(now=moment(at))
    code = ALTERED if report.altered else 0
    if format is Form.json:
        fields = {
            "altered": report.altered,
            "duplicates": report.duplicates,
            "near_duplicates": [pair._asdict() for pair in report.near_duplicates],
            "probing": [series._asdict() for series in report.probing],
            "shake_up": {
                shake.team: {"ranks": shake.ranks, "expected": shake.expected}
                for shake in report.shake_up
            },
        }
        return Result(as_json(fields), notes, exit_code=code)
    lines = [f"altered: {fault}" for fault in report.altered]
    for group in report.duplicates:
        lines.append(f"entries {', '.join(map(str, group))} have the same content")
    for pair in report.near_duplicates:
        one, other = pair.entries
        lines.append(f"entries {one} and {other} are nearly the same (overlap {pair.overlap:.3f})")
    for series in report.probing:
        numbers = ", ".join(map(str, series.entries))
        lines.append(f"{printable(series.team)} changes few lists at a time: entries {numbers}")
    for shake in report.shake_up:
        (before, after), (low, high) = shake.ranks, shake.expected
        if not low <= after <= high:
            expected = f"expected from sampling alone: {low} to {high}"
            lines.append(f"{printable(shake.team)}: rank {before} becomes {after} ({expected})")
    text = "".join(f"{line}\n" for line in lines or ["nothing suspicious"])
    return Result(text, notes, exit_code=code)
