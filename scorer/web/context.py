"""The state of all routes: settings, challenges, viewers, uploads, and compressed answers."""

from __future__ import annotations

import os
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from fastapi import Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect

from scorer.board.isolation import ChildLimits, ask_child
from scorer.board.models import Token
from scorer.core.errors import ScorerError, UsageError
from scorer.core.log import LOG, REFERENCE
from scorer.core.text import display_path, quoted
from scorer.web.auth import (
    NOBODY,
    SESSION_SECONDS,
    Limiter,
    Sessions,
    Viewer,
    session_secret,
    token_of,
    token_of_session,
    viewer_of,
)
from scorer.web.gate import Gate, Kits
from scorer.web.proxies import Proxies
from scorer.web.site import CompressedText, Site
from scorer.web.workers import Workers

COOKIE = "scorer_session"
# a minute: of a token, of an address, failed sign-ins, and checks and teams of visitors
UPLOADS, ADDRESS, SIGN_INS, VISITS = 30, 300, 10, 10
AGAIN = {"Retry-After": "60"}
SPARE = 1 << 16  # bytes of a form beside its file
NAME_BYTES = 200  # of a file's name; most file systems take 255


class Settings(NamedTuple):
    """The settings of `score serve`."""

    challenges: tuple[str, ...]
    store: str | None = None
    files: str | None = None
    workers: int = 1
    private: bool = False
    allow_plugins: bool = False
    limit: int | None = None  # uploads and sign-ins a minute; 0: no limits; None: the defaults
    seconds: int = 600
    memory: int = 4 << 30
    root_path: str = ""
    trusted_proxies: tuple[str, ...] = ()  # their addresses or networks
    team_header: str | None = None  # in which a trusted proxy says the team
    secret: str | None = None
    public_url: str = ""  # by which participants reach it


class Context:
    """The state that the routes share."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.sites: dict[str, Site] = {}
        paths: dict[str, Path] = {}
        with ExitStack() as opened:  # closes all boards if one cannot be served
            for path in map(Path, settings.challenges):
                site = Site(
                    path, settings.store, settings.files, allow_plugins=settings.allow_plugins
                )
                opened.callback(site.close)
                if site.id in paths:
                    both = f"{display_path(paths[site.id])} and {display_path(path)}"
                    raise UsageError(f"{both} have the same id {quoted(site.id)}; change one")
                self.sites[site.id] = site
                paths[site.id] = path
            self._opened = opened.pop_all()
        self.limits = ChildLimits(settings.seconds, settings.memory)
        first = next(iter(self.sites.values()))
        self.sessions = Sessions(settings.secret or session_secret(first.board))
        self.limiter = Limiter()
        self.proxies = Proxies(settings.trusted_proxies, settings.team_header)
        self.workers = Workers([*self.sites.values()], settings.workers, self.limits)
        self.gate, self.kits = Gate(max(settings.workers, 1)), Kits()
        self.closing = False

    def close(self) -> None:
        """Close all boards."""
        self._opened.close()

    def site(self, id: str) -> Site:
        """A challenge, or 404."""
        if id not in self.sites:
            raise HTTPException(404, f"there is no challenge {id!r} here")
        return self.sites[id]

    def viewer(self, request: Request, site: Site) -> Viewer:
        """The viewer of a challenge; see `viewers`."""
        return self.viewers(request, [site])[0]

    def viewers(self, request: Request, sites: Sequence[Site]) -> list[Viewer]:
        """The viewer of each challenge, by a bearer token, else a session, else a proxy.

        401 for a token that none of them knows.
        """
        header = request.headers.get("authorization", "")
        if not header:
            return [self._session_viewer(request, site) for site in sites]
        scheme, _, token = header.partition(" ")
        is_bearer, token = scheme.lower() == "bearer", token.strip()
        found = [
            viewer_of(site.board, token_of(site.board, token) if is_bearer else None)
            for site in sites
        ]
        if not any(viewer.signed_in for viewer in found):
            self.count_failed_sign_in(request)
            raise HTTPException(401, "this token is not known here")
        return found

    def readable_sites(self, request: Request) -> list[tuple[Site, Viewer]]:
        """Return the challenges that the client may read, each with its viewer."""
        sites = [*self.sites.values()]
        pairs = zip(sites, self.viewers(request, sites), strict=True)
        is_public = not self.settings.private
        return [(site, viewer) for site, viewer in pairs if is_public or viewer.signed_in]

    def _session_viewer(self, request: Request, site: Site) -> Viewer:
        cookie = cookie_of(request, site)
        session = self.sessions.session(cookie) if cookie else None
        if session is None:
            team = self.proxies.team(request)
            return Viewer(team) if team in site.teams else NOBODY
        return viewer_of(site.board, token_of_session(site.board, site.id, session))

    def require_reader(self, viewer: Viewer) -> Viewer:
        """Return the viewer, or raise 401 for a visitor of a private server."""
        if self.settings.private and not viewer.signed_in:
            raise HTTPException(401, "this board is for its teams; sign in")
        return viewer

    def count_failed_sign_in(self, request: Request) -> None:
        """Count a failed sign-in; 429 after too many."""
        most = SIGN_INS if self.settings.limit is None else self.settings.limit
        address = self.proxies.address(request)
        LOG.warning("sign-in failed", extra={"address": address})
        if not self.limiter.allows("failed", address, most):
            raise HTTPException(429, "too many failed sign-ins; wait a minute", AGAIN)

    def count_request(self, request: Request, site: Site, viewer: Viewer) -> None:
        """Count a request; 429 after too many with a token or from an address."""
        most = self.settings.limit
        token, address = (UPLOADS, ADDRESS) if most is None else (most, most * 10)
        origin = self.proxies.address(request)
        own = ("token", f"{site.id}/{viewer.token}/{viewer.team}", token)
        if not viewer.signed_in:
            own = ("visitor", origin, VISITS if most is None else most)
        if not (self.limiter.allows("address", origin, address) and self.limiter.allows(*own)):
            raise HTTPException(429, "too many requests; wait a minute", AGAIN)

    def is_ours(self, request: Request) -> bool:
        """Whether a request that changes something was not made by another site's page.

        Browsers say so in Sec-Fetch-Site, or by http, in Origin; programs say nothing.
        """
        if site := request.headers.get("sec-fetch-site"):
            return site in ("same-origin", "none")
        origin = request.headers.get("origin")
        return origin is None or urlsplit(origin).netloc == request.headers.get("host")

    def is_small(self, request: Request) -> bool:
        """Whether a body may be held in memory; files of submissions are not."""
        length = request.headers.get("content-length", "0")
        is_streamed = "transfer-encoding" in request.headers
        return not is_streamed and length.isdecimal() and int(length) <= SPARE

    @asynccontextmanager
    async def uploaded(self, request: Request, site: Site) -> AsyncIterator[FormData]:
        """A form whose file is on disk; 413 as soon as it is larger than a submission may be."""
        most = site.board.challenge.submission.limits.size + SPARE
        length = request.headers.get("content-length", "")
        if length.isdecimal() and int(length) > most:
            raise HTTPException(413, f"the file is larger than {most - SPARE:,} bytes")
        read = 0

        async def counted() -> AsyncGenerator[bytes, None]:
            nonlocal read
            async for piece in request.stream():
                read += len(piece)
                if read > most:
                    raise HTTPException(413, f"the file is larger than {most - SPARE:,} bytes")
                yield piece

        try:
            form = await MultiPartParser(request.headers, counted(), max_files=1).parse()
        except (MultiPartException, KeyError) as error:
            raise HTTPException(422, f"this is no form with a file: {error}") from None
        except ClientDisconnect:  # nobody reads this; it keeps a traceback out of the log
            raise HTTPException(400, "the upload did not come whole") from None
        try:
            yield form
        finally:
            await form.close()

    async def kit(self, site: Site) -> Path:
        """The file of the kit of the version in force; 503 if it cannot be made now."""
        versions = site.board.versions
        version = await run_in_threadpool(site.cache, "version", lambda: versions.in_force().number)
        return await self.kits.path(
            site.id, version, lambda path: self.ask(site, "kit", path=str(path))
        )

    def ask(self, site: Site, do: str, *, patient: bool = False, **more: Any) -> dict[str, Any]:
        """The answer of a child to a task; 503 if it fails or, unless `patient`, too many wait."""
        try:
            if do in ("check", "kit"):  # without the store, and with these files alone
                versions, folder = site.board.versions, str(Path(more["path"]).parent)
                material = versions.worker_inputs(versions.in_force())
                more |= material | {"read": [*material["read"], folder], "write": [folder]}
            with self.gate.place(patient=patient):
                return ask_child(site.place, self.limits, do, **more)
        except ScorerError as error:
            cause = f": {error}" if patient else ""  # to organizers; in the log of all
            fields = {"challenge": site.id, "task": do, "cause": str(error)}
            LOG.error("failure", extra=fields)
            raise HTTPException(
                503, f"the scorer failed, reference {REFERENCE.get()}{cause}"
            ) from None


def site_key(site: Site) -> str:
    """A challenge's id as part of a cookie's name."""
    return "".join(sign if sign.isalnum() else f"-{ord(sign):x}-" for sign in site.id)


def cookie_of(request: Request, site: Site) -> str:
    """The session's cookie of a challenge."""
    return request.cookies.get(f"{COOKIE}_{site_key(site)}", "")


