"""The Pareto front of a board's ranked submissions."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from scorer.core.arrays import round_for_ranks
from scorer.results.front import Front, FrontAxis, front_axes
from scorer.results.report import Report
from scorer.stats.ranks import dominates


def with_front(report: Report) -> Report:
    """Return the report with its front, if the challenge asks for one and submissions have numbers.

    A submission without a number on some axis is on no front, and takes nobody from it.
    """
    axes = front_axes(report.definition, report.measures) if report.leaderboard else ()
    if not axes:
        return report
    ranked = [row.name for row in report.leaderboard if row.rank is not None]
    table = {name: [_coordinate(report, name, axis) for axis in axes] for name in ranked}
    names = tuple(name for name in ranked if not any(map(math.isnan, table[name])))
    if not names:
        return report
    directions = [1.0 if axis.better == "higher" else -1.0 for axis in axes]
    mask = dominates(round_for_ranks([table[name] for name in names]) * np.array(directions))
    dominated_by = {
        name: tuple(names[row] for row in np.flatnonzero(mask[:, column]).tolist())
        for column, name in enumerate(names)
    }
    without = tuple(name for name in ranked if name not in names)
    on = [name for name in names if not dominated_by[name]]
    front = Front(axes, on, dominated_by, without, names)
    rows = tuple(replace(row, front=front.place(row.name) or None) for row in report.leaderboard)
    return replace(report, leaderboard=rows, pareto=front)


def _coordinate(report: Report, name: str, axis: FrontAxis) -> float:
    """Return a submission's number on an axis; NaN without one."""
    if not axis.measure:
        return float(report.answers.get(name, {}).get(axis.id) or math.nan)
    return next(row.values[axis.id] for row in report.leaderboard if row.name == name)
