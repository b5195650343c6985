"""The contract of engines, which bring the lists of submissions to `score_lists`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from scorer.core.errors import UsageError
from scorer.core.registry import Registry, discover, mark
from scorer.prepare.bind import BoundChallenge
from scorer.prepare.open import OpenChallenge
from scorer.results.scorecard import Outcome
from scorer.scoring.lists import Plan

Tick = Callable[[float], None]  # how much is done, of 1 for each submission
Run = Callable[..., Iterator[Outcome]]  # of a plan, paths, a tick, and options where it has any
Fetch = Callable[[str, Path, Mapping[str, str]], Path]  # of a URL, to a folder, with options
F = TypeVar("F", bound=Run)


class RemoteTruth(Protocol):
    """A challenge whose truth stays where the engine has it: it has too many lists."""

    @property
    def ready(self) -> OpenChallenge:
        """The challenge without its truth."""
        ...

    def outcomes(
        self, challenge: OpenChallenge, submissions: Sequence[Path], tick: Tick
    ) -> Iterator[Outcome]:
        """The outcome of each submission, in their order: scorecards without lists."""
        ...


Leave = Callable[[BoundChallenge, Mapping[str, str]], RemoteTruth | None]  # with options


class Engine(NamedTuple):
    """A way to bring whole lists to `score_lists`, and the parts together again."""

    name: str
    run: Run  # gives the outcome of each submission, in their order
    aliases: tuple[str, ...] = ()
    options: bool = False  # whether it can be told more, by name
    fetch: Fetch | None = None  # brings a truth that lies elsewhere; None: where it cannot
    leave: Leave | None = None  # leaves a truth of very many lists where it is, where it may

    def outcomes(
        self, plan: Plan, submissions: Sequence[Path], tick: Tick, options: Mapping[str, str]
    ) -> Iterator[Outcome]:
        """The outcome of each submission in order; `UsageError` if an engine has no options."""
        if self.options:
            return self.run(plan, submissions, tick, options)
        if options:
            raise UsageError(f"the engine {self.name} has no options ({next(iter(options))})")
        return self.run(plan, submissions, tick)


def engine(
    name: str, *, options: bool = False, fetch: Fetch | None = None, leave: Leave | None = None
) -> Callable[[F], F]:
    """Make a function the engine of that name.

    The function takes a plan, the paths of the submissions, and a callable that it tells how far
    it is; with `options`, also a mapping of options to their values.

    Args:
        name: the engine's name, of `--engine`.
        fetch: brings a truth from a URL; None: the engine cannot.
        leave: says of a challenge whether its truth may stay where it is, and how it is then
            scored; None: it may not.
    """
    return lambda function: mark(
        function, Engine(name, function, options=options, fetch=fetch, leave=leave)
    )


def with_causes(plan: Plan, path: Path, outcome: Outcome) -> Outcome:
    """The outcome of a file; of one with errors, with one cause for all that follows from it."""
    if not outcome.findings.fatal or plan.format(path).name != "csv":
        return outcome
    from scorer.checks.causes import expected, with_cause

    table = expected(plan.public, plan.rules, plan.shapes, plan.form, path)
    told = with_cause(outcome.findings, path, table, plan.public, plan.limits)
    return outcome._replace(findings=told)


@cache
def engines() -> Registry[Engine]:
    """Every engine there is: those here, and entry points `scorer.engines`."""
    return discover("engine", "scorer.engines", Engine)
