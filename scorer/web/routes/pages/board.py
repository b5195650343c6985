"""The pages of a board: the home page, standings, rules."""

from __future__ import annotations

import re
from contextlib import suppress
from hashlib import blake2b
from typing import Any, NamedTuple

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from scorer.api.example import measure_example
from scorer.api.kit_form import read_form
from scorer.board.phases import ChallengeState, challenge_state, shown_at
from scorer.board.seal import SEAL
from scorer.board.standings import RankedEntry, Ranking
from scorer.core.text import unit
from scorer.metrics.catalogue import formula_lines, page_prose
from scorer.reports.commonmark import described, first_words, pages
from scorer.reports.document import Prose
from scorer.reports.write.html import formulas, prose, sections
from scorer.results.report import Standing, public_measure
from scorer.web.auth import NOBODY, Viewer
from scorer.web.board_table import digits_of, interval_text, mean_text
from scorer.web.context import compressed_response, context_of
from scorer.web.dependencies import ContextDep, ReaderDep, SiteDep
from scorer.web.pictures import badge
from scorer.web.presenters import (
    Fact,
    how_to_read,
    milestones,
    quota_fact,
    rules_in_words,
    selected_fact,
    standing_facts,
    status_of,
)
from scorer.web.rendering import PROSE_POLICY, page, page_text, render, root_of, templates, time_tag
from scorer.web.service import describe
from scorer.web.site import BoardView, CompressedText, Site

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

BADGE_SECONDS = 300  # how long browsers may keep a badge
CARD_LENGTH = 200  # characters of a description on the home page
ABOUT_LENGTH = 300  # characters of a description where a link is previewed, or no entry is there


class ChallengeCard(NamedTuple):
    """A challenge on the home page."""

    site: Site
    viewer: Viewer
    state: ChallengeState
    about: str


class TeamRow(NamedTuple):
    """The row of a team on a board."""

    ranking: Ranking
    standing: Standing
    entry: RankedEntry


class TeamFacts(NamedTuple):
    """The facts on a viewer's team above the board, and whether the team is on that board."""

    facts: list[Fact]
    on_board: bool


@router.get("/")
def home(request: Request, context: ContextDep) -> Response:
    """The challenges of this server."""
    cards = [
        ChallengeCard(
            site,
            viewer,
            challenge_state(site.rules, site.clock()),
            first_words(site.rules.description, CARD_LENGTH),
        )
        for site, viewer in context.readable_sites(request)
    ]
    hidden = len(cards) < len(context.sites)
    return HTMLResponse(
        render(request, "home.html", challenges=cards, hidden=hidden, when=time_tag)
    )


@router.get("/c/{id}")
def board(request: Request, site: SiteDep, viewer: ReaderDep, split: str | None = None) -> Response:
    """The board, with a tab for each split that one may see."""
    wanted = site.default_split(viewer) if split is None else site.visible_split(viewer, split)
    if wanted not in site.visible(viewer):
        wanted = None
    if viewer.signed_in or wanted is None:
        return HTMLResponse(board_text(request, site, viewer, wanted))
    key = ("page", *visitor_key(request, site, wanted))
    content = site.cache(key, lambda: CompressedText(board_text(request, site, viewer, wanted)))
    return compressed_response(request, content, "text/html")


def visitor_key(request: Request, site: Site, split: str) -> tuple[object, ...]:
    """Return the key under which a page for visitors is cached while the store stays the same."""
    return split, root_of(request), *dates_key(site, NOBODY)


def dates_key(site: Site, viewer: Viewer) -> tuple[object, ...]:
    """Return the key under which a board is cached while the store stays the same."""
    passed = sum(date.time <= site.clock() for date in milestones(site.rules))
    span = site.span()
    phase = span.phase.id if span else None
    day = site.now().astimezone(site.zone).date()
    return viewer.organizer, site.visible(viewer), passed, phase, day


