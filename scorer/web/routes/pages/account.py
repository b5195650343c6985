"""The pages on which somebody signs in or out, or registers a team."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Request, Response
from fastapi.responses import HTMLResponse

from scorer.core.errors import UsageError
from scorer.core.log import LOG
from scorer.web.auth import NOBODY, token_of, viewer_of
from scorer.web.context import COOKIE, begin_session, site_key
from scorer.web.dependencies import ContextDep, FormViewerDep, SiteDep
from scorer.web.rendering import page, sign_in_form, to
from scorer.web.routes.pages.team import submission
from scorer.web.site import Site

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

# The pages that a sign-in leads back to, below the challenge's own.
NEXT = re.compile(r"rules|submit|entries(/\d{1,9})?|admin")


async def _open(context: ContextDep, site: SiteDep) -> Site:
    if site.board.challenge.registration != "open" or context.settings.private:
        raise HTTPException(404, "teams are by invitation here")
    return site


OpenToTeams = Annotated[Site, Depends(_open)]  # 404 unless teams may register themselves


@router.get("/c/{id}/sign-in")
def sign_in_page(request: Request, context: ContextDep, site: SiteDep, next: str = "") -> Response:
    """Where a token is entered, or a team registered; `next` is the page that was asked for."""
    return sign_in_form(context, request, site, next=next)


@router.post("/c/{id}/sign-in")
def sign_in(
    request: Request,
    context: ContextDep,
    site: SiteDep,
    token: Annotated[str, Form()] = "",
    next: Annotated[str, Form()] = "",
) -> Response:
    """Begin a session by a token, and go to the page that was asked for."""
    known = token_of(site.board, token.strip())
    if known is None:
        context.count_failed_sign_in(request)
        fault = "This token is not known here. Ask the organizer for a new one."
        return sign_in_form(context, request, site, 401, fault=fault, next=next)
    target = to(request, site.id, *(next.split("/") if NEXT.fullmatch(next) else []))
    return begin_session(target, context, request, site, known)


@router.post("/c/{id}/sign-out")
def sign_out(request: Request, site: SiteDep, viewer: FormViewerDep) -> Response:
    """End the session."""
    fields = {"challenge": site.id, "team": viewer.team, "organizer": viewer.organizer or None}
    LOG.info("sign-out", extra=fields)
    response = to(request, site.id)
    response.delete_cookie(f"{COOKIE}_{site_key(site)}")
    return response


@router.get("/c/{id}/join")
def join_page(request: Request, site: OpenToTeams) -> Response:
    """Where a team registers, in challenges with open registration."""
    return page(request, site, NOBODY, "join.html", fault=None)


@router.post("/c/{id}/join")
def join(
    request: Request, context: ContextDep, site: OpenToTeams, name: Annotated[str, Form()] = ""
) -> Response:
    """Make a team, sign it in, and show its token, once, above the form for its first entry."""
    context.count_request(request, site, NOBODY)
    try:
        token = site.board.add_team(name.strip(), now=site.clock())
    except UsageError as error:
        return page(request, site, NOBODY, "join.html", 422, fault=str(error))
    address = context.proxies.address(request)
    LOG.info("team", extra={"challenge": site.id, "team": name.strip(), "address": address})
    record = token_of(site.board, token)
    assert record is not None
    site.expect_change()
    first = submission(context, request, site, viewer_of(site.board, record), token=token)
    return begin_session(first, context, request, site, record)
