"""The pages: HTML that works without a script, by the templates beside this file."""

from __future__ import annotations

import asyncio
import re
import textwrap
from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import APIRouter, Form, HTTPException, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse, StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData

from scorer.board.fields.audit import sentences
from scorer.board.phases import decided_until, shown_at, spans
from scorer.reports.findings.problems import format_findings
from scorer.reports.pictures import Histogram
from scorer.reports.write.html import prose
from scorer.store.records import Act
from scorer.web import pictures
from scorer.web.access import LASTS, NOBODY, Viewer, token_of
from scorer.web.context import COOKIE, Context, context_of, ready, site_key
from scorer.web.render import render, root_of, templates
from scorer.web.routes.json import (
    DecisionIn,
    answers_of,
    decided,
    describe,
    file_of,
    own_entry,
    pair_of,
    problems_of,
    recorded,
)
from scorer.web.routes.organizer import copied, organizer, rescored, teams_of
from scorer.web.site import PULSE, Ready, Site
from scorer.web.standings import local_time

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
FORGED = "this form has expired; reload the page and send it again"


def error_page(request: Request, status: int, message: str) -> HTMLResponse:
    """The page of an error.

    Args:
        request: the request.
        status: the HTTP status.
        message: what is wrong.
    """
    title = f"{status}: {HTTPStatus(status).phrase}"
    return HTMLResponse(
        render(request, "error.html", code=status, title=title, message=message), status
    )


def cookie_of(request: Request, site: Site) -> str:
    """The session's cookie of a challenge."""
    return request.cookies.get(f"{COOKIE}_{site_key(site)}", "")


def page_text(request: Request, site: Site, viewer: Viewer, template: str, **data: Any) -> str:
    """A page of a challenge, as text.

    Args:
        request: the request.
        site: the challenge.
        viewer: who looks.
        template: the name of the template.
        data: what the template needs beside.
    """
    context = context_of(request)
    cookie = cookie_of(request, site)
    token = context.sessions.form(cookie) if cookie else ""
    return render(
        request, template, site=site, viewer=viewer, form_token=token, span=site.span(),
        when=lambda time: local_time(time, site.zone), **data,
    )  # fmt: skip


def page(
    request: Request, site: Site, viewer: Viewer, template: str, status: int = 200, **data: Any
) -> HTMLResponse:
    """A page of a challenge.

    Args:
        request: the request.
        site: the challenge.
        viewer: who looks.
        template: the name of the template.
        status: the HTTP status.
        data: what the template needs beside.
    """
    return HTMLResponse(page_text(request, site, viewer, template, **data), status)


def signed_in(request: Request, id: str, form_token: str) -> tuple[Context, Site, Viewer]:
    """The viewer who sends a form.

    Args:
        request: the request.
        id: of the challenge.
        form_token: the token that the form sends back.

    Raises:
        HTTPException: 401 for visitors, 403 for a forged form.
    """
    context = context_of(request)
    site = context.site(id)
    viewer = context.viewer(request, site)
    if not viewer.known:
        raise HTTPException(401, "sign in first")
    if not context.sessions.is_ours(cookie_of(request, site), form_token):
        raise HTTPException(403, FORGED)
    return context, site, viewer


def to(request: Request, *steps: object) -> RedirectResponse:
    """A redirect to a page of ours."""
    path = "/".join(quote(str(step), safe="?=&,#") for step in ("c", *steps))
    return RedirectResponse(f"{request.scope.get('root_path', '')}/{path}", 303)


@router.get("/")
def home(request: Request) -> Response:
    """The challenges of this server."""
    context = context_of(request)
    listed = []
    for site in context.sites.values():
        viewer = context.viewer(request, site)
        if context.settings.private and not viewer.known:
            continue
        about = textwrap.shorten(site.board.challenge.description, 200, placeholder=" …")
        listed.append((site, site.span(), about))
    listed_ids = {site.id for site, _, _ in listed}
    hidden = [site for site in context.sites.values() if site.id not in listed_ids]
    return HTMLResponse(render(request, "home.html", challenges=listed, hidden=hidden))


