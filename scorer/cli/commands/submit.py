"""`score submit URL FILE`: a participant's way in: checks with the kit, uploads, waits, shows."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from zipfile import is_zipfile

import typer

from scorer.challenge.kit_archive import MOST_STORED
from scorer.cli.board import Form, Format, as_json
from scorer.cli.options import Result, Terminal, challenge_of, problems, submissions_of
from scorer.cli.remote import TokenFile, api_of, asked, client_with, received, token_of
from scorer.core.errors import UsageError
from scorer.core.text import format_number, printable

if TYPE_CHECKING:
    from scorer.challenge.model import Challenge

REFUSED, FAILED, REJECTED = 3, 4, 1
# why a server gives no kit, by the status of its answer
UNKITTED = {
    401: "the server does not know this token; is it this challenge's, whole, and not revoked?",
    404: "the server has no such challenge; is the address its page's?",
    429: "the server has had too many requests; wait a minute",
    503: "the server has too much to do; try again soon",
}
PAUSE, PATIENCE = 0.5, 900.0  # seconds between looks, and until nothing is awaited any more


def submit(
    context: typer.Context,
    url: Annotated[
        str, typer.Argument(metavar="URL", help="The challenge's page: https://.../c/ID.")
    ],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The submission.")],
    token_file: TokenFile = None,
    answer: Annotated[
        list[str] | None,
        typer.Option("--answer", metavar="KEY=VALUE", help="An answer; repeatable."),
    ] = None,
    format: Format = Form.text,
) -> Result:
    """Check a file with the challenge's kit, send it, wait for its values and show them."""
    terminal: Terminal = context.obj
    token = token_of(token_file)
    answers = dict(word.split("=", 1) for word in answer or [] if "=" in word)
    base, page = api_of(url), url.rstrip("/")
    details = list[str]()
    with client_with(token) as client:
        try:
            notes, fine = _checked(client, base, file, terminal)
            if not fine:
                return Result("", (*notes, f"{printable(file)}: nothing was sent"), REJECTED)
            with file.open("rb") as opened:
                status, fields = asked(
                    client,
                    "POST",
                    f"{base}/entries",
                    files={"file": (file.name, opened)},
                    data={"answers": json.dumps(answers)},
                )
            if status == 202:
                fields = _awaited(client, base, fields)
            if format is Form.text and status in (202, 409):
                details = [*_rank(client, base, fields), *_quota(client, base)]
        except OSError as error:
            raise UsageError(f"{file} cannot be read: {error.strerror}") from None
    if status not in (202, 409):
        raise UsageError(f"the server says {status}: {printable(fields.get('message', ''))}")
    code = {"rejected": REJECTED, "failed": FAILED}.get(fields.get("status", ""), 0)
    code = REFUSED if status == 409 else code
    if format is Form.json:
        return Result(as_json(fields), notes, code)
    if fields.get("entry") is not None:
        details.append(f"{page}/entries/{fields['entry']}")
    return Result(_summary(fields, file, details), notes, code)


def _checked(
    client: Any, base: str, file: Path, terminal: Terminal
) -> tuple[tuple[str, ...], bool]:
    """The findings of the kit's checks, and whether the file would be accepted."""
    from scorer.api.check import check

    with tempfile.NamedTemporaryFile(suffix=".zip") as kit:
        status = received(client, "GET", f"{base}/kit.zip", kit, MOST_STORED)
        if status != 200:
            raise UsageError(UNKITTED.get(status, f"the server gives no kit: it says {status}"))
        kit.flush()
        if not is_zipfile(kit.name):
            raise UsageError("the server gives no kit: it sent something else")
        challenge, _ = challenge_of(Path(kit.name), terminal)
        (scored,) = check(challenge, [file])
        notes = problems(scored.findings)
        if scored.findings.fatal and _is_repairable(challenge, file, terminal):
            notes = [*notes, f"score check KIT {printable(file)} --fix would repair it"]
    return tuple(notes), not scored.findings.fatal


def _is_repairable(challenge: Challenge, file: Path, terminal: Terminal) -> bool:
    """Return whether a repaired copy of a wrong file would be accepted."""
    from scorer.api.check import check
    from scorer.api.fix import repair_files
    from scorer.reading.repair import unpacked_name

    (repaired,) = repair_files(challenge, submissions_of([str(file)], terminal, challenge))
    if not repaired.changes:
        return False
    with tempfile.TemporaryDirectory(prefix="scorer-") as folder:
        copy = Path(folder, unpacked_name(file))
        copy.write_bytes(repaired.data)
        (scored,) = check(challenge, [copy])
    return not scored.findings.fatal


def _awaited(client: Any, base: str, sent: dict[str, Any]) -> dict[str, Any]:
    """The entry, once it is evaluated."""
    begun = time.monotonic()
    while True:
        _, fields = asked(client, "GET", f"{base}/entries/{sent['entry']}")
        if fields.get("status") != "pending" or time.monotonic() - begun > PATIENCE:
            return fields
        time.sleep(PAUSE)


def _rank(client: Any, base: str, fields: dict[str, Any]) -> Iterator[str]:
    """The team's place on the board, where a board is shown and the team is on it."""
    if fields.get("status") != "scored":
        return
    try:
        status, board = asked(client, "GET", f"{base}/board")
    except UsageError:  # a very long one
        return
    ranks = [row for row in board.get("leaderboard", ()) if row.get("rank") is not None]
    own = next((row for row in ranks if row.get("team") == fields.get("team")), None)
    if status != 200 or own is None:
        return
    split = "" if board.get("split") in (None, "all") else f" ({printable(board['split'])})"
    by = "" if own["entry"] == fields["entry"] else f", by entry {own['entry']}"
    yield f"rank {own['rank']} of {len(ranks):,}{split}{by}"


def _quota(client: Any, base: str) -> Iterator[str]:
    """What the team may still send."""
    status, about = asked(client, "GET", base)
    quota = about.get("quota") if status == 200 else None
    if not quota:
        return
    left = [(quota.get("today"), "today"), (quota.get("total"), "in this phase")]
    limited = [f"{number:,} {when}" for number, when in left if number is not None]
    then = f"; the next entry is possible {printable(quota['next'])}" if quota.get("next") else ""
    if limited or then:
        yield f"left of the quota: {' and '.join(limited) or 'nothing'}{then}"


def _summary(fields: dict[str, Any], file: Path, details: Sequence[str] = ()) -> str:
    name = printable(file)
    if fields.get("entry") is None:
        message = printable(fields.get("message"), 500)
        refused = f"{name}: refused: error[{fields.get('code')}] {message}"
        return "".join(f"{line}\n" for line in (refused, *(f"  {line}" for line in details)))
    lines = [f"{name}: entry {fields['entry']}: {fields['status']}"]
    for split, means in (fields.get("values") or {}).items():
        values = ", ".join(
            f"{printable(key)} {format_number(mean)}"
            for key, mean in means.items()
            if mean is not None
        )
        lines.append(f"  {printable(split)}: {values}")
    if fields.get("message"):
        code = f"{fields['code']}: " if fields.get("code") else ""
        lines.append(f"  {code}{printable(fields['message'], 500)}")
    lines += [*(f"  {line}" for line in details), f"  receipt {fields.get('receipt')}"]
    return "".join(f"{line}\n" for line in lines)
