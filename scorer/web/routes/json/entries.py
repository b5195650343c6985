"""Entries by the API: send, see, and decide on them."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool

from scorer.results.json import to_plain
from scorer.web.dependencies import (
    ContextDep,
    DeciderDep,
    ListQueryDep,
    SignedInDep,
    SiteDep,
    StartDep,
    TeamDep,
)
from scorer.web.routes.json import V1
from scorer.web.schemas import (
    DecisionIn,
    DecisionOut,
    EntryDetails,
    EntryPageOut,
    SentEntryOut,
    WhyOut,
)
from scorer.web.service import answers_of, decided, entry_page, file_of, own_entry, recorded

router = APIRouter(prefix=V1 + "/{id}")


@router.post("/entries", response_model=SentEntryOut, status_code=202)
async def send(
    request: Request, context: ContextDep, site: SiteDep, begun: StartDep, viewer: TeamDep
) -> Any:
    """Record an entry (multipart: `file`, and `answers` as JSON); it is evaluated soon.

    It is received when the request begins to come, however long the file takes.
    """
    context.count_request(request, site, viewer)
    with site.sending(begun):
        async with context.uploaded(request, site) as form:
            file, answers = file_of(form), answers_of(form)
            added = await run_in_threadpool(recorded, site, viewer, file, answers, begun)
    if added.entry is None:
        return JSONResponse(
            {"code": added.code, "message": added.message, "problems": []}, status_code=409
        )
    context.workers.wake()
    return {
        "entry": added.entry,
        "status": added.status,
        "sha256": added.sha256,
        "received": added.received.isoformat(),
        "receipt": added.receipt,
    }


@router.get("/entries", response_model=EntryPageOut)
def entries(site: SiteDep, viewer: SignedInDep, asked: ListQueryDep) -> Any:
    """A page of one's own entries; of all of them for organizers, who can ask for a team's."""
    listed = entry_page(site, viewer, asked)
    fields = [dict(to_plain(added)) for added in listed.outcomes]
    return {"entries": fields, "page": asked.page, "pages": listed.pages, "total": listed.total}


@router.get("/entries/{number}", response_model=EntryDetails)
def entry(number: int, site: SiteDep, viewer: SignedInDep) -> Any:
    """One entry: status, problems, the values that may be seen now, whether it counts and why."""
    fields = site.entry_fields(own_entry(site, viewer, number), viewer)
    reason, decisions = site.reason(site.board.ledger.get(number), viewer)
    acts = [
        {"time": act.time.isoformat(), "act": act.act, "reason": act.reason} for act in decisions
    ]
    return fields | reason._asdict() | {"decisions": acts}


@router.get("/why", response_model=WhyOut)
def why(
    site: SiteDep, viewer: SignedInDep, team: str | None = None, split: str | None = None
) -> Any:
    """Why one's own team has its rank: what counts, what does not; organizers name the team."""
    if viewer.team is None and team is None:
        raise HTTPException(422, "of which team? add ?team=NAME")
    if viewer.team is not None and team not in (None, viewer.team):
        raise HTTPException(404, "a team is told of itself alone")
    return to_plain(site.why(viewer, viewer.team or str(team), split))


@router.get("/entries/{number}/receipt.json", response_class=Response)
def receipt(number: int, site: SiteDep, viewer: SignedInDep) -> Response:
    """The receipt of an entry: a line of the chain."""
    own_entry(site, viewer, number)
    head = {"Content-Disposition": f'attachment; filename="receipt-{number}.jsonl"'}
    return Response(site.board.receipts(number), media_type="application/json", headers=head)


@router.post("/decisions", response_model=DecisionOut, status_code=201)
def decide(
    request: Request,
    context: ContextDep,
    site: SiteDep,
    begun: StartDep,
    viewer: DeciderDep,
    decision: DecisionIn,
) -> Any:
    """Select or withdraw one's own entry; organizers decide on everything."""
    context.count_request(request, site, viewer)
    return decided(site, viewer, decision, begun)
