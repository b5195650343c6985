"""`score rescore CHALLENGE`: evaluate all entries under the files as they are now."""

from __future__ import annotations

from typing import Annotated

import typer

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
    table,
)
from scorer.cli.options import Result
from scorer.core.text import format_distinct, printable


@on_board
def rescore(
    living: Living,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only report what would change, and whose rank.")
    ] = False,
    at: At = None,
    format: Format = Form.text,
    seconds: Seconds = 600,
    memory: Memory = 4096,
) -> Result:
    """Put a changed truth, rule or plugin into force; earlier evaluations stay. For organizers."""
    board, notes = living.open()
    notes += confined(board, seconds, memory)
    rescored = board.rescore(dry_run=dry_run, now=moment(at))
    if format is Form.json:
        return Result(as_json(rescored))
    would = "would change" if dry_run else "changed"
    lines = [f"values of {rescored.lists_changed:,} lists {would}\n"]
    if rescored.entered or rescored.left:
        for word, numbers in (("count now", rescored.entered), ("count no longer", rescored.left)):
            if numbers:
                lines.append(f"entries that {word}: {', '.join(map(str, numbers))}\n")
    if rescored.moves:
        rows = [
            [
                move.split,
                printable(move.team),
                *(_change(*pair) for pair in (move.rank, move.value)),
            ]
            for move in rescored.moves
        ]
        lines.append(table(("split", "team", "rank", "value"), rows, living.terminal))
    return Result("".join(lines), () if rescored.applied else notes)


def _change(before: float | None, after: float | None) -> str:
    if before is None or after is None:
        texts = ["-" if value is None else f"{value:.6g}" for value in (before, after)]
    else:
        texts = format_distinct(before, after)
    return texts[0] if before == after else " -> ".join(texts)
