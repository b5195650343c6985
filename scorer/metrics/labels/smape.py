"""Symmetric mean absolute percentage error."""

from __future__ import annotations

import numpy as np

from scorer.metrics.base import metric
from scorer.metrics.quotient import Rowwise
from scorer.metrics.statistic import Share
from scorer.views.labelled import Targets


@metric(
    "SMAPE",
    title="Symmetric mean absolute percentage error",
    source="Makridakis and Hibon, International Journal of Forecasting 16(4), 2000",
    elsewhere={
        "torchmetrics": "SymmetricMeanAbsolutePercentageError",
    },
    formula=r"\frac{1}{n} \sum_{i=1}^{n} [\lvert y_i \rvert + \lvert \hat{y}_i \rvert > 0] "
    r"\frac{2 \lvert y_i - \hat{y}_i \rvert}{\lvert y_i \rvert + \lvert \hat{y}_i "
    r"\rvert}",
    range=(0, 2),
    better="lower",
    columns=("prediction",),
    statistic=Share(),
)
def smape(targets: Targets) -> Rowwise:
    """How large the error is beside the mean of target and prediction, 0 to 2.

    0 where both are 0. Some contests give it in percent, 100 times as much.

    >>> from scorer.views.labelled import targets
    >>> smape(targets([4, 0], [12, 0])).given
    array([1., 0.])
    """
    whole = np.abs(targets.target) + np.abs(targets.prediction)
    part = 2 * np.abs(targets.error)
    errors = np.divide(part, whole, out=np.where(np.isnan(whole), np.nan, 0.0), where=whole > 0)
    columns = {"2 |error| / (|target| + |prediction|)": errors}
    return Rowwise(targets.mean(errors), lambda: columns, "{}")
