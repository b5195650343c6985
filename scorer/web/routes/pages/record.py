"""What anybody may keep of a board: its receipts, its seal, its pictures."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Query, Request, Response
from fastapi.responses import HTMLResponse

from scorer.board.receipts import SEAL
from scorer.reports.pictures.svg import WIDE, standalone
from scorer.web.access import Viewer
from scorer.web.dependencies import Reader, Served
from scorer.web.page import page
from scorer.web.site import Site

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
MOST = 1_000  # receipts of a page


@router.get("/c/{id}/receipts")
def receipts(
    request: Request, site: Served, viewer: Reader, number: Annotated[int, Query(alias="page")] = 1
) -> Response:
    """The entries as their receipts have them, the latest first, with the values on the board."""
    lines = site.once("receipts", lambda: _entry_receipts(site))
    last = max(-(-len(lines) // MOST), 1)
    if not 1 <= number <= last:
        raise HTTPException(404, "there is no such page of receipts")
    is_sealed = (site.board.challenge.folder / SEAL).exists()
    return page(
        request, site, viewer, "receipts.html", here="receipts", number=number, last=last,
        lines=lines[(number - 1) * MOST : number * MOST], boards=_boards(site, viewer),
        primary=site.board.terms().primary.id, is_sealed=is_sealed,
    )  # fmt: skip


def _entry_receipts(site: Site) -> list[dict[str, Any]]:
    """The receipts of entries, the latest first."""
    bodies = map(json.loads, site.board.receipts().splitlines())
    entries = [body for body in bodies if body.get("kind") == "entry"]
    return [
        body | {"received": datetime.fromisoformat(body["received"])} for body in reversed(entries)
    ]


def _boards(site: Site, viewer: Viewer) -> dict[str, dict[int | None, float]]:
    """Split that the viewer may see -> entry that stands on its board -> its value there."""
    boards = {}
    for split in site.visible(viewer):
        live = site.ready_board(split, viewer).live
        boards[split] = {
            live.rows[each.name].entry: each.values[live.report.primary.id]
            for each in live.report.standings
        }
    return boards


@router.get("/c/{id}/challenge.seal")
def sealed_before(site: Served, _: Reader) -> Response:
    """The commitment to the truth; 404 where nothing was sealed."""
    try:
        text = (site.board.challenge.folder / SEAL).read_bytes()
    except FileNotFoundError:
        raise HTTPException(404, "this challenge is not sealed") from None
    return Response(text, media_type="application/json")


@router.get("/c/{id}/pictures/{name}.svg")
def picture(
    site: Served, viewer: Reader, split: str, name: Literal["intervals", "over-time"]
) -> Response:
    """A picture of a board as a file of its own; 404 where the board has none."""
    board = site.ready_board(site.visible_split(viewer, split), viewer)
    figure = board.forest if name == "intervals" else board.over_time
    if figure is None:
        raise HTTPException(404, "there is no such picture")
    return Response(standalone(figure, WIDE), media_type="image/svg+xml")
