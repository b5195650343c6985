"""The organizer's part of the API: teams, the log, audit, re-scoring, failures, backup."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from scorer.board.fields import audit as audit_fields
from scorer.board.fields import log as log_fields
from scorer.board.fields import rescoring
from scorer.results.json import to_plain
from scorer.web.acts import copied, rescored, signs_of, teams_of
from scorer.web.dependencies import OfList, Organizer, Served, Shared
from scorer.web.routes.json import V1

router = APIRouter(prefix=V1 + "/{id}")


class TeamIn(BaseModel):
    """A team to make."""

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


class TokenIn(BaseModel):
    """A token to make."""

    label: str = Field("", description="who or what is to hold it")


class TokenLine(BaseModel):
    """A token that is not revoked."""

    number: int
    label: str | None
    made: str
    used: str | None


class TokenList(BaseModel):
    """The tokens of a team."""

    team: str
    tokens: list[TokenLine]


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


class SignOut(BaseModel):
    """Something that may be well or not."""

    name: str
    value: str
    more: str
    due: str | None
    alarm: str


class Overview(BaseModel):
    """Whether all is well."""

    well: bool
    signs: list[SignOut]


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


@router.get("/teams", response_model=Teams)
def teams(site: Served, _: Organizer) -> Any:
    """The teams (organizers only)."""
    return {
        "teams": [
            team | {"used": team["used"] and team["used"].isoformat()} for team in teams_of(site)
        ]
    }


@router.post("/teams", response_model=TokenOut, status_code=201)
def add_team(site: Served, _: Organizer, team: TeamIn) -> Any:
    """Make a team and its token (organizers only)."""
    name = team.name.strip()
    return {"team": name, "token": site.board.add_team(name, now=site.clock())}


@router.get("/teams/{name}/tokens", response_model=TokenList)
def tokens(name: str, site: Served, _: Organizer) -> Any:
    """The tokens of a team (organizers only)."""
    lines = [
        {
            "number": token.id,
            "label": token.label,
            "made": token.made.isoformat(),
            "used": token.used and token.used.isoformat(),
        }
        for token in site.board.tokens_of(name)
    ]
    return {"team": name, "tokens": lines}


@router.post("/teams/{name}/tokens", response_model=TokenOut, status_code=201)
def add_token(name: str, site: Served, _: Organizer, how: TokenIn | None = None) -> Any:
    """Make another token of a team (organizers only)."""
    label = how.label.strip() if how is not None else ""
    return {"team": name, "token": site.board.new_token(name, label or None, now=site.clock())}


@router.delete("/teams/{name}/tokens", response_model=Revoked)
def revoke(name: str, site: Served, _: Organizer) -> Any:
    """Revoke all tokens of a team (organizers only)."""
    return {"revoked": site.board.revoke(name, now=site.clock())}


@router.delete("/teams/{name}/tokens/{number}", response_model=Revoked)
def revoke_token(name: str, number: int, site: Served, _: Organizer) -> Any:
    """Revoke one token of a team (organizers only)."""
    return {"revoked": site.board.revoke(name, number, now=site.clock())}


@router.get("/log", response_model=log_fields.Record)
def log(site: Served, _: Organizer, asked: OfList) -> Any:
    """A page of entries, decisions, versions and teams, the latest first (organizers only).

    A page is in the order of time; one after the last has no events.
    """
    events = site.board.log(asked.team, asked.limit, asked.skip)
    return to_plain(log_fields.fields(events, site.board.challenge))


@router.get("/audit", response_model=audit_fields.Record)
def audit(context: Shared, site: Served, _: Organizer) -> Any:
    """Copies, near-copies and probing (organizers only)."""
    return context.ask(site, "audit", patient=True)


@router.post("/rescore", response_model=rescoring.Record)
def rescore(context: Shared, site: Served, _: Organizer, how: RescoreIn) -> Any:
    """Evaluate all entries under the files as they are now, or preview that (organizers only)."""
    return rescored(context, site, how.dry_run)


@router.get("/overview", response_model=Overview)
def all_signs(context: Shared, site: Served, _: Organizer) -> Any:
    """Teams, entries today, what waits and failed, the next date, the disk (organizers only)."""
    signs = signs_of(context, site)
    fields = [each._asdict() | {"due": each.due and each.due.isoformat()} for each in signs]
    return {"well": not any(each.alarm for each in signs), "signs": fields}


@router.get("/failures", response_model=Failures)
def failures(site: Served, _: Organizer) -> Any:
    """The references of evaluations that failed (organizers only)."""
    return {
        "failures": [
            {"reference": reference, "entry": entry} for reference, entry in site.board.failures()
        ]
    }


@router.get("/failures/{reference}", response_model=Cause)
def failure(reference: str, site: Served, _: Organizer) -> Any:
    """Why an evaluation failed (organizers only)."""
    return {"reference": reference, "cause": site.board.failure(reference)}


@router.post("/failures/{reference}/retry", status_code=204, response_class=Response)
def retry(reference: str, context: Shared, site: Served, _: Organizer) -> Response:
    """Have a failed evaluation made again (organizers only)."""
    site.board.retry(reference)
    context.workers.wake()
    return Response(status_code=204)


@router.get("/backup.db", response_class=Response)
def backup(site: Served, _: Organizer) -> Response:
    """A consistent copy of the database, as a SQLite file (organizers only)."""
    return copied(site)
