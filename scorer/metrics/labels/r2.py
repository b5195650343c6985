"""Coefficient of determination."""

from __future__ import annotations

from typing import Any

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.labels.base import divided, moments
from scorer.metrics.quotient import Rowwise
from scorer.metrics.statistic import Sums
from scorer.views.labelled import Targets
from scorer.views.pooled import Statistics


def _figure(statistics: Statistics, **_: Any) -> float:
    target, prediction, weight = statistics.rows.T
    if target.size < 2:
        return float("nan")
    error = (weight * (target - prediction) ** 2).sum()
    spread = (weight * (target - np.average(target, weights=weight)) ** 2).sum()
    if spread == 0:
        return float(error == 0)
    return float(1 - error / spread)


def _of_sums(sums: Floats, **_: Any) -> Floats:
    weight, target, squares, _error, errors = sums.T[:5]
    spread = squares - divided(target**2, weight)
    return 1 - divided(errors, spread, np.nan)


@metric(
    "R2",
    title="Coefficient of determination",
    source="Wright, Journal of Agricultural Research 20, 1921; scikit-learn, r2_score",
    elsewhere={
        "scikit-learn": "r2_score",
        "torchmetrics": "R2Score",
    },
    formula=r"1 - \frac{\sum_{i=1}^{n} (y_i - \hat{y}_i)^2}{\sum_{i=1}^{n} (y_i - "
    r"\bar{y})^2}, \qquad \bar{y} = \frac{1}{n} \sum_{i=1}^{n} y_i",
    undefined="there are fewer than two rows",
    range=(None, 1),
    better="higher",
    aggregate="pooled",
    columns=("prediction",),
    statistic=Sums(_of_sums, moments, _figure),
)
def r2(targets: Targets) -> Rowwise:
    """How much of the targets' variance the predictions explain: 1 is all, 0 as their mean.

    Below 0 the mean would have been better. As in scikit-learn, where all targets are
    equal: 1 if all predictions are right, else 0. Undefined for fewer than two rows.

    >>> from scorer.views.labelled import targets
    >>> _figure(r2(targets([1, 2, 3], [1, 2, 4])).given)              # 1 - 1 / 2
    0.5
    """
    statistics = targets.pooled(targets.target, targets.prediction, targets.weights)
    return Rowwise(statistics, lambda: {"error": targets.error})
