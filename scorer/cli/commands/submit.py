"""`score submit URL FILE`: a participant's way in: checks with the kit, uploads, waits, shows."""

from __future__ import annotations

import io
import json
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit
from zipfile import is_zipfile

import typer

from scorer.bytes.limits import format_size
from scorer.challenge.archive import MOST_STORED
from scorer.cli.board import Form, Format, as_json
from scorer.cli.options import Result, Terminal, challenge_of, problems
from scorer.core.errors import UsageError
from scorer.core.text import printable, quoted, sized

TOKEN = "SCORER_TOKEN"  # of the environment: the team's token
REFUSED, FAILED, REJECTED = 3, 4, 1
MOST_ANSWER = 1 << 24  # bytes of what the server says
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
    token_file: Annotated[
        Path | None,
        typer.Option("--token-file", metavar="F", help=f"A file with the token; default: {TOKEN}."),
    ] = None,
    answer: Annotated[
        list[str] | None,
        typer.Option("--answer", metavar="KEY=VALUE", help="An answer; repeatable."),
    ] = None,
    format: Format = Form.text,
) -> Result:
    """Check a file with the challenge's kit, send it, wait for its values and show them."""
    try:
        import httpx2 as httpx
    except ImportError:
        raise UsageError("sending needs more packages: pip install challenge-scorer[web]") from None

    terminal: Terminal = context.obj
    token = _token(token_file)
    answers = dict(word.split("=", 1) for word in answer or [] if "=" in word)
    base, page = _api(url), url.rstrip("/")
    beside = list[str]()
    head = {"Authorization": f"Bearer {token}"}
    with httpx.Client(headers=head, timeout=60, follow_redirects=False) as client:
        try:
            notes, fine = _checked(client, base, file, terminal)
            if not fine:
                return Result("", (*notes, f"{printable(file)}: nothing was sent"), REJECTED)
            with file.open("rb") as opened:
                status, fields = _asked(
                    client,
                    "POST",
                    f"{base}/entries",
                    files={"file": (file.name, opened)},
                    data={"answers": json.dumps(answers)},
                )
            if status == 202:
                fields = _awaited(client, base, fields)
            if format is Form.text and status in (202, 409):
                beside = [*_rank(client, base, fields), *_quota(client, base)]
        except OSError as error:
            raise UsageError(f"{file} cannot be read: {error.strerror}") from None
        except (httpx.HTTPError, ValueError, RecursionError) as error:
            raise UsageError(f"the server cannot be used: {printable(error)}") from None
    if status not in (202, 409):
        raise UsageError(f"the server says {status}: {printable(fields.get('message', ''))}")
    code = {"rejected": REJECTED, "failed": FAILED}.get(fields.get("status", ""), 0)
    code = REFUSED if status == 409 else code
    if format is Form.json:
        return Result(as_json(fields), notes, code)
    if fields.get("entry") is not None:
        beside.append(f"{page}/entries/{fields['entry']}")
    return Result(_summary(fields, file, beside), notes, code)


def _token(path: Path | None) -> str:
    if path is None:
        token = os.environ.get(TOKEN, "")
    else:
        try:
            token = path.read_text(encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    if not token.strip():
        raise UsageError(f"a token is needed: --token-file, or {TOKEN}")
    return token.strip()


def _api(url: str) -> str:
    """The address of a challenge's API, given that of its page."""
    parts = urlsplit(url)
    before, separator, id = parts.path.rstrip("/").rpartition("/c/")
    if parts.scheme not in ("http", "https") or not separator or "/" in id:
        raise UsageError(f"{quoted(url, 200)} is no challenge's page, such as https://host/c/ID")
    return f"{parts.scheme}://{parts.netloc}{before}/api/v1/challenges/{id}"


def _checked(
    client: Any, base: str, file: Path, terminal: Terminal
) -> tuple[tuple[str, ...], bool]:
    """The findings of the kit's checks, and whether the file would be accepted."""
    from scorer.api.check import check

    with tempfile.NamedTemporaryFile(suffix=".zip") as kit:
        status = _received(client, "GET", f"{base}/kit.zip", kit, MOST_STORED)
        if status != 200:
            raise UsageError(UNKITTED.get(status, f"the server gives no kit: it says {status}"))
        kit.flush()
        if not is_zipfile(kit.name):
            raise UsageError("the server gives no kit: it sent something else")
        challenge, _ = challenge_of(Path(kit.name), terminal)
        (scored,) = check(challenge, [file])
    return tuple(problems(scored.findings)), not scored.findings.fatal


def _received(client: Any, method: str, url: str, target: Any, most: int, **sent: Any) -> int:
    """Write an answer's body, still packed; return its status. `UsageError` above `most` bytes."""
    headers = {"Accept-Encoding": "identity"}
    with client.stream(method, url, headers=headers, **sent) as answer:
        for piece in answer.iter_raw():
            if target.tell() + len(piece) > most:
                raise UsageError(f"the server sends more than {format_size(most)}")
            target.write(piece)
        return int(answer.status_code)


def _asked(client: Any, method: str, url: str, **sent: Any) -> tuple[int, dict[str, Any]]:
    """An answer's status and fields; `UsageError` if it is very long, `ValueError` if no object."""
    body = io.BytesIO()
    status = _received(client, method, url, body, MOST_ANSWER, **sent)
    fields = json.loads(body.getvalue())
    if not isinstance(fields, dict):
        raise ValueError("no JSON object")
    return status, fields


def _awaited(client: Any, base: str, sent: dict[str, Any]) -> dict[str, Any]:
    """The entry, once it is evaluated."""
    begun = time.monotonic()
    while True:
        _, fields = _asked(client, "GET", f"{base}/entries/{sent['entry']}")
        if fields.get("status") != "pending" or time.monotonic() - begun > PATIENCE:
            return fields
        time.sleep(PAUSE)


def _rank(client: Any, base: str, fields: dict[str, Any]) -> Iterator[str]:
    """The team's place on the board, where a board is shown and the team is on it."""
    if fields.get("status") != "scored":
        return
    try:
        status, board = _asked(client, "GET", f"{base}/board")
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
    status, about = _asked(client, "GET", base)
    quota = about.get("quota") if status == 200 else None
    if not quota:
        return
    left = [(quota.get("today"), "today"), (quota.get("total"), "in this phase")]
    limited = [f"{number:,} {when}" for number, when in left if number is not None]
    then = f"; the next entry is possible {printable(quota['next'])}" if quota.get("next") else ""
    if limited or then:
        yield f"left of the quota: {' and '.join(limited) or 'nothing'}{then}"


def _summary(fields: dict[str, Any], file: Path, beside: Sequence[str] = ()) -> str:
    name = printable(file)
    if fields.get("entry") is None:
        message = printable(fields.get("message"), 500)
        refused = f"{name}: refused: error[{fields.get('code')}] {message}"
        return "".join(f"{line}\n" for line in (refused, *(f"  {line}" for line in beside)))
    lines = [f"{name}: entry {fields['entry']}: {fields['status']}"]
    for split, means in (fields.get("values") or {}).items():
        values = ", ".join(
            f"{printable(key)} {sized(mean)}" for key, mean in means.items() if mean is not None
        )
        lines.append(f"  {printable(split)}: {values}")
    if fields.get("message"):
        code = f"{fields['code']}: " if fields.get("code") else ""
        lines.append(f"  {code}{printable(fields['message'], 500)}")
    lines += [*(f"  {line}" for line in beside), f"  receipt {fields.get('receipt')}"]
    return "".join(f"{line}\n" for line in lines)
