"""Explained variance."""

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
    target, prediction, weight = _shifted(statistics).rows.T
    if not target.size:
        return float("nan")
    error, spread = (_variance(values, weight) for values in (target - prediction, target))
    if spread == 0:
        return float(error == 0)
    return float(1 - error / spread)


def _of_sums(sums: Floats, **_: Any) -> Floats:
    weight, target, squares, error, errors = sums.T[:5]
    spread = squares - divided(target**2, weight)
    return 1 - divided(errors - divided(error**2, weight), spread, np.nan)


def _shifted(statistics: Statistics) -> Statistics:
    """With targets and predictions less the first of each, which changes no variance.

    The targets would be lost in the rounding of predictions of 1e30, all errors be the same, and
    the value 1.
    """
    rows = statistics.rows.copy()
    rows[:, :2] -= rows[:1, :2]
    return statistics._replace(rows=rows)


def _sums(statistics: Statistics, **_: Any) -> Floats:
    return moments(_shifted(statistics))


def _variance(values: Floats, weight: Floats) -> float:
    middle = np.average(values, weights=weight)
    return float(np.average((values - middle) ** 2, weights=weight))


@metric(
    "ExplainedVariance",
    title="Explained variance",
    source="scikit-learn, explained_variance_score",
    elsewhere={
        "scikit-learn": "explained_variance_score",
        "torchmetrics": "ExplainedVariance",
    },
    formula=r"1 - \frac{\sum_{i=1}^{n} (y_i - \hat{y}_i - \bar{y} + "
    r"\bar{z})^2}{\sum_{i=1}^{n} (y_i - \bar{y})^2}, \qquad \bar{y} = \frac{1}{n} "
    r"\sum_{i=1}^{n} y_i, \qquad \bar{z} = \frac{1}{n} \sum_{i=1}^{n} \hat{y}_i",
    undefined="there are no rows",
    range=(None, 1),
    better="higher",
    aggregate="pooled",
    columns=("prediction",),
    statistic=Sums(_of_sums, _sums, _figure),
)
def explainedvariance(targets: Targets) -> Rowwise:
    """As R2, but predictions that are all too high by the same amount lose nothing.

    >>> from scorer.views.labelled import targets
    >>> _figure(explainedvariance(targets([1, 2, 3], [2, 3, 4])).given)
    1.0
    >>> _figure(explainedvariance(targets([1, 2, 3], [1e30, 1e30, 1e30])).given)
    0.0
    """
    statistics = targets.pooled(targets.target, targets.prediction, targets.weights)
    return Rowwise(statistics, lambda: {"error": targets.error})
