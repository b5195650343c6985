"""`score board CHALLENGE`: the living leaderboard, in every form of a report, or as a website."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scorer.cli.board import At, Living, Phase, as_json, moment, on_board
from scorer.cli.options import (
    AllRows,
    BoardNotes,
    Precision,
    Quiet,
    Result,
    chosen_forms,
    form_option,
    refuse_overwrite,
)
from scorer.core.errors import UsageError
from scorer.core.text import printable
from scorer.reports.base import ReportForm

if TYPE_CHECKING:
    from scorer.board.board import Board

RULES = ("best", "last", "selected", "all")


@on_board
def board(
    living: Living,
    split: Annotated[
        str | None,
        typer.Option(
            "--split",
            metavar="S",
            help="The split to score on; default: the one that the phase shows.",
        ),
    ] = None,
    phase: Phase = None,
    at: At = None,
    entry: Annotated[
        str | None,
        typer.Option("--entry", metavar="RULE", help=f"Another entry rule: {', '.join(RULES)}."),
    ] = None,
    format: Annotated[str | None, form_option("leaderboard")] = None,
    output: Annotated[
        list[str] | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE|DIR/",
            help="Write there instead of to stdout, in the form of the file's suffix (.html, "
            ".json, .csv, .md, .tex, ...); repeatable. A folder, with a slash at its end if it is "
            "new, gets what visitors may see, for any web host: index.html, board.csv, "
            "board.json, kit.zip and receipts.jsonl.",
        ),
    ] = None,
    per_list: Annotated[
        bool, typer.Option("--per-list", help="The value of every list, too.")
    ] = False,
    precision: Precision = None,
    all_rows: AllRows = False,
    with_notes: BoardNotes = False,
    quiet: Quiet = False,
) -> Result:
    """Show the board. For organizers: any split may be asked for, but in a folder for visitors."""
    folders = [path for path in output or () if path.endswith(SLASHES) or os.path.isdir(path)]
    if folders:
        for_organizers = {
            "--phase": phase,
            "--entry": entry,
            "--format": format,
            "--per-list": per_list,
            "another -o": (output or ())[1:],
        }
        for option, value in for_organizers.items():
            if value:
                message = f"{option} does not go with -o {printable(folders[0])}, a folder"
                raise UsageError(f"{message} of what visitors may see now")
        opened, notes = living.open()
        files = _public_files(opened, Path(folders[0]), split, moment(at), precision)
        where = f"{printable(folders[0])}: {len(files):,} files, which visitors may see"
        return Result(notes=() if quiet else notes, files=files, written=(where,))
    places = [Path(path) for path in output or ()]
    forms = chosen_forms("leaderboard", format, places, "table")
    if entry is not None and entry not in RULES:
        raise UsageError(f"--entry takes one of {', '.join(RULES)}")
    rule: Any = entry
    opened, notes = living.open()
    refuse_overwrite(places, opened.challenge)
    live = opened.board(split=split, phase=phase, rule=rule, now=moment(at))
    options = living.terminal.options(
        places, precision, per_list=per_list, notes=with_notes, all_rows=all_rows, quiet=quiet
    )

    def text(form: ReportForm) -> str:
        if form.name != "json":
            return form.write(live.with_absent_teams(), options)  # for organizers, who ask here
        report = live.with_entries()
        return as_json(report.with_lists() if per_list else report)

    lines = () if quiet else (*notes, *map(str, live.report.notes))
    return forms.written(list(map(text, forms.forms)), lines)


# What a folder's name may end with on the command line.
SLASHES = tuple(sign for sign in (os.sep, os.altsep) if sign)


def _public_files(
    board: Board, folder: Path, split: str | None, now: datetime | None, precision: int | None
) -> tuple[tuple[Path, bytes], ...]:
    """Return the files of a folder for visitors, which is made; `UsageError` if it cannot be."""
    from scorer.board.publish import public_files
    from scorer.reading.write import make_folder

    made = public_files(board, split=split, now=now, precision=precision)
    files = tuple((folder / name, data) for name, data in made.items())
    refuse_overwrite([path for path, _ in files], board.challenge)
    make_folder(folder)
    return files
