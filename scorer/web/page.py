"""A page of a challenge, of an error, and the way to another page."""

from __future__ import annotations

from datetime import datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import quote
from zoneinfo import ZoneInfo

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse
from markupsafe import Markup

from scorer.web.access import Viewer
from scorer.web.glance import upcoming
from scorer.web.render import render
from scorer.web.site import Site
from scorer.web.standings import local_time

POLICY = (
    "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; "
    "object-src 'none'"
)
PROSE_POLICY = f"{POLICY}; img-src 'self' data:"  # of a page whose texts may hold pictures


def error_page(request: Request, status: int, message: str) -> HTMLResponse:
    """The page of an error, by its HTTP status and message."""
    phrase = HTTPStatus(status).phrase
    title = f"{status}: {phrase}"
    if message == phrase:  # nobody said more
        message = "There is no such page here." if status == 404 else ""
    return HTMLResponse(
        render(request, "error.html", code=status, title=title, message=message), status
    )


def due(time: datetime, zone: ZoneInfo) -> Markup:
    """A time that is waited for; a script adds how much is left, and the visitor's own time.

    >>> from datetime import UTC
    >>> due(datetime(2026, 7, 8, 21, 59, tzinfo=UTC), ZoneInfo("Europe/Ljubljana")).striptags()
    '2026-07-08 23:59 CEST'
    """
    local = time.astimezone(zone)
    said = Markup('<time class="due" datetime="{}">{}</time>')
    return said.format(local.isoformat(), f"{local:%Y-%m-%d %H:%M %Z}")


def page_text(request: Request, site: Site, viewer: Viewer, template: str, **data: Any) -> str:
    """A page of a challenge, as text: the template with its data."""
    return render(
        request, template, site=site, viewer=viewer, span=site.span(),
        now=site.clock(), when=lambda time: local_time(time, site.zone),
        due=lambda time: due(time, site.zone), ahead=upcoming(site.rules, site.clock()), **data,
    )  # fmt: skip


def page(
    request: Request, site: Site, viewer: Viewer, template: str, status: int = 200, **data: Any
) -> HTMLResponse:
    """A page of a challenge: the template with its data, and the HTTP status."""
    return HTMLResponse(page_text(request, site, viewer, template, **data), status)


def to(request: Request, *steps: object) -> RedirectResponse:
    """A redirect to a page of ours."""
    path = "/".join(quote(str(step), safe="?=&,#") for step in ("c", *steps))
    return RedirectResponse(f"{request.scope.get('root_path', '')}/{path}", 303)
