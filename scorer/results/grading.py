"""Points for values, as a course gives them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from scorer.challenge.leaderboard import Grading
from scorer.challenge.model import Challenge
from scorer.core.errors import ChallengeError
from scorer.core.problems import Problem
from scorer.core.text import display_path, format_distinct, join_first, quoted
from scorer.metrics.notation import Measure, find_measure
from scorer.results.report import Report, Scored

DAY = 86_400  # seconds


class Grade(NamedTuple):
    """The points of a submission."""

    points: float
    most: float
    value: float  # NaN: it has none
    start: float  # the value that gets no points
    to: float  # the value that gets all points
    lost: float = 0.0  # points that were deducted for being late

    @property
    def shortfall(self) -> float:
        """Return how far the value is from the one that gets all points; at least 0."""
        direction = 1 if self.to > self.start else -1
        return max(direction * (self.to - self.value), 0.0)


def format_points(points: float) -> str:
    """Return points with at most two digits after the point.

    >>> [format_points(points) for points in (8.89261745, 10.0, 7.5, -0.0, 1_000_000.0)]
    ['8.89', '10', '7.5', '0', '1000000']
    """
    return f"{points:z.2f}".rstrip("0").rstrip(".")


def grading_measure(report: Report) -> Measure:
    """Return the measure that gives points. `ChallengeError` if no measure has that name."""
    return _find_measure(report.definition, report.measures)


def grade(report: Report, scored: Scored) -> Grade:
    """Return the points of a submission; 0 for a rejected one, or one without a value.

    Args:
        report: with the baselines that `grading` names, and the times at which entries came; an
            entry without a time came in time.
        scored: a submission of it.

    Raises:
        ChallengeError: As `grading_scale`.
    """
    grading = find_grading(report.definition)
    measure, start = grading_scale(report.definition, report.measures, report.submissions)
    value = scored.values[measure.id].mean if scored.valid else math.nan
    share = 0.0 if math.isnan(value) else min(max((value - start) / (grading.to - start), 0.0), 1.0)
    points = share * grading.points
    lost = points * _late_share(grading, report.received.get(scored.name))
    return Grade(points - lost, grading.points, value, start, grading.to, lost)


def grading_scale(
    challenge: Challenge, measures: Sequence[Measure], scored: Sequence[Scored]
) -> tuple[Measure, float]:
    """Return the measure that gives points, and the value that gets no points.

    `ChallengeError` if there is no such measure or baseline, or the value that gets all points is
    not better than the one that gets none.
    """
    grading = find_grading(challenge)
    measure = _find_measure(challenge, measures)
    start = _find_start(challenge, measure, scored)
    better = 1 if measure.metric.better == "higher" else -1
    if not better * (grading.to - start) > 0:
        word = "above" if better > 0 else "below"
        message = f" is not {word} ".join(format_distinct(grading.to, start))
        message += ", which gets no points"
        raise _grading_error(challenge, "to", "C106", message)
    return measure, start


def _grading_error(challenge: Challenge, key: str, code: str, message: str) -> ChallengeError:
    key, path = f"grading.{key}", display_path(challenge.path)
    problem = Problem(code, f"{key}: {message}", path=path, line=challenge.line(key))
    return ChallengeError(problems=[problem])


def _find_measure(challenge: Challenge, measures: Sequence[Measure]) -> Measure:
    name = find_grading(challenge).measure
    if name is None:
        return next((each for each in measures if each.primary), measures[0])
    measure = find_measure(measures, name)
    if measure is None:
        known = join_first([each.id for each in measures])
        message = f"no measure is called {quoted(name)}; there are {known}"
        raise _grading_error(challenge, "measure", "C117", message)
    return measure


def find_grading(challenge: Challenge) -> Grading:
    """Return the challenge's rules for points. `ChallengeError` without them."""
    grading = challenge.grading
    if grading is None:
        raise ChallengeError(
            "the challenge has no grading; write  grading: {from: baseline, to: 0.75, points: 10}"
        )
    return grading


def _find_start(challenge: Challenge, measure: Measure, submissions: Sequence[Scored]) -> float:
    """Return the value that gets no points: a number, or a baseline's value."""
    grading = find_grading(challenge)
    if not isinstance(grading.start, str):
        return float(grading.start)
    values: Mapping[str, float] = {
        scored.name: scored.values[measure.id].mean
        for scored in submissions
        if scored.baseline and scored.valid
    }
    values = {name: value for name, value in values.items() if not math.isnan(value)}
    if grading.start in values:
        return values[grading.start]
    if grading.start != "baseline" or not values:
        known = join_first(list(values)) if values else "none"
        message = f"no baseline with a value is called {quoted(grading.start)}; there are {known}"
        raise _grading_error(challenge, "from", "C117", message)
    return max(values.values()) if measure.metric.better == "higher" else min(values.values())


def _late_share(grading: Grading, received: datetime | None) -> float:
    """Return the share of the points that is deducted; the second of the deadline is in time."""
    if grading.late is None or received is None:
        return 0.0
    late = (received.replace(microsecond=0) - grading.late.due).total_seconds()
    return min(max(math.ceil(late / DAY), 0) * grading.late.lose, 1.0)
