"""The pages: HTML that works without a script, by the templates beside this file."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import quote
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Form, HTTPException, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse, StreamingResponse
from jinja2 import ChoiceLoader, Environment, FileSystemLoader, StrictUndefined
from starlette.concurrency import run_in_threadpool

from scorer.core.text import printable
from scorer.reports.findings.text import format_findings
from scorer.store.phases import at, spans
from scorer.web import pictures
from scorer.web.access import LASTS, NOBODY, Viewer, viewer_of
from scorer.web.api import (
    DecisionIn,
    answers_of,
    decided,
    describe,
    file_of,
    own_entry,
    problems_of,
    recorded,
)
from scorer.web.app import COOKIE, Context, context_of, scratch, site_key
from scorer.web.site import Site

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
PULSE = 1.0  # seconds between looks for something new


@cache
def templates() -> Environment:
    """The templates; what they write is escaped, and what is not there is a mistake."""
    made = Environment(
        loader=ChoiceLoader([FileSystemLoader(Path(__file__).parent / "templates")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["printable"] = lambda text: printable(text, 500)
    return made


def render(request: Request, template: str, status: int = 200, **data: Any) -> HTMLResponse:
    """A page. Every one has the way back, and the form's token of whoever looks."""
    root = request.scope.get("root_path", "")
    values: dict[str, Any] = {"root": root, "site": None, "viewer": NOBODY, "form_token": ""}
    text = templates().get_template(template).render({**values, **data})
    return HTMLResponse(text, status)


def error_page(request: Request, status: int, message: str) -> HTMLResponse:
    """What went wrong, in words."""
    return render(request, "error.html", status, code=status, message=message)


def cookie_of(request: Request, site: Site) -> str:
    """The session's cookie of a challenge."""
    return request.cookies.get(f"{COOKIE}_{site_key(site)}", "")


def page(
    request: Request, site: Site, viewer: Viewer, template: str, status: int = 200, **data: Any
) -> HTMLResponse:
    """A page of a challenge."""
    context = context_of(request)
    cookie = cookie_of(request, site)
    token = context.sessions.form(cookie) if cookie else ""
    zone = ZoneInfo(site.board.challenge.timezone)
    return render(
        request, template, status, site=site, viewer=viewer, form_token=token,
        when=lambda time: at(time, zone), **data,
    )  # fmt: skip


def signed_in(request: Request, id: str, form_token: str) -> tuple[Context, Site, Viewer]:
    """Who sends a form, if the form is ours. 401 for nobody, 403 for a forged one."""
    context = context_of(request)
    site = context.site(id)
    viewer = context.viewer(request, site)
    if not viewer.known:
        raise HTTPException(401, "sign in first")
    if not context.sessions.is_ours(cookie_of(request, site), form_token):
        raise HTTPException(403, "this form was not made by this page; reload it and send it again")
    return context, site, viewer


def to(request: Request, *steps: object) -> RedirectResponse:
    """A redirect to a page of ours."""
    path = "/".join(quote(str(step), safe="?=&,#") for step in ("c", *steps))
    return RedirectResponse(f"{request.scope.get('root_path', '')}/{path}", 303)


@router.get("/")
def home(request: Request) -> Response:
    """The challenges of this server."""
    context = context_of(request)
    shown = []
    for site in context.sites.values():
        viewer = context.viewer(request, site)
        if context.settings.private and not viewer.known:
            continue
        shown.append((site, describe(context, site, viewer)))
    hidden = len(context.sites) - len(shown)
    return render(request, "home.html", challenges=shown, hidden=[
        site for site in context.sites.values() if hidden and site not in [s for s, _ in shown]
    ])  # fmt: skip


@router.get("/c/{id}")
def board(request: Request, id: str, split: str | None = None) -> Response:
    """The board, with a tab for each split that one may see."""
    context = context_of(request)
    site = context.site(id)
    viewer = context.reader(request, site)
    visible = site.visible(viewer)
    wanted = split or site.default_split(viewer)
    if split is not None and split not in visible:
        raise HTTPException(404, "there is no such board to be seen now")
    shown = site.shown(wanted) if wanted in visible and wanted is not None else None
    own = None
    if shown is not None and viewer.team is not None:
        rows = shown.live.rows
        own = next(
            (s for s in shown.live.report.standings if rows[s.name].team == viewer.team), None
        )
    asked = [key for key, each in site.board.challenge.questions.items() if each.board]
    return page(
        request, site, viewer, "board.html", shown=shown, split=wanted, visible=visible, own=own,
        about=describe(context, site, viewer), questions=asked,
        over_time=pictures.over_time(site, wanted) if wanted in visible and wanted else None,
        shake=pictures.shake(site, visible),
    )  # fmt: skip


