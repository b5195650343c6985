"""The application: the checks of every request, and the headers of every answer."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Container
from contextlib import asynccontextmanager
from pathlib import Path

from anyio import to_thread
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scorer import __version__
from scorer.board.isolation import ask_child
from scorer.core.errors import Refused, UnknownName, UsageError
from scorer.core.log import LOG, REFERENCE
from scorer.core.text import printable
from scorer.reports import write
from scorer.reports.charts.svg import STYLE
from scorer.web.context import Context, Settings
from scorer.web.rendering import POLICY, error_page
from scorer.web.routes.json import challenges, entries, server
from scorer.web.routes.pages import account, admin, board, record, team

REPORTS = Path(write.__file__).parent / "templates"
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
}
ROUTES = (challenges, entries, server)
PAGES = (account, admin, board, record, team)
ROUTERS = tuple(room.router for room in (*ROUTES, *PAGES))
FAILED = (
    "This is a mistake of the server, not yours. Try again in a minute; if it happens again, tell "
    "the organizer the reference {}."
)
UNLOGGED_PATHS = ("/static/", "/healthz")  # paths of requests that the log leaves out
STATIC_SECONDS = 300  # how long a browser may keep styles and scripts, also of an earlier version
SECRET = re.compile(r"[\w-]{20,}")  # a part of a path that somebody's token may be
UPLOADS = ("/check", "/entries", "/submit")  # ends of the paths at which files are sent


def error_answer(status: int, message: str, code: str | None = None) -> JSONResponse:
    """An error as the API answers it; `code` is S80x for a refusal."""
    return JSONResponse({"code": code, "message": message, "problems": []}, status)


def masked(path: str, ids: Container[str]) -> str:
    """A path for the log: of what could be a token, and is no challenge's id, the beginning.

    >>> masked("/c/the-challenge-of-the-year/kX3vJ0c1Qm7fYb2LzR9w8A", {"the-challenge-of-the-year"})
    '/c/the-challenge-of-the-year/kX3v...'
    """
    return SECRET.sub(lambda m: m[0] if m[0] in ids else f"{m[0][:4]}...", path)


class HeadAsGet:
    """Answers HEAD wherever there is GET, with the same headers and no body."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return

        async def send_head(message: Message) -> None:
            has_body = message["type"] == "http.response.body"
            await send({**message, "body": b""} if has_body else message)

        await self.app({**scope, "method": "GET"}, receive, send_head)


def create(settings: Settings) -> FastAPI:
    """Return the application for these settings.

    `ScorerError` if a challenge cannot be served.
    """
    context = Context(settings)
    try:
        for site in context.sites.values():
            ask_child(site.place, context.limits, "prepare")
    except BaseException:
        context.close()
        raise

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        context.workers.start()
        # those that wait for children leave as many threads to the others as there are without
        to_thread.current_default_thread_limiter().total_tokens += context.gate.most
        yield
        context.closing = True
        await asyncio.to_thread(context.workers.end)
        context.close()
        context.kits.close()

    app = FastAPI(
        title="scorer",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=lifespan,
        root_path=settings.root_path,
        redirect_slashes=False,  # such a redirect holds the request's Host
    )
    app.state.context = context
    # of the reports, whose parts the pages hold
    for file in (REPORTS / "page.css", REPORTS / "page.js", STYLE):
        app.add_api_route(
            f"/static/{file.name}",
            lambda file=file: FileResponse(file),
            include_in_schema=False,
        )
    static = Path(__file__).parent / "static"
    app.mount("/static", StaticFiles(directory=static), name="static")

    @app.middleware("http")
    async def handle_request(
        request: Request, answer: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        request.state.begun = begun = time.monotonic()
        REFERENCE.set(secrets.token_hex(4))
        if not request.scope["path"].startswith(settings.root_path):  # the proxy took it away
            request.scope["path"] = settings.root_path + request.scope["path"]
        writes = request.method not in ("GET", "HEAD", "OPTIONS")
        if context.closing and writes:
            response: Response = error_answer(503, "the server is shutting down; try again soon")
        elif writes and not context.is_ours(request):
            response = error_answer(403, "another site's page sent this; nothing was done")
        elif writes and not request.url.path.endswith(UPLOADS) and not context.is_small(request):
            response = error_answer(413, "this is too large, or does not say how large it is")
        else:
            try:
                response = await answer(request)
            except Exception:  # a mistake of ours
                LOG.exception("error")
                response = respond(request, 500, FAILED.format(REFERENCE.get()))
        if writes:
            for site in context.sites.values():
                site.expect_change()
        for key, value in HEADERS.items():
            response.headers.setdefault(key, value)
        path = request.scope["path"].removeprefix(settings.root_path)
        caching = f"max-age={STATIC_SECONDS}" if path.startswith("/static/") else "no-store"
        response.headers.setdefault("Cache-Control", caching)
        response.headers["X-Request-Id"] = str(REFERENCE.get())
        seconds = time.monotonic() - begun
        if not path.startswith(UNLOGGED_PATHS):
            log(request, response.status_code, seconds)
        return response

    def log(request: Request, status: int, seconds: float) -> None:
        level = logging.ERROR if status >= 500 else logging.INFO
        fields = {
            "address": context.proxies.address(request),
            "method": printable(request.method, 20),
            # without the query: the address of a page may hold more than it shows
            "path": masked(request.scope["path"][:300], context.sites),
            "status": status,
            "milliseconds": round(1000 * seconds),
        }
        LOG.log(logging.WARNING if status in (429, 503) else level, "request", extra=fields)

    def respond(request: Request, status: int, message: str, code: str | None = None) -> Response:
        path = request.url.path.removeprefix(settings.root_path)
        if path.startswith(("/api/", "/healthz")):
            return error_answer(status, message, code)
        return error_page(request, status, message)

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> Response:
        response = respond(request, error.status_code, str(error.detail))
        response.headers.update(error.headers or {})
        return response

    @app.exception_handler(RequestValidationError)
    async def answer_invalid_request(request: Request, error: RequestValidationError) -> Response:
        fault = error.errors()[0]
        place = ".".join(str(step) for step in fault["loc"][1:])
        return respond(request, 422, f"{place}: {fault['msg']}")

    @app.exception_handler(UnknownName)
    async def answer_unknown_name(request: Request, error: UnknownName) -> Response:
        return respond(request, 404, str(error))

    @app.exception_handler(Refused)
    async def answer_refusal(request: Request, error: Refused) -> Response:
        (problem,) = error.problems
        LOG.info("refusal", extra={"code": problem.code, "reason": problem.message})
        return respond(request, 409, problem.message, problem.code)

    @app.exception_handler(UsageError)
    async def answer_usage_error(request: Request, error: UsageError) -> Response:
        return respond(request, 422, str(error))

    for router in ROUTERS:
        app.include_router(router)
    app.add_middleware(GZipMiddleware, compresslevel=4)  # leaves what is ready in a cache as it is
    app.add_middleware(HeadAsGet)
    return app
