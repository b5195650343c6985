"""Root mean squared error."""

from __future__ import annotations

from scorer.metrics.base import metric
from scorer.metrics.labels.roots import of_squares
from scorer.views.labelled import Targets
from scorer.views.pooled import Statistics


@metric(
    "RMSE",
    title="Root mean squared error",
    source="Gauss, Theoria combinationis observationum, 1823",
    **of_squares("RMSE", lambda targets: targets.error**2, lambda: "error²"),
)
def rmse(targets: Targets) -> Statistics:
    """The root of the mean squared error, in the targets' own unit.

    One figure of all rows, not a mean of rows.

    >>> from scorer.metrics.labels.roots import ROOT
    >>> from scorer.views.labelled import targets
    >>> ROOT.figure(rmse(targets([3, 5], [3, 3])))                  # sqrt((0 + 4) / 2)
    1.4142135623730951
    """
    return targets.pooled(targets.error**2 * targets.weights, targets.weights)
