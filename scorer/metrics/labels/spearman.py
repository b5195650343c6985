"""Spearman's rank correlation."""

from __future__ import annotations

from typing import Any

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps
from scorer.metrics.explain.tables import Listing
from scorer.metrics.labels.base import correlation, of_row
from scorer.views.labelled import Targets
from scorer.views.pooled import Statistics


def _figure(statistics: Statistics, **_: Any) -> float:
    target, prediction, weight = statistics.rows.T
    return correlation(ranks(target), ranks(prediction), weight)


def ranks(values: Floats) -> Floats:
    """The rank of each value, from 1; equal ones share their mean rank."""
    by = np.argsort(values, kind="stable")
    new = np.append(True, np.diff(values[by]) != 0)[: values.size]
    starts = np.flatnonzero(new)
    sizes = np.diff(np.append(starts, values.size))
    found = np.empty(values.size)
    found[by] = np.repeat(starts + (sizes + 1) / 2, sizes)
    return found


def _explain(one: Listing[Targets], value: float) -> Steps:
    return of_row(one, "Spearman, of all rows", value, {})


@metric(
    "Spearman",
    title="Spearman's rank correlation",
    source="Spearman, American Journal of Psychology 15(1), 1904, doi:10.2307/1412159",
    range=(-1, 1),
    better="higher",
    aggregate="pooled",
    columns=("prediction",),
    figure=_figure,
    explain=_explain,
)
def spearman(targets: Targets) -> Statistics:
    """The correlation of the ranks: whether larger targets have larger predictions.

    Equal values share their mean rank, as in scipy's spearmanr. Weights are those of
    the ranks' correlation. Undefined where all targets or all predictions are equal.

    >>> from scorer.views.labelled import targets
    >>> _figure(spearman(targets([1, 2, 3], [20, 10, 30])))
    0.5
    """
    return targets.pooled(targets.target, targets.prediction, targets.weights)
