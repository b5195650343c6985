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
from scorer.core.text import unit
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
    how_to_read,
    milestones,
    quota_fact,
    rules_in_words,
    selected_fact,
    standing_facts,
    status_of,
)
from scorer.web.page import PROSE_POLICY, page, page_text, time_tag
from scorer.web.pictures import badge
from scorer.web.render import render, root_of, templates
from scorer.web.site import Ready, ReadyBoard, Site
from scorer.web.standings import digits_of, interval_text, mean_text

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
        render(request, "home.html", challenges=listed, hidden=hidden, when=time_tag)
    )


@router.get("/c/{id}")
def board(request: Request, site: Served, viewer: Reader, split: str | None = None) -> Response:
    """The board, with a tab for each split that one may see."""
    wanted = site.default_split(viewer) if split is None else site.visible_split(viewer, split)
    if wanted is None or wanted not in site.visible(viewer):
        part = part_of(request, site, viewer, None)
        return page(
            request,
            site,
            viewer,
            "board.html",
            here="board",
            view=None,
            part=part,
            **shared_words(request, site),
        )
    if viewer.known:
        return HTMLResponse(board_text(request, site, viewer, wanted))
    key = ("page", *visitors_key(request, site, wanted))
    content = site.once(key, lambda: Ready(board_text(request, site, viewer, wanted)))
    return ready(request, content, "text/html")


def visitors_key(request: Request, site: Site, split: str) -> tuple[object, ...]:
    """Whatever a page depends on, beside the store, for whoever has not signed in."""
    return split, root_of(request), *dates_key(site, NOBODY)


def dates_key(site: Site, viewer: Viewer) -> tuple[object, ...]:
    """Whatever a board depends on, beside the store: the dates that passed, and what they show."""
    dates = sum(each.time <= site.clock() for each in milestones(site.rules))
    span, day = site.span(), site.now().astimezone(site.zone).date()
    return viewer.organizer, site.visible(viewer), dates, span.phase.id if span else None, day


def own_facts(site: Site, viewer: Viewer, view: ReadyBoard | None) -> tuple[list[Fact], bool]:
    """A team's place and what it may still do, and whether it has a place."""
    team = site.teams.get(viewer.team or "")
    if viewer.team is None or team is None:
        return [], False
    now = site.clock()
    placed = [] if view is None else [*standing_facts(view.live, team, digits_of(view.live.report))]
    chosen = len(site.board.teams.state_at(now).selected.get(team, ()))
    own = [*quota_fact(site.left(viewer.team)), *selected_fact(site.rules, chosen, now)]
    return [*placed, *own], bool(placed)


def board_text(request: Request, site: Site, viewer: Viewer, split: str) -> str:
    """The board's page."""
    part = part_text(request, site, viewer, split)
    return page_text(
        request,
        site,
        viewer,
        "board.html",
        here="board",
        view=site.ready_board(split, viewer),
        split=split,
        part=part,
        tag=tag_of(part),
        **shared_words(request, site),
    )


def part_text(request: Request, site: Site, viewer: Viewer, split: str) -> str:
    """What of a board's page changes while it is open: the viewer's card, and the standings."""
    if viewer.known:
        return part_of(request, site, viewer, split)
    key = ("part", *visitors_key(request, site, split))
    return site.once(key, lambda: part_of(request, site, viewer, split))


def part_of(request: Request, site: Site, viewer: Viewer, split: str | None) -> str:
    """The part that changes; without a split there is no board to be seen."""
    view = None if split is None else site.ready_board(split, viewer)
    facts, placed = own_facts(site, viewer, view)
    team = site.teams.get(viewer.team or "")
    standings = "" if split is None else standings_text(site, split, viewer)
    joins = site.rules.registration == "open" and not context_of(request).settings.private
    return page_text(
        request,
        site,
        viewer,
        "part.html",
        view=view,
        facts=facts,
        placed=placed,
        joins=joins,
        standings=marked(standings, site, viewer),
        pills=site.pills(viewer) if not view else (),
        over_time=view and view.over_time.figure(team),
        show=shown_at(site.rules, site.now()),
        **shared_words(request, site),
    )


def shared_words(request: Request, site: Site) -> dict[str, Any]:
    """What other pages show of a board to which they link."""
    address = context_of(request).settings.public_url
    return {"about": first_words(site.rules.description, 300), "address": address}


