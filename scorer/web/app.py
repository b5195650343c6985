"""The application: its settings, the checks of every request, and the headers of every answer."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException, MultiPartParser

from scorer.api.children import Limits, ask_child
from scorer.core.errors import ScorerError, UnknownName, UsageError
from scorer.core.version import __version__
from scorer.reports import syntax
from scorer.web.access import (
    NOBODY,
    Limiter,
    Sessions,
    Viewer,
    secret_of,
    viewer_of,
    viewer_of_id,
)
from scorer.web.site import Ready, Site
from scorer.web.workers import Workers

REPORTS = Path(syntax.__file__).parent / "templates"
COOKIE = "scorer_session"
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'self'; object-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
}
UPLOADS, ADDRESS, SIGN_INS = 30, 300, 10  # a minute: of a token, of an address, failed ones
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
    trusted_proxies: tuple[str, ...] = ()
    secret: str | None = None


class Context:
    """The state that the routes share."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.sites = {
            site.id: site
            for site in (
                Site(Path(path), settings.store, settings.files,
                     allow_plugins=settings.allow_plugins)
                for path in settings.challenges
            )
        }  # fmt: skip
        self.limits = Limits(settings.seconds, settings.memory)
        first = next(iter(self.sites.values()))
        self.sessions = Sessions(settings.secret or secret_of(first.board))
        self.limiter = Limiter()
        self.workers = Workers([*self.sites.values()], settings.workers, self.limits)
        self.closing = False
        self.counts: dict[tuple[str, int], int] = {}
        self._counting = threading.Lock()

    def site(self, id: str) -> Site:
        """A challenge, or 404."""
        if id not in self.sites:
            raise HTTPException(404, f"there is no challenge {id!r} here")
        return self.sites[id]

    def count(self, method: str, status: int) -> None:
        """Count a request for the metrics."""
        with self._counting:
            self.counts[method, status] = self.counts.get((method, status), 0) + 1

    def address(self, request: Request) -> str:
        """Where a request comes from; forwarded headers count from trusted proxies only."""
        peer = request.client.host if request.client else ""
        if peer in self.settings.trusted_proxies:
            forwarded = request.headers.get("x-forwarded-for", "").split(",")[-1].strip()
            return forwarded or peer
        return peer

    def is_secure(self, request: Request) -> bool:
        """Whether the browser came by https, as a trusted proxy says."""
        peer = request.client.host if request.client else ""
        if peer in self.settings.trusted_proxies:
            return request.headers.get("x-forwarded-proto", "") == "https"
        return request.url.scheme == "https"

    def viewer(self, request: Request, site: Site) -> Viewer:
        """The viewer, by a bearer token, else by a session. 401 for a wrong token."""
        header = request.headers.get("authorization", "")
        if header:
            scheme, _, token = header.partition(" ")
            viewer = viewer_of(site.board, token.strip()) if scheme.lower() == "bearer" else NOBODY
            if not viewer.known:
                self.failed_sign_in(request)
                raise HTTPException(401, "this token is not known here")
            return viewer
        cookie = request.cookies.get(f"{COOKIE}_{site_key(site)}", "")
        id = self.sessions.token(cookie) if cookie else None
        return NOBODY if id is None else viewer_of_id(site.board, id)

    def reader(self, request: Request, site: Site) -> Viewer:
        """Whoever may read: anybody, unless the server is private."""
        viewer = self.viewer(request, site)
        if self.settings.private and not viewer.known:
            raise HTTPException(401, "this board is for its teams; sign in")
        return viewer

    def failed_sign_in(self, request: Request) -> None:
        """Count a failed sign-in; 429 after too many."""
        most = SIGN_INS if self.settings.limit is None else self.settings.limit
        if not self.limiter.allows("failed", self.address(request), most):
            raise HTTPException(429, "too many failed sign-ins; wait a minute")

    def limited(self, request: Request, viewer: Viewer) -> None:
        """Count an act; 429 after too many by a token or from an address."""
        most = self.settings.limit
        token, address = (UPLOADS, ADDRESS) if most is None else (most, most * 10)
        allowed = self.limiter.allows("address", self.address(request), address) and (
            not viewer.known or self.limiter.allows("token", str(viewer.token), token)
        )
        if not allowed:
            raise HTTPException(429, "too many requests; wait a minute")

    def is_ours(self, request: Request) -> bool:
        """Whether a request that changes something was not made by another site's page.

        Browsers say so in Sec-Fetch-Site, or by http, in Origin; programs say nothing.
        """
        if site := request.headers.get("sec-fetch-site"):
            return site in ("same-origin", "none")
        origin = request.headers.get("origin")
        return origin is None or urlsplit(origin).netloc == request.headers.get("host")

    @asynccontextmanager
    async def uploaded(self, request: Request, site: Site) -> AsyncIterator[FormData]:
        """A form whose file is on disk; 413 as soon as it is larger than a submission may be."""
        most = site.board.challenge.submission.limits.size + SPARE
        length = request.headers.get("content-length", "")
        if length.isdigit() and int(length) > most:
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
        try:
            yield form
        finally:
            await form.close()

    def ask(self, site: Site, do: str, **more: Any) -> dict[str, Any]:
        """The answer of a child process to a task; 503 where it fails."""
        try:
            return ask_child(site.place, self.limits, do, **more)
        except ScorerError as error:
            raise HTTPException(503, f"the scorer failed: {error}") from None


