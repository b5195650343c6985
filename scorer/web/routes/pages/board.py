"""The pages of a board: the home page, standings, rules."""

from __future__ import annotations

import asyncio
import json
import re
import secrets
from collections.abc import AsyncIterator
from contextlib import suppress
from hashlib import blake2b
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, StreamingResponse
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from scorer.api.example import worked
from scorer.api.kits.readme import beginning_of_sample
from scorer.board.live import LiveReport
from scorer.board.phases import shown_at, state_at
from scorer.board.receipts import SEAL
from scorer.reports.commonmark import first_words
from scorer.reports.document import Prose
from scorer.reports.leaderboard.prose import described, pages
from scorer.reports.write.html import formulas, prose, sections
from scorer.results.report import public_measure
from scorer.web.access import Viewer
from scorer.web.acts import describe
from scorer.web.context import context_of, ready
from scorer.web.dependencies import Readable, Reader, Served, Shared
from scorer.web.glance import (
    Fact,
    board_facts,
    milestones,
    next_fact,
    quota_fact,
    rules_in_words,
    selected_fact,
    standing_facts,
)
from scorer.web.page import page, page_text, policy
from scorer.web.render import render, root_of, templates
from scorer.web.site import PULSE, Ready, Site
from scorer.web.standings import local_time

KEY = secrets.token_bytes(16)  # of this process
QUIET = 20  # pulses after which followers hear that the connection stands

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


@router.get("/")
def home(request: Request, context: Shared) -> Response:
    """The challenges of this server."""
    listed = [
        (site, viewer, state_at(site.rules, site.clock()), first_words(site.rules.description, 200))
        for site, viewer in context.listed(request)
    ]
    hidden = len(listed) < len(context.sites)
    return HTMLResponse(
        render(request, "home.html", challenges=listed, hidden=hidden, when=local_time)
    )


@router.get("/c/{id}")
def board(request: Request, site: Served, viewer: Reader, split: str | None = None) -> Response:
    """The board, with a tab for each split that one may see."""
    visible = site.visible(viewer)
    wanted = site.default_split(viewer) if split is None else site.visible_split(viewer, split)
    if wanted not in visible:
        show = shown_at(site.rules, site.now())
        return page(request, site, viewer, "board.html", here="board", view=None, visible=visible,
                    split=None, show=show, **first_sight(request, site, viewer, None))  # fmt: skip
    if viewer.known:
        return HTMLResponse(board_text(request, site, viewer, wanted))
    # to whoever has not signed in, the page is the same, until something changes or a date passes
    dates = sum(each.time <= site.clock() for each in milestones(site.rules))
    span = site.span()
    key = ("page", wanted, visible, dates, span.phase.id if span else None, root_of(request))
    content = site.once(key, lambda: Ready(board_text(request, site, viewer, wanted)))
    return ready(request, content, "text/html")


def first_sight(
    request: Request, site: Site, viewer: Viewer, live: LiveReport | None
) -> dict[str, Any]:
    """What stands above a board: of a team its place and what it may still do."""
    now, rules, facts = site.clock(), site.rules, list[Fact]()
    team = site.teams.get(viewer.team) if viewer.team is not None else None
    placed = list(standing_facts(live, team)) if live is not None and team is not None else []
    if viewer.team is not None and team is not None:
        chosen = len(site.board.held(now).selected.get(team, ()))
        facts = [*placed, *quota_fact(site.left(viewer.team)), *selected_fact(rules, chosen, now)]
    elif live is not None:
        facts = [*board_facts(live)]
    joins = rules.registration == "open" and not context_of(request).settings.private
    return {
        "facts": [*facts, *next_fact(rules, now)], "placed": bool(placed), "joins": joins,
        "about": first_words(rules.description, 300),
    }  # fmt: skip


def board_text(request: Request, site: Site, viewer: Viewer, split: str) -> str:
    """The board's page."""
    seen = opaque(site.stamp)  # before it is drawn: what happens meanwhile renews the page
    view, visible = site.ready_board(split, viewer), site.visible(viewer)
    return page_text(
        request, site, viewer, "board.html", here="board", view=view, split=split, seen=seen,
        visible=visible, live=marked(live_part(site, split, viewer), site, viewer),
        shake=shake_part(site, visible, viewer), **first_sight(request, site, viewer, view.live),
    )  # fmt: skip


