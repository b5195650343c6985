"""Median absolute error."""

from __future__ import annotations

from typing import Any

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps
from scorer.metrics.explain.tables import Listing
from scorer.metrics.labels.base import of_row
from scorer.metrics.statistic import Weighted
from scorer.stats.aggregate import median
from scorer.views.labelled import Targets
from scorer.views.pooled import Statistics


def _weighted(statistics: Statistics, weights: Floats, **_: Any) -> float:
    error, weight = statistics.rows.T
    return median(error, weight * weights[statistics.in_list])


def _explain(listing: Listing[Targets], value: float) -> Steps:
    return of_row(listing, "MedAE, of all rows", value, {"|error|": np.abs(listing.view.error)})


@metric(
    "MedAE",
    title="Median absolute error",
    source="scikit-learn, median_absolute_error",
    range=(0, None),
    better="lower",
    aggregate="pooled",
    aliases=("MedianAbsoluteError",),
    columns=("prediction",),
    statistic=Weighted(_weighted, smooth=False),
    explain=_explain,
)
def medae(targets: Targets) -> Statistics:
    """Half of the errors are smaller than this: outliers do not matter.

    >>> from scorer.views.labelled import targets
    >>> figure = medae.__scorer__.statistic.figure
    >>> figure(medae(targets([1, 2, 3], [1, 4, 103])))
    2.0
    """
    return targets.pooled(np.abs(targets.error), targets.weights)
