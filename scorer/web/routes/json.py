"""The JSON API: everything that the pages can, by a token."""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime
from math import nan
from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Query, Request, Response
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile

from scorer.api.submissions import Named
from scorer.board.board import Added
from scorer.board.names import ORGANIZER
from scorer.board.phases import shown_at, spans
from scorer.core.nested import parsed
from scorer.core.problems import Findings
from scorer.reports.codec import number_or_null, problem
from scorer.store.records import OF_TEAMS, Act
from scorer.web.access import Viewer
from scorer.web.context import Context, context_of, ready, scratch, stored_upload
from scorer.web.render import render
from scorer.web.site import Site

router = APIRouter()
V1 = "/api/v1/challenges"


class Question(BaseModel):
    """What is asked with an entry."""

    type: str
    required: bool
    max: int
    board: bool


class PhaseOut(BaseModel):
    """A phase with its times."""

    id: str
    opens: str | None
    closes: str | None
    show: str


class ChallengeOut(BaseModel):
    """The public part of a challenge."""

    id: str
    title: str
    description: str
    timezone: str
    phase: str | None = Field(description="the present phase; null between phases")
    phases: list[PhaseOut]
    show: str = Field(description="what participants are shown now")
    splits: list[str] = Field(description="the boards that this viewer may see")
    questions: dict[str, Question]
    quota: dict[str, Any] | None = Field(description="what the team may still send")


class ProblemOut(BaseModel):
    """A problem of a file."""

    code: str
    severity: str
    line: int | None
    column: int | None
    list: str | None
    item: str | None
    message: str
    help: str | None


class Checked(BaseModel):
    """What a check finds."""

    problems: list[ProblemOut]


class Sent(BaseModel):
    """An entry that was recorded."""

    entry: int
    status: str
    sha256: str
    received: str
    receipt: str | None


class EntryOut(BaseModel):
    """An entry."""

    entry: int
    team: str
    received: str
    status: Literal["pending", "scored", "rejected", "failed"]
    sha256: str
    code: str | None
    message: str | None
    problems: list[ProblemOut]
    receipt: str | None
    values: dict[str, dict[str, float | None]] | None


class Entries(BaseModel):
    """Several entries."""

    entries: list[EntryOut]


class Compared(BaseModel):
    """Two entries, measure by measure."""

    split: str
    values: dict[str, tuple[float | None, float | None]]


class DecisionIn(BaseModel):
    """A decision: on an entry or on a team."""

    kind: Act
    entry: int | None = None
    team: str | None = None
    reason: str
    name: str | None = None
    late: bool = False  # after the time in which teams decide; organizers only


class DecisionOut(BaseModel):
    """A decision that was recorded."""

    decision: int
    time: str


def describe(context: Context, site: Site, viewer: Viewer) -> dict[str, Any]:
    """The public part of a challenge, with the viewer's quota.

    Args:
        context: the state that the routes share.
        site: the challenge.
        viewer: whose view it is.
    """
    challenge, now = site.rules, site.clock()
    span = site.span()
    quota = None
    if viewer.team is not None:
        _, left = site.board.quota(viewer.team, now)
        quota = left and {
            "today": left.today,
            "total": left.total,
            "rejected_today": left.rejected_today,
            "next": left.next and left.next.isoformat(),
        }
    return {
        "id": site.id,
        "title": challenge.title,
        "description": challenge.description,
        "timezone": challenge.timezone,
        "phase": span.phase.id if span else None,
        "phases": [
            {
                "id": phase_span.phase.id,
                "opens": phase_span.opens and phase_span.opens.isoformat(),
                "closes": phase_span.closes and phase_span.closes.isoformat(),
                "show": phase_span.phase.show,
            }
            for phase_span in spans(challenge)
        ],
        "show": shown_at(challenge, now),
        "splits": list(site.visible(viewer)),
        "questions": {key: question.model_dump() for key, question in challenge.questions.items()},
        "quota": quota,
    }


