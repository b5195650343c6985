"""The organizer's page and its forms."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse

from scorer.board.fields.audit import sentences
from scorer.web.access import Viewer
from scorer.web.acts import copied, rescored, signs_of, teams_of
from scorer.web.context import context_of
from scorer.web.dependencies import Organizer, OrganizersForm, Served, Shared
from scorer.web.page import page, to
from scorer.web.site import Site

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

EVENTS = 200  # of the log


@router.get("/c/{id}/admin")
def admin(request: Request, site: Served, viewer: Organizer, entry: int | None = None) -> Response:
    """Whether all is well; teams, decisions, failures, versions: what an organizer needs."""
    return administration(request, site, viewer, about="" if entry is None else entry)


def administration(request: Request, site: Site, viewer: Viewer, **more: Any) -> Response:
    """The organizer's page."""
    values: dict[str, Any] = {
        "token": None, "named": "", "audit": None, "preview": None, "cause": None,
        "reference": "", "about": "",
    }  # fmt: skip
    return page(
        request, site, viewer, "admin.html", here="admin", teams=teams_of(site),
        signs=signs_of(context_of(request), site),
        events=site.board.log(most=EVENTS), failures=site.board.failures(),
        **{**values, **more},
    )  # fmt: skip


@router.post("/c/{id}/admin/team")
def add_team(
    request: Request, site: Served, viewer: OrganizersForm, name: Annotated[str, Form()] = ""
) -> Response:
    """Make a team, and show its token, once."""
    token = site.board.add_team(name.strip(), now=site.clock())
    return administration(request, site, viewer, named=name.strip(), token=token)


@router.post("/c/{id}/admin/act")
def act(
    request: Request,
    context: Shared,
    site: Served,
    viewer: OrganizersForm,
    do: Annotated[Literal["audit", "preview", "rescore", "retry", "revoke", "token"], Form()],
    subject: Annotated[str, Form()] = "",
    label: Annotated[str, Form()] = "",
    number: Annotated[int | None, Form()] = None,
) -> Response:
    """Audit, re-score or preview that, try a failure again, make or revoke tokens."""
    match do:
        case "audit":
            found = context.ask(site, "audit", patient=True)
            return administration(request, site, viewer, audit=sentences(found))
        case "preview" | "rescore":
            changes = rescored(context, site, do == "preview")
            return administration(request, site, viewer, preview=changes)
        case "token":
            token = site.board.new_token(subject, label.strip() or None, now=site.clock())
            return administration(request, site, viewer, token=token, named=subject)
        case "retry":
            site.board.retry(subject)
            context.workers.wake()
        case "revoke":
            site.board.revoke(subject, number, now=site.clock())
    return to(request, site.id, "admin")


@router.get("/c/{id}/admin/failures/{reference}")
def failure(request: Request, reference: str, site: Served, viewer: Organizer) -> Response:
    """Why an evaluation failed."""
    cause = site.board.failure(reference)
    return administration(request, site, viewer, cause=cause, reference=reference)


@router.get("/c/{id}/admin/backup")
def backup(site: Served, _: Organizer) -> Response:
    """A consistent copy of the database."""
    return copied(site)