@router.get("/c/{id}/part")
def part(request: Request, id: str, split: str) -> Response:
    """The board's table alone, for a page that is open."""
    context = context_of(request)
    site = context.site(id)
    viewer = context.reader(request, site)
    if split not in site.visible(viewer):
        raise HTTPException(404, "there is no such board to be seen now")
    return HTMLResponse(site.shown(split).html)


@router.get("/c/{id}/board.csv")
def csv(request: Request, id: str, split: str) -> Response:
    """The board as CSV, in which no cell is a formula."""
    from scorer.reports.base import Options, form_of

    context = context_of(request)
    site = context.site(id)
    viewer = context.reader(request, site)
    if split not in site.visible(viewer):
        raise HTTPException(404, "there is no such board to be seen now")
    text = form_of("leaderboard", "csv").write(site.shown(split).live.report, Options())
    return Response(text, media_type="text/csv")


@router.get("/c/{id}/events")
async def events(request: Request, id: str) -> Response:
    """A line whenever something may have changed (server-sent events)."""
    context = context_of(request)
    site = context.site(id)
    context.reader(request, site)

    async def lines() -> AsyncIterator[str]:
        last = None
        while not context.closing and not await request.is_disconnected():
            stamp = await run_in_threadpool(site.board.stamp)
            if stamp != last:
                last = stamp
                yield f"data: {'-'.join(map(str, stamp))}\n\n"
            await asyncio.sleep(PULSE)

    return StreamingResponse(lines(), media_type="text/event-stream")


@router.get("/c/{id}/rules")
def rules(request: Request, id: str) -> Response:
    """What is asked, when, and how it is scored."""
    context = context_of(request)
    site = context.site(id)
    viewer = context.reader(request, site)
    terms = site.board.terms()
    return page(
        request, site, viewer, "rules.html", about=describe(context, site, viewer),
        measures=terms.measures, pages={m.id: m.metric.page.split("\n\n") for m in terms.measures},
        submission=site.board.challenge.submission, spans=spans(site.board.challenge),
    )  # fmt: skip


@router.get("/c/{id}/sign-in")
def sign_in_page(request: Request, id: str) -> Response:
    """Where a token is entered."""
    context = context_of(request)
    site = context.site(id)
    return page(request, site, NOBODY, "sign-in.html", fault=None)


@router.post("/c/{id}/sign-in")
def sign_in(request: Request, id: str, token: Annotated[str, Form()] = "") -> Response:
    """Begin a session by a token."""
    context = context_of(request)
    site = context.site(id)
    viewer = viewer_of(site.board, token.strip())
    if viewer.token is None:
        context.failed_sign_in(request)
        fault = "This token is not known here."
        return page(request, site, NOBODY, "sign-in.html", 401, fault=fault)
    response = to(request, id)
    response.set_cookie(
        f"{COOKIE}_{site_key(site)}", context.sessions.sign(viewer.token), max_age=LASTS,
        httponly=True, samesite="lax", secure=context.is_secure(request),
    )  # fmt: skip
    return response


@router.post("/c/{id}/sign-out")
def sign_out(request: Request, id: str, form_token: Annotated[str, Form()] = "") -> Response:
    """End the session."""
    _, site, _ = signed_in(request, id, form_token)
    response = to(request, id)
    response.delete_cookie(f"{COOKIE}_{site_key(site)}")
    return response


@router.get("/c/{id}/join")
def join_page(request: Request, id: str) -> Response:
    """Where a team registers, in challenges with open registration."""
    context = context_of(request)
    site = context.site(id)
    if site.board.challenge.registration != "open" or context.settings.private:
        raise HTTPException(404, "teams are by invitation here")
    return page(request, site, NOBODY, "join.html", fault=None, token=None)


