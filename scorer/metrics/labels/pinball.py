"""Pinball loss, quantile loss."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps
from scorer.metrics.explain.tables import Listing
from scorer.metrics.labels.base import of_row
from scorer.metrics.statistic import Share
from scorer.views.labelled import Targets
from scorer.views.pooled import Statistics

Quantile = Annotated[float, Field(ge=0, le=1, description="Which quantile is predicted.")]


def _errors(targets: Targets, quantile: float) -> Floats:
    below = -targets.error
    return np.maximum(quantile * below, (quantile - 1) * below)


def _explain(listing: Listing[Targets], value: float, *, quantile: float) -> Steps:
    return of_row(listing, "Pinball", value, {"loss": _errors(listing.view, quantile)})


@metric(
    "Pinball",
    title="Pinball loss, quantile loss",
    source="Koenker and Bassett, Econometrica 46(1), 1978, doi:10.2307/1913643",
    range=(0, None),
    better="lower",
    aliases=("QuantileLoss",),
    columns=("prediction",),
    statistic=Share(),
    explain=_explain,
)
def pinball(targets: Targets, *, quantile: Quantile = 0.5) -> Floats | Statistics:
    """What a prediction of a quantile costs: too low costs `quantile`, too high the rest.

    With `quantile=0.5` it is half of MAE.

    >>> from scorer.views.labelled import targets
    >>> pinball(targets([10, 10], [9, 11]), quantile=0.9).round(2)
    array([0.9, 0.1])
    """
    return targets.mean(_errors(targets, quantile))
