"""Largest error."""

from __future__ import annotations

from typing import Any

import numpy as np

from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps
from scorer.metrics.explain.tables import Listing
from scorer.metrics.labels.base import of_row
from scorer.metrics.statistic import Unbootstrappable
from scorer.views.labelled import Targets
from scorer.views.pooled import Statistics


def _figure(statistics: Statistics, **_: Any) -> float:
    error, weight = statistics.rows.T
    return float(error[weight > 0].max()) if (weight > 0).any() else float("nan")


def _explain(listing: Listing[Targets], value: float) -> Steps:
    return of_row(listing, "MaxError, of all rows", value, {"|error|": np.abs(listing.view.error)})


@metric(
    "MaxError",
    title="Largest error",
    source="scikit-learn, max_error",
    range=(0, None),
    better="lower",
    aggregate="pooled",
    columns=("prediction",),
    statistic=Unbootstrappable(
        _figure, "the largest of these errors says nothing of the largest of others"
    ),
    explain=_explain,
)
def maxerror(targets: Targets) -> Statistics:
    """The largest of the errors.

    >>> from scorer.views.labelled import targets
    >>> _figure(maxerror(targets([1, 2, 3], [1, 4, 2])))
    2.0
    """
    return targets.pooled(np.abs(targets.error), targets.weights)
