"""`score add CHALLENGE FILE... --team T`: check files, record them as entries, evaluate them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from scorer.cli.options import ChallengeWord, Plugins, Quiet, Result, Terminal, problems
from scorer.cli.store import At, FilesWord, Form, Format, StoreWord, as_json, board_of, iso, moment
from scorer.core.errors import UsageError
from scorer.core.text import printable, quoted

if TYPE_CHECKING:
    from scorer.api.board import Added, Board

REJECTED, REFUSED, FAILED = 1, 3, 4


def add(
    context: typer.Context,
    challenge: ChallengeWord,
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Files, or NAME=PATH, or -.")
    ],
    team: Annotated[
        str, typer.Option("--team", metavar="T", help="The team that the entries belong to.")
    ],
    at: At = None,
    answer: Annotated[
        list[str] | None,
        typer.Option(
            "--answer", metavar="KEY=VALUE", help="An answer; may be given several times."
        ),
    ] = None,
    baseline: Annotated[
        bool,
        typer.Option(
            "--baseline", help="Record as a baseline: outside the ranks, without quota or phases."
        ),
    ] = False,
    store: StoreWord = None,
    files_at: FilesWord = None,
    format: Format = Form.text,
    allow_plugins: Plugins = False,
    quiet: Quiet = False,
) -> Result:
    """Record entries. A number is given out only when file and row are on disk.

    For organizers: it needs the truth. Exit code 3 says that a rule refused an entry: the
    challenge is closed, the quota used up, the file sent before.
    """
    from scorer.cli.options import submissions_of

    edge: Terminal = context.obj
    board, notes = board_of(challenge, edge, store, files_at, allow_plugins)
    named = submissions_of(files, edge, board.challenge)
    added = board.add(
        named, team, now=moment(at), answers=_answers(answer or []), baseline=baseline
    )
    shown = {each.path: file for file, each in zip(files, named, strict=True)}
    codes = {"rejected": REJECTED, "refused": REFUSED, "failed": FAILED}
    code = max((codes.get(each.status, 0) for each in added), default=0)
    if format is Form.json:
        return Result(as_json({"entries": [_fields(each) for each in added]}), notes, code)
    lines, told = [], list(notes)
    for each, file in zip(added, shown.values(), strict=True):
        told += problems(each.findings, quiet)
        lines.append(f"{printable(file)}: {_summary(each, board, at)}")
        if each.receipt is not None:
            lines.append(f"  receipt {each.receipt}")
    return Result("".join(f"{line}\n" for line in lines), tuple(told), code)


def _summary(added: Added, board: Board, at: str | None) -> str:
    """What became of a file, with the values that the board shows."""
    if added.status in ("refused", "failed"):
        return f"{added.status}: error[{added.code}] {added.message}"
    words = f"entry {added.entry} of {printable(added.team)}: {added.status}"
    shown = board.shown(moment(at))
    split = "all" if shown == "own" else shown
    means = added.values.get(split, {})
    values = ", ".join(f"{printable(key)} {mean:.4f}" for key, mean in means.items())
    return f"{words}, {values}" if values else words


def _answers(words: list[str]) -> dict[str, str]:
    found = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise UsageError(f"--answer {quoted(word)}: write KEY=VALUE")
        found[key] = value
    return found


def _fields(added: Added) -> dict[str, Any]:
    from scorer.reports.syntax.json import known, problem

    return {
        "entry": added.entry,
        "team": added.team,
        "received": iso(added.received),
        "sha256": added.sha256,
        "status": added.status,
        "code": added.code,
        "message": added.message,
        "problems": [problem(each) for each in added.findings],
        "receipt": added.receipt,
        "values": {
            split: {key: known(mean) for key, mean in means.items()}
            for split, means in added.values.items()
        }
        or None,
    }