@router.get("/c/{id}")
def board(request: Request, id: str, split: str | None = None) -> Response:
    """The board, with a tab for each split that one may see."""
    context = context_of(request)
    site = context.site(id)
    viewer = context.reader(request, site)
    visible = site.visible(viewer)
    wanted = site.default_split(viewer) if split is None else site.visible_split(viewer, split)
    if wanted not in visible:
        show = shown_at(site.rules, site.clock())
        return page(request, site, viewer, "board.html", here="board", view=None, visible=visible,
                    split=None, show=show)  # fmt: skip
    if viewer.known:
        return HTMLResponse(board_text(request, site, viewer, wanted))
    # to whoever has not signed in, the page is the same, until something changes
    span = site.span()
    key = ("page", wanted, visible, span.phase.id if span else None, root_of(request))
    content = site.once(key, lambda: Ready(board_text(request, site, viewer, wanted)))
    return ready(request, content, "text/html")


def board_text(request: Request, site: Site, viewer: Viewer, split: str) -> str:
    """The board's page.

    Args:
        request: the request.
        site: the challenge.
        viewer: who looks.
        split: the split.
    """
    view, visible = site.ready_board(split, viewer), site.visible(viewer)
    standings, rows = view.live.report.standings, view.live.rows
    own = None
    if viewer.team is not None:
        team = site.teams.get(viewer.team)
        own = next((s for s in standings if rows[s.name].id == team), None)
    return page_text(
        request, site, viewer, "board.html", here="board", view=view, split=split,
        visible=visible, own=own, live=marked(live_part(site, split, viewer), site, viewer),
        ranked=sum(s.rank is not None for s in standings),
        primary=view.live.report.primary.id, shake=site.shake_up(visible, viewer),
    )  # fmt: skip


def live_part(site: Site, split: str, viewer: Viewer) -> str:
    """The part of a board that changes while its page is open; the same for all participants."""

    def make() -> str:
        return templates().get_template("live.html").render(view=site.ready_board(split, viewer))

    span = site.span()
    return site.once(("live", split, span.phase.id if span else None, viewer.organizer), make)


def marked(text: str, site: Site, viewer: Viewer) -> str:
    """A part of a page in which the viewer's own team stands out.

    Args:
        text: HTML that is the same for everybody.
        site: the challenge.
        viewer: who looks.
    """
    number = site.teams.get(viewer.team) if viewer.team is not None else None
    return text if number is None else re.sub(rf'class="team-{number}(?=[ "])', r"\g<0> own", text)


@router.get("/c/{id}/part")
def part(request: Request, id: str, split: str) -> Response:
    """The board's table alone, for a page that is open."""
    context = context_of(request)
    site = context.site(id)
    viewer = context.reader(request, site)
    site.visible_split(viewer, split)
    return HTMLResponse(marked(live_part(site, split, viewer), site, viewer))


@router.get("/c/{id}/board.csv")
def csv(request: Request, id: str, split: str) -> Response:
    """The board as CSV, in which no cell is a formula."""
    context = context_of(request)
    site = context.site(id)
    viewer = context.reader(request, site)
    split = site.visible_split(viewer, split)
    return ready(request, site.ready_board(split, viewer).csv, "text/csv")


@router.get("/c/{id}/events")
async def events(request: Request, id: str) -> Response:
    """A line whenever something may have changed (server-sent events)."""
    context = context_of(request)
    site = context.site(id)
    context.reader(request, site)

    async def lines() -> AsyncIterator[str]:
        last = None
        while not context.closing and not await request.is_disconnected():
            stamp = await site.pulse()
            if stamp != last:
                last = stamp
                yield f"data: {'-'.join(map(str, stamp))}\n\n"
            await asyncio.sleep(PULSE)  # of the site, which asks the store once for all of them

    return StreamingResponse(lines(), media_type="text/event-stream")


