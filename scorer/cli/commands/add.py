"""`score add CHALLENGE FILE... --team T`: check files, record them as entries, evaluate them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from scorer.cli.board import At, Form, Format, Living, as_json, moment, on_board
from scorer.cli.options import Quiet, Result, problems
from scorer.core.errors import UsageError
from scorer.core.text import format_number, printable, quoted

if TYPE_CHECKING:
    from scorer.board.board import Board
    from scorer.board.entries import Added

REJECTED, REFUSED, FAILED = 1, 3, 4
SHORT = 16  # digits of a receipt that are said; JSON and `score log --receipts` have all


@on_board
def add(
    living: Living,
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Files, or NAME=PATH, or -.")
    ],
    team: Annotated[
        str | None,
        typer.Option("--team", metavar="T", help="The team that the entries belong to."),
    ] = None,
    team_from_name: Annotated[
        bool,
        typer.Option(
            "--team-from-name", help="Each file is its team's, which has the file's name."
        ),
    ] = False,
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
    new: Annotated[
        bool,
        typer.Option("--new", help="Make a new team, however like the name of another its name."),
    ] = False,
    format: Format = Form.text,
    quiet: Quiet = False,
) -> Result:
    """Record entries. A number is given out only when file and row are on disk.

    For organizers: it needs the truth. Exit code 3 says that a rule refused an entry: the
    challenge is closed, the quota used up, the file sent before.
    """
    from scorer.cli.options import submissions_of

    board, notes = living.open()
    submissions = submissions_of(files, living.terminal, board.challenge)
    if (team is None) != team_from_name:
        raise UsageError("write --team T, or --team-from-name for a team a file")
    families = [(s.name, [s]) for s in submissions] if team is None else [(team, submissions)]
    added = [
        one
        for name, files_of_team in families
        for one in board.add(
            files_of_team,
            name,
            now=moment(at),
            answers=_answers_of_words(answer or []),
            baseline=baseline,
            alike=new,
        )
    ]
    codes = {"rejected": REJECTED, "refused": REFUSED, "failed": FAILED}
    code = max((codes.get(entry.status, 0) for entry in added), default=0)
    if format is Form.json:
        from scorer.board.entries import AddedEntries

        return Result(as_json(AddedEntries(entries=added)), notes, code)
    lines, messages = [], list(notes)
    for entry, submission in zip(added, submissions, strict=True):
        messages += problems(entry.problems, quiet)
        receipt = f"; receipt {entry.receipt[:SHORT]}" if entry.receipt and not quiet else ""
        lines.append(f"{printable(submission.display)}: {_summary(entry, board, at)}{receipt}")
    return Result("".join(f"{line}\n" for line in lines), tuple(messages), code)


def _summary(added: Added, board: Board, at: str | None) -> str:
    """The status of a file's entry, with the values that the board shows."""
    from scorer.board.explain import hold_back
    from scorer.board.phases import shown_at

    if added.status in ("refused", "failed"):
        return f"{added.status}: error[{added.code}] {added.message}"
    words = f"entry {added.entry} of {printable(added.team)}: {added.status}"
    now = moment(at) or datetime.now(UTC)
    with board.database.read():
        shown_split = shown_at(board.versions.rules(), now)
        split = "all" if shown_split == "own" else shown_split
        if not (means := (added.values or {}).get(split, {})):
            return words
        team = board.ledger.get(added.entry or 0).team
        held_back = hold_back(board.evaluations.own(team), team, now, split)
    if kept := held_back.get(added.entry or 0):
        return f"{words}, {kept}"
    values = ", ".join(f"{printable(key)} {format_number(mean)}" for key, mean in means.items())
    return f"{words}, {values}"


def _answers_of_words(words: list[str]) -> dict[str, str]:
    answers = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise UsageError(f"--answer {quoted(word)}: write KEY=VALUE")
        answers[key] = value
    return answers
