"""How a command names a challenge on a server, and the token of a team."""

from __future__ import annotations

import codecs
import os
import re
from pathlib import Path
from typing import Annotated

import typer

from scorer.core.errors import UsageError
from scorer.core.text import printable

TOKEN = "SCORER_TOKEN"  # of the environment: the team's token

TokenFile = Annotated[
    Path | None,
    typer.Option("--token-file", metavar="F", help=f"A file with the token; default: {TOKEN}."),
]


def read_token(path: Path | None) -> str:
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


def page_address(path: Path) -> str | None:
    """Return the address of a challenge's page that was taken for a path; None if it is a path."""
    scheme, separator, rest = path.as_posix().partition(":/")
    return f"{scheme}://{rest.lstrip('/')}" if separator and scheme in ("http", "https") else None