@router.get(V1, response_model=list[ChallengeOut])
def challenges(request: Request) -> Any:
    """The challenges that this server has."""
    context = context_of(request)
    return [
        describe(context, site, context.reader(request, site)) for site in context.sites.values()
    ]


@router.get(V1 + "/{id}", response_model=ChallengeOut)
def challenge(request: Request, id: str) -> Any:
    """The public part of a challenge, its phases, and what a team may still send."""
    context = context_of(request)
    site = context.site(id)
    return describe(context, site, context.reader(request, site))


def file_of(form: FormData) -> UploadFile:
    """The file of a form, or 422."""
    upload = form.get("file")
    if not isinstance(upload, UploadFile) or not upload.filename:
        raise HTTPException(422, "the form has no file; send it as 'file'")
    return upload


def problems_of(context: Context, site: Site, upload: UploadFile) -> Findings:
    """The findings of the blind checks in an uploaded file.

    Args:
        context: the state that the routes share.
        site: the challenge.
        upload: the file.

    Raises:
        HTTPException: 503 where the scorer fails.
    """
    with scratch() as folder:
        path = stored_upload(upload, folder)
        answer = context.ask(site, "check", path=str(path), name=path.name)
    return Findings.from_json(answer["findings"])


@router.post(V1 + "/{id}/check", response_model=Checked)
async def check(request: Request, id: str) -> Any:
    """The problems of a file (multipart, `file`); records nothing and costs no quota."""
    context = context_of(request)
    site = context.site(id)
    viewer = context.reader(request, site)
    context.limited(request, site, viewer)
    context.gate.refuse_if_full()
    async with context.uploaded(request, site) as form:
        findings = await run_in_threadpool(problems_of, context, site, file_of(form))
    return {"problems": [problem(finding) for finding in findings]}


def recorded(site: Site, viewer: Viewer, upload: UploadFile, answers: dict[str, str]) -> Any:
    """Record an entry of a team, which is evaluated later.

    Args:
        site: the challenge.
        viewer: a team's.
        upload: the file.
        answers: question -> answer.
    """
    assert viewer.team is not None
    with scratch() as folder:
        path = stored_upload(upload, folder)
        file = Named(path.stem, path, label=path.name)
        (added,) = site.board.add(
            [file], viewer.team, now=site.clock(), answers=answers, evaluate=False
        )
    return added


def answers_of(form: FormData) -> dict[str, str]:
    """The answers of a form: JSON in `answers`, or a field for each."""
    text = form.get("answers")
    if not isinstance(text, str):
        return {
            key.removeprefix("answer."): value
            for key, value in form.items()
            if key.startswith("answer.") and isinstance(value, str) and value.strip()
        }
    try:
        answers = parsed(text)
    except ValueError:
        raise HTTPException(422, "answers are no JSON") from None
    if not isinstance(answers, dict):
        raise HTTPException(422, "answers are a JSON object")
    return {str(key): str(value) for key, value in answers.items()}


@router.post(V1 + "/{id}/entries", response_model=Sent, status_code=202)
async def send(request: Request, id: str) -> Any:
    """Record an entry (multipart: `file`, and `answers` as JSON); it is evaluated soon."""
    context = context_of(request)
    site = context.site(id)
    viewer = context.viewer(request, site)
    if not viewer.known:
        raise HTTPException(401, "a token is needed: Authorization: Bearer TOKEN")
    if viewer.team is None:
        raise HTTPException(403, "an organizer's token belongs to no team")
    context.limited(request, site, viewer)
    async with context.uploaded(request, site) as form:
        added = await run_in_threadpool(recorded, site, viewer, file_of(form), answers_of(form))
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


def own_entry(context: Context, request: Request, site: Site, number: int) -> tuple[Any, Viewer]:
    """An entry that the viewer may see, and the viewer.

    Args:
        context: the state that the routes share.
        request: the request.
        site: the challenge.
        number: of the entry.

    Raises:
        HTTPException: 401 for visitors; 404 for entries of others, as for those that do not exist.
    """
    viewer = context.viewer(request, site)
    if not viewer.known:
        raise HTTPException(401, "sign in to see entries")
    added = site.board.outcome(number)
    entry = site.board.entry(number)
    if not viewer.organizer and (entry.baseline or added.team != viewer.team):
        raise HTTPException(404, f"no entry is called '{number}'")
    return added, viewer


