"""The organizer's page and its forms."""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse

from scorer.board.audit import describe_audit
from scorer.board.backup import save_rows
from scorer.board.models import Token
from scorer.core.errors import ChallengeError
from scorer.web.auth import Viewer
from scorer.web.context import context_of, scratch
from scorer.web.dependencies import ContextDep, OrganizerDep, OrganizerFormDep, SiteDep
from scorer.web.overview import overview
from scorer.web.presenters import Fact
from scorer.web.rendering import page, root_of, to
from scorer.web.site import Site

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

EVENTS = 200  # of the log
AdminView = Literal["overview", "teams", "log"]


@router.get("/c/{id}/admin")
def admin(
    request: Request, site: SiteDep, viewer: OrganizerDep, view: AdminView = "overview"
) -> Response:
    """Whether all is well; teams; the log: what an organizer needs."""
    return administration(request, site, viewer, view)


def administration(
    request: Request, site: Site, viewer: Viewer, view: AdminView = "overview", **more: Any
) -> Response:
    """One of the organizer's pages."""
    values: dict[str, Any] = {
        "token": None,
        "named": "",
        "audit": None,
        "preview": None,
        "cause": None,
        "reference": "",
    }
    match view:
        case "overview":
            values["facts"] = _overview(request, site)
            values["failures"] = site.board.evaluations.failures()
        case "teams":
            values["teams"] = _teams(site)
        case "log":
            values["events"] = site.board.log(most=EVENTS)
    return page(request, site, viewer, "admin.html", here="admin", view=view, **{**values, **more})


def _overview(request: Request, site: Site) -> list[Fact]:
    """Return what an organizer looks at first."""
    context = context_of(request)
    if site.board.versions.changed:  # or were, before another process put a version in force
        with suppress(ChallengeError):
            site.reload()
    workers = context.workers.alive if context.settings.workers else None
    return overview(site, workers, root_of(request))


class TeamAccess(NamedTuple):
    """A team with the number of its entries, its valid tokens, and the last use of one."""

    name: str
    entries: int
    tokens: Sequence[Token]
    used: datetime | None


def _teams(site: Site) -> list[TeamAccess]:
    """Return the teams in the order in which they were made."""
    tokens_of = defaultdict[int | None, list[Token]](list)
    for token in site.board.database.tokens():
        if token.is_valid:
            tokens_of[token.team].append(token)
    teams = []
    for name, number in site.teams.items():
        tokens = tokens_of[number]
        used = max((token.used for token in tokens if token.used is not None), default=None)
        teams.append(TeamAccess(name, site.sent.get(number, 0), tokens, used))
    return teams


@router.post("/c/{id}/admin/team")
def add_team(
    request: Request, site: SiteDep, viewer: OrganizerFormDep, name: Annotated[str, Form()] = ""
) -> Response:
    """Make a team, and show its token, once."""
    token = site.board.add_team(name.strip(), now=site.clock())
    return administration(request, site, viewer, "teams", named=name.strip(), token=token)


@router.post("/c/{id}/admin/act")
def act(
    request: Request,
    context: ContextDep,
    site: SiteDep,
    viewer: OrganizerFormDep,
    do: Annotated[Literal["audit", "preview", "rescore", "retry", "revoke", "token"], Form()],
    subject: Annotated[str, Form()] = "",
    label: Annotated[str, Form()] = "",
    number: Annotated[int | None, Form()] = None,
) -> Response:
    """Audit, re-score or preview that, try a failure again, make or revoke tokens."""
    match do:
        case "audit":
            found = context.ask(site, "audit", patient=True)
            return administration(request, site, viewer, audit=describe_audit(found))
        case "preview" | "rescore":
            changes = context.ask(site, "rescore", patient=True, dry_run=do == "preview")
            site.reload()
            return administration(request, site, viewer, preview=changes)
        case "token":
            token = site.board.new_token(subject, label.strip() or None, now=site.clock())
            return administration(request, site, viewer, "teams", token=token, named=subject)
        case "retry":
            site.board.evaluations.retry(subject)
            context.workers.wake()
        case "revoke":
            site.board.revoke(subject, number, now=site.clock())
    return to(request, site.id, "admin?view=teams" if do == "revoke" else "admin")


@router.get("/c/{id}/admin/failures/{reference}")
def failure(request: Request, reference: str, site: SiteDep, viewer: OrganizerDep) -> Response:
    """Why an evaluation failed."""
    cause = site.board.evaluations.failure(reference)
    return administration(request, site, viewer, cause=cause, reference=reference)


@router.get("/c/{id}/admin/backup")
def backup(site: SiteDep, _: OrganizerDep) -> Response:
    """A consistent copy of the database, as a SQLite file."""
    with scratch() as folder:
        path = Path(folder, f"{secrets.token_hex(8)}.db")
        save_rows(site.board.database, path)
        data = path.read_bytes()
    stamp = site.clock().strftime("%Y%m%dT%H%M%SZ")
    head = {"Content-Disposition": f'attachment; filename="board-{stamp}.db"'}
    return Response(data, media_type="application/octet-stream", headers=head)
