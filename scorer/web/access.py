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

SECRET = "session.key"  # beside the store; SCORER_SECRET instead where several machines serve
LASTS = 30 * 24 * 3600  # seconds that a session is good for
HASH = 16  # hexadecimal digits of a token's hash in its sessions
MINUTE = 60.0
AGAIN = timedelta(minutes=1)  # after which it is noted again that a token was used


class Viewer(NamedTuple):
    """The team, organizer or visitor who sends a request."""

    team: str | None = None  # None: nobody's, or an organizer's
    organizer: bool = False
    token: int | None = None  # None: a visitor, or one whom a proxy has signed in
    label: str | None = None  # of the token

    @property
    def known(self) -> bool:
        """Whether somebody has signed in."""
        return self.organizer or self.team is not None

    @property
    def called(self) -> str:
        """Who it is in the log: an organizer's label, or a team and its token's label."""
        if self.team is None:
            return self.label or ORGANIZER
        return self.team if self.label is None else f"{self.team} ({self.label})"


NOBODY = Viewer()


def secret_of(board: Board) -> str:
    """Return the key that signs sessions; make it at the first call."""
    path = Path(board.challenge.folder, FOLDER, SECRET)
    if not path.exists():
        path.parent.mkdir(mode=0o700, exist_ok=True)
        write_file(path, secrets.token_hex(32).encode())
        path.chmod(0o600)
    return path.read_text(encoding="utf-8").strip()


class Session(NamedTuple):
    """The content of a cookie: a token of one board, told apart from others of its number."""

    board: str
    token: int
    hash: str  # the beginning of the token's hash


class Sessions:
    """Signed cookies."""

    def __init__(self, secret: str) -> None:
        self._signer = URLSafeTimedSerializer(secret, salt="session of a board")

    def sign(self, board: str, token: Token) -> str:
        """A cookie for a token of a board; another one each time."""
        return str(self._signer.dumps([*_session(board, token), secrets.token_hex(8)]))

    def session(self, cookie: str) -> Session | None:
        """Return the session of a cookie; None if it is not ours or too old."""
        try:
            board, token, hash, _ = self._signer.loads(cookie, max_age=LASTS)
        except (BadSignature, ValueError, TypeError):
            return None
        return Session(board, token, hash)


def token_of(board: Board, token: str) -> Token | None:
    """The record of a token; None if it is unknown or revoked.

    Tokens are looked up by their hash, and the hashes are compared in constant time.
    """
    wanted = hash_of(token)
    known = (each for each in board.database.tokens(hash=wanted) if each.opens)
    match = next((each for each in known if hmac.compare_digest(each.hash, wanted)), None)
    if match is None:
        return None
    now = datetime.now(UTC)
    if match.used is None or now - match.used > AGAIN:  # reading is no reason to write each time
        board.database.mark_token(match.id, used=now)
    return match


def token_of_session(board: Board, id: str, session: Session) -> Token | None:
    """The record of a session's token.

    None where the session is of another board, of another store, or its token is revoked.
    """
    valid = (token for token in board.database.tokens(id=session.token) if token.opens)
    return next((token for token in valid if _session(id, token) == session), None)


def _session(board: str, token: Token) -> Session:
    return Session(board, token.id, token.hash[:HASH])


def viewer_of(board: Board, token: Token | None) -> Viewer:
    """Return the holder of a token; nobody without one."""
    if token is None:
        return NOBODY
    if token.team is None:
        return Viewer(None, True, token.id, token.label)
    team = board.teams.names().get(token.team)
    return Viewer(team, False, token.id, token.label)


class Limiter:
    """So many acts a minute for each key; none is counted where the limit is 0."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._acts: dict[tuple[str, str], deque[float]] = {}

    def allows(self, kind: str, key: str, most: int) -> bool:
        """Count an act of a token or address, unless `most` (0: no limit) were within a minute."""
        if most <= 0:
            return True
        now = self._clock()
        acts = self._acts.setdefault((kind, key), deque())
        while acts and acts[0] <= now - MINUTE:
            acts.popleft()
        if len(acts) >= most:
            return False
        acts.append(now)
        if len(self._acts) > 100_000:  # keys of long ago
            self._acts = {k: v for k, v in self._acts.items() if v and v[-1] > now - MINUTE}
        return True
