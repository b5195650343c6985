"""A challenge on a server: its address, the token, and requests over HTTP."""

from __future__ import annotations

import codecs
import io
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import typer

from scorer.core.errors import UsageError
from scorer.core.text import printable, quoted
from scorer.reading.limits import format_size

TOKEN = "SCORER_TOKEN"  # of the environment: the team's token
MOST_ANSWER = 1 << 24  # bytes of what the server says

TokenFile = Annotated[
    Path | None,
    typer.Option("--token-file", metavar="F", help=f"A file with the token; default: {TOKEN}."),
]


@contextmanager
def client_with(token: str) -> Iterator[Any]:
    """A client that sends a token; `UsageError` where it has no package, or the server fails."""
    try:
        import httpx2 as httpx
    except ImportError:
        raise UsageError("this needs more packages: pip install challenge-scorer[web]") from None
    head = {"Authorization": f"Bearer {token}"}
    try:
        with httpx.Client(headers=head, timeout=60, follow_redirects=False) as client:
            yield client
    except (httpx.HTTPError, ValueError, RecursionError) as error:
        raise UsageError(f"the server cannot be used: {printable(error)}") from None


def token_of(path: Path | None) -> str:
    """Return the token in a file, or in the environment.

    A file may be what editors and shells of Windows write: UTF-8 or UTF-16 with a byte order mark,
    CRLF, blank lines. No message shows the token.

    Raises:
        UsageError: There is no token, or something else.
    """
    if path is None:
        text, source = os.environ.get(TOKEN, ""), TOKEN
    else:
        source = f"token file {printable(path.name)}"
        try:
            data = path.read_bytes()
            is_wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
            text = data.decode("utf-16" if is_wide else "utf-8-sig")
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise UsageError(f"{source} is no text") from None
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        raise UsageError(f"a token is needed: --token-file, or {TOKEN}")
    if len(lines) > 1:
        raise UsageError(f"{source} has {len(lines):,} lines; it is to hold the token alone")
    if not re.fullmatch(r"[\x21-\x7e]+", lines[0]):
        raise UsageError(f"{source} holds something else than a token, which has no blanks")
    return lines[0]


def address_of(path: Path) -> str | None:
    """The address that a word of the command line is, which was taken for a path; else None."""
    scheme, separator, rest = path.as_posix().partition(":/")
    return f"{scheme}://{rest.lstrip('/')}" if separator and scheme in ("http", "https") else None


def api_of(url: str) -> str:
    """Return the address of a challenge's API, by the address of its page."""
    parts = urlsplit(url)
    before, separator, id = parts.path.rstrip("/").rpartition("/c/")
    if parts.scheme not in ("http", "https") or not separator or "/" in id:
        raise UsageError(f"{quoted(url, 200)} is no challenge's page, such as https://host/c/ID")
    return f"{parts.scheme}://{parts.netloc}{before}/api/v1/challenges/{id}"


def received(client: Any, method: str, url: str, target: Any, most: int, **sent: Any) -> int:
    """Write an answer's body, still packed; return its status. `UsageError` above `most` bytes."""
    headers = {"Accept-Encoding": "identity"}
    with client.stream(method, url, headers=headers, **sent) as answer:
        for piece in answer.iter_raw():
            if target.tell() + len(piece) > most:
                raise UsageError(f"the server sends more than {format_size(most)}")
            target.write(piece)
        return int(answer.status_code)


def asked(client: Any, method: str, url: str, **sent: Any) -> tuple[int, dict[str, Any]]:
    """An answer's status and fields; `UsageError` if it is very long, `ValueError` if no object."""
    body = io.BytesIO()
    status = received(client, method, url, body, MOST_ANSWER, **sent)
    fields = json.loads(body.getvalue())
    if not isinstance(fields, dict):
        raise ValueError("no JSON object")
    return status, fields