@router.post("/c/{id}/join")
def join(request: Request, id: str, name: Annotated[str, Form()] = "") -> Response:
    """Make a team and show its token, once."""
    context = context_of(request)
    site = context.site(id)
    if site.board.challenge.registration != "open" or context.settings.private:
        raise HTTPException(404, "teams are by invitation here")
    context.limited(request, NOBODY)
    token = site.board.add_team(name.strip(), now=site.clock())
    return page(request, site, NOBODY, "join.html", fault=None, token=token, name=name.strip())


@router.get("/c/{id}/submit")
def submit_page(request: Request, id: str) -> Response:
    """Where a file is dropped, checked and sent."""
    context = context_of(request)
    site = context.site(id)
    viewer = context.viewer(request, site)
    if viewer.team is None:
        return page(
            request, site, viewer, "sign-in.html", 401, fault="Sign in as a team to submit."
        )
    return page(
        request, site, viewer, "submit.html", about=describe(context, site, viewer),
        findings=None, checked=None, fault=None,
    )  # fmt: skip


@router.post("/c/{id}/submit")
async def submit(request: Request, id: str) -> Response:
    """Check a file without cost, or record it, as the pressed button says."""
    context = context_of(request)
    site = context.site(id)
    async with context.uploaded(request, site) as form:
        _, _, viewer = await run_in_threadpool(
            signed_in, request, id, str(form.get("form_token") or "")
        )
        if viewer.team is None:
            raise HTTPException(403, "an organizer's token belongs to no team")
        context.limited(request, viewer)
        about = await run_in_threadpool(describe, context, site, viewer)
        upload = file_of(form)
        if form.get("act") != "send":
            found = await run_in_threadpool(problems_of, context, site, upload)
            return page(
                request, site, viewer, "submit.html", about=about, fault=None,
                checked=upload.filename, findings=format_findings(found, False),
            )  # fmt: skip
        added = await run_in_threadpool(recorded, site, viewer, upload, answers_of(form))
        if added.entry is None:
            fault = f"{added.code}: {added.message}"
            return page(
                request, site, viewer, "submit.html", 409, about=about, fault=fault,
                checked=None, findings=None,
            )  # fmt: skip
        context.workers.wake()
        return to(request, id, "entries", added.entry)


@router.get("/c/{id}/entries")
def entries(request: Request, id: str) -> Response:
    """A team's entries; all of them for organizers."""
    context = context_of(request)
    site = context.site(id)
    viewer = context.viewer(request, site)
    if not viewer.known:
        return page(request, site, viewer, "sign-in.html", 401, fault="Sign in to see entries.")
    made = [site.board.outcome(entry.number) for entry in site.board.entries(viewer.team)]
    held = site.board.held()
    return page(
        request, site, viewer, "entries.html", entries=made, splits=site.value_splits(viewer),
        primary=site.board.terms().primary.id, out=held.entries_out,
        selected={number for each in held.selected.values() for number in each},
    )  # fmt: skip


@router.get("/c/{id}/entries/{number}")
def entry(request: Request, id: str, number: int) -> Response:
    """One entry: its status, its problems, the values that may be seen, its receipt."""
    context = context_of(request)
    site = context.site(id)
    viewer = context.viewer(request, site)
    if not viewer.known:
        return page(request, site, viewer, "sign-in.html", 401, fault="Sign in to see entries.")
    added, viewer = own_entry(context, request, site, number)
    splits = site.value_splits(viewer)
    histogram = None
    if added.status == "scored" and splits:
        histogram = pictures.distribution(site, number, splits[0])
    return page(
        request, site, viewer, "entry.html", entry=added, splits=splits,
        findings=format_findings(added.findings, False), histogram=histogram,
        answers=site.board.entry(number).answers,
    )  # fmt: skip


@router.get("/c/{id}/compare")
def compare(request: Request, id: str, entries: str = "") -> Response:
    """Two of one's own entries, measure by measure, on the lists that may be seen."""
    context = context_of(request)
    site = context.site(id)
    numbers = [int(word) for word in entries.split(",") if word.strip().isdigit()][:2]
    if len(numbers) != 2:
        raise HTTPException(422, "name two entries: ?entries=1,2")
    pair = [own_entry(context, request, site, number) for number in numbers]
    viewer = pair[0][1]
    splits = site.value_splits(viewer)
    if not splits or any(added.status != "scored" for added, _ in pair):
        raise HTTPException(404, "these entries have no values that may be seen now")
    rows = pictures.compared(site, numbers, splits[0])
    return page(
        request, site, viewer, "compare.html", numbers=numbers, rows=rows, split=splits[0]
    )  # fmt: skip


