"""The problem codes and their pages, as `score rule` prints them.

Codes are API: stable, never reused. S concerns a submission, T the truth and
the organizer's other files, C challenge.yaml; the pages stand in YAML files here.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import NamedTuple

import yaml

from scorer.core.errors import UnknownName
from scorer.core.problems import Severity


class Code(NamedTuple):
    """One problem code and its page."""

    code: str
    title: str
    severity: Severity
    meaning: str
    example: str
    fix: str


@cache
def codes() -> dict[str, Code]:
    """Every code with its page, in order."""
    pages = {}
    for page in sorted(files(__name__).iterdir(), key=lambda page: page.name):
        if page.name.endswith(".yaml"):
            for code, facts in yaml.safe_load(page.read_text(encoding="utf-8")).items():
                pages[code] = Code(code, **facts)
    return dict(sorted(pages.items()))


def code(name: str) -> Code:
    """The page of one code, whatever its case. Raises `UnknownName`."""
    try:
        return codes()[name.upper()]
    except KeyError:
        raise UnknownName("problem code", name, list(codes())) from None
