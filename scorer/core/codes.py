"""The problem codes and their pages, as `score rule` prints them.

Codes are API: stable, never reused. S concerns a submission, T the truth and
the organizer's other files, C challenge.yaml, V votes. The page of a code that one check alone
reports is in the YAML file beside the check's module, a plugin's too; the others are here.
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
    """One problem code and its page."""

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
    """Every code with its page, in order."""
    pages = dict[str, Code]()
    ours = (*sorted(PAGES.glob("*.yaml")), *sorted(CHECKS.rglob("*.yaml")))
    for path in (*ours, *_pages_of_installed()):
        for code, facts in yaml.load(path.read_bytes(), LOADER).items():
            pages.setdefault(code, Code(code, **facts))
    return dict(sorted(pages.items()))


def _pages_of_installed() -> Iterator[Path]:
    """The files beside the modules of installed checks; no such module is imported."""
    for module in sorted({point.module for group in GROUPS for point in installed(group)}):
        with plugin_call(f"the plugin {quoted(module)} cannot be found"):
            spec = find_spec(module)
        page = Path(spec.origin).with_suffix(".yaml") if spec and spec.origin else None
        if page is not None and page.exists():
            yield page


def code(name: str) -> Code:
    """The page of one code, whatever its case. Raises `UnknownName`."""
    try:
        return codes()[name.upper()]
    except KeyError:
        raise UnknownName("problem code", name, list(codes())) from None
