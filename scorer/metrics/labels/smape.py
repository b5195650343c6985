"""Symmetric mean absolute percentage error."""

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
    whole = np.abs(targets.target) + np.abs(targets.prediction)
    part = 2 * np.abs(targets.error)
    errors: Floats = np.divide(
        part, whole, out=np.where(np.isnan(whole), np.nan, 0.0), where=whole > 0
    )
    return errors


def _explain(listing: Listing[Targets], value: float) -> Steps:
    return of_row(
        listing, "SMAPE", value, {"2 |error| / (|target| + |prediction|)": _errors(listing.view)}
    )


@metric(
    "SMAPE",
    title="Symmetric mean absolute percentage error",
    source="Makridakis and Hibon, International Journal of Forecasting 16(4), 2000",
    range=(0, 2),
    better="lower",
    columns=("prediction",),
    statistic=Share(),
    explain=_explain,
)
def smape(targets: Targets) -> Floats | Statistics:
    """How large the error is beside the mean of target and prediction, 0 to 2.

    0 where both are 0. Some contests give it in percent, 100 times as much.

    >>> from scorer.views.labelled import targets
    >>> smape(targets([4, 0], [12, 0]))
    array([1., 0.])
    """
    return targets.mean(_errors(targets))
