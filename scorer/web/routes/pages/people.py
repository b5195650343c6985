"""The pages of people: an invitation, one's own token, and who else acts for the team."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse

from scorer.core.errors import UsageError
from scorer.web.access import Viewer, viewer_of
from scorer.web.acts import accepted, invited, renewed
from scorer.web.context import begin_session
from scorer.web.dependencies import Anybody, FormSender, Served, Shared
from scorer.web.page import page
from scorer.web.site import Site

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


@router.get("/c/{id}/invitation")
def invitation(request: Request, site: Served, viewer: Anybody, code: str = "") -> Response:
    """What an invitation is for; to look at it does not use it up."""
    found = site.board.people.invitation(code.strip(), site.clock())
    names = {team.id: name for name, team in site.board.teams().items()}
    team = names.get(found.team) if found is not None and found.team is not None else None
    return page(
        request, site, viewer, "invitation.html", 404 if found is None else 200, code=code,
        invitation=found, team=team, token=None, fault=None,
    )  # fmt: skip


@router.post("/c/{id}/invitation")
def accept(
    request: Request,
    context: Shared,
    site: Served,
    _: Anybody,
    code: Annotated[str, Form()] = "",
    person: Annotated[str, Form()] = "",
) -> Response:
    """Use up an invitation: sign in, and show the token once."""
    let = accepted(context, request, site, code, person)
    viewer = viewer_of(site.board, let.token)
    response = page(
        request, site, viewer, "invitation.html", code="", invitation=None, team=viewer.team,
        token=let.secret, fault=None,
    )  # fmt: skip
    return begin_session(response, context, request, site, let.token)


@router.get("/c/{id}/account")
def account(request: Request, site: Served, viewer: Anybody) -> Response:
    """Who one is here, and who else acts for the team."""
    if not viewer.known:
        fault = "Sign in to see your account."
        return page(request, site, viewer, "sign-in.html", 401, fault=fault)
    return account_page(request, site, viewer)


def account_page(
    request: Request, site: Site, viewer: Viewer, status: int = 200, **more: Any
) -> Response:
    """The account, with a token or an invitation that was just made, or why none was."""
    team = None if viewer.team is None else site.teams[viewer.team]
    waiting = [each for each in site.board.people.waiting(site.clock()) if each.team == team]
    values: dict[str, Any] = {"token": None, "link": None, "fault": None}
    return page(
        request, site, viewer, "account.html", status, here="account",
        people=site.board.people.of(team), waiting=waiting, **{**values, **more},
    )  # fmt: skip


@router.post("/c/{id}/account/token")
def renew(request: Request, context: Shared, site: Served, viewer: FormSender) -> Response:
    """Make one's token anew; the one before and all its sessions end."""
    let = renewed(context, request, site, viewer)
    response = account_page(request, site, viewer._replace(token=let.token.id), token=let.secret)
    return begin_session(response, context, request, site, let.token)


@router.post("/c/{id}/account/invitation")
def invite_person(
    request: Request,
    context: Shared,
    site: Served,
    viewer: FormSender,
    person: Annotated[str, Form()] = "",
) -> Response:
    """Invite somebody to one's team, or to organize."""
    try:
        link, _ = invited(context, request, site, viewer, viewer.team, person)
    except UsageError as error:
        return account_page(request, site, viewer, 422, fault=str(error))
    return account_page(request, site, viewer, link=link)
