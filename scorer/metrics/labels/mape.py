"""Mean absolute percentage error."""

from __future__ import annotations

import numpy as np

from scorer.metrics.base import metric
from scorer.metrics.quotient import Rowwise
from scorer.metrics.statistic import Share
from scorer.views.labelled import Targets


@metric(
    "MAPE",
    title="Mean absolute percentage error",
    source="Makridakis, International Journal of Forecasting 9(4), 1993",
    elsewhere={
        "scikit-learn": "mean_absolute_percentage_error",
        "torchmetrics": "MeanAbsolutePercentageError",
    },
    formula=r"\frac{1}{n} \sum_{i=1}^{n} \frac{\lvert y_i - \hat{y}_i \rvert}{\max(\lvert y_i "
    r"\rvert, 2^{-52})}",
    range=(0, None),
    better="lower",
    columns=("prediction",),
    statistic=Share(),
)
def mape(targets: Targets) -> Rowwise:
    """How large the error is beside the target: 0.1 is 10 %.

    As in scikit-learn a target of 0 counts as 2.2e-16, which makes the value huge: use
    another measure where targets can be 0.

    >>> from scorer.views.labelled import targets
    >>> mape(targets([4, 5], [3, 5])).given
    array([0.25, 0.  ])
    """
    least = np.finfo(np.float64).eps
    errors = np.abs(targets.error) / np.maximum(np.abs(targets.target), least)
    return Rowwise(targets.mean(errors), lambda: {"|error| / |target|": errors}, "{}")
