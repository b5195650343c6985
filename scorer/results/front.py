"""The Pareto front of a board: by what, and who is on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from scorer.challenge.model import Challenge
from scorer.core.errors import UnknownName
from scorer.metrics.api import Better
from scorer.metrics.notation import Measure, find_measure

Place = Literal["yes", "no", ""]


class FrontAxis(NamedTuple):
    """What a front is by: a measure, or the number that is an answer to a question."""

    id: str
    better: Better
    measure: bool = True


class Front(NamedTuple):
    """The Pareto front: the ranked submissions that no other one dominates.

    One dominates another if it is nowhere worse, and somewhere better.

    Attributes:
        axes: What the front is by; the first is the primary measure.
        names: The ranked submissions that have a number on each axis, best first.
        dominated_by: For each of these names, those that dominate it.
        without: The ranked submissions without a number on some axis.
    """

    axes: tuple[FrontAxis, ...]
    names: tuple[str, ...]
    dominated_by: Mapping[str, tuple[str, ...]]
    without: tuple[str, ...] = ()

    def place(self, name: str) -> Place:
        """Return whether a submission is on the front; empty for one that it does not have."""
        if name not in self.dominated_by:
            return ""
        return "no" if self.dominated_by[name] else "yes"

    @property
    def on(self) -> list[str]:
        """The names of the submissions on the front, by their ranks."""
        return [name for name in self.names if not self.dominated_by[name]]


def front_axes(challenge: Challenge, measures: Sequence[Measure]) -> tuple[FrontAxis, ...]:
    """What the front is by; nothing where the challenge asks for none.

    Raises:
        UnknownName: `pareto` names neither a measure nor a question with `better`.
    """
    asked = {key: each for key, each in challenge.questions.items() if each.better is not None}
    names = challenge.leaderboard.pareto
    primary = next((each for each in measures if each.primary), measures[0])
    axes = [FrontAxis(primary.id, primary.metric.better)]
    for name in asked if names is None else names:
        if (question := asked.get(name)) is not None and question.better is not None:
            axes.append(FrontAxis(name, question.better, measure=False))
        elif (measure := find_measure(measures, name)) is not None:
            if measure.id != primary.id:
                axes.append(FrontAxis(measure.id, measure.metric.better))
        else:
            known = [*(each.id for each in measures), *asked]
            raise UnknownName("measure, or question with better,", name, known)
    return tuple(axes) if len(axes) > 1 else ()
