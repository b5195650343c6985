"""Mean absolute error."""

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
    return np.abs(targets.error)


def _explain(listing: Listing[Targets], value: float) -> Steps:
    return of_row(listing, "MAE", value, {"|error|": _errors(listing.view)})


@metric(
    "MAE",
    title="Mean absolute error",
    source="Willmott and Matsuura, Climate Research 30, 2005, doi:10.3354/cr030079",
    range=(0, None),
    better="lower",
    columns=("prediction",),
    statistic=Share(),
    explain=_explain,
)
def mae(targets: Targets) -> Floats | Statistics:
    """How far predictions are from the targets, on average.

    >>> from scorer.views.labelled import targets
    >>> mae(targets([3, 5], [4, 5]))
    array([1., 0.])
    """
    return targets.mean(_errors(targets))