def begin_session(
    response: Response, context: Context, request: Request, site: Site, token: Token
) -> Response:
    """A response with the cookie by which whoever holds a token is signed in."""
    viewer = viewer_of(site.board, token)
    fields = {
        "challenge": site.id,
        "team": viewer.team,
        "organizer": viewer.organizer or None,
        "label": viewer.label,
        "address": context.proxies.address(request),
    }
    LOG.info("sign-in", extra=fields)
    response.set_cookie(
        f"{COOKIE}_{site_key(site)}",
        context.sessions.sign(site.id, token),
        max_age=SESSION_SECONDS,
        httponly=True,
        samesite="lax",
        secure=context.proxies.is_secure(request),
    )
    return response


def stored_upload(upload: UploadFile, folder: str) -> Path:
    """An uploaded file under a name that leads nowhere."""
    name = os.path.basename((upload.filename or "").replace("\\", "/"))
    name = "".join(sign for sign in name if sign.isprintable())
    name = name.encode()[-NAME_BYTES:].decode(errors="ignore")[-100:]
    path = Path(folder, name if name.strip(".") else "submission")
    upload.file.seek(0)
    with path.open("wb") as written:
        while piece := upload.file.read(1 << 20):
            written.write(piece)
    return path


def compressed_response(request: Request, content: CompressedText, media: str) -> Response:
    """A response of a media type, compressed for browsers that take gzip."""
    headers = {"Vary": "Accept-Encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(
            content.small, media_type=media, headers=headers | {"Content-Encoding": "gzip"}
        )
    return Response(content.plain, media_type=media, headers=headers)


def scratch() -> tempfile.TemporaryDirectory[str]:
    """A folder for one request."""
    return tempfile.TemporaryDirectory(prefix="scorer-web-")


def context_of(request: Request) -> Context:
    """The state that the routes share."""
    context: Context = request.app.state.context
    return context
