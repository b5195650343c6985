"""How pages are made of templates: a page of a challenge, of an error, and the way to another."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode
from zoneinfo import ZoneInfo

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import ChoiceLoader, Environment, FileSystemLoader
from markupsafe import Markup

from scorer import __version__
from scorer.core.text import format_number, printable, unit
from scorer.reports.document import Prose
from scorer.reports.write.html import environment
from scorer.web.auth import NOBODY, Viewer
from scorer.web.context import Context
from scorer.web.presenters import status_of
from scorer.web.site import Site

POLICY = (
    "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; "
    "object-src 'none'"
)
PROSE_POLICY = f"{POLICY}; img-src 'self' data:"  # of a page whose texts may hold pictures


@cache
def templates() -> Environment:
    """The templates; values are escaped, and undefined ones are errors."""
    reports = environment()
    assert reports.loader is not None
    pages = FileSystemLoader(Path(__file__).parent / "templates")
    overlay = reports.overlay(loader=ChoiceLoader([pages, reports.loader]))
    overlay.filters = {**reports.filters}
    overlay.filters["sized"] = format_number
    overlay.filters["prose_of"] = lambda text: Prose(text, key="code")
    overlay.filters["counted"] = lambda n, word: f"{n:,} {unit({'list': word}, n)}"
    overlay.filters["query"] = lambda fields: urlencode({k: v for k, v in fields.items() if v})
    overlay.filters["printable"] = lambda text: printable(text, 500)
    return overlay


def root_of(request: Request) -> str:
    """Where a proxy has put the server."""
    return str(request.scope.get("root_path", ""))


def render(request: Request, template: str, **data: Any) -> str:
    """A page; every one has a link to the home page."""
    values: dict[str, Any] = {
        "root": root_of(request),
        "site": None,
        "viewer": NOBODY,
        "here": "",
        "version": __version__,
    }
    return templates().get_template(template).render({**values, **data})


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
