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

from scorer.web.access import NOBODY, Viewer
from scorer.web.context import Context
from scorer.web.glance import status_of
from scorer.web.render import render
from scorer.web.site import Site

POLICY = (
    "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; "
    "object-src 'none'"
)
PROSE_POLICY = f"{POLICY}; img-src 'self' data:"  # of a page whose texts may hold pictures


def error_page(request: Request, status: int, message: str) -> HTMLResponse:
    """The page of an error, by its HTTP status and message."""
    phrase = HTTPStatus(status).phrase
    title = "Something went wrong here" if status == 500 else phrase
    if message == phrase:  # nobody said more
        message = "There is no such page here." if status == 404 else ""
    return HTMLResponse(
        render(request, "error.html", code=status, title=title, message=message), status
    )


def time_tag(time: datetime, zone: ZoneInfo, look: str = "") -> Markup:
    """A time in the challenge's zone, which a script tells in the reader's.

    Of one whose look is `due` it says how long it is until then, too, of a `day` only the date.

    >>> from datetime import UTC
    >>> zone = ZoneInfo("Europe/Ljubljana")
    >>> time_tag(datetime(2026, 7, 8, 21, 59, tzinfo=UTC), zone, "due").striptags()
    '2026-07-08 23:59 CEST'
    """
    local = time.astimezone(zone)
    form = {"due": "%Y-%m-%d %H:%M %Z", "day": "%Y-%m-%d"}.get(look, "%Y-%m-%d %H:%M")
    tag = Markup('<time class="{}" datetime="{}">{}</time>')
    return tag.format(look, local.isoformat(), local.strftime(form))


def page_text(request: Request, site: Site, viewer: Viewer, template: str, **data: Any) -> str:
    """A page of a challenge, as text: the template with its data."""
    return render(
        request,
        template,
        site=site,
        viewer=viewer,
        span=site.span(),
        now=site.clock(),
        status=status_of(site.rules, site.span(), site.clock()),
        when=lambda time, look="": time_tag(time, site.zone, look),
        due=lambda time: time_tag(time, site.zone, "due"),
        **data,
    )


def page(
    request: Request, site: Site, viewer: Viewer, template: str, status: int = 200, **data: Any
) -> HTMLResponse:
    """A page of a challenge: the template with its data, and the HTTP status."""
    return HTMLResponse(page_text(request, site, viewer, template, **data), status)


def sign_in_form(
    context: Context, request: Request, site: Site, status: int = 200, **data: Any
) -> HTMLResponse:
    """The page on which somebody signs in, or registers a team where that is open."""
    joins = site.rules.registration == "open" and not context.settings.private
    values = {"fault": None, "next": "", "here": "", "joins": joins, **data}
    return page(request, site, NOBODY, "sign-in.html", status, **values)


def to(request: Request, *steps: object) -> RedirectResponse:
    """A redirect to a page of ours."""
    path = "/".join(quote(str(step), safe="?=&,#") for step in ("c", *steps))
    return RedirectResponse(f"{request.scope.get('root_path', '')}/{path}", 303)
