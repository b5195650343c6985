"""The server itself: its health, and the page of its API."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, PlainTextResponse

from scorer.core.codes import code
from scorer.web.dependencies import ContextDep
from scorer.web.rendering import render

router = APIRouter(include_in_schema=False)


@router.get("/healthz", response_class=PlainTextResponse)
def health(context: ContextDep) -> str:
    """Whether the stores answer."""
    for site in context.sites.values():
        site.board.database.stamp()
    return "ok\n"


@router.get("/codes/{name}", response_class=HTMLResponse)
def problem_code(request: Request, name: str) -> Response:
    """What a problem's code means, with an example and what to do; 404 for an unknown one."""
    return HTMLResponse(render(request, "code.html", code=code(name)))


@router.get("/api/docs", response_class=HTMLResponse)
def documentation(request: Request) -> Response:
    """The API, as a page of our own: nothing is loaded from another host."""
    return HTMLResponse(render(request, "docs.html", openapi=request.app.openapi()))
