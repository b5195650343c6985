"""`score rescore CHALLENGE`: evaluate all entries under the files as they are now."""

from __future__ import annotations

from typing import Annotated

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
    table,
)
from scorer.cli.options import ChallengeWord, Plugins, Result, Terminal
from scorer.core.text import printable


def rescore(
    context: typer.Context,
    challenge: ChallengeWord,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only report what would change, and whose rank.")
    ] = False,
    at: At = None,
    format: Format = Form.text,
    seconds: Seconds = 600,
    memory: Memory = 4096,
    store: StoreWord = None,
    files_at: FilesWord = None,
    allow_plugins: Plugins = False,
) -> Result:
    """Put a changed truth, rule or plugin into force; earlier evaluations stay. For organizers."""
    terminal: Terminal = context.obj
    board, notes = board_of(challenge, terminal, store, files_at, allow_plugins)
    notes += confined(board, seconds, memory)
    rescored = board.rescore(dry_run=dry_run, now=moment(at))
    if format is Form.json:
        from scorer.board.fields.rescoring import fields
        from scorer.reports.codec import to_fields

        return Result(as_json(to_fields(fields(rescored, board.challenge))))
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
        lines.append(table(("split", "team", "rank", "value"), rows, terminal))
    return Result("".join(lines), () if rescored.applied else notes)


def _change(before: float | None, after: float | None) -> str:
    texts = ["-" if value is None else f"{value:.6g}" for value in (before, after)]
    return texts[0] if before == after else " -> ".join(texts)
