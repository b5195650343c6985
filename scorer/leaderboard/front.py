"""The Pareto front of a board's ranked submissions, and what other lists would leave of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from scorer.challenge.leaderboard import Tiers
from scorer.core.arrays import Floats, Ints, Mask
from scorer.leaderboard.certainty import cluster_codes
from scorer.leaderboard.samples import samples_of
from scorer.metrics.measure import Measure
from scorer.results.front import Front, FrontAxis, front_axes
from scorer.results.report import Certainty, Report, Scored
from scorer.stats.pareto import MeasureTests, dominates, surely_dominates


def with_front(report: Report, clusters: Mapping[str, str]) -> Report:
    """The report with its front, where the challenge asks for one and submissions have numbers.

    A list without an entry in `clusters` is alone.
    """
    axes = front_axes(report.challenge, report.measures) if report.standings else ()
    if not axes:
        return report
    ranked = [row.name for row in report.standings if row.rank is not None]
    table = {name: [_coordinate(report, name, axis) for axis in axes] for name in ranked}
    names = tuple(name for name in ranked if not any(map(math.isnan, table[name])))
    if not names:
        return report
    up = np.array([table[name] for name in names])
    up *= [1.0 if axis.better == "higher" else -1.0 for axis in axes]
    without = tuple(name for name in ranked if name not in names)
    alpha = (report.challenge.leaderboard.tiers or Tiers()).alpha
    front = Front(axes, names, _with_names(dominates(up), names), None, alpha, without)
    sure = _surely(report, front, up, cluster_codes(report.lists, clusters))
    if isinstance(sure, str):
        front = front._replace(unknown=sure)
    else:
        front = front._replace(surely=_with_names(sure, names))
    return replace(report, front=front)


def _coordinate(report: Report, name: str, axis: FrontAxis) -> float:
    if not axis.measure:
        return float(report.answers.get(name, {}).get(axis.id) or math.nan)
    return next(row.values[axis.id] for row in report.standings if row.name == name)


def _with_names(mask: Mask, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Each name with those whose row is true in its column."""
    return {
        name: tuple(names[row] for row in np.flatnonzero(mask[:, column]).tolist())
        for column, name in enumerate(names)
    }


def _surely(report: Report, front: Front, up: Floats, clusters: Ints | None) -> Mask | str:
    """Who dominates whom whatever the luck of the lists, or why that is not known."""
    if report.challenge.leaderboard.tiers is None:
        return "the board makes no tests"
    by_id = {measure.id: measure for measure in report.measures}
    by_name = {scored.name: scored for scored in report.submissions}
    scored = [by_name[name] for name in front.names]
    tests = []
    for axis in front.axes:
        if axis.measure:
            tested = _tests(report, by_id[axis.id], scored, clusters)
            if isinstance(tested, str):
                return f"of {axis.id} {tested}"
            tests.append(tested)
    fixed = up[:, [not axis.measure for axis in front.axes]]
    return surely_dominates(fixed, tests, front.alpha)


def _tests(
    report: Report, measure: Measure, scored: Sequence[Scored], clusters: Ints | None
) -> MeasureTests | str:
    """The tests of all pairs by a measure; those of the board's primary measure, where it has any.

    Every measure's draws give each list, or cluster, the same sign for all submissions.
    """
    names = [each.name for each in scored]
    p, lead = _of_certainty(report.certainty, names) if measure.primary else (None, None)
    if p is None or lead is None:
        samples = samples_of(measure, scored, challenge=report.challenge, clusters=clusters)
        if isinstance(samples, str):
            return samples
        made = samples.tests(report.challenge.leaderboard)
        p, lead = made.p, made.lead
    up = lead if measure.metric.better == "higher" else -lead
    return MeasureTests(p, up > 0, _same([each.values[measure.id].per_list for each in scored]))


def _of_certainty(
    certainty: Certainty | None, names: Sequence[str]
) -> tuple[Floats, Floats] | tuple[None, None]:
    """What the board's own tests say of some of the ranked, corrected for all of them."""
    if certainty is None or not {*names} <= {*certainty.names}:
        return None, None
    at = [certainty.names.index(name) for name in names]
    return certainty.p[np.ix_(at, at)], certainty.lead[np.ix_(at, at)]


def _same(per_list: Sequence[Floats | None]) -> Mask:
    """Which have one value for each list."""
    keys = [n if values is None else values.tobytes() for n, values in enumerate(per_list)]
    codes: dict[int | bytes, int] = {}
    found = np.array([codes.setdefault(key, len(codes)) for key in keys])
    return np.asarray(found[:, None] == found)