def team_facts(site: Site, viewer: Viewer, view: BoardView | None) -> TeamFacts:
    """Return the facts on the viewer's team; none for visitors and organizers."""
    team = _team_number(site, viewer)
    if viewer.team is None or team is None:
        return TeamFacts([], on_board=False)
    now = site.clock()
    standing: list[Fact] = []
    if view is not None:
        standing.extend(standing_facts(view.ranking, team, digits_of(view.ranking.report)))
    selected = len(site.board.teams.decisions_at(now).selected.get(team, ()))
    quota = quota_fact(site.left(viewer.team))
    facts = [*standing, *quota, *selected_fact(site.rules, selected, now)]
    return TeamFacts(facts, on_board=bool(standing))


def board_text(request: Request, site: Site, viewer: Viewer, split: str | None) -> str:
    """Return the board's page; `split` is None where the viewer may see no board."""
    part = part_text(request, site, viewer, split)
    return page_text(
        request,
        site,
        viewer,
        "board.html",
        here="board",
        view=None if split is None else site.board_view(split, viewer),
        split=split,
        part=part,
        tag=digest_of(part),
        **link_preview(request, site),
    )


def part_text(request: Request, site: Site, viewer: Viewer, split: str | None) -> str:
    """Return the changing part of a board's page: the viewer's card, and the standings."""
    if viewer.signed_in or split is None:
        return render_part(request, site, viewer, split)
    key = ("part", *visitor_key(request, site, split))
    return site.cache(key, lambda: render_part(request, site, viewer, split))


def render_part(request: Request, site: Site, viewer: Viewer, split: str | None) -> str:
    """Render the changing part; without a split it says that no board is shown."""
    view = None if split is None else site.board_view(split, viewer)
    own = team_facts(site, viewer, view)
    team = _team_number(site, viewer)
    standings = "" if split is None else standings_text(site, split, viewer)
    is_open = site.rules.registration == "open" and not context_of(request).settings.private
    return page_text(
        request,
        site,
        viewer,
        "part.html",
        view=view,
        facts=own.facts,
        on_board=own.on_board,
        joins=is_open,
        standings=mark_own_team(standings, site, viewer),
        split_tabs=site.split_tabs(viewer) if view is None else (),
        over_time=None if view is None else view.over_time.figure(team),
        show=shown_at(site.rules, site.now()),
        **link_preview(request, site),
    )


def link_preview(request: Request, site: Site) -> dict[str, Any]:
    """Return the description, and the address, for previews of links to the board."""
    address = context_of(request).settings.public_url
    return {"about": first_words(site.rules.description, ABOUT_LENGTH), "address": address}


def standings_text(site: Site, split: str, viewer: Viewer) -> str:
    """The verdict and the standings; the same for all participants."""

    def render_standings() -> str:
        template = templates().get_template("standings.html")
        view = site.board_view(split, viewer)
        report = view.ranking.report
        return template.render(
            view=view,
            split=split,
            split_tabs=site.split_tabs(viewer),
            final=site.is_final(split),
            hints=[*how_to_read(view.ranking)],
            words=lambda count: unit(report.called, count),
            when=lambda time, look="": time_tag(time, site.zone, look),
        )

    return site.cache(("standings", split, *dates_key(site, viewer)), render_standings)


def digest_of(text: str) -> str:
    """Return a digest of a part. The browser sends it back to ask whether the part has changed."""
    return blake2b(text.encode(), digest_size=8).hexdigest()


def mark_own_team(text: str, site: Site, viewer: Viewer) -> str:
    """Add the class `own` to the rows of the viewer's team, in HTML that is cached for all."""
    number = _team_number(site, viewer)
    own = rf'class="team-{number}(?=[ "])'  # not the beginning of `team-12` for team 1
    return text if number is None else re.sub(own, r"\g<0> own", text)


def _team_number(site: Site, viewer: Viewer) -> int | None:
    return None if viewer.team is None else site.teams.get(viewer.team)


@router.get("/c/{id}/part")
def part(request: Request, site: SiteDep, viewer: ReaderDep, split: str) -> Response:
    """The changing part of a board's page, for a page that is open; 304 if nothing has changed."""
    text = part_text(request, site, viewer, site.visible_split(viewer, split))
    tag = digest_of(text)
    headers = {"ETag": f'"{tag}"'}
    if tag in request.headers.get("if-none-match", ""):  # a proxy may have put W/ before it
        return Response(status_code=304, headers=headers)
    return HTMLResponse(page_text(request, site, viewer, "status.html") + text, headers=headers)


