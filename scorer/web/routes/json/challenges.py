"""A challenge by the API: what it is, its board, its kit, its receipts, and checks of files."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse, PlainTextResponse
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from scorer.results.json import to_plain
from scorer.web.access import NOBODY
from scorer.web.acts import check_upload, describe, file_of
from scorer.web.context import ready
from scorer.web.dependencies import Reader, Served, Shared
from scorer.web.routes.json import V1, ProblemOut

router = APIRouter(prefix=V1)


class Question(BaseModel):
    """A question that each entry answers."""

    type: str
    required: bool
    board: bool
    choices: list[str] = Field([], description="the texts of which an answer is one")
    range: tuple[float | None, float | None] = Field(
        (None, None), description="the lowest and the highest number; null: there is none"
    )
    better: str | None = Field(None, description="which numbers are better: higher or lower")


class PhaseOut(BaseModel):
    """A phase with its times."""

    id: str
    opens: str | None
    closes: str | None
    grace: int = Field(description="seconds after `closes` in which entries are still accepted")
    show: str


class ChallengeOut(BaseModel):
    """The public part of a challenge."""

    id: str
    title: str
    description: str = Field(description="what it is about, in CommonMark")
    pages: dict[str, str] = Field(description="further texts, such as rules and data")
    timezone: str
    state: str = Field(description="upcoming, open or closed: whether entries are taken")
    until: str | None = Field(description="when that changes")
    phase: str | None = Field(description="the present phase; null between phases")
    phases: list[PhaseOut]
    show: str = Field(description="what participants are shown now")
    splits: list[str] = Field(description="the boards that this viewer may see")
    questions: dict[str, Question]
    quota: dict[str, Any] | None = Field(description="what the team may still send")


class Checked(BaseModel):
    """What a check finds."""

    problems: list[ProblemOut]


@router.get("", response_model=list[ChallengeOut])
def challenges(request: Request, context: Shared) -> Any:
    """The challenges of this server that one may see."""
    readable = context.readable_sites(request)
    if not readable:
        context.require_reader(NOBODY)  # 401 on a private server
    return [describe(site, viewer) for site, viewer in readable]


@router.get("/{id}", response_model=ChallengeOut)
def challenge(site: Served, viewer: Reader) -> Any:
    """The public part of a challenge, its phases, and what a team may still send."""
    return describe(site, viewer)


@router.post("/{id}/check", response_model=Checked)
async def check(request: Request, context: Shared, site: Served, viewer: Reader) -> Any:
    """The problems of a file (multipart, `file`); records nothing and costs no quota."""
    context.count_request(request, site, viewer)
    context.gate.refuse_if_full()
    async with context.uploaded(request, site) as form:
        checked = await run_in_threadpool(check_upload, context, site, file_of(form))
    return {"problems": to_plain(checked.findings)}


@router.get("/{id}/board")
def board(request: Request, site: Served, viewer: Reader, split: str | None = None) -> Response:
    """The board, as `score board --format json` writes it."""
    wanted = site.visible_split(viewer, split or site.default_split(viewer))
    return ready(request, site.ready_board(wanted, viewer).json, "application/json")


@router.get("/{id}/kit.zip", response_class=Response)
async def kit(context: Shared, site: Served, _: Reader) -> Response:
    """The participants' kit: rules, public files, a sample submission."""
    return FileResponse(await context.kit(site), media_type="application/zip")


@router.get("/{id}/receipts.jsonl", response_class=PlainTextResponse)
def receipts(site: Served, _: Reader) -> str:
    """The chain of receipts, for `score verify`."""
    return site.board.receipts()