def site_key(site: Site) -> str:
    """A challenge's id as part of a cookie's name."""
    return "".join(sign if sign.isalnum() else f"-{ord(sign):x}-" for sign in site.id)


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


def ready(request: Request, content: Ready, media: str) -> Response:
    """A response, compressed for browsers that take gzip.

    Args:
        request: the request, which says what is taken.
        content: the bytes.
        media: their media type.
    """
    headers = {"Vary": "Accept-Encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(
            content.small, media_type=media, headers=headers | {"Content-Encoding": "gzip"}
        )
    return Response(content.plain, media_type=media, headers=headers)


def scratch() -> tempfile.TemporaryDirectory[str]:
    """A folder for one request."""
    return tempfile.TemporaryDirectory(prefix="scorer-web-")


def error_answer(status: int, message: str, code: str | None = None) -> JSONResponse:
    """An error as the API answers it.

    Args:
        status: the HTTP status.
        message: what is wrong.
        code: S80x of a refusal.
    """
    return JSONResponse({"code": code, "message": message, "problems": []}, status)


def create(settings: Settings | None = None) -> FastAPI:
    """The application for those settings; by default those that `score serve` left.

    Raises:
        ScorerError: a challenge cannot be served.
    """
    from scorer.web import api, organize, pages

    if settings is None:
        fields = json.loads(os.environ["SCORER_SERVE"])
        settings = Settings(**{**fields, "challenges": tuple(fields["challenges"]),
                               "trusted_proxies": tuple(fields["trusted_proxies"])})  # fmt: skip
    context = Context(settings)
    for site in context.sites.values():
        ask_child(site.place, context.limits, "prepare")

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        context.workers.start()
        yield
        context.closing = True
        await asyncio.to_thread(context.workers.end)
        for site in context.sites.values():
            site.board.close()

    app = FastAPI(
        title="scorer", version=__version__, docs_url=None, redoc_url=None,
        openapi_url="/api/openapi.json", lifespan=lifespan, root_path=settings.root_path,
    )  # fmt: skip
    app.state.context = context
    for name in ("page.css", "page.js"):  # of the reports, whose parts the pages hold
        app.add_api_route(
            f"/static/{name}",
            lambda name=name: FileResponse(REPORTS / name),
            include_in_schema=False,
        )
    static = Path(__file__).parent / "static"
    app.mount("/static", StaticFiles(directory=static), name="static")

    @app.middleware("http")
    async def each_request(
        request: Request, answer: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        if not request.scope["path"].startswith(settings.root_path):  # the proxy took it away
            request.scope["path"] = settings.root_path + request.scope["path"]
        writes = request.method not in ("GET", "HEAD", "OPTIONS")
        if context.closing and writes:
            response: Response = error_answer(503, "the server is shutting down; try again soon")
        elif writes and not context.is_ours(request):
            response = error_answer(403, "another site's page sent this; nothing was done")
        else:
            response = await answer(request)
        if writes:
            for site in context.sites.values():
                site.look()
        for key, value in HEADERS.items():
            response.headers.setdefault(key, value)
        if not request.url.path.startswith("/static/"):
            response.headers.setdefault("Cache-Control", "no-store")
        context.count(request.method, response.status_code)
        return response

    def wants_page(request: Request) -> bool:
        path = request.url.path.removeprefix(settings.root_path)
        return not path.startswith(("/api/", "/metrics", "/healthz"))

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> Response:
        if wants_page(request):
            return pages.error_page(request, error.status_code, str(error.detail))
        return error_answer(error.status_code, str(error.detail))

    @app.exception_handler(RequestValidationError)
    async def unfit(request: Request, error: RequestValidationError) -> Response:
        fault = error.errors()[0]
        place = ".".join(str(step) for step in fault["loc"][1:])
        message = f"{place}: {fault['msg']}"
        if wants_page(request):
            return pages.error_page(request, 422, message)
        return error_answer(422, message)

    @app.exception_handler(UnknownName)
    async def unknown(request: Request, error: UnknownName) -> Response:
        if wants_page(request):
            return pages.error_page(request, 404, str(error))
        return error_answer(404, str(error))

    @app.exception_handler(UsageError)
    async def unusable(request: Request, error: UsageError) -> Response:
        if wants_page(request):
            return pages.error_page(request, 422, str(error))
        return error_answer(422, str(error))

    app.include_router(api.router)
    app.include_router(organize.router)
    app.include_router(pages.router)
    return app


def context_of(request: Request) -> Context:
    """The state that the routes share."""
    context: Context = request.app.state.context
    return context
