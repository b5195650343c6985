"""A team's way to a board on a server: check a file with its kit, send it, ask for values and rank.

Nothing that the server sends is trusted: each answer has a limit, and is text until it was parsed.
"""

from __future__ import annotations

import io
import json
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from zipfile import is_zipfile

from scorer.api.check import check
from scorer.api.fix import repair_files
from scorer.api.submissions import to_submission_file
from scorer.challenge.kit_archive import MOST_STORED, open_kit
from scorer.challenge.model import Challenge
from scorer.core.errors import UsageError
from scorer.core.problems import Findings
from scorer.core.text import printable, quoted
from scorer.reading.limits import format_size
from scorer.reading.repair import unpacked_name
from scorer.scoring.bind import load_challenge

MOST_ANSWER = 1 << 24  # bytes of an answer that is no kit
TIMEOUT = 60  # seconds for a connection, and between two pieces of an answer
POLL_PAUSE = 0.5  # seconds between two questions for the same entry
PATIENCE = 900.0  # seconds after which an entry that is still pending is not waited for any more
# why a server gives no kit, by the status of its answer
KIT_ERRORS = {
    401: "the server does not know this token; is it this challenge's, whole, and not revoked?",
    404: "the server has no such challenge; is the address its page's?",
    429: "the server has had too many requests; wait a minute",
    503: "the server has too much to do; try again soon",
}


class Answer(NamedTuple):
    """The answer of a server: its HTTP status, and the fields of its JSON object."""

    status: int
    fields: dict[str, Any]

    def error(self) -> UsageError:
        """Return the error that says why the server refused."""
        message = printable(self.fields.get("message", ""))
        return UsageError(f"the server says {self.status}: {message}")


class KitCheck(NamedTuple):
    """The findings of a kit on a file, and whether a repaired copy would be accepted."""

    findings: Findings
    is_repairable: bool


