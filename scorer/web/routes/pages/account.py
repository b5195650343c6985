"""The pages on which somebody signs in or out, or registers a team."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Request, Response
from fastapi.responses import HTMLResponse

from scorer.core.log import LOG
from scorer.web.access import NOBODY, token_of
from scorer.web.context import COOKIE, begin_session, site_key
from scorer.web.dependencies import FormSender, Served, Shared
from scorer.web.page import page, to
from scorer.web.site import Site

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


async def _open(context: Shared, site: Served) -> Site:
    if site.board.challenge.registration != "open" or context.settings.private:
        raise HTTPException(404, "teams are by invitation here")
    return site


OpenToTeams = Annotated[Site, Depends(_open)]  # 404 unless teams may register themselves


@router.get("/c/{id}/sign-in")
def sign_in_page(request: Request, site: Served) -> Response:
    """Where a token is entered."""
    return page(request, site, NOBODY, "sign-in.html", fault=None)


@router.post("/c/{id}/sign-in")
def sign_in(
    request: Request, context: Shared, site: Served, token: Annotated[str, Form()] = ""
) -> Response:
    """Begin a session by a token."""
    known = token_of(site.board, token.strip())
    if known is None:
        context.failed_sign_in(request)
        fault = "This token is not known here."
        return page(request, site, NOBODY, "sign-in.html", 401, fault=fault)
    return begin_session(to(request, site.id), context, request, site, known)


@router.post("/c/{id}/sign-out")
def sign_out(request: Request, site: Served, viewer: FormSender) -> Response:
    """End the session."""
    fields = {"challenge": site.id, "team": viewer.team, "organizer": viewer.organizer or None}
    LOG.info("sign-out", extra=fields)
    response = to(request, site.id)
    response.delete_cookie(f"{COOKIE}_{site_key(site)}")
    return response


@router.get("/c/{id}/join")
def join_page(request: Request, site: OpenToTeams) -> Response:
    """Where a team registers, in challenges with open registration."""
    return page(request, site, NOBODY, "join.html", fault=None, token=None)


@router.post("/c/{id}/join")
def join(
    request: Request, context: Shared, site: OpenToTeams, name: Annotated[str, Form()] = ""
) -> Response:
    """Make a team and show its token, once."""
    context.limited(request, site, NOBODY)
    token = site.board.add_team(name.strip(), now=site.clock())
    address = context.proxies.address(request)
    LOG.info("team", extra={"challenge": site.id, "team": name.strip(), "address": address})
    return page(request, site, NOBODY, "join.html", fault=None, token=token, name=name.strip())
