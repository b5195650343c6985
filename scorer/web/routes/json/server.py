"""The server itself: its health, its figures, and the page of its API."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, PlainTextResponse

from scorer.web.dependencies import Shared
from scorer.web.figures import family, of_challenges
from scorer.web.render import render

router = APIRouter(include_in_schema=False)


@router.get("/healthz", response_class=PlainTextResponse)
def health(context: Shared) -> str:
    """Whether the stores answer."""
    for site in context.sites.values():
        site.board.stamp()
    return "ok\n"


@router.get("/metrics", response_class=PlainTextResponse)
def metrics(request: Request, context: Shared) -> Response:
    """Figures for Prometheus: of all challenges, or of those whose organizer asks."""
    is_open = context.settings.open_metrics
    sites = [*context.sites.values()] if is_open else context.organized(request)
    alive = {"": context.workers.alive}
    lines = [
        *context.requests.figures(), *of_challenges(sites),
        *family("workers", "gauge", "Workers of this server.", alive),
    ]  # fmt: skip
    text = "".join(f"{line}\n" for line in lines)
    return Response(text, media_type="text/plain; version=0.0.4")


@router.get("/api/docs", response_class=HTMLResponse)
def documentation(request: Request) -> Response:
    """The API, as a page of our own: nothing is loaded from another host."""
    return HTMLResponse(render(request, "docs.html", openapi=request.app.openapi()))
