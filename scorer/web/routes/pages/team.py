"""The pages of a team: send a file, see and select entries."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData

from scorer.board.models import TEAM_ACTS, Act
from scorer.board.phases import decision_deadline, spans
from scorer.challenge.leaderboard import LONGEST_ANSWER
from scorer.core.text import unit
from scorer.web import pictures
from scorer.web.auth import Viewer
from scorer.web.context import Context
from scorer.web.dependencies import (
    ContextDep,
    FormTeamDep,
    FormViewerDep,
    ListQueryDep,
    SiteDep,
    StartDep,
    ViewerDep,
)
from scorer.web.rendering import page, sign_in_form, to
from scorer.web.schemas import DecisionIn
from scorer.web.service import (
    answers_of,
    check_upload,
    decided,
    describe,
    entry_of_file,
    entry_page,
    file_of,
    own_entry,
    own_outcomes,
    problem_cards,
    recorded,
)
from scorer.web.site import Site

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


@router.get("/c/{id}/submit")
def submit_page(
    request: Request, context: ContextDep, site: SiteDep, viewer: ViewerDep
) -> Response:
    """Where a file is dropped, checked and sent."""
    if viewer.team is None:
        fault = "Sign in as a team to submit."
        return sign_in_form(context, request, site, 401, fault=fault, next="submit")
    return submission(context, request, site, viewer)


def submission(
    context: Context, request: Request, site: Site, viewer: Viewer, status: int = 200, **more: Any
) -> Response:
    """The page of a submission: the remaining quota, and problems found or the refusal."""
    span, root = site.span(), context.settings.public_url
    values: dict[str, Any] = {
        "cards": None,
        "checked": None,
        "fatal": False,
        "fault": None,
        "twin": None,
        "description": "",
        "token": None,
    }
    return page(
        request,
        site,
        viewer,
        "submit.html",
        status,
        here="submit",
        about=describe(site, viewer),
        left=site.left(viewer.team or ""),
        takes=span is not None and span.takes_entries,
        longest_answer=LONGEST_ANSWER,
        address=f"{root}/c/{quote(site.id)}",
        **{**values, **more},
    )


@router.post("/c/{id}/submit")
async def submit(
    request: Request, context: ContextDep, site: SiteDep, begun: StartDep, viewer: FormTeamDep
) -> Response:
    """Check a file without cost, or record it, as the pressed button says."""
    context.count_request(request, site, viewer)
    with site.sending(begun):
        async with context.uploaded(request, site) as form:
            return await run_in_threadpool(submitted, context, request, site, viewer, form, begun)


def submitted(
    context: Context, request: Request, site: Site, viewer: Viewer, form: FormData, begun: datetime
) -> Response:
    """The answer to a form whose file is on disk, and which came at `begun`."""
    upload = file_of(form)
    if form.get("act") != "send":
        checked = check_upload(context, site, upload)
        return submission(
            context,
            request,
            site,
            viewer,
            checked=upload.filename,
            fatal=checked.findings.fatal,
            cards=problem_cards(checked.findings, checked.lines),
            description=checked.description,
            twin=entry_of_file(site, viewer, checked.sha256),
        )
    added = recorded(site, viewer, upload, answers_of(form), begun)
    if added.entry is None:
        twin = entry_of_file(site, viewer, added.sha256) if added.code == "S803" else None
        fault = None if twin else f"{added.code}: {added.message}"
        return submission(context, request, site, viewer, 409, fault=fault, twin=twin)
    context.workers.wake()
    return to(request, site.id, "entries", added.entry)


@router.get("/c/{id}/entries")
def entries(
    request: Request, context: ContextDep, site: SiteDep, viewer: ViewerDep, asked: ListQueryDep
) -> Response:
    """A team's entries; all of them for organizers, by team and status."""
    if not viewer.signed_in:
        fault = "Sign in to see entries."
        return sign_in_form(context, request, site, 401, fault=fault, next="entries")
    listed = entry_page(site, viewer, asked, latest=True)
    splits, primary = site.value_splits(viewer), site.board.versions.terms().primary
    history = pictures.history(own_outcomes(site, viewer), splits[0], primary.id) if splits else []
    state, phases = site.board.teams.decisions_at(), spans(site.rules)
    until = {entry.number: decision_deadline(site.rules, entry.phase) for entry in listed.entries}
    own = site.teams.get(viewer.team or "")
    out = {entry.number: act for entry in listed.entries if (act := state.out(entry)) is not None}
    return page(
        request,
        site,
        viewer,
        "entries.html",
        here="entries",
        listed=listed,
        entries=listed.outcomes,
        teams=site.teams if viewer.organizer else (),
        splits=splits,
        primary=primary.id,
        acts=("disqualify", "restore", *TEAM_ACTS),
        changes=pictures.changes(history),
        out=out,
        baselines={e.number for e in listed.entries if e.baseline},
        selected={
            number
            for team, chosen in state.selected.items()
            if viewer.organizer or team == own
            for number in chosen
        },
        select=next((span.phase.select for span in phases if span.phase.select), None),
        selects=viewer.team is not None,
        until=max(filter(None, until.values()), default=None),
        decidable={
            number
            for outcome in listed.outcomes
            if (number := outcome.entry) is not None
            and viewer.team is not None
            and outcome.status == "scored"
            and number not in out
            and ((time := until[number]) is None or site.clock() <= time)
        },
    )


@router.get("/c/{id}/entries/{number}")
def entry(
    request: Request, context: ContextDep, number: int, site: SiteDep, viewer: ViewerDep
) -> Response:
    """One entry: its status, its problems, the values that may be seen, its receipt."""
    if not viewer.signed_in:
        fault = "Sign in to see entries."
        return sign_in_form(context, request, site, 401, fault=fault, next=f"entries/{number}")
    added = own_entry(site, viewer, number)
    splits, record = site.value_splits(viewer), site.board.ledger.get(number)
    reason, decisions = site.reason(record, viewer)
    terms = site.board.versions.terms()
    return page(
        request,
        site,
        viewer,
        "entry.html",
        here="entries",
        entry=site.visible_outcome(added, viewer),
        splits=splits,
        marks={measure.id: measure.mark for measure in terms.measures},
        units=unit(terms.called),
        cards=problem_cards(added.problems),
        answers=record.answers,
        file=record.file,
        reason=reason,
        decisions=decisions,
        left=site.left(viewer.team) if viewer.team is not None else None,
    )


@router.post("/c/{id}/decide")
def decide(
    request: Request,
    context: ContextDep,
    site: SiteDep,
    begun: StartDep,
    viewer: FormViewerDep,
    kind: Annotated[Act, Form()],
    entry: Annotated[int | None, Form()] = None,
    team: Annotated[str | None, Form()] = None,
    reason: Annotated[str, Form()] = "",
    name: Annotated[str | None, Form()] = None,
    late: Annotated[bool, Form()] = False,
) -> Response:
    """Record a decision and go back."""
    context.count_request(request, site, viewer)
    decision = DecisionIn(
        kind=kind,
        entry=entry,
        team=team or None,
        reason=reason or f"{kind} by {viewer.team}",
        name=name or None,
        late=late,
    )
    decided(site, viewer, decision, begun)
    return to(request, site.id, "entries" if entry is not None else "admin?view=teams")