@router.get("/c/{id}/teams/{number}")
def team(request: Request, site: SiteDep, viewer: ReaderDep, number: int) -> Response:
    """The rows of a team on the boards that the viewer may see; 404 if there is no row."""
    rankings = [site.board_view(split, viewer).ranking for split in site.visible(viewer)]
    rows = [
        TeamRow(ranking, standing, ranking.rows[standing.name])
        for ranking in rankings
        for standing in ranking.report.leaderboard
        if ranking.rows[standing.name].id == number
    ]
    if not rows:
        raise HTTPException(404, "no such team is on the board")
    return page(
        request,
        site,
        viewer,
        "team.html",
        here="board",
        rows=rows,
        number=number,
        name=rows[0].entry.team,
        address=context_of(request).settings.public_url,
        shown=mean_text,
        interval=interval_text,
    )


@router.get("/c/{id}/badge.svg")
def badge_image(
    site: SiteDep, viewer: ReaderDep, team: int | None = None, split: str | None = None
) -> Response:
    """A small picture for other pages: the best value of the board, or a team's value and rank."""
    wanted = site.default_split(viewer) if split is None else site.visible_split(viewer, split)
    if wanted is None:
        drawn = badge(site.title, status_of(site.rules, site.span(), site.clock()).state)
    else:
        ranking = site.board_view(wanted, viewer).ranking
        ranked = [row for row in ranking.report.leaderboard if row.rank is not None]
        rows = [row for row in ranked if team is None or ranking.rows[row.name].id == team]
        if not rows and team is not None:
            raise HTTPException(404, "no such team is on the board")
        text = "no entries"
        if rows:
            noun = "entries" if site.rules.leaderboard.entry == "all" else "teams"
            place = f"{len(ranked):,} {noun}" if team is None else f"rank {rows[0].rank}"
            text = f"{mean_text(ranking.report, rows[0], ranking.report.primary)} · {place}"
        drawn = badge(ranking.report.primary.id, text)
    # Other sites embed the picture and load it often. Visitors all see the same one.
    headers = {} if viewer.signed_in else {"Cache-Control": f"max-age={BADGE_SECONDS}"}
    return Response(drawn, media_type="image/svg+xml", headers=headers)


@router.get("/c/{id}/board.csv")
def csv(request: Request, site: SiteDep, viewer: ReaderDep, split: str) -> Response:
    """The board as CSV, in which no cell is a formula."""
    split = site.visible_split(viewer, split)
    return compressed_response(request, site.board_view(split, viewer).csv, "text/csv")


@router.get("/c/{id}/rules")
async def rules(
    request: Request, context: ContextDep, site: SiteDep, viewer: ReaderDep
) -> Response:
    """Show the rules: dates, quotas, files, measures."""
    form = ""
    with suppress(HTTPException):  # the server is busy: the page is shown without the form
        form = await run_in_threadpool(read_form, await context.kit(site))
    return await run_in_threadpool(_rules_page, request, site, viewer, form)


def _rules_page(request: Request, site: Site, viewer: Viewer, form: str) -> Response:
    challenge = site.rules
    measures = site.board.versions.terms().measures
    response = page(
        request,
        site,
        viewer,
        "rules.html",
        here="rules",
        about=describe(site, viewer),
        description=described(challenge),
        sections=sections([*pages(challenge)]),
        measures=measures,
        pages={m.id: list(prose(page_prose(m.metric))) for m in measures},
        formulas={
            m.id: formulas(formula_lines(m.metric, public_measure(m).params)) for m in measures
        },
        examples=site.cache("examples", lambda: {m.id: measure_example(m) for m in measures}),
        words=rules_in_words(challenge),
        dates=milestones(challenge),
        is_sealed=(site.board.challenge.folder / SEAL).exists(),
        form=Prose(form, key="the form"),
    )
    response.headers["Content-Security-Policy"] = PROSE_POLICY
    return response
