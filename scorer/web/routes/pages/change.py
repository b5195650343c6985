"""The organizer's page on which deadlines and quotas are changed, with a preview."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse

from scorer.board.amendment import LIMITS
from scorer.board.phases import spans
from scorer.core.errors import UsageError
from scorer.web.access import Viewer
from scorer.web.amending import ChangeIn, amend, preview
from scorer.web.dependencies import Organizer, OrganizersForm, Served, Shared
from scorer.web.page import page
from scorer.web.site import Site

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


@router.get("/c/{id}/admin/change")
def dates_and_quotas(request: Request, site: Served, viewer: Organizer) -> Response:
    """The phases that take entries, each with its deadline and quota."""
    return _change_page(request, site, viewer)


def _change_page(
    request: Request, site: Site, viewer: Viewer, status: int = 200, **more: Any
) -> Response:
    phases = [span for span in spans(site.rules) if span.takes_entries and site.rules.phases]
    values: dict[str, Any] = {"found": None, "asked": {}, "fault": None, "applied": None}
    return page(request, site, viewer, "change.html", status, here="admin", phases=phases,
                limits=LIMITS, **{**values, **more})  # fmt: skip


@router.post("/c/{id}/admin/change")
def change(
    request: Request,
    context: Shared,
    site: Served,
    viewer: OrganizersForm,
    do: Annotated[Literal["preview", "apply"], Form()],
    phase: Annotated[str, Form()],
    closes: Annotated[str, Form()] = "",
    per_day: Annotated[str, Form()] = "",
    total: Annotated[str, Form()] = "",
    rejected_per_day: Annotated[str, Form()] = "",
    version: Annotated[int | None, Form()] = None,
) -> Response:
    """Show whom a change affects, or put it in force."""
    asked = {"phase": phase, "closes": closes, "per_day": per_day, "total": total,
             "rejected_per_day": rejected_per_day}  # fmt: skip
    try:
        wanted = ChangeIn(**{key: value for key, value in asked.items() if value.strip()})
        if do == "preview":
            return _change_page(request, site, viewer, found=preview(site, wanted), asked=asked)
        amend(context, site, viewer, wanted, version)
    except (UsageError, ValueError) as error:
        words = str(error) if isinstance(error, UsageError) else "write whole numbers, and a time"
        return _change_page(request, site, viewer, 422, fault=words)
    return _change_page(request, site, viewer, applied=site.board.version().number)