@router.post("/c/{id}/decide")
def decide(
    request: Request,
    id: str,
    kind: Annotated[Literal["disqualify", "restore", "select", "withdraw", "rename"], Form()],
    form_token: Annotated[str, Form()] = "",
    entry: Annotated[int | None, Form()] = None,
    team: Annotated[str | None, Form()] = None,
    reason: Annotated[str, Form()] = "",
    name: Annotated[str | None, Form()] = None,
) -> Response:
    """Record a decision and go back."""
    context, site, viewer = signed_in(request, id, form_token)
    context.limited(request, viewer)
    decision = DecisionIn(
        kind=kind, entry=entry, team=team or None, reason=reason or f"{kind} by {viewer.team}",
        name=name or None,
    )  # fmt: skip
    decided(site, viewer, decision)
    return to(request, id, "admin") if viewer.organizer else to(request, id, "entries")


def organizer(request: Request, id: str) -> tuple[Context, Site, Viewer]:
    """An organizer, or 404 for anybody else."""
    context = context_of(request)
    site = context.site(id)
    viewer = context.viewer(request, site)
    if not viewer.organizer:
        raise HTTPException(404, "there is nothing here")
    return context, site, viewer


@router.get("/c/{id}/admin")
def admin(request: Request, id: str) -> Response:
    """Teams, decisions, failures, versions: what an organizer needs."""
    _, site, viewer = organizer(request, id)
    return administration(request, site, viewer)


def administration(request: Request, site: Site, viewer: Viewer, **more: Any) -> Response:
    """The organizer's page."""
    values: dict[str, Any] = {
        "token": None,
        "named": "",
        "audit": None,
        "preview": None,
        "cause": None,
    }
    return page(
        request, site, viewer, "admin.html", teams=list(site.board.teams()),
        events=site.board.log()[-200:], failures=site.board.failures(),
        changed=site.board.changed, **{**values, **more},
    )  # fmt: skip


@router.post("/c/{id}/admin/team")
def invite(
    request: Request,
    id: str,
    name: Annotated[str, Form()] = "",
    form_token: Annotated[str, Form()] = "",
) -> Response:
    """Make a team, and show its token once."""
    _, site, viewer = signed_in(request, id, form_token)
    organizer(request, id)
    token = site.board.add_team(name.strip(), now=site.clock())
    return administration(request, site, viewer, token=token, named=name.strip())


@router.post("/c/{id}/admin/act")
def act(
    request: Request,
    id: str,
    do: Annotated[Literal["audit", "preview", "rescore", "retry", "revoke"], Form()],
    form_token: Annotated[str, Form()] = "",
    subject: Annotated[str, Form()] = "",
) -> Response:
    """Audit, re-score with or without its preview, try a failure again, revoke tokens."""
    context, site, viewer = signed_in(request, id, form_token)
    organizer(request, id)
    match do:
        case "audit":
            return administration(request, site, viewer, audit=context.ask(site, "audit"))
        case "preview" | "rescore":
            found = context.ask(site, "rescore", dry_run=do == "preview")
            site.reload()
            return administration(request, site, viewer, preview=found)
        case "retry":
            site.board.retry(subject)
            context.workers.wake()
        case "revoke":
            site.board.revoke(subject)
    return to(request, id, "admin")


@router.get("/c/{id}/admin/failures/{reference}")
def failure(request: Request, id: str, reference: str) -> Response:
    """Why an evaluation failed."""
    _, site, viewer = organizer(request, id)
    return administration(request, site, viewer, cause=site.board.failure(reference))


@router.get("/c/{id}/admin/backup")
def backup(request: Request, id: str) -> Response:
    """A consistent copy of the database."""
    _, site, _ = organizer(request, id)
    with scratch() as folder:
        path = Path(folder, f"{secrets.token_hex(8)}.db")
        site.board.backup(path)
        data = path.read_bytes()
    stamp = site.clock().strftime("%Y%m%dT%H%M%SZ")
    head = {"Content-Disposition": f'attachment; filename="board-{stamp}.db"'}
    return Response(data, media_type="application/octet-stream", headers=head)
