"""Mean squared error."""

from __future__ import annotations

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps
from scorer.metrics.explain.tables import Listing
from scorer.metrics.labels.base import of_row
from scorer.metrics.statistic import Share
from scorer.views.labelled import Targets
from scorer.views.pooled import Statistics


def _errors(targets: Targets) -> Floats:
    return targets.error**2


def _explain(listing: Listing[Targets], value: float) -> Steps:
    return of_row(listing, "MSE", value, {"error²": _errors(listing.view)})


@metric(
    "MSE",
    title="Mean squared error",
    source="Gauss, Theoria combinationis observationum, 1823",
    range=(0, None),
    better="lower",
    columns=("prediction",),
    statistic=Share(),
    explain=_explain,
)
def mse(targets: Targets) -> Floats | Statistics:
    """The mean of the squared errors: large ones weigh more.

    >>> from scorer.views.labelled import targets
    >>> mse(targets([3, 5], [1, 5]))
    array([4., 0.])
    """
    return targets.mean(_errors(targets))
