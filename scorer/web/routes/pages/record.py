"""What anybody may keep of a board: its seal and its pictures."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, HTTPException, Response
from fastapi.responses import HTMLResponse

from scorer.board.seal import SEAL
from scorer.reports.charts.svg import PAGE_WIDTH, svg_file
from scorer.web.dependencies import ReaderDep, SiteDep

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


@router.get("/c/{id}/challenge.seal")
def sealed_before(site: SiteDep, _: ReaderDep) -> Response:
    """The commitment to the truth; 404 where nothing was sealed."""
    try:
        text = (site.board.challenge.folder / SEAL).read_bytes()
    except FileNotFoundError:
        raise HTTPException(404, "this challenge is not sealed") from None
    return Response(text, media_type="application/json")


@router.get("/c/{id}/pictures/{name}.svg")
def picture(site: SiteDep, viewer: ReaderDep, split: str, name: Literal["over-time"]) -> Response:
    """Send the picture of a board as a file; 404 for a board without a picture."""
    board = site.board_view(site.visible_split(viewer, split), viewer)
    figure = board.over_time.figure()
    if figure is None:
        raise HTTPException(404, "there is no such picture")
    return Response(svg_file(figure.drawn(PAGE_WIDTH), PAGE_WIDTH), media_type="image/svg+xml")