class BoardClient:
    """The API of one challenge on a server, asked with a team's token.

    Args:
        http: An HTTP client that sends the token.
        url: The address of the challenge's page, such as https://host/c/ID.
    """

    def __init__(self, http: Any, url: str) -> None:
        self._http = http
        self._api = api_address(url)

    def ask(self, method: str, path: str = "", **request: Any) -> Answer:
        """Send a request; return its answer.

        Raises:
            UsageError: The answer is longer than `MOST_ANSWER`.
            ValueError: It is no JSON object.
        """
        body = io.BytesIO()
        status = self._download(method, path, body, MOST_ANSWER, **request)
        fields = json.loads(body.getvalue())
        if not isinstance(fields, dict):
            raise ValueError("no JSON object")
        return Answer(status, fields)

    def _download(self, method: str, path: str, target: Any, most: int, **request: Any) -> int:
        """Write the body of an answer as it was sent, perhaps compressed; return its status.

        Raises:
            UsageError: The body is longer than `most` bytes.
        """
        headers = {"Accept-Encoding": "identity"}
        url = f"{self._api}{path}"
        with self._http.stream(method, url, headers=headers, **request) as answer:
            for piece in answer.iter_raw():
                if target.tell() + len(piece) > most:
                    raise UsageError(f"the server sends more than {format_size(most)}")
                target.write(piece)
            return int(answer.status_code)

    def check(self, file: Path) -> KitCheck:
        """Check a file with the challenge's kit. Raises `UsageError` if the server gives none."""
        with tempfile.NamedTemporaryFile(suffix=".zip") as kit:
            status = self._download("GET", "/kit.zip", kit, MOST_STORED)
            if status != 200:
                unknown = f"the server gives no kit: it says {status}"
                raise UsageError(KIT_ERRORS.get(status, unknown))
            kit.flush()
            if not is_zipfile(kit.name):
                raise UsageError("the server gives no kit: it sent something else")
            with open_kit(Path(kit.name)) as folder:
                challenge = load_challenge(folder)
                (scored,) = check(challenge, [file])
                is_repairable = scored.findings.fatal and _is_repairable(challenge, file)
        return KitCheck(scored.findings, is_repairable)

    def send(self, file: Path, answers: Mapping[str, str]) -> Answer:
        """Send a file as an entry; return its evaluation, or the refusal at once.

        The status is 202 for an entry, and 409 where a rule of the challenge refused it.
        """
        data = {"answers": json.dumps(answers)}
        with file.open("rb") as opened:
            sent = self.ask("POST", "/entries", files={"file": (file.name, opened)}, data=data)
        if sent.status != 202:
            return sent
        return Answer(202, self._wait_for_evaluation(sent.fields["entry"]))

    def _wait_for_evaluation(self, entry: int) -> dict[str, Any]:
        """Return the fields of an entry as soon as it is evaluated."""
        begun = time.monotonic()
        while True:
            fields = self.ask("GET", f"/entries/{entry}").fields
            if fields.get("status") != "pending" or time.monotonic() - begun > PATIENCE:
                return fields
            time.sleep(POLL_PAUSE)

    def describe_rank(self, entry: Mapping[str, Any]) -> Iterator[str]:
        """Yield a line with the rank of an entry's team, if the board is shown and has it."""
        if entry.get("status") != "scored":
            return
        try:
            answer = self.ask("GET", "/board")
        except UsageError:  # a very long board
            return
        board = answer.fields
        ranked = [row for row in board.get("leaderboard", ()) if row.get("rank") is not None]
        own = next((row for row in ranked if row.get("team") == entry.get("team")), None)
        if answer.status != 200 or own is None:
            return
        split = "" if board.get("split") in (None, "all") else f" ({printable(board['split'])})"
        by = "" if own["entry"] == entry["entry"] else f", by entry {own['entry']}"
        yield f"rank {own['rank']} of {len(ranked):,}{split}{by}"

    def describe_quota(self) -> Iterator[str]:
        """Yield a line that says how many entries the team may still send, if there is a quota."""
        answer = self.ask("GET")
        quota = answer.fields.get("quota") if answer.status == 200 else None
        if not quota:
            return
        left = [(quota.get("today"), "today"), (quota.get("total"), "in this phase")]
        limits = [f"{number:,} {when}" for number, when in left if number is not None]
        next_time = printable(quota["next"]) if quota.get("next") else ""
        then = f"; the next entry is possible {next_time}" if next_time else ""
        if limits or then:
            yield f"left of the quota: {' and '.join(limits) or 'nothing'}{then}"

    def explain_rank(self, team: str | None, split: str | None) -> dict[str, Any]:
        """Return the fields of `scorer.board.explain.Why` for a team; None: the token's own."""
        asked = {"team": team, "split": split}
        params = {key: name for key, name in asked.items() if name is not None}
        answer = self.ask("GET", "/why", params=params)
        if answer.status != 200:
            raise answer.error()
        keys = ("team", "rank", "ranked", "split", "lines")
        fields = answer.fields
        if not fields.keys() >= {*keys} or not isinstance(fields["lines"], list):
            raise UsageError("the server gives no explanation: it sent something else")
        return {key: fields[key] for key in keys}


@contextmanager
def open_client(url: str, token: str) -> Iterator[BoardClient]:
    """Open a client for a challenge's page that sends a token.

    Raises:
        UsageError: The address is none of a page, the package for HTTP is missing, or the server
            cannot be reached or sends something else than its API does.
    """
    try:
        import httpx2 as httpx  # of the extra `web`
    except ImportError:
        raise UsageError("this needs more packages: pip install challenge-scorer[web]") from None
    headers = {"Authorization": f"Bearer {token}"}
    try:
        with httpx.Client(headers=headers, timeout=TIMEOUT, follow_redirects=False) as http:
            yield BoardClient(http, url)
    except (httpx.HTTPError, ValueError, RecursionError) as error:
        raise UsageError(f"the server cannot be used: {printable(error)}") from None


def api_address(url: str) -> str:
    """Return the address of a challenge's API, by the address of its page. Raises `UsageError`."""
    parts = urlsplit(url)
    before, separator, id = parts.path.rstrip("/").rpartition("/c/")
    if parts.scheme not in ("http", "https") or not separator or "/" in id:
        raise UsageError(f"{quoted(url, 200)} is no challenge's page, such as https://host/c/ID")
    return f"{parts.scheme}://{parts.netloc}{before}/api/v1/challenges/{id}"


def _is_repairable(challenge: Challenge, file: Path) -> bool:
    """Return whether a repaired copy of a wrong file would be accepted."""
    (repaired,) = repair_files(challenge, [to_submission_file(file)])
    if not repaired.changes:
        return False
    with tempfile.TemporaryDirectory(prefix="scorer-") as folder:
        copy = Path(folder, unpacked_name(file))
        copy.write_bytes(repaired.data)
        (scored,) = check(challenge, [copy])
    return not scored.findings.fatal
