"""The Pareto front of a board: by what, and who is on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

from scorer.challenge.model import Challenge
from scorer.core.errors import UnknownName
from scorer.metrics.api import Better
from scorer.metrics.notation import Measure, find_measure
from scorer.results.json import Internal, public_form, shown_as

Place = Literal["yes", "no", ""]


class FrontAxis(NamedTuple):
    """What a front is by: a measure, or the number that is an answer to a question."""

    id: str
    better: Better
    measure: bool = True


@public_form
def _(axis: FrontAxis) -> Mapping[str, Any]:
    return {"id": axis.id, "better": axis.better}


@dataclass(frozen=True, slots=True)
class Front:
    """The Pareto front of the ranked."""

    # What it is by; the first is the primary measure.
    axes: Sequence[Annotated[FrontAxis, shown_as(Mapping[str, Any])]]
    front: Sequence[str]  # that no other one dominates: nowhere worse, and somewhere better
    dominated_by: Mapping[str, Sequence[str]]
    without: Sequence[str]  # the ranked that lack a number
    names: Internal[tuple[str, ...]]  # the ranked that have a number on each axis, best first

    def place(self, name: str) -> Place:
        """Return whether a submission is on the front; empty for one that it does not have."""
        if name not in self.dominated_by:
            return ""
        return "no" if self.dominated_by[name] else "yes"


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
