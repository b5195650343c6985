"""The organizer's part of the API: teams, the log, audit, re-scoring, failures, backup."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

from fastapi import APIRouter, HTTPException, Request, Response
from pydantic import BaseModel

from scorer.board.fields import audit as audit_fields
from scorer.board.fields import log as log_fields
from scorer.board.fields import rescoring
from scorer.reports.codec import to_fields
from scorer.web.access import Viewer
from scorer.web.context import Context, context_of, scratch
from scorer.web.routes.json import V1
from scorer.web.site import Site

router = APIRouter(prefix=V1 + "/{id}")


class TeamIn(BaseModel):
    """A team to invite."""

    name: str


class TeamOut(BaseModel):
    """A team, as organizers see it."""

    name: str
    entries: int
    tokens: int
    used: str | None


class Teams(BaseModel):
    """All teams."""

    teams: list[TeamOut]


class TokenOut(BaseModel):
    """A token, which is shown this once."""

    team: str
    token: str


class Revoked(BaseModel):
    """How many tokens were revoked."""

    revoked: int


class RescoreIn(BaseModel):
    """Whether a re-scoring is only previewed."""

    dry_run: bool = True


class FailureOut(BaseModel):
    """An evaluation that failed."""

    reference: str
    entry: int


class Failures(BaseModel):
    """The evaluations that failed."""

    failures: list[FailureOut]


class Cause(BaseModel):
    """Why one failed."""

    reference: str
    cause: str


def organizer(request: Request, id: str) -> tuple[Context, Site, Viewer]:
    """An organizer, or 404 for anybody else."""
    context = context_of(request)
    site = context.site(id)
    viewer = context.viewer(request, site)
    if not viewer.organizer:
        raise HTTPException(404, "there is nothing here")
    return context, site, viewer


def teams_of(site: Site) -> list[dict[str, Any]]:
    """Teams with how many entries and valid tokens they have, and when one was last used."""
    tokens = [token for token in site.board.tokens() if token.revoked is None]
    entries = site.board.entries()
    rows = []
    for name, team in site.board.teams().items():
        team_tokens = [token for token in tokens if token.team == team.id]
        used = max((token.used for token in team_tokens if token.used is not None), default=None)
        count = sum(entry.team == team.id for entry in entries)
        rows.append({"name": name, "entries": count, "tokens": len(team_tokens), "used": used})
    return rows


def copied(site: Site) -> Response:
    """A consistent copy of the database. Raises `UsageError` for PostgreSQL."""
    with scratch() as folder:
        path = Path(folder, f"{secrets.token_hex(8)}.db")
        site.board.backup(path)
        data = path.read_bytes()
    stamp = site.clock().strftime("%Y%m%dT%H%M%SZ")
    head = {"Content-Disposition": f'attachment; filename="board-{stamp}.db"'}
    return Response(data, media_type="application/octet-stream", headers=head)


def rescored(context: Context, site: Site, dry_run: bool) -> dict[str, Any]:
    """The changes by a re-scoring, or by its preview.

    Args:
        context: the state that the routes share.
        site: the challenge.
        dry_run: only preview them.
    """
    changes = context.ask(site, "rescore", patient=True, dry_run=dry_run)
    site.reload()
    return changes


@router.get("/teams", response_model=Teams)
def teams(request: Request, id: str) -> Any:
    """The teams (organizers only)."""
    _, site, _ = organizer(request, id)
    return {
        "teams": [
            team | {"used": team["used"] and team["used"].isoformat()} for team in teams_of(site)
        ]
    }


@router.post("/teams", response_model=TokenOut, status_code=201)
def invite(request: Request, id: str, team: TeamIn) -> Any:
    """Make a team and its token (organizers only)."""
    _, site, _ = organizer(request, id)
    name = team.name.strip()
    return {"team": name, "token": site.board.add_team(name, now=site.clock())}


@router.post("/teams/{name}/tokens", response_model=TokenOut, status_code=201)
def token(request: Request, id: str, name: str) -> Any:
    """Make another token of a team (organizers only)."""
    _, site, _ = organizer(request, id)
    return {"team": name, "token": site.board.new_token(name, now=site.clock())}


@router.delete("/teams/{name}/tokens", response_model=Revoked)
def revoke(request: Request, id: str, name: str) -> Any:
    """Revoke all tokens of a team (organizers only)."""
    _, site, _ = organizer(request, id)
    return {"revoked": site.board.revoke(name, now=site.clock())}


@router.get("/log", response_model=log_fields.Record)
def log(request: Request, id: str) -> Any:
    """Entries, decisions, versions and teams (organizers only)."""
    _, site, _ = organizer(request, id)
    return to_fields(log_fields.fields(site.board.log(), site.board.challenge))


@router.get("/audit", response_model=audit_fields.Record)
def audit(request: Request, id: str) -> Any:
    """Copies, near-copies, probing and the shake-up (organizers only)."""
    context, site, _ = organizer(request, id)
    return context.ask(site, "audit", patient=True)


@router.post("/rescore", response_model=rescoring.Record)
def rescore(request: Request, id: str, how: RescoreIn) -> Any:
    """Evaluate all entries under the files as they are now, or preview that (organizers only)."""
    context, site, _ = organizer(request, id)
    return rescored(context, site, how.dry_run)


@router.get("/failures", response_model=Failures)
def failures(request: Request, id: str) -> Any:
    """The references of evaluations that failed (organizers only)."""
    _, site, _ = organizer(request, id)
    return {
        "failures": [
            {"reference": reference, "entry": entry} for reference, entry in site.board.failures()
        ]
    }


@router.get("/failures/{reference}", response_model=Cause)
def failure(request: Request, id: str, reference: str) -> Any:
    """Why an evaluation failed (organizers only)."""
    _, site, _ = organizer(request, id)
    return {"reference": reference, "cause": site.board.failure(reference)}


@router.post("/failures/{reference}/retry", status_code=204, response_class=Response)
def retry(request: Request, id: str, reference: str) -> Response:
    """Have a failed evaluation made again (organizers only)."""
    context, site, _ = organizer(request, id)
    site.board.retry(reference)
    context.workers.wake()
    return Response(status_code=204)


@router.get("/backup.db", response_class=Response)
def backup(request: Request, id: str) -> Response:
    """A consistent copy of a SQLite database (organizers only)."""
    _, site, _ = organizer(request, id)
    return copied(site)
