"""The codes of problems, and the page of each, as `score rule` prints them.

Codes are part of the API: none is removed, or used for another problem. S is about a submission,
T about the truth and the organizer's other files, C about challenge.yaml, V about votes. The pages
of codes that a check reports are in a YAML file beside its module, for plug-ins, too; the others
are in the folder `pages`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import yaml

from scorer.core.errors import UnknownName
from scorer.core.plugins import find_entry_points, plugin_errors
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


LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the faster one, where it is built
PAGES = Path(__file__).with_name("pages")
CHECKS = Path(__file__).parents[1] / "checks"
CHECK_ENTRY_POINTS = ("scorer.checks", "scorer.audits")  # groups: of submissions, of truths


@cache
def codes() -> dict[str, Code]:
    """Return all codes with their pages, in the order of the codes."""
    pages = dict[str, Code]()
    own_files = (*sorted(PAGES.glob("*.yaml")), *sorted(CHECKS.rglob("*.yaml")))
    for path in (*own_files, *_pages_of_installed()):
        for code, fields in yaml.load(path.read_bytes(), LOADER).items():
            pages.setdefault(code, Code(code, **fields))  # a plug-in replaces none of our pages
    return dict(sorted(pages.items()))


def _pages_of_installed() -> Iterator[Path]:
    """Yield the YAML files beside the modules of installed checks, without importing these."""
    points = (point for group in CHECK_ENTRY_POINTS for point in find_entry_points(group))
    for module in sorted({point.module for point in points}):
        with plugin_errors(f"the plugin {quoted(module)} cannot be found"):
            spec = find_spec(module)
        page = Path(spec.origin).with_suffix(".yaml") if spec and spec.origin else None
        if page is not None and page.exists():
            yield page


def code(name: str) -> Code:
    """Return a code with its page, also by its name in small letters; else `UnknownName`."""
    try:
        return codes()[name.upper()]
    except KeyError:
        raise UnknownName("problem code", name, list(codes())) from None
