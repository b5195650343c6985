"""Root mean squared error."""

from __future__ import annotations

from typing import Any

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps
from scorer.metrics.explain.tables import Listing
from scorer.metrics.labels.base import divided, of_row
from scorer.views.labelled import Targets
from scorer.views.pooled import Statistics


def _of_sums(sums: Floats, **_: Any) -> Floats:
    found: Floats = np.sqrt(divided(sums[:, 0], sums[:, 1], np.nan))
    return found


def _figure(statistics: Statistics, **_: Any) -> float:
    return float(_of_sums(statistics.rows.sum(axis=0)[None])[0])


def _explain(one: Listing[Targets], value: float) -> Steps:
    return of_row(one, "RMSE, of all rows", value, {"error²": one.view.error**2})


@metric(
    "RMSE",
    title="Root mean squared error",
    source="Gauss, Theoria combinationis observationum, 1823",
    range=(0, None),
    better="lower",
    aggregate="pooled",
    columns=("prediction",),
    figure=_figure,
    of_sums=_of_sums,
    explain=_explain,
)
def rmse(targets: Targets) -> Statistics:
    """The root of the mean squared error, in the targets' own unit.

    One figure of all rows, not a mean of rows.

    >>> from scorer.views.labelled import targets
    >>> _figure(rmse(targets([3, 5], [3, 3])))                  # sqrt((0 + 4) / 2)
    1.4142135623730951
    """
    return targets.pooled(targets.error**2 * targets.weights, targets.weights)
