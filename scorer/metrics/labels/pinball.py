"""Pinball loss, quantile loss."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from scorer.metrics.base import metric
from scorer.metrics.quotient import Rowwise
from scorer.metrics.statistic import Share
from scorer.views.labelled import Targets

Quantile = Annotated[float, Field(ge=0, le=1, description="Which quantile is predicted.")]


@metric(
    "Pinball",
    title="Pinball loss, quantile loss",
    source="Koenker and Bassett, Econometrica 46(1), 1978, doi:10.2307/1913643",
    elsewhere={
        "scikit-learn": "mean_pinball_loss",
    },
    formula=r"\frac{1}{n} \sum_{i=1}^{n} \max($quantile \cdot (y_i - \hat{y}_i), ($quantile - "
    r"1) (y_i - \hat{y}_i))",
    range=(0, None),
    better="lower",
    aliases=("QuantileLoss",),
    columns=("prediction",),
    statistic=Share(),
)
def pinball(targets: Targets, *, quantile: Quantile = 0.5) -> Rowwise:
    """What a prediction of a quantile costs: too low costs `quantile`, too high the rest.

    With `quantile=0.5` it is half of MAE.

    >>> from scorer.views.labelled import targets
    >>> pinball(targets([10, 10], [9, 11]), quantile=0.9).given.round(2)
    array([0.9, 0.1])
    """
    below = -targets.error
    losses = np.maximum(quantile * below, (quantile - 1) * below)
    return Rowwise(targets.mean(losses), lambda: {"loss": losses}, "{}")
