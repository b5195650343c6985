"""What a check is: from columns to problems, and never from the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from scorer.challenge import Submission
from scorer.columns import Table
from scorer.errors import Findings, Problem
from scorer.public import Public
from scorer.registry import Registry, discover, mark


@dataclass(frozen=True, slots=True)
class Submitted:
    """All that a check sees: the submission, the public part, and the rules."""

    table: Table
    public: Public
    rules: Submission


Examine = Callable[[Submitted], Iterable[Problem]]
F = TypeVar("F", bound=Examine)


@dataclass(frozen=True, slots=True)
class Check:
    """A function that finds fault, and the codes that it finds."""

    name: str
    codes: tuple[str, ...]
    examine: Examine
    kinds: frozenset[str]
    aliases: tuple[str, ...] = ()


def check(
    *codes: str, kinds: Iterable[str] = ("grades", "ratings", "preferences")
) -> Callable[[F], F]:
    """Make a function a check of the challenges of those kinds, known by its own name."""
    return lambda function: mark(
        function, Check(function.__name__, codes, function, frozenset(kinds))
    )


@cache
def checks() -> Registry[Check]:
    """Every check there is."""
    return discover("check", "scorer.checks", Check)


def examine(submitted: Submitted, findings: Findings) -> None:
    """Run every check that fits the kind; all that is wrong goes to `findings`."""
    for known in checks():
        if submitted.public.kind in known.kinds:
            findings.extend(known.examine(submitted))
