"""The codes of problems, and the page of each, as `score rule` prints them.

Codes are part of the API: they stay, and none is used again. S is about a submission, T about the
truth and the organizer's other files, C about challenge.yaml, V about votes. The pages of codes
that checks report are in a YAML file beside the module of the check, also if it is a plug-in; the
others are in the folder `pages`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import yaml

from scorer.core.errors import UnknownName
from scorer.core.plugins import installed, plugin_call
from scorer.core.problems import Severity
from scorer.core.text import quoted


class Code(NamedTuple):
    """A code and its page."""

    code: str
    title: str
    severity: Severity
    meaning: str
    example: str
    fix: str


LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
PAGES = Path(__file__).with_name("pages")
CHECKS = Path(__file__).parents[1] / "checks"
GROUPS = ("scorer.checks", "scorer.audits")  # of entry points: checks of submissions, of truths


@cache
def codes() -> dict[str, Code]:
    """Return all codes with their pages, in the order of the codes."""
    pages = dict[str, Code]()
    ours = (*sorted(PAGES.glob("*.yaml")), *sorted(CHECKS.rglob("*.yaml")))
    for path in (*ours, *_pages_of_installed()):
        for code, facts in yaml.load(path.read_bytes(), LOADER).items():
            pages.setdefault(code, Code(code, **facts))
    return dict(sorted(pages.items()))


def _pages_of_installed() -> Iterator[Path]:
    """Yield the YAML files beside the modules of installed checks, which are not imported."""
    for module in sorted({point.module for group in GROUPS for point in installed(group)}):
        with plugin_call(f"the plugin {quoted(module)} cannot be found"):
            spec = find_spec(module)
        page = Path(spec.origin).with_suffix(".yaml") if spec and spec.origin else None
        if page is not None and page.exists():
            yield page


def code(name: str) -> Code:
    """Return the page of a code in any case; `UnknownName` if there is none."""
    try:
        return codes()[name.upper()]
    except KeyError:
        raise UnknownName("problem code", name, list(codes())) from None
