"""Mean squared error."""

from __future__ import annotations

from scorer.metrics.base import metric
from scorer.metrics.quotient import Rowwise
from scorer.metrics.statistic import Share
from scorer.views.labelled import Targets


@metric(
    "MSE",
    title="Mean squared error",
    source="Gauss, Theoria combinationis observationum, 1823",
    elsewhere={
        "scikit-learn": "mean_squared_error",
        "torchmetrics": "MeanSquaredError",
    },
    formula=r"\frac{1}{n} \sum_{i=1}^{n} (y_i - \hat{y}_i)^2",
    range=(0, None),
    better="lower",
    columns=("prediction",),
    statistic=Share(),
)
def mse(targets: Targets) -> Rowwise:
    """The mean of the squared errors: large ones weigh more.

    >>> from scorer.views.labelled import targets
    >>> mse(targets([3, 5], [1, 5])).given
    array([4., 0.])
    """
    errors = targets.error**2
    return Rowwise(targets.mean(errors), lambda: {"error²": errors}, "{}")
