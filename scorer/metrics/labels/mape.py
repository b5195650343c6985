"""Mean absolute percentage error."""

from __future__ import annotations

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps
from scorer.metrics.explain.tables import Listing
from scorer.metrics.labels.base import of_row
from scorer.metrics.statistic import Share
from scorer.views.labelled import Targets
from scorer.views.pooled import Statistics


def _errors(targets: Targets) -> Floats:
    least = np.finfo(np.float64).eps
    return np.abs(targets.error) / np.maximum(np.abs(targets.target), least)


def _explain(listing: Listing[Targets], value: float) -> Steps:
    return of_row(listing, "MAPE", value, {"|error| / |target|": _errors(listing.view)})


@metric(
    "MAPE",
    title="Mean absolute percentage error",
    source="Makridakis, International Journal of Forecasting 9(4), 1993",
    range=(0, None),
    better="lower",
    columns=("prediction",),
    statistic=Share(),
    explain=_explain,
)
def mape(targets: Targets) -> Floats | Statistics:
    """How large the error is beside the target: 0.1 is 10 %.

    As in scikit-learn a target of 0 counts as 2.2e-16, which makes the value huge: use
    another measure where targets can be 0.

    >>> from scorer.views.labelled import targets
    >>> mape(targets([4, 5], [3, 5]))
    array([0.25, 0.  ])
    """
    return targets.mean(_errors(targets))
