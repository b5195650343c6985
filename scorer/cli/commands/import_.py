"""`score import PLATFORM BUNDLE DIR`: another platform's bundle as a challenge, with entries."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scorer.cli.options import Plugins, Result
from scorer.core.text import printable


def import_(
    platform: Annotated[
        str, typer.Argument(metavar="PLATFORM", help="codabench, codalab, evalai or kaggle.")
    ],
    bundle: Annotated[
        Path, typer.Argument(metavar="BUNDLE", help="The organizer's bundle, a zip or a folder.")
    ],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder that is made.")],
    entries: Annotated[
        tuple[Path, Path] | None,
        typer.Option(
            "--entries",
            metavar="ZIP CSV",
            help="Files that were sent, and a table of them with the columns file, team and time: "
            "they are recorded in a store at their times.",
        ),
    ] = None,
    allow_plugins: Plugins = False,
) -> Result:
    """Make a challenge of a bundle: title, phases, quotas, questions, columns, answers.

    A scoring program cannot be translated: columns that are called as a measure here are measured,
    of the others it says so. Everything that is not translated is kept in DIR/imported.
    """
    from scorer.bridges.translate import translated
    from scorer.bytes.write import folder as make_folder

    sent = None
    if entries is not None:
        from scorer.bridges.entries import sent_entries

        sent = sent_entries(*entries)
    made = translated(platform, bundle)
    make_folder(folder, made.files)
    lines = [
        f"made {printable(folder)}: {len(made.files):,} files",
        *map(printable_note, made.notes),
    ]
    if sent is not None:
        from scorer.board.board import Board
        from scorer.bridges.entries import recorded
        from scorer.challenge.load import load

        with Board.open(load(folder), None, None, allow_plugins=allow_plugins) as board:
            lines += recorded(board, sent)
    lines.append(
        f"next: read {printable(folder)}/challenge.yaml, then score lint {printable(folder)}"
    )
    return Result("".join(f"{line}\n" for line in lines))


def printable_note(text: str) -> str:
    """A note of the import as a line of its own."""
    return f"- {printable(text, 1000)}"
