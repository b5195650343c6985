"""`score why CHALLENGE TEAM`: why a team stands where it stands."""

from __future__ import annotations

from typing import Annotated

import typer

from scorer.cli.board import At, FilesWord, Form, Format, StoreWord, as_json, board_of, moment
from scorer.cli.options import ChallengeWord, Plugins, Result, Terminal
from scorer.core.text import printable


def why(
    context: typer.Context,
    challenge: ChallengeWord,
    team: Annotated[str, typer.Argument(metavar="TEAM", help="The team's name.")],
    split: Annotated[str | None, typer.Option("--split", metavar="S", help="The split.")] = None,
    at: At = None,
    format: Format = Form.text,
    store: StoreWord = None,
    files_at: FilesWord = None,
    allow_plugins: Plugins = False,
) -> Result:
    """Explain a rank: the rules that applied, ties, what was not counted. For organizers."""
    terminal: Terminal = context.obj
    board, notes = board_of(challenge, terminal, store, files_at, allow_plugins)
    explanation = board.why(team, split=split, now=moment(at))
    if format is Form.json:
        return Result(as_json(explanation._asdict()), notes)
    lines = [
        printable(explanation.team),
        *(f"  {printable(line, 1000)}" for line in explanation.lines),
    ]
    return Result("".join(f"{line}\n" for line in lines), notes)