@router.get(V1 + "/{id}/entries", response_model=Entries)
def entries(request: Request, id: str) -> Any:
    """One's own entries; all of them for organizers."""
    context = context_of(request)
    site = context.site(id)
    viewer = context.viewer(request, site)
    if not viewer.known:
        raise HTTPException(401, "sign in to see entries")
    numbers = [entry.number for entry in site.board.entries(viewer.team)]
    return {"entries": [site.entry_fields(site.board.outcome(n), viewer) for n in numbers]}


@router.get(V1 + "/{id}/entries/{number}", response_model=EntryOut)
def entry(request: Request, id: str, number: int) -> Any:
    """One entry: its status, its problems, and the values that may be seen now."""
    context = context_of(request)
    site = context.site(id)
    added, viewer = own_entry(context, request, site, number)
    return site.entry_fields(added, viewer)


@router.get(V1 + "/{id}/entries/{number}/receipt.json", response_class=Response)
def receipt(request: Request, id: str, number: int) -> Response:
    """The receipt of an entry: a line of the chain."""
    context = context_of(request)
    site = context.site(id)
    own_entry(context, request, site, number)
    head = {"Content-Disposition": f'attachment; filename="receipt-{number}.jsonl"'}
    return Response(site.board.receipts(number), media_type="application/json", headers=head)


@router.get(V1 + "/{id}/compare", response_model=Compared)
def compare(request: Request, id: str, one: int, other: int, split: str | None = None) -> Any:
    """Two of one's own entries: the values of each, on the lists that may be seen."""
    context = context_of(request)
    site = context.site(id)
    pair, wanted, _ = pair_of(context, request, site, (one, other), split)
    values = [outcome.values.get(wanted, {}) for outcome in pair]
    measures = [measure.id for measure in site.board.terms().measures]
    return {
        "split": wanted,
        "values": {
            key: [number_or_null(means.get(key, nan)) for means in values] for key in measures
        },
    }


def pair_of(
    context: Context, request: Request, site: Site, numbers: tuple[int, int], split: str | None
) -> tuple[tuple[Added, Added], str, Viewer]:
    """Two entries with the values that the viewer may see, and the split on which they compare.

    Args:
        context: the state that the routes share.
        request: the request.
        site: the challenge.
        numbers: of the entries.
        split: the split that is wanted; None: the first that the viewer may see.

    Raises:
        HTTPException: 404 where an entry or the split may not be seen.
    """
    (one, viewer), (other, _) = (own_entry(context, request, site, number) for number in numbers)
    splits = site.value_splits(viewer)
    wanted = split or (splits[0] if splits else "")
    if wanted not in splits or any(added.status != "scored" for added in (one, other)):
        raise HTTPException(404, "these entries have no values that may be seen now")
    return (site.shown(one, viewer), site.shown(other, viewer)), wanted, viewer


@router.get(V1 + "/{id}/board")
def board(
    request: Request,
    id: str,
    split: str | None = None,
    phase: str | None = None,
    as_of: Annotated[datetime | None, Query()] = None,
) -> Response:
    """The board, as `score board --format json` writes it."""
    context = context_of(request)
    site = context.site(id)
    viewer = context.reader(request, site)
    wanted = site.visible_split(viewer, split or site.default_split(viewer))
    if as_of is not None and (as_of.tzinfo is None or not viewer.organizer):
        raise HTTPException(422, "as_of is for organizers, and needs its offset from UTC")
    ready_board = site.ready_board(wanted, viewer, as_of, phase if viewer.organizer else None)
    return ready(request, ready_board.json, "application/json")


