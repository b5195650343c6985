"""`score why CHALLENGE TEAM`: why a team stands where it stands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scorer.cli.board import At, Form, Format, Living, as_json, moment, on_board
from scorer.cli.options import Result
from scorer.cli.remote import TokenFile, address_of, api_of, asked, client_with, token_of
from scorer.core.errors import UsageError
from scorer.core.text import printable

if TYPE_CHECKING:
    from scorer.board.explain import Why


@on_board
def why(
    living: Living,
    team: Annotated[
        str | None,
        typer.Argument(metavar="[TEAM]", help="The team's name; default with a URL: one's own."),
    ] = None,
    split: Annotated[str | None, typer.Option("--split", metavar="S", help="The split.")] = None,
    at: At = None,
    token_file: TokenFile = None,
    format: Format = Form.text,
) -> Result:
    """Explain a rank: the rules that applied, ties, what was not counted.

    Of a challenge on this machine, for organizers. Of a challenge's page, such as
    https://.../c/ID, a team sees its own rank, as far as the phase shows it.
    """
    notes: tuple[str, ...] = ()
    if url := address_of(living.challenge):
        if at is not None:
            raise UsageError("--at is for a challenge on this machine; a server tells the present")
        explained = _of_server(url, token_file, team=team, split=split)
    else:
        if team is None:
            raise UsageError("of which team? add its name")

        board, notes = living.open()
        explained = board.why(team, split=split, now=moment(at))
    if format is Form.json:
        return Result(as_json(explained), notes)
    lines = [
        printable(str(explained.team)),
        *(f"  {printable(str(line), 1000)}" for line in explained.lines),
    ]
    return Result("".join(f"{line}\n" for line in lines), notes)


def _of_server(url: str, token_file: Path | None, **words: str | None) -> Why:
    """The explanation that a server gives."""
    params = {key: word for key, word in words.items() if word is not None}
    with client_with(token_of(token_file)) as client:
        status, fields = asked(client, "GET", f"{api_of(url)}/why", params=params)
        if status != 200:
            raise UsageError(f"the server says {status}: {printable(fields.get('message', ''))}")
    keys = ("team", "rank", "ranked", "split", "lines")
    if not fields.keys() >= {*keys} or not isinstance(fields["lines"], list):
        raise UsageError("the server gives no explanation: it sent something else")
    from scorer.board.explain import Why

    return Why(**{key: fields[key] for key in keys})
