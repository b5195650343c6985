"""Root mean squared error."""

from __future__ import annotations

from scorer.metrics.base import metric
from scorer.metrics.labels.roots import OF_SQUARES, of_squares
from scorer.metrics.quotient import Rowwise
from scorer.views.labelled import Targets


@metric(
    "RMSE",
    title="Root mean squared error",
    source="Gauss, Theoria combinationis observationum, 1823",
    elsewhere={
        "scikit-learn": "root_mean_squared_error",
    },
    formula=r"\sqrt{\frac{1}{n} \sum_{i=1}^{n} (y_i - \hat{y}_i)^2}",
    undefined="a row has no prediction",
    **OF_SQUARES,
)
def rmse(targets: Targets) -> Rowwise:
    """The root of the mean squared error, in the targets' own unit.

    One figure of all rows, not a mean of rows.

    >>> from scorer.metrics.labels.roots import ROOT
    >>> from scorer.views.labelled import targets
    >>> ROOT.figure(rmse(targets([3, 5], [3, 3])).given)                  # sqrt((0 + 4) / 2)
    1.4142135623730951
    """
    return of_squares(targets, "error²", targets.error**2, targets.weights)
