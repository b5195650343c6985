"""The pages' templates, which use the reports' templates."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from jinja2 import ChoiceLoader, Environment, FileSystemLoader

from scorer import __version__
from scorer.core.text import format_number, printable, unit
from scorer.reports.document import Prose
from scorer.reports.write.html import environment
from scorer.web.access import NOBODY


@cache
def templates() -> Environment:
    """The templates; values are escaped, and undefined ones are errors."""
    reports = environment()
    assert reports.loader is not None
    pages = FileSystemLoader(Path(__file__).parent / "templates")
    overlay = reports.overlay(loader=ChoiceLoader([pages, reports.loader]))
    overlay.filters = {**reports.filters}
    overlay.filters["sized"] = format_number
    overlay.filters["prose_of"] = lambda text: Prose(text, key="code")
    overlay.filters["counted"] = lambda n, word: f"{n:,} {unit({'list': word}, n)}"
    overlay.filters["query"] = lambda fields: urlencode({k: v for k, v in fields.items() if v})
    overlay.filters["printable"] = lambda text: printable(text, 500)
    return overlay


def root_of(request: Request) -> str:
    """Where a proxy has put the server."""
    return str(request.scope.get("root_path", ""))


def render(request: Request, template: str, **data: Any) -> str:
    """A page; every one has a link to the home page."""
    values: dict[str, Any] = {
        "root": root_of(request),
        "site": None,
        "viewer": NOBODY,
        "here": "",
        "version": __version__,
    }
    return templates().get_template(template).render({**values, **data})