@router.post(V1 + "/{id}/decisions", response_model=DecisionOut, status_code=201)
def decide(request: Request, id: str, decision: DecisionIn) -> Any:
    """Select or withdraw one's own entry; organizers decide on everything."""
    context = context_of(request)
    site = context.site(id)
    viewer = context.viewer(request, site)
    if not viewer.known:
        raise HTTPException(401, "a token is needed")
    context.limited(request, site, viewer)
    return decided(site, viewer, decision)


def decided(site: Site, viewer: Viewer, decision: DecisionIn) -> dict[str, Any]:
    """Record a decision that the viewer may make.

    Args:
        site: the challenge.
        viewer: who decides.
        decision: the decision.

    Raises:
        HTTPException: 403 or 404 where the viewer may not make it; 422 where it is incomplete.
        Refused: it comes too late.
    """
    if (decision.entry is None) == (decision.team is None):
        raise HTTPException(422, "a decision is on an entry or on a team")
    if decision.team is not None and decision.team.isdigit():
        raise HTTPException(422, "no team's name has only digits; an entry is told as entry")
    if not viewer.organizer:
        if decision.kind not in OF_TEAMS or decision.entry is None or decision.late:
            raise HTTPException(403, "teams select and withdraw their own entries, in time")
        if site.board.outcome(decision.entry).team != viewer.team:
            raise HTTPException(404, f"no entry is called '{decision.entry}'")
    subject = decision.entry if decision.entry is not None else str(decision.team)
    recorded_decision = site.board.decide(
        decision.kind,
        subject,
        decision.reason,
        by=viewer.team or ORGANIZER,
        name=decision.name,
        now=site.clock(),
        late=decision.late,
    )
    return {"decision": recorded_decision.number, "time": recorded_decision.time.isoformat()}


@router.get(V1 + "/{id}/kit.zip", response_class=Response)
async def kit(request: Request, id: str) -> Response:
    """The participants' kit: rules, public files, a sample submission."""
    context = context_of(request)
    site = context.site(id)
    await run_in_threadpool(context.reader, request, site)
    version = await run_in_threadpool(site.once, "version", lambda: site.board.version().number)
    path = await context.kits.path(
        site.id, version, lambda path: context.ask(site, "kit", path=str(path))
    )
    return FileResponse(path, media_type="application/zip")


@router.get(V1 + "/{id}/receipts.jsonl", response_class=PlainTextResponse)
def receipts(request: Request, id: str) -> str:
    """The chain of receipts, for `score verify`."""
    context = context_of(request)
    site = context.site(id)
    context.reader(request, site)
    return site.board.receipts()


@router.get("/healthz", include_in_schema=False, response_class=PlainTextResponse)
def health(request: Request) -> str:
    """Whether the stores answer."""
    context = context_of(request)
    for site in context.sites.values():
        site.board.stamp()
    return "ok\n"


@router.get("/metrics", include_in_schema=False, response_class=PlainTextResponse)
def metrics(request: Request) -> Response:
    """Figures for Prometheus."""
    context = context_of(request)
    lines = ["# TYPE scorer_requests_total counter"]
    for (method, status), count in sorted(context.counts.items()):
        lines.append(f'scorer_requests_total{{method="{method}",status="{status}"}} {count}')
    lines.append("# TYPE scorer_entries gauge")
    for site in context.sites.values():
        counts = Counter(site.board.statuses().values())
        name = json.dumps(site.id)
        for state in ("pending", "scored", "rejected", "failed"):
            labels = f'challenge={name},status="{state}"'
            lines.append(f"scorer_entries{{{labels}}} {counts[state]}")
    lines += ["# TYPE scorer_workers gauge", f"scorer_workers {context.workers.alive}"]
    text = "".join(f"{line}\n" for line in lines)
    return Response(text, media_type="text/plain; version=0.0.4")


@router.get("/api/docs", include_in_schema=False, response_class=HTMLResponse)
def documentation(request: Request) -> Response:
    """The API, as a page of our own: nothing is loaded from another host."""
    return HTMLResponse(render(request, "docs.html", openapi=request.app.openapi()))
