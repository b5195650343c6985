"""What a report format is, and the pieces of text that several of them share."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from scorer.errors import PLACES, Findings, Problem
from scorer.measures import Measure
from scorer.registry import Registry, discover, mark
from scorer.results import Report


@dataclass(frozen=True, slots=True)
class Options:
    """How a report is to look; nothing here changes a value."""

    precision: int = 4
    per_list: bool = False
    width: int = 80
    colour: bool = False
    every: bool = False  # all places of a problem, not only the first


Write = Callable[[Report, Options], str]
F = TypeVar("F", bound=Write)


@dataclass(frozen=True, slots=True)
class Form:
    """A way to show a report."""

    name: str
    write: Write
    aliases: tuple[str, ...] = ()


def form(name: str) -> Callable[[F], F]:
    """Make a function from a report to text the report format of that name."""
    return lambda function: mark(function, Form(name, function))


@cache
def forms() -> Registry[Form]:
    """Every report format there is."""
    return discover("report format", "scorer.reports", Form)


def number(value: float, measure: Measure, precision: int) -> str:
    """A value as people read it; a count without decimals, no value as a dash."""
    if math.isnan(value):
        return "-"
    if not measure.decimals and value.is_integer():
        return f"{value:.0f}"
    return f"{value:.{precision}f}"


def told(findings: Findings, every: bool = False) -> list[str]:
    """Problems as lines: the first places of each code, how many more, and what would help."""
    said: list[str] = []
    seen: dict[str, int] = {}
    helped: set[str] = set()
    kept: list[Problem] = list(findings)
    last = {problem.code: n for n, problem in enumerate(kept) if _shows(problem, seen, every)}
    seen.clear()
    for n, problem in enumerate(kept):
        if not _shows(problem, seen, every):
            continue
        said.append(str(problem))
        if problem.help and problem.help not in helped:
            helped.add(problem.help)
            said.append(f"  help: {problem.help}")
        rest = findings.counts[problem.code] - seen[problem.code]
        if last[problem.code] == n and rest > 0:
            hint = "" if every else " (--all)"
            said.append(f"  and {rest:,} more of {problem.code}{hint}")
    return said


def _shows(problem: Problem, seen: dict[str, int], every: bool) -> bool:
    if not every and seen.get(problem.code, 0) >= PLACES:
        return False
    seen[problem.code] = seen.get(problem.code, 0) + 1
    return True