def standings_text(site: Site, split: str, viewer: Viewer) -> str:
    """The verdict and the standings; the same for all participants."""

    def make() -> str:
        template, view = templates().get_template("standings.html"), site.ready_board(split, viewer)
        report = view.live.report
        return template.render(
            view=view,
            split=split,
            pills=site.pills(viewer),
            final=site.is_final(split),
            hints=[*how_to_read(view.live)],
            words=lambda count: unit(report.called, count),
            when=lambda time, look="": time_tag(time, site.zone, look),
        )

    return site.once(("standings", split, *dates_key(site, viewer)), make)


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
    return HTMLResponse(page_text(request, site, viewer, "status.html") + text, headers=headers)


@router.get("/c/{id}/teams/{number}")
def team(request: Request, site: Served, viewer: Reader, number: int) -> Response:
    """What the boards that one may see show of a team; 404 for one that is on none."""
    boards = []
    for split in site.visible(viewer):
        live = site.ready_board(split, viewer).live
        rows = [row for row in live.report.leaderboard if live.rows[row.name].id == number]
        boards += [(split, live, row, live.rows[row.name]) for row in rows]
    if not boards:
        raise HTTPException(404, "no such team is on the board")
    return page(
        request,
        site,
        viewer,
        "team.html",
        here="board",
        boards=boards,
        number=number,
        name=boards[0][3].team,
        address=context_of(request).settings.public_url,
        shown=mean_text,
        interval=interval_text,
    )


@router.get("/c/{id}/badge.svg")
def badge_image(
    site: Served, viewer: Reader, team: int | None = None, split: str | None = None
) -> Response:
    """A small picture for other pages: the first value of the board, or a team's with its rank."""
    wanted = site.default_split(viewer) if split is None else site.visible_split(viewer, split)
    if wanted is None:
        drawn = badge(site.title, status_of(site.rules, site.span(), site.clock()).state)
    else:
        live = site.ready_board(wanted, viewer).live
        ranked = [row for row in live.report.leaderboard if row.rank is not None]
        row = next((r for r in ranked if team in (None, live.rows[r.name].id)), None)
        if row is None and team is not None:
            raise HTTPException(404, "no such team is on the board")
        words = "no entries" if row is None else mean_text(live.report, row, live.report.primary)
        if row is not None:
            count = (
                f"{len(ranked):,} {'entries' if site.rules.leaderboard.entry == 'all' else 'teams'}"
            )
            words += f" · {count}" if team is None else f" · rank {row.rank}"
        drawn = badge(live.report.primary.id, words)
    # pages of others ask often, for what everybody may see; so many seconds it is good for
    headers = {} if viewer.known else {"Cache-Control": "max-age=300"}
    return Response(drawn, media_type="image/svg+xml", headers=headers)


@router.get("/c/{id}/board.csv")
def csv(request: Request, site: Served, viewer: Reader, split: str) -> Response:
    """The board as CSV, in which no cell is a formula."""
    split = site.visible_split(viewer, split)
    return ready(request, site.ready_board(split, viewer).csv, "text/csv")


@router.get("/c/{id}/rules")
async def rules(request: Request, context: Shared, site: Served, viewer: Reader) -> Response:
    """Show the rules: dates, quotas, files, measures."""
    form = ""
    with suppress(HTTPException):  # too many ask for something: the page goes without
        form = await run_in_threadpool(read_form, await context.kit(site))
    return await run_in_threadpool(_rules_page, request, site, viewer, form)


def _rules_page(request: Request, site: Site, viewer: Viewer, form: str) -> Response:
    terms, challenge = site.board.versions.terms(), site.rules
    response = page(
        request,
        site,
        viewer,
        "rules.html",
        here="rules",
        about=describe(site, viewer),
        description=described(challenge),
        sections=sections([*pages(challenge)]),
        measures=terms.measures,
        pages={m.id: list(prose(page_prose(m.metric))) for m in terms.measures},
        formulas={
            m.id: formulas(formula_lines(m.metric, public_measure(m).params))
            for m in terms.measures
        },
        examples=site.once("examples", lambda: {m.id: measure_example(m) for m in terms.measures}),
        words=rules_in_words(challenge),
        dates=milestones(challenge),
        is_sealed=(site.board.challenge.folder / SEAL).exists(),
        form=Prose(form, key="the form"),
    )
    response.headers["Content-Security-Policy"] = PROSE_POLICY
    return response
