"""Whether the bounds of unjudged items can be given, and the grades that these can get."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from scorer.challenge.model import Challenge
from scorer.core.arrays import Floats, distinct
from scorer.core.registry import Registry
from scorer.metrics.base import Metric
from scorer.metrics.measure import Measure
from scorer.prepare.faults import Fault, refuse
from scorer.scoring.bounds import bounded
from scorer.tables.table import Table

MOST_GRADES = 100  # each is tried as that of an unjudged item


def unbounded(
    challenge: Challenge, kind: str, measures: Sequence[Measure], registry: Registry[Metric]
) -> Iterator[Fault]:
    """What stands against `bounds: true`."""
    if not challenge.bounds:
        return
    rules = challenge.submission
    if kind != "grades":
        message = f"bounds are of ranked lists with unjudged items, and this challenge has {kind}"
        yield Fault("bounds", "C115", message)
    elif not any(bounded(part) for measure in measures for part in measure.all_parts):
        names = ", ".join(metric.name for metric in registry if metric.unjudged is not None)
        yield Fault("bounds", "C122", f"no measure here has bounds; these have, of lists: {names}")
    if rules.ties in ("expected", "mean-rank"):
        message = f"with submission.ties: {rules.ties} an unjudged item has no rank of its own"
        yield Fault("bounds", "C122", message)
    if rules.rank_gaps == "keep" or rules.repeats == "first":
        key = "rank_gaps: keep" if rules.rank_gaps == "keep" else "repeats: first"
        message = f"with submission.{key} a rank without a judged item may have no item at all"
        yield Fault("bounds", "C122", message)
    if challenge.folds is not None:
        yield Fault("bounds", "C122", "with folds each fold has a truth of its own")


def grades_of(challenge: Challenge, truth: Table) -> Floats | None:
    """The grades that an unjudged item can get, ascending from 0; None where none are asked for.

    `ChallengeError` if the truth has too many.
    """
    if not challenge.bounds:
        return None
    given = truth.numbers.get("grade", np.ones(1))
    grades = np.append(0.0, distinct(given[given > 0]))
    if grades.size > MOST_GRADES:
        message = f"the truth has {grades.size - 1:,} different grades; bounds try each, up to 100"
        refuse(challenge, [Fault("bounds", "C122", message)])
    return grades
