"""What an audit is: from the truth's columns to problems, for the organizer's eyes only.

Apart from the checks of submissions, which are never handed a truth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple, TypeVar

from scorer.challenge.model import Challenge
from scorer.challenge.public import Public
from scorer.core.problems import Findings, Problem
from scorer.core.registry import Registry, discover, mark
from scorer.io.table import Table


class Truthful(NamedTuple):
    """All that an audit sees: the truth, the public part, and the challenge."""

    table: Table
    public: Public
    challenge: Challenge

    def line(self, row: int) -> int:
        """The physical line of a row."""
        return int(self.table.line[row])


Examine = Callable[[Truthful], Iterable[Problem]]
F = TypeVar("F", bound=Examine)


class Audit(NamedTuple):
    """A function that finds fault with a truth, and the codes that it finds."""

    name: str
    codes: tuple[str, ...]
    examine: Examine
    kinds: frozenset[str]
    aliases: tuple[str, ...] = ()


def audit(
    *codes: str, kinds: Iterable[str] = ("grades", "ratings", "preferences")
) -> Callable[[F], F]:
    """Make a function an audit of the truths of those kinds, known by its own name."""
    return lambda function: mark(
        function, Audit(function.__name__, codes, function, frozenset(kinds))
    )


@cache
def audits() -> Registry[Audit]:
    """Every audit there is."""
    return discover("audit", "scorer.checks.truth", Audit, "scorer.audits")


def inspect(truthful: Truthful, findings: Findings) -> None:
    """Run every audit that fits the kind; all that is wrong goes to `findings`."""
    for known in audits():
        if truthful.public.kind in known.kinds:
            findings.extend(known.examine(truthful))
