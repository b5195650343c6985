"""Who may do what: the dependencies by which a route's signature says for whom it is."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Annotated, Literal, NamedTuple

from fastapi import Depends, HTTPException, Query, Request

from scorer.board.models import Status
from scorer.web.access import Viewer
from scorer.web.context import Context, context_of
from scorer.web.site import Site

PAGE = 100  # lines of a list, if nobody asks for more
MOST = 1_000_000  # pages
OF_NO_TEAM = "an organizer's token belongs to no team"


class Asked(NamedTuple):
    """The page of a list that somebody asks for, and its filters."""

    page: int
    limit: int
    team: str | None = None
    status: Status | None = None

    @property
    def skip(self) -> int:
        """The lines of the pages before."""
        return (self.page - 1) * self.limit


async def _context(request: Request) -> Context:
    return context_of(request)


Shared = Annotated[Context, Depends(_context)]


async def _site(context: Shared, id: str) -> Site:
    return context.site(id)


Served = Annotated[Site, Depends(_site)]  # the challenge of the path; 404 for any other


async def _begun(request: Request, site: Served) -> datetime:
    waited: float = time.monotonic() - request.state.begun
    return site.clock() - timedelta(seconds=waited)


# when the request's head came, however long its body and a free thread take
Begun = Annotated[datetime, Depends(_begun)]


def _viewer(request: Request, context: Shared, site: Served) -> Viewer:
    return context.viewer(request, site)


Anybody = Annotated[Viewer, Depends(_viewer)]  # 401 for a wrong token


async def _reader(context: Shared, viewer: Anybody) -> Viewer:
    return context.require_reader(viewer)


Reader = Annotated[Viewer, Depends(_reader)]  # anybody, unless the server is private


def _known(message: str) -> Callable[[Viewer], object]:
    async def known(viewer: Anybody) -> Viewer:
        if not viewer.signed_in:
            raise HTTPException(401, message)
        return viewer

    return known


# a team or an organizer; 401 for visitors
SignedIn = Annotated[Viewer, Depends(_known("sign in to see entries"))]
Decider = Annotated[Viewer, Depends(_known("a token is needed"))]
_Uploader = Annotated[Viewer, Depends(_known("a token is needed: Authorization: Bearer TOKEN"))]
FormSender = Annotated[Viewer, Depends(_known("sign in first"))]  # of a page's form


async def _sender(viewer: _Uploader) -> Viewer:
    return _of_team(viewer)


async def _page_sender(viewer: FormSender) -> Viewer:
    return _of_team(viewer)


def _of_team(viewer: Viewer) -> Viewer:
    if viewer.team is None:
        raise HTTPException(403, OF_NO_TEAM)
    return viewer


Sender = Annotated[Viewer, Depends(_sender)]  # a team; 403 for organizers
PageSender = Annotated[Viewer, Depends(_page_sender)]


async def _organizer(viewer: Anybody) -> Viewer:
    return _organizing(viewer)


def _organizing(viewer: Viewer) -> Viewer:
    if not viewer.organizer:
        raise HTTPException(404, "there is nothing here")
    return viewer


Organizer = Annotated[Viewer, Depends(_organizer)]  # 404 for all others


async def _organizers_form(viewer: FormSender) -> Viewer:
    return _organizing(viewer)


OrganizersForm = Annotated[Viewer, Depends(_organizers_form)]


def _asked(
    page: Annotated[int, Query(ge=1, le=MOST)] = 1,
    limit: Annotated[int, Query(ge=1, le=1_000)] = PAGE,
    team: str = "",
    status: Literal["", "pending", "scored", "rejected", "failed"] = "",
) -> Asked:
    return Asked(page, limit, team or None, status or None)


OfList = Annotated[Asked, Depends(_asked)]  # page, filters: 422 for others than there are
