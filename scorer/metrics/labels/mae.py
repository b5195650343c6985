"""Mean absolute error."""

from __future__ import annotations

import numpy as np

from scorer.metrics.base import metric
from scorer.metrics.quotient import Rowwise
from scorer.metrics.statistic import Share
from scorer.views.labelled import Targets


@metric(
    "MAE",
    title="Mean absolute error",
    source="Willmott and Matsuura, Climate Research 30, 2005, doi:10.3354/cr030079",
    elsewhere={
        "scikit-learn": "mean_absolute_error",
        "torchmetrics": "MeanAbsoluteError",
    },
    formula=r"\frac{1}{n} \sum_{i=1}^{n} \lvert y_i - \hat{y}_i \rvert",
    range=(0, None),
    better="lower",
    columns=("prediction",),
    statistic=Share(),
)
def mae(targets: Targets) -> Rowwise:
    """How far predictions are from the targets, on average.

    >>> from scorer.views.labelled import targets
    >>> mae(targets([3, 5], [4, 5])).given
    array([1., 0.])
    """
    errors = np.abs(targets.error)
    return Rowwise(targets.mean(errors), lambda: {"|error|": errors}, "{}")
