"""The server itself: its health, its figures, and the page of its API."""

from __future__ import annotations

import json
from collections import Counter

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, PlainTextResponse

from scorer.web.dependencies import Shared
from scorer.web.render import render

router = APIRouter(include_in_schema=False)


@router.get("/healthz", response_class=PlainTextResponse)
def health(context: Shared) -> str:
    """Whether the stores answer."""
    for site in context.sites.values():
        site.board.stamp()
    return "ok\n"


@router.get("/metrics", response_class=PlainTextResponse)
def metrics(context: Shared) -> Response:
    """Figures for Prometheus."""
    lines = ["# TYPE scorer_requests_total counter"]
    for (method, status), count in sorted(context.counts.items()):
        lines.append(f'scorer_requests_total{{method="{method}",status="{status}"}} {count}')
    lines.append("# TYPE scorer_entries gauge")
    for site in context.sites.values():
        counts = Counter(site.board.statuses().values())
        name = json.dumps(site.id)
        for state in ("pending", "scored", "rejected", "failed"):
            labels = f'challenge={name},status="{state}"'
            lines.append(f"scorer_entries{{{labels}}} {counts[state]}")
    lines += ["# TYPE scorer_workers gauge", f"scorer_workers {context.workers.alive}"]
    text = "".join(f"{line}\n" for line in lines)
    return Response(text, media_type="text/plain; version=0.0.4")


@router.get("/api/docs", response_class=HTMLResponse)
def documentation(request: Request) -> Response:
    """The API, as a page of our own: nothing is loaded from another host."""
    return HTMLResponse(render(request, "docs.html", openapi=request.app.openapi()))
