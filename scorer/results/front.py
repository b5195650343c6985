"""The Pareto front of a board: by what, and who is on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from scorer.challenge.model import Challenge
from scorer.core.errors import UnknownName
from scorer.metrics.base import Better
from scorer.metrics.measure import Measure, find

Place = Literal["yes", "maybe", "no", ""]


class FrontAxis(NamedTuple):
    """What a front is by: a measure, or the number that is an answer to a question."""

    id: str
    better: Better
    measure: bool = True
    unit: str = ""  # of answers


class Front(NamedTuple):
    """Which of the ranked no other one dominates: is nowhere worse, and somewhere better."""

    axes: tuple[FrontAxis, ...]  # the first is the primary measure
    names: tuple[str, ...]  # the ranked that have a number on each axis, best first
    by: Mapping[str, tuple[str, ...]]  # name -> those that dominate it by the numbers that are seen
    # name -> those that dominate it whatever the luck of the lists; None: that is not known
    surely: Mapping[str, tuple[str, ...]] | None
    alpha: float  # the chance of any false claim in `surely`
    without: tuple[str, ...] = ()  # the ranked without a number on some axis
    unknown: str = ""  # why nothing is known of other lists

    def place(self, name: str) -> Place:
        """Whether it is on the front; maybe: not as it is seen, but other lists may show it so."""
        if name not in self.by:
            return ""
        if not self.by[name]:
            return "yes"
        return "no" if self.surely is None or self.surely[name] else "maybe"

    @property
    def on(self) -> list[str]:
        """Those on the front, by their ranks."""
        return [name for name in self.names if not self.by[name]]


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
            axes.append(FrontAxis(name, question.better, False, question.unit))
        elif (measure := find(measures, name)) is not None:
            if measure.id != primary.id:
                axes.append(FrontAxis(measure.id, measure.metric.better))
        else:
            known = [*(each.id for each in measures), *asked]
            raise UnknownName("measure, or question with better,", name, known)
    return tuple(axes) if len(axes) > 1 else ()
