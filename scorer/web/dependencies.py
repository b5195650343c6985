"""The dependencies of routes: by them a route's signature says what it needs and who may use it."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Annotated, Literal, NamedTuple

from fastapi import Depends, HTTPException, Query, Request

from scorer.board.models import Status
from scorer.web.auth import Viewer
from scorer.web.context import Context, context_of
from scorer.web.site import Site

DEFAULT_LIMIT = 100  # lines on a page of a list
MOST_PAGES = 1_000_000


class ListQuery(NamedTuple):
    """Which page of a list a request asks for, and its filters."""

    page: int
    limit: int
    team: str | None = None
    status: Status | None = None

    @property
    def skip(self) -> int:
        """The number of lines on the pages before."""
        return (self.page - 1) * self.limit


async def _context(request: Request) -> Context:
    return context_of(request)


ContextDep = Annotated[Context, Depends(_context)]


async def _site(context: ContextDep, id: str) -> Site:
    return context.site(id)


SiteDep = Annotated[Site, Depends(_site)]  # the challenge of the path; 404 for any other


async def _start(request: Request, site: SiteDep) -> datetime:
    waited: float = time.monotonic() - request.state.begun
    return site.clock() - timedelta(seconds=waited)


# when the head of the request came, however long its body takes, or the wait for a free thread
StartDep = Annotated[datetime, Depends(_start)]


def _viewer(request: Request, context: ContextDep, site: SiteDep) -> Viewer:
    return context.viewer(request, site)


ViewerDep = Annotated[Viewer, Depends(_viewer)]  # 401 for a wrong token


async def _reader(context: ContextDep, viewer: ViewerDep) -> Viewer:
    return context.require_reader(viewer)


ReaderDep = Annotated[Viewer, Depends(_reader)]  # anybody, unless the server is private


def _signed_in(message: str) -> Callable[[Viewer], object]:
    """Return a dependency that refuses visitors by 401, with a message."""

    async def signed_in(viewer: ViewerDep) -> Viewer:
        return _require_signed_in(viewer, message)

    return signed_in


def _require_signed_in(viewer: Viewer, message: str) -> Viewer:
    if not viewer.signed_in:
        raise HTTPException(401, message)
    return viewer


def _team(message: str) -> Callable[[Viewer], object]:
    """Return a dependency that refuses visitors by 401, with a message, and organizers by 403."""

    async def team(viewer: ViewerDep) -> Viewer:
        if _require_signed_in(viewer, message).team is None:
            raise HTTPException(403, "an organizer's token belongs to no team")
        return viewer

    return team


async def _organizer(viewer: ViewerDep) -> Viewer:
    if not viewer.organizer:
        raise HTTPException(404, "there is nothing here")
    return viewer


async def _form_organizer(viewer: FormViewerDep) -> Viewer:
    return await _organizer(viewer)


# Teams and organizers: who reads lists by a program, who decides by a program, who sends a form.
SignedInDep = Annotated[Viewer, Depends(_signed_in("sign in to see entries"))]
DeciderDep = Annotated[Viewer, Depends(_signed_in("a token is needed"))]
FormViewerDep = Annotated[Viewer, Depends(_signed_in("sign in first"))]
# Teams alone: by a program, by a form.
TeamDep = Annotated[Viewer, Depends(_team("a token is needed: Authorization: Bearer TOKEN"))]
FormTeamDep = Annotated[Viewer, Depends(_team("sign in first"))]
# Organizers alone; for all others the pages do not exist.
OrganizerDep = Annotated[Viewer, Depends(_organizer)]
OrganizerFormDep = Annotated[Viewer, Depends(_form_organizer)]


def _list_query(
    page: Annotated[int, Query(ge=1, le=MOST_PAGES)] = 1,
    limit: Annotated[int, Query(ge=1, le=1_000)] = DEFAULT_LIMIT,
    team: str = "",
    status: Literal["", "pending", "scored", "rejected", "failed"] = "",
) -> ListQuery:
    return ListQuery(page, limit, team or None, status or None)


ListQueryDep = Annotated[ListQuery, Depends(_list_query)]
