"""The organizer's page and its forms."""

from __future__ import annotations

import secrets
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse

from scorer.board.audit import describe_audit
from scorer.board.backup import save_rows
from scorer.board.models import Token
from scorer.core.errors import ChallengeError
from scorer.web.access import Viewer
from scorer.web.context import Context, context_of, scratch
from scorer.web.dependencies import Organizer, OrganizersForm, Served, Shared
from scorer.web.overview import Sign, overview
from scorer.web.page import page, to
from scorer.web.site import Site

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

EVENTS = 200  # of the log
AdminView = Literal["overview", "teams", "log"]


@router.get("/c/{id}/admin")
def admin(
    request: Request, site: Served, viewer: Organizer, view: AdminView = "overview"
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
            values["signs"] = _signs(context_of(request), site)
            values["failures"] = site.board.evaluations.failures()
        case "teams":
            values["teams"] = _teams(site)
        case "log":
            values["events"] = site.board.log(most=EVENTS)
    return page(request, site, viewer, "admin.html", here="admin", view=view, **{**values, **more})


def _signs(context: Context, site: Site) -> list[Sign]:
    """Return whether all is well, by what an organizer looks at first."""
    if site.board.versions.changed:  # or were, before another process put a version in force
        with suppress(ChallengeError):
            site.reload()
    return overview(site, context.workers.alive if context.settings.workers else None)


def _teams(site: Site) -> list[dict[str, Any]]:
    """Return the teams with the numbers of their entries, their valid tokens, and the last use."""
    counts, rows = site.sent, []
    of_teams = dict[int | None, list[Token]]()
    for token in site.board.database.tokens():
        if token.is_valid:
            of_teams.setdefault(token.team, []).append(token)
    for name, number in site.teams.items():
        tokens = of_teams.get(number, [])
        used = max((token.used for token in tokens if token.used is not None), default=None)
        rows.append(
            {
                "name": name,
                "entries": counts.get(number, 0),
                "tokens": len(tokens),
                "used": used,
                "each": tokens,
            }
        )
    return rows


@router.post("/c/{id}/admin/team")
def add_team(
    request: Request, site: Served, viewer: OrganizersForm, name: Annotated[str, Form()] = ""
) -> Response:
    """Make a team, and show its token, once."""
    token = site.board.add_team(name.strip(), now=site.clock())
    return administration(request, site, viewer, "teams", named=name.strip(), token=token)


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
def failure(request: Request, reference: str, site: Served, viewer: Organizer) -> Response:
    """Why an evaluation failed."""
    cause = site.board.evaluations.failure(reference)
    return administration(request, site, viewer, cause=cause, reference=reference)


@router.get("/c/{id}/admin/backup")
def backup(site: Served, _: Organizer) -> Response:
    """A consistent copy of the database, as a SQLite file."""
    with scratch() as folder:
        path = Path(folder, f"{secrets.token_hex(8)}.db")
        save_rows(site.board.database, path)
        data = path.read_bytes()
    stamp = site.clock().strftime("%Y%m%dT%H%M%SZ")
    head = {"Content-Disposition": f'attachment; filename="board-{stamp}.db"'}
    return Response(data, media_type="application/octet-stream", headers=head)
