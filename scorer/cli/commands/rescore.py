"""`score rescore CHALLENGE`: evaluate all entries under the files as they are now."""

from __future__ import annotations

from typing import Annotated

import typer

from scorer.cli.options import ChallengeWord, Plugins, Result, Terminal
from scorer.cli.store import (
    At,
    FilesWord,
    Form,
    Format,
    StoreWord,
    as_json,
    board_of,
    moment,
    table,
)
from scorer.core.text import printable


def rescore(
    context: typer.Context,
    challenge: ChallengeWord,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only report what would change, and whose rank.")
    ] = False,
    at: At = None,
    format: Format = Form.text,
    store: StoreWord = None,
    files_at: FilesWord = None,
    allow_plugins: Plugins = False,
) -> Result:
    """Put a changed truth, rule or plugin into force; earlier evaluations stay. For organizers."""
    edge: Terminal = context.obj
    board, notes = board_of(challenge, edge, store, files_at, allow_plugins)
    found = board.rescore(dry_run=dry_run, now=moment(at))
    if format is Form.json:
        fields = found._asdict() | {"moves": [each._asdict() for each in found.moves]}
        return Result(as_json(fields))
    would = "would change" if dry_run else "changed"
    lines = [f"values of {found.lists_changed:,} lists {would}\n"]
    if found.entered or found.left:
        for word, numbers in (("count now", found.entered), ("count no longer", found.left)):
            if numbers:
                lines.append(f"entries that {word}: {', '.join(map(str, numbers))}\n")
    if found.moves:
        rows = [
            [
                each.split,
                printable(each.team),
                *(_change(*pair) for pair in (each.rank, each.value)),
            ]
            for each in found.moves
        ]
        lines.append(table(("split", "team", "rank", "value"), rows, edge))
    return Result("".join(lines), () if found.applied else notes)


def _change(before: float | None, after: float | None) -> str:
    shown = ["-" if each is None else f"{each:.6g}" for each in (before, after)]
    return shown[0] if before == after else " -> ".join(shown)
