"""Access: tokens, sessions, and rate limits."""

from __future__ import annotations

import hmac
import secrets
import time
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from itsdangerous import BadSignature, URLSafeTimedSerializer

from scorer.board.board import Board
from scorer.board.models import Token
from scorer.board.names import ORGANIZER
from scorer.board.teams import hash_of
from scorer.challenge.model import FOLDER
from scorer.reading.write import write_file

SECRET_FILE = "session.key"  # in the challenge's folder .scorer; `SCORER_SECRET` replaces it
SESSION_SECONDS = 30 * 24 * 3600  # a session ends this long after the sign-in
HASH_DIGITS = 16  # hexadecimal digits of a token's hash in its sessions
MINUTE = 60.0  # seconds; the limits of requests are for one minute
USE_INTERVAL = timedelta(minutes=1)  # the last use of a token is recorded this often at most
MOST_KEYS = 100_000  # keys that a limiter keeps before it drops those without a recent request


class Viewer(NamedTuple):
    """The team, organizer or visitor who sends a request."""

    team: str | None = None  # its name; None for visitors and organizers
    organizer: bool = False
    token: int | None = None  # its id; None for visitors, and where a proxy signs people in
    label: str | None = None  # the token's label

    @property
    def signed_in(self) -> bool:
        """Whether somebody has signed in."""
        return self.organizer or self.team is not None

    @property
    def log_name(self) -> str:
        """The viewer's name in the log: an organizer's label, or a team and its token's label."""
        if self.team is None:
            return self.label or ORGANIZER
        return self.team if self.label is None else f"{self.team} ({self.label})"


NOBODY = Viewer()


def session_secret(board: Board) -> str:
    """Return the key that signs sessions; write it to its file at the first call."""
    path = Path(board.challenge.folder, FOLDER, SECRET_FILE)
    if not path.exists():
        path.parent.mkdir(mode=0o700, exist_ok=True)
        write_file(path, secrets.token_hex(32).encode())
        path.chmod(0o600)
    return path.read_text(encoding="utf-8").strip()


class Session(NamedTuple):
    """The content of a cookie: the token with which somebody signed in to a board."""

    board: str
    token: int  # its id
    hash: str  # its first digits; another store may have another token with this id


class Sessions:
    """Signed cookies."""

    def __init__(self, secret: str) -> None:
        self._signer = URLSafeTimedSerializer(secret, salt="session of a board")

    def sign(self, board: str, token: Token) -> str:
        """Return a cookie for a token of a board. A random part makes each cookie different."""
        return str(self._signer.dumps([*_session(board, token), secrets.token_hex(8)]))

    def session(self, cookie: str) -> Session | None:
        """Return the session of a cookie; None if the cookie was not signed here, or is too old."""
        try:
            board, token, hash, _random_part = self._signer.loads(cookie, max_age=SESSION_SECONDS)
        except (BadSignature, ValueError, TypeError):
            return None
        return Session(board, token, hash)


def token_of(board: Board, token: str) -> Token | None:
    """Return the record of a token; None if it is unknown or revoked.

    Tokens are looked up by their hash, and the hashes are compared in constant time.
    """
    hash = hash_of(token)
    valid = (record for record in board.database.tokens(hash=hash) if record.is_valid)
    match = next((record for record in valid if hmac.compare_digest(record.hash, hash)), None)
    if match is None:
        return None
    now = datetime.now(UTC)
    if match.used is None or now - match.used > USE_INTERVAL:  # not one write a request
        board.database.mark_token(match.id, used=now)
    return match


def token_of_session(board: Board, id: str, session: Session) -> Token | None:
    """Return the record of a session's token; None if it is revoked or of another board."""
    valid = (token for token in board.database.tokens(id=session.token) if token.is_valid)
    return next((token for token in valid if _session(id, token) == session), None)


def _session(board: str, token: Token) -> Session:
    return Session(board, token.id, token.hash[:HASH_DIGITS])


def viewer_of(board: Board, token: Token | None) -> Viewer:
    """Return who holds a token; `NOBODY` if there is no token."""
    if token is None:
        return NOBODY
    if token.team is None:
        return Viewer(organizer=True, token=token.id, label=token.label)
    team = board.teams.names().get(token.team)
    return Viewer(team, token=token.id, label=token.label)


class Limiter:
    """A limit of requests a minute for each kind of request and each token or address."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._times: dict[tuple[str, str], deque[float]] = {}

    def allows(self, kind: str, key: str, most: int) -> bool:
        """Count a request, unless `most` were counted within the last minute; 0 means no limit."""
        if most <= 0:
            return True
        now = self._clock()
        times = self._times.setdefault((kind, key), deque())
        while times and times[0] <= now - MINUTE:
            times.popleft()
        if len(times) >= most:
            return False
        times.append(now)
        if len(self._times) > MOST_KEYS:
            kept = self._times.items()
            self._times = {key: times for key, times in kept if times and times[-1] > now - MINUTE}
        return True
