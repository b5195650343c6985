"""A challenge by the API: what it is, its board, its kit, its receipts, and checks of files."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse, PlainTextResponse
from starlette.concurrency import run_in_threadpool

from scorer.results.json import to_plain
from scorer.web.auth import NOBODY
from scorer.web.context import compressed_response
from scorer.web.dependencies import ContextDep, ReaderDep, SiteDep
from scorer.web.routes.json import V1
from scorer.web.schemas import ChallengeOut, CheckOut
from scorer.web.service import check_upload, describe, file_of

router = APIRouter(prefix=V1)


@router.get("", response_model=list[ChallengeOut])
def challenges(request: Request, context: ContextDep) -> Any:
    """The challenges of this server that one may see."""
    readable = context.readable_sites(request)
    if not readable:
        context.require_reader(NOBODY)  # 401 on a private server
    return [describe(site, viewer) for site, viewer in readable]


@router.get("/{id}", response_model=ChallengeOut)
def challenge(site: SiteDep, viewer: ReaderDep) -> Any:
    """The public part of a challenge, its phases, and what a team may still send."""
    return describe(site, viewer)


@router.post("/{id}/check", response_model=CheckOut)
async def check(request: Request, context: ContextDep, site: SiteDep, viewer: ReaderDep) -> Any:
    """The problems of a file (multipart, `file`); records nothing and costs no quota."""
    context.count_request(request, site, viewer)
    context.gate.refuse_if_full()
    async with context.uploaded(request, site) as form:
        checked = await run_in_threadpool(check_upload, context, site, file_of(form))
    return {"problems": to_plain(checked.findings)}


@router.get("/{id}/board")
def board(request: Request, site: SiteDep, viewer: ReaderDep, split: str | None = None) -> Response:
    """The board, as `score board --format json` writes it."""
    wanted = site.visible_split(viewer, split or site.default_split(viewer))
    return compressed_response(request, site.board_view(wanted, viewer).json, "application/json")


@router.get("/{id}/kit.zip", response_class=Response)
async def kit(context: ContextDep, site: SiteDep, _: ReaderDep) -> Response:
    """The participants' kit: rules, public files, a sample submission."""
    return FileResponse(await context.kit(site), media_type="application/zip")


@router.get("/{id}/receipts.jsonl", response_class=PlainTextResponse)
def receipts(site: SiteDep, _: ReaderDep) -> str:
    """The chain of receipts, for `score verify`."""
    return site.board.receipts()
