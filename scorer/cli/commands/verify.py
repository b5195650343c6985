"""`score verify FILE...`: receipts, a revealed folder, a store: does all of it fit together?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scorer.cli.board import FilesWord, Form, Format, StoreWord, as_json, board_of
from scorer.cli.options import Plugins, Result
from scorer.core.text import printable


def verify(
    context: typer.Context,
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="receipts.jsonl, a revealed folder, or a challenge, whose store is verified.",
        ),
    ],
    format: Format = Form.text,
    store: StoreWord = None,
    files_at: FilesWord = None,
    allow_plugins: Plugins = False,
) -> Result:
    """Find entries that were removed, altered, reordered or added, and a changed truth.

    A receipt alone in its file, and an earlier copy of a chain, are looked up in the longest chain
    that is given. Times that go back, or that the organizer gave, are listed; they are no fault.

    Of a challenge (its folder or file) the store is verified, which takes the truth: every row
    against its receipt, every kept file against its digest, splits and fingerprints against the
    files of each version, means against scorecards.
    """
    from scorer.board.integrity import find_alterations
    from scorer.board.verification import verify as run

    challenges = [path for path in paths if _is_challenge(path)]
    checked, problems, notes = run([path for path in paths if path not in challenges])
    for path in challenges:
        board, _ = board_of(path, context.obj, store, files_at, allow_plugins)
        checked += len(board.receipts().splitlines())
        found = find_alterations(board.evaluations)
        problems += [f"{printable(path)}: {fault}" for fault in found]
    code = 1 if problems else 0
    if format is Form.json:
        from scorer.board.verification import Verification

        record = Verification(ok=not problems, checked=checked, problems=problems, notes=notes)
        return Result(as_json(record), exit_code=code)
    lines = [*notes, *(problems or [f"{checked:,} checked; everything is consistent"])]
    return Result("".join(f"{line}\n" for line in lines), exit_code=code)


def _is_challenge(path: Path) -> bool:
    """Whether a path is a challenge, and no folder that score reveal made of one."""
    from scorer.board.seal import REVEALED

    if path.is_dir():
        return (path / "challenge.yaml").is_file() and not (path / REVEALED).is_file()
    return path.suffix in (".yaml", ".yml")
