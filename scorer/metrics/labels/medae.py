"""Median absolute error."""

from __future__ import annotations

from typing import Any

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.quotient import Rowwise
from scorer.metrics.statistic import Weighted
from scorer.stats.aggregate import median
from scorer.views.labelled import Targets
from scorer.views.pooled import Statistics


def _weighted(statistics: Statistics, weights: Floats, **_: Any) -> float:
    error, weight = statistics.rows.T
    return median(error, weight * weights[statistics.in_list])


@metric(
    "MedAE",
    title="Median absolute error",
    source="scikit-learn, median_absolute_error",
    elsewhere={
        "scikit-learn": "median_absolute_error",
    },
    formula=r"\mathrm{median}_{1 \le i \le n} \lvert y_i - \hat{y}_i \rvert",
    undefined="a row has no prediction",
    range=(0, None),
    better="lower",
    aggregate="pooled",
    aliases=("MedianAbsoluteError",),
    columns=("prediction",),
    statistic=Weighted(_weighted, smooth=False),
)
def medae(targets: Targets) -> Rowwise:
    """Half of the errors are smaller than this: outliers do not matter.

    >>> from scorer.views.labelled import targets
    >>> figure = medae.__scorer__.statistic.figure
    >>> figure(medae(targets([1, 2, 3], [1, 4, 103])).given)
    2.0
    """
    errors = np.abs(targets.error)
    return Rowwise(targets.pooled(errors, targets.weights), lambda: {"|error|": errors})