def live_part(site: Site, split: str, viewer: Viewer) -> str:
    """The part of a board that changes while its page is open; the same for all participants."""

    def make() -> str:
        return templates().get_template("live.html").render(view=site.ready_board(split, viewer))

    span = site.span()
    return site.once(("live", split, span.phase.id if span else None, viewer.organizer), make)


def shake_part(site: Site, splits: tuple[str, ...], viewer: Viewer) -> Markup | None:
    """The picture of ranks on two splits, if both may be seen; drawn once."""

    def make() -> Markup | None:
        figure, macros = site.shake_up(splits, viewer), templates().get_template("macros.html")
        return None if figure is None else Markup(macros.module.picture(figure))  # type: ignore[attr-defined]

    return site.once(("shake part", splits), make)


def marked(text: str, site: Site, viewer: Viewer) -> str:
    """HTML that is the same for everybody, in which the viewer's own team stands out."""
    number = site.teams.get(viewer.team) if viewer.team is not None else None
    return text if number is None else re.sub(rf'class="team-{number}(?=[ "])', r"\g<0> own", text)


@router.get("/c/{id}/part")
def part(site: Served, viewer: Reader, split: str) -> Response:
    """The board's table alone, for a page that is open."""
    site.visible_split(viewer, split)
    return HTMLResponse(marked(live_part(site, split, viewer), site, viewer))


@router.get("/c/{id}/board.csv")
def csv(request: Request, site: Served, viewer: Reader, split: str) -> Response:
    """The board as CSV, in which no cell is a formula."""
    split = site.visible_split(viewer, split)
    return ready(request, site.ready_board(split, viewer).csv, "text/csv")


@router.get("/events")
async def events(request: Request, context: Shared, sites: Readable) -> Response:
    """A line whenever something may have changed on a board of this server (server-sent events).

    It is an object of a word for each challenge, which says nothing but whether it is another.
    """

    async def lines() -> AsyncIterator[str]:
        last, pulses = None, 0
        while not context.closing and not await request.is_disconnected():
            now = {site.id: opaque(await site.pulse()) for site in sites}
            if now != last:
                last = now
                yield f"data: {json.dumps(now)}\n\n"
            elif pulses % QUIET == 0:
                yield ":\n\n"  # a comment, so that no proxy ends what says nothing
            pulses += 1
            await asyncio.sleep(PULSE)  # of the site, which asks the store once for all of them

    # nginx would keep lines back until it has many
    head = {"X-Accel-Buffering": "no", "Cache-Control": "no-store, no-transform"}
    return StreamingResponse(lines(), media_type="text/event-stream", headers=head)


def opaque(stamp: tuple[int, ...]) -> str:
    """A word for the state of a board that does not tell how many entries there are."""
    return blake2b(repr(stamp).encode(), key=KEY, digest_size=8).hexdigest()


@router.get("/c/{id}/rules")
async def rules(request: Request, context: Shared, site: Served, viewer: Reader) -> Response:
    """What is asked, when, and how it is scored."""
    form = ""
    with suppress(HTTPException):  # too many ask for something: the page goes without
        form = await run_in_threadpool(beginning_of_sample, await context.kit(site))
    return await run_in_threadpool(_rules_page, request, site, viewer, form)


def _rules_page(request: Request, site: Site, viewer: Viewer, form: str) -> Response:
    terms, challenge = site.board.terms(), site.rules
    facts = [*next_fact(challenge, site.clock())]
    response = page(
        request, site, viewer, "rules.html", here="rules", about=describe(site, viewer),
        description=described(challenge), sections=sections([*pages(challenge)]),
        measures=terms.measures, pages={m.id: list(prose(m.metric.prose)) for m in terms.measures},
        formulas={m.id: formulas(m.metric, public_measure(m).params) for m in terms.measures},
        examples=site.once("examples", lambda: {m.id: worked(m) for m in terms.measures}),
        words=rules_in_words(challenge), dates=milestones(challenge), facts=facts,
        is_sealed=(site.board.challenge.folder / SEAL).exists(),
        form=Prose(form, key="the form"),
    )  # fmt: skip
    response.headers["Content-Security-Policy"] = policy(challenge.remote_pictures)
    return response
