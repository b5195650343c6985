"""Largest error."""

from __future__ import annotations

from typing import Any

import numpy as np

from scorer.metrics.base import metric
from scorer.metrics.quotient import Rowwise
from scorer.metrics.statistic import Unbootstrappable
from scorer.views.labelled import Targets
from scorer.views.pooled import Statistics


def _figure(statistics: Statistics, **_: Any) -> float:
    error, weight = statistics.rows.T
    return float(error[weight > 0].max()) if (weight > 0).any() else float("nan")


@metric(
    "MaxError",
    title="Largest error",
    source="scikit-learn, max_error",
    elsewhere={
        "scikit-learn": "max_error",
    },
    formula=r"\max_{1 \le i \le n} \lvert y_i - \hat{y}_i \rvert",
    undefined="a row has no prediction",
    range=(0, None),
    better="lower",
    aggregate="pooled",
    columns=("prediction",),
    statistic=Unbootstrappable(
        _figure, "the largest of these errors says nothing of the largest of others"
    ),
)
def maxerror(targets: Targets) -> Rowwise:
    """The largest of the errors.

    >>> from scorer.views.labelled import targets
    >>> _figure(maxerror(targets([1, 2, 3], [1, 4, 2])).given)
    2.0
    """
    errors = np.abs(targets.error)
    return Rowwise(targets.pooled(errors, targets.weights), lambda: {"|error|": errors})
