"""Pearson's correlation."""

from __future__ import annotations

from typing import Any

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.labels.base import correlation, divided, moments
from scorer.metrics.quotient import Rowwise
from scorer.metrics.statistic import Sums
from scorer.views.labelled import Targets
from scorer.views.pooled import Statistics


def _figure(statistics: Statistics, **_: Any) -> float:
    return correlation(*statistics.rows.T)


def _of_sums(sums: Floats, **_: Any) -> Floats:
    weight, target, squares, _error, _errors, prediction, second, products = sums.T
    cross = products - divided(target * prediction, weight)
    spreads = [
        np.maximum(squares - divided(target**2, weight), 0),
        np.maximum(second - divided(prediction**2, weight), 0),
    ]
    coefficient: Floats = np.clip(divided(cross, np.sqrt(spreads[0] * spreads[1]), np.nan), -1, 1)
    return coefficient


@metric(
    "Pearson",
    title="Pearson's correlation",
    source="Pearson, Philosophical Transactions of the Royal Society A 187, 1896",
    elsewhere={
        "scipy": "pearsonr",
        "torchmetrics": "PearsonCorrCoef",
    },
    formula=r"\frac{\sum_{i=1}^{n} (y_i - \bar{y}) (\hat{y}_i - "
    r"\bar{z})}{\sqrt{\sum_{i=1}^{n} (y_i - \bar{y})^2 \cdot \sum_{i=1}^{n} "
    r"(\hat{y}_i - \bar{z})^2}}, \qquad \bar{y} = \frac{1}{n} \sum_{i=1}^{n} y_i, "
    r"\qquad \bar{z} = \frac{1}{n} \sum_{i=1}^{n} \hat{y}_i",
    undefined="all targets, or all predictions, are equal",
    range=(-1, 1),
    better="higher",
    aggregate="pooled",
    columns=("prediction",),
    statistic=Sums(_of_sums, moments, _figure),
)
def pearson(targets: Targets) -> Rowwise:
    """How close the points of target and prediction are to a line: 1 is exactly, 0 not at all.

    Scale and offset of the predictions do not matter. Undefined where all targets or
    all predictions are equal.

    >>> from scorer.views.labelled import targets
    >>> round(_figure(pearson(targets([1, 2, 3], [10, 20, 30])).given), 6)
    1.0
    """
    return Rowwise(targets.pooled(targets.target, targets.prediction, targets.weights))
