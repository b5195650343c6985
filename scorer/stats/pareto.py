"""Pareto fronts: who is dominated by the values, and who is whatever the luck of the lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from scorer.stats.units import Floats, Mask


class MeasureTests(NamedTuple):
    """What tests of all pairs say of a measure; all of shape (submissions, submissions)."""

    p: Floats  # corrected for all pairs; NaN: cannot be had
    better: Mask  # whether the row is seen to be better than the column
    same: Mask  # whether both have one value for each list


def dominates(axes: Floats) -> Mask:
    """Whether the row dominates the column: nowhere worse, and somewhere better.

    `axes`, (submissions, axes), of each of which more is better, is complete.

    >>> dominates(np.array([[0.9, -3.0], [0.8, -3.0], [0.7, -1.0]])).astype(int).tolist()
    [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
    """
    least = _nowhere_worse(axes)
    return np.asarray(least & ~least.T)


def surely_dominates(fixed: Floats, measures: Sequence[MeasureTests], alpha: float) -> Mask:
    """Whether the row dominates the column, at a level for all claims together.

    The row is nowhere worse by what is fixed, and on each measure significantly better, or the
    same on every list (an intersection-union test: Berger, Technometrics 24, 1982). The tests of
    a measure draw the same signs of the lists for all submissions, so that its p-values hold for
    all pairs at once; several measures share alpha. So with a chance of at least 1 - alpha, none
    of the submissions that no other one truly dominates is claimed to be dominated.

    `fixed`, (submissions, answers), are numbers without luck, of each of which more is better.
    """
    able = _nowhere_worse(fixed)
    somewhere = able & ~able.T
    for measure in measures:
        sure = (measure.p * len(measures) <= alpha) & measure.better
        able &= sure | measure.same
        somewhere |= sure
    return np.asarray(able & somewhere)


def _nowhere_worse(axes: Floats) -> Mask:
    least = np.ones((len(axes), len(axes)), dtype=bool)
    for axis in axes.T:
        least &= axis[:, None] >= axis
    return least