@router.get("/c/{id}/rules")
def rules(request: Request, id: str) -> Response:
    """What is asked, when, and how it is scored."""
    context = context_of(request)
    site = context.site(id)
    viewer = context.reader(request, site)
    terms = site.board.terms()
    return page(
        request, site, viewer, "rules.html", here="rules", about=describe(context, site, viewer),
        measures=terms.measures, pages={m.id: list(prose(m.metric.page)) for m in terms.measures},
        submission=site.rules.submission, spans=spans(site.rules),
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
    known = token_of(site.board, token.strip())
    if known is None:
        context.failed_sign_in(request)
        fault = "This token is not known here."
        return page(request, site, NOBODY, "sign-in.html", 401, fault=fault)
    response = to(request, id)
    response.set_cookie(
        f"{COOKIE}_{site_key(site)}", context.sessions.sign(site.id, known), max_age=LASTS,
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
    context.limited(request, site, NOBODY)
    token = site.board.add_team(name.strip(), now=site.clock())
    return page(request, site, NOBODY, "join.html", fault=None, token=token, name=name.strip())


@router.get("/c/{id}/submit")
def submit_page(request: Request, id: str) -> Response:
    """Where a file is dropped, checked and sent."""
    context = context_of(request)
    site = context.site(id)
    viewer = context.viewer(request, site)
    if viewer.team is None:
        fault = "Sign in as a team to submit."
        return page(request, site, viewer, "sign-in.html", 401, here="submit", fault=fault)
    return submission(context, request, site, viewer)


def submission(
    context: Context, request: Request, site: Site, viewer: Viewer, status: int = 200, **more: Any
) -> Response:
    """The page of a submission: the remaining quota, and what was found or refused.

    Args:
        context: the state that the routes share.
        request: the request.
        site: the challenge.
        viewer: a team's.
        status: the HTTP status.
        more: what the template needs beside.
    """
    span, root = site.span(), context.settings.public_url
    values: dict[str, Any] = {"findings": None, "checked": None, "fatal": False, "fault": None}
    return page(
        request, site, viewer, "submit.html", status, here="submit",
        about=describe(context, site, viewer), takes=span is not None and span.takes_entries,
        address=f"{root}/c/{quote(site.id)}", **{**values, **more},
    )  # fmt: skip


@router.post("/c/{id}/submit")
async def submit(request: Request, id: str) -> Response:
    """Check a file without cost, or record it, as the pressed button says."""
    context = context_of(request)
    site = context.site(id)
    viewer = await run_in_threadpool(context.viewer, request, site)
    if not viewer.known:  # before anything of the file is read
        raise HTTPException(401, "sign in first")
    if viewer.team is None:
        raise HTTPException(403, "an organizer's token belongs to no team")
    context.limited(request, site, viewer)
    async with context.uploaded(request, site) as form:
        if not context.sessions.is_ours(
            cookie_of(request, site), str(form.get("form_token") or "")
        ):
            raise HTTPException(403, FORGED)
        return await run_in_threadpool(submitted, context, request, site, viewer, form)


def submitted(
    context: Context, request: Request, site: Site, viewer: Viewer, form: FormData
) -> Response:
    """The answer to a form whose file is on disk.

    Args:
        context: the state that the routes share.
        request: the request.
        site: the challenge.
        viewer: a team's.
        form: the form.
    """
    upload = file_of(form)
    if form.get("act") != "send":
        findings = problems_of(context, site, upload)
        return submission(
            context, request, site, viewer, checked=upload.filename, fatal=findings.fatal,
            findings=list(format_findings(findings, False)),
        )  # fmt: skip
    added = recorded(site, viewer, upload, answers_of(form))
    if added.entry is None:
        fault = f"{added.code}: {added.message}"
        return submission(context, request, site, viewer, 409, fault=fault)
    context.workers.wake()
    return to(request, site.id, "entries", added.entry)


@router.get("/c/{id}/entries")
def entries(request: Request, id: str) -> Response:
    """A team's entries; all of them for organizers."""
    context = context_of(request)
    site = context.site(id)
    viewer = context.viewer(request, site)
    if not viewer.known:
        fault = "Sign in to see entries."
        return page(request, site, viewer, "sign-in.html", 401, here="entries", fault=fault)
    team_entries = site.board.entries(viewer.team)
    outcomes = [site.shown(site.board.outcome(entry.number), viewer) for entry in team_entries]
    state, phases = site.board.held(), spans(site.rules)
    numbers = {entry.number for entry in team_entries}
    until = {entry.number: decided_until(site.rules, entry.phase) for entry in team_entries}
    return page(
        request, site, viewer, "entries.html", here="entries", entries=outcomes,
        splits=site.value_splits(viewer), primary=site.board.terms().primary.id,
        out=state.entries_out, baselines={entry.number for entry in team_entries if entry.baseline},
        selected={n for chosen in state.selected.values() for n in chosen} & numbers,
        select=next((span.phase.select for span in phases if span.phase.select), None),
        selects=viewer.team is not None,
        until=max(filter(None, until.values()), default=None), now=site.clock(),
        in_time=lambda number: (time := until[number]) is None or site.clock() <= time,
        comparable=[outcome.entry for outcome in reversed(outcomes) if outcome.status == "scored"],
    )  # fmt: skip


@router.get("/c/{id}/entries/{number}")
def entry(request: Request, id: str, number: int) -> Response:
    """One entry: its status, its problems, the values that may be seen, its receipt."""
    context = context_of(request)
    site = context.site(id)
    viewer = context.viewer(request, site)
    if not viewer.known:
        fault = "Sign in to see entries."
        return page(request, site, viewer, "sign-in.html", 401, here="entries", fault=fault)
    added, viewer = own_entry(context, request, site, number)
    splits, record = site.value_splits(viewer), site.board.entry(number)
    histograms: list[Histogram] = []
    if added.status == "scored" and splits and site.pictures_of(viewer):
        is_visible = splits[0] in site.visible(viewer)
        live = site.ready_board(splits[0], viewer).live if is_visible else None
        histograms = pictures.distribution(site.board.snapshot(), record, splits[0], live)
    return page(
        request, site, viewer, "entry.html", here="entries", entry=site.shown(added, viewer),
        splits=splits,
        measures=[measure.id for measure in site.board.terms().measures],
        findings=list(format_findings(added.findings, False)), histograms=histograms,
        answers=record.answers, file=record.file,
    )  # fmt: skip


@router.get("/c/{id}/compare")
def compare(request: Request, id: str, one: int, other: int) -> Response:
    """Two of one's own entries, measure by measure, on the lists that may be seen."""
    context = context_of(request)
    site = context.site(id)
    pair, split, viewer = pair_of(context, request, site, (one, other), None)
    lists = site.pictures_of(viewer)
    duel = pictures.duel(site.board.snapshot(), pair, split, site.clock(), lists)
    return page(
        request, site, viewer, "compare.html", here="entries", numbers=(one, other), duel=duel
    )


@router.post("/c/{id}/decide")
def decide(
    request: Request,
    id: str,
    kind: Annotated[Act, Form()],
    form_token: Annotated[str, Form()] = "",
    entry: Annotated[int | None, Form()] = None,
    team: Annotated[str | None, Form()] = None,
    reason: Annotated[str, Form()] = "",
    name: Annotated[str | None, Form()] = None,
    late: Annotated[bool, Form()] = False,
) -> Response:
    """Record a decision and go back."""
    context, site, viewer = signed_in(request, id, form_token)
    context.limited(request, site, viewer)
    decision = DecisionIn(
        kind=kind, entry=entry, team=team or None, reason=reason or f"{kind} by {viewer.team}",
        name=name or None, late=late,
    )  # fmt: skip
    decided(site, viewer, decision)
    return to(request, id, "admin") if viewer.organizer else to(request, id, "entries")


@router.get("/c/{id}/admin")
def admin(request: Request, id: str, entry: int | None = None) -> Response:
    """Teams, decisions, failures, versions: what an organizer needs."""
    _, site, viewer = organizer(request, id)
    return administration(request, site, viewer, about="" if entry is None else entry)


def administration(request: Request, site: Site, viewer: Viewer, **more: Any) -> Response:
    """The organizer's page.

    Args:
        request: the request.
        site: the challenge.
        viewer: an organizer.
        more: what the template needs beside.
    """
    values: dict[str, Any] = {
        "token": None, "named": "", "audit": None, "preview": None, "cause": None,
        "reference": "", "about": "",
    }  # fmt: skip
    return page(
        request, site, viewer, "admin.html", here="admin", teams=teams_of(site),
        events=site.board.log()[-200:], failures=site.board.failures(),
        changed=site.board.changed, copies=site.board.copies, **{**values, **more},
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
    do: Annotated[Literal["audit", "preview", "rescore", "retry", "revoke", "token"], Form()],
    form_token: Annotated[str, Form()] = "",
    subject: Annotated[str, Form()] = "",
) -> Response:
    """Audit, re-score with or without its preview, try a failure again, make or revoke tokens."""
    context, site, viewer = signed_in(request, id, form_token)
    organizer(request, id)
    match do:
        case "audit":
            found = context.ask(site, "audit", patient=True)
            return administration(request, site, viewer, audit=sentences(found))
        case "preview" | "rescore":
            changes = rescored(context, site, do == "preview")
            return administration(request, site, viewer, preview=changes)
        case "token":
            token = site.board.new_token(subject, now=site.clock())
            return administration(request, site, viewer, token=token, named=subject)
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
    cause = site.board.failure(reference)
    return administration(request, site, viewer, cause=cause, reference=reference)


@router.get("/c/{id}/admin/backup")
def backup(request: Request, id: str) -> Response:
    """A consistent copy of the database."""
    _, site, _ = organizer(request, id)
    return copied(site)
