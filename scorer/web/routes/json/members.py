"""People by the API: invitations, and one's own token."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel

from scorer.web.access import viewer_of
from scorer.web.acts import accepted, invited, renewed
from scorer.web.dependencies import Anybody, Decider, Served, Shared
from scorer.web.routes.json import V1

router = APIRouter(prefix=V1 + "/{id}")


class PersonIn(BaseModel):
    """Somebody to invite: to one's own team; organizers to any, or, without a team, to organize."""

    person: str = ""
    team: str | None = None


class InvitationOut(BaseModel):
    """An invitation, which is shown this once."""

    invitation: str
    until: str


class AcceptIn(BaseModel):
    """The code of an invitation, and one's name where it names nobody."""

    code: str
    person: str = ""


class OwnToken(BaseModel):
    """A token, which is shown this once; of no team where it is an organizer's."""

    team: str | None
    person: str | None
    token: str


@router.post("/invitations", response_model=InvitationOut, status_code=201)
def invite_person(
    request: Request, context: Shared, site: Served, viewer: Decider, who: PersonIn
) -> Any:
    """Invite somebody by a link that is good once, for a week."""
    team = viewer.team if who.team is None else who.team
    link, until = invited(context, request, site, viewer, team, who.person)
    return {"invitation": link, "until": until.isoformat()}


@router.post("/invitations/accept", response_model=OwnToken, status_code=201)
def accept(request: Request, context: Shared, site: Served, _: Anybody, how: AcceptIn) -> Any:
    """Use up an invitation, for a token of one's own."""
    let = accepted(context, request, site, how.code, how.person)
    team = viewer_of(site.board, let.token).team
    return {"team": team, "person": let.token.person, "token": let.secret}


@router.post("/token", response_model=OwnToken, status_code=201)
def renew(request: Request, context: Shared, site: Served, viewer: Decider) -> Any:
    """Make one's own token anew; the one before opens nothing any more."""
    let = renewed(context, request, site, viewer)
    return {"team": viewer.team, "person": viewer.person, "token": let.secret}
