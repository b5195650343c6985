"""The pages of a board: the home page, standings, rules."""

from __future__ import annotations

import re
from contextlib import suppress
from hashlib import blake2b
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from scorer.api.example import measure_example
from scorer.api.kit_form import read_form
from scorer.board.phases import shown_at, state_at
from scorer.board.seal import SEAL
from scorer.board.standings import LiveReport
from scorer.metrics.catalogue import formula_lines, page_prose
from scorer.reports.commonmark import described, first_words, pages
from scorer.reports.document import Prose
from scorer.reports.write.html import formulas, prose, sections
from scorer.results.report import public_measure
from scorer.web.access import NOBODY, Viewer
from scorer.web.acts import describe
from scorer.web.context import context_of, ready
from scorer.web.dependencies import Reader, Served, Shared
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
from scorer.web.page import PROSE_POLICY, page, page_text
from scorer.web.render import render, root_of, templates
from scorer.web.site import Ready, Site
from scorer.web.standings import local_time

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
    if wanted is None or wanted not in visible:
        show = shown_at(site.rules, site.now())
        part = page_text(
            request, site, viewer, "part.html", view=None, visible=visible, split=None, show=show,
            **first_sight(request, site, viewer, None),
        )  # fmt: skip
        return page(request, site, viewer, "board.html", here="board", view=None, part=part)
    if viewer.known:
        return HTMLResponse(board_text(request, site, viewer, wanted))
    key = ("page", *visitors_key(request, site, wanted))
    content = site.once(key, lambda: Ready(board_text(request, site, viewer, wanted)))
    return ready(request, content, "text/html")


def visitors_key(request: Request, site: Site, split: str) -> tuple[object, ...]:
    """Whatever a page depends on, beside the store, for whoever has not signed in."""
    dates = sum(each.time <= site.clock() for each in milestones(site.rules))
    span, visible = site.span(), site.visible(NOBODY)
    return split, visible, dates, span.phase.id if span else None, root_of(request)


def first_sight(
    request: Request, site: Site, viewer: Viewer, live: LiveReport | None
) -> dict[str, Any]:
    """What stands above a board: of a team its place and what it may still do."""
    now, rules, facts = site.clock(), site.rules, list[Fact]()
    team = site.teams.get(viewer.team) if viewer.team is not None else None
    placed = list(standing_facts(live, team)) if live is not None and team is not None else []
    if viewer.team is not None and team is not None:
        chosen = len(site.board.teams.state_at(now).selected.get(team, ()))
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
    part = part_text(request, site, viewer, split)
    return page_text(
        request, site, viewer, "board.html", here="board", view=site.ready_board(split, viewer),
        split=split, part=part, tag=tag_of(part),
    )  # fmt: skip


def part_text(request: Request, site: Site, viewer: Viewer, split: str) -> str:
    """What of a board's page changes while it is open: the viewer's card, and the standings."""

    def make() -> str:
        view = site.ready_board(split, viewer)
        return page_text(
            request, site, viewer, "part.html", view=view, split=split,
            visible=site.visible(viewer),
            standings=marked(standings_text(site, split, viewer), site, viewer),
            **first_sight(request, site, viewer, view.live),
        )  # fmt: skip

    if viewer.known:
        return make()
    return site.once(("part", *visitors_key(request, site, split)), make)


def standings_text(site: Site, split: str, viewer: Viewer) -> str:
    """The standings with their pictures; the same for all participants."""

    def make() -> str:
        template = templates().get_template("standings.html")
        return template.render(view=site.ready_board(split, viewer))

    span = site.span()
    return site.once(("standings", split, span.phase.id if span else None, viewer.organizer), make)


def tag_of(text: str) -> str:
    """A tag by which a browser knows whether a part is as it was."""
    return blake2b(text.encode(), digest_size=8).hexdigest()


def marked(text: str, site: Site, viewer: Viewer) -> str:
    """HTML that is the same for everybody, in which the viewer's own team stands out."""
    number = site.teams.get(viewer.team) if viewer.team is not None else None
    return text if number is None else re.sub(rf'class="team-{number}(?=[ "])', r"\g<0> own", text)


@router.get("/c/{id}/part")
def part(request: Request, site: Served, viewer: Reader, split: str) -> Response:
    """What changes of a board's page, for a page that is open; 304 where nothing did."""
    text = part_text(request, site, viewer, site.visible_split(viewer, split))
    tag = tag_of(text)
    headers = {"ETag": f'"{tag}"'}
    if tag in request.headers.get("if-none-match", ""):  # which a proxy may have made weak
        return Response(status_code=304, headers=headers)
    return HTMLResponse(text, headers=headers)


@router.get("/c/{id}/board.csv")
def csv(request: Request, site: Served, viewer: Reader, split: str) -> Response:
    """The board as CSV, in which no cell is a formula."""
    split = site.visible_split(viewer, split)
    return ready(request, site.ready_board(split, viewer).csv, "text/csv")


@router.get("/c/{id}/rules")
async def rules(request: Request, context: Shared, site: Served, viewer: Reader) -> Response:
    """What is asked, when, and how it is scored."""
    form = ""
    with suppress(HTTPException):  # too many ask for something: the page goes without
        form = await run_in_threadpool(read_form, await context.kit(site))
    return await run_in_threadpool(_rules_page, request, site, viewer, form)


def _rules_page(request: Request, site: Site, viewer: Viewer, form: str) -> Response:
    terms, challenge = site.board.versions.terms(), site.rules
    facts = [*next_fact(challenge, site.clock())]
    response = page(
        request, site, viewer, "rules.html", here="rules", about=describe(site, viewer),
        description=described(challenge), sections=sections([*pages(challenge)]),
        measures=terms.measures,
        pages={m.id: list(prose(page_prose(m.metric))) for m in terms.measures},
        formulas={
            m.id: formulas(formula_lines(m.metric, public_measure(m).params))
            for m in terms.measures
        },
        examples=site.once("examples", lambda: {m.id: measure_example(m) for m in terms.measures}),
        words=rules_in_words(challenge), dates=milestones(challenge), facts=facts,
        is_sealed=(site.board.challenge.folder / SEAL).exists(),
        form=Prose(form, key="the form"),
    )  # fmt: skip
    response.headers["Content-Security-Policy"] = PROSE_POLICY
    return response
