"""What an engine is: how the lists of submissions come to `score_lists`, and where."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeVar

from scorer.core.registry import Registry, discover, mark
from scorer.results.scorecard import Outcome
from scorer.scoring.lists import Plan

Tick = Callable[[float], None]  # how much is done, of 1 for each submission
Run = Callable[[Plan, Sequence[Path], Tick], Iterator[Outcome]]
F = TypeVar("F", bound=Run)


class Engine(NamedTuple):
    """A way to bring whole lists to `score_lists`, and the parts together again."""

    name: str
    run: Run  # gives the outcome of each submission, in their order
    aliases: tuple[str, ...] = ()


def engine(name: str) -> Callable[[F], F]:
    """Make a function the engine of that name.

    It is given a plan, the paths of the submissions, and what to tell how far it is.
    """
    return lambda function: mark(function, Engine(name, function))


@cache
def engines() -> Registry[Engine]:
    """Every engine there is: those here, and entry points `scorer.engines`."""
    return discover("engine", "scorer.engines", Engine)
