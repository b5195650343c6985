"""Quantile score of several predicted quantiles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.labels.further import numbers, sent, sent_columns
from scorer.metrics.quotient import Rowwise
from scorer.metrics.statistic import Share
from scorer.views.labelled import Targets

Quantiles = Annotated[
    Mapping[str, Annotated[float, Field(gt=0, lt=1)]],
    Field(
        min_length=1,
        description="Of each column of the submission which quantile it predicts: "
        "{prediction: 0.5, low: 0.1, high: 0.9}.",
    ),
]
Scale = Annotated[
    str,
    Field(
        min_length=1,
        description="A further column of the truth with what a row's score is divided by.",
    ),
]


def _needed(params: Mapping[str, Any]) -> tuple[str, ...]:
    scale = () if params["scale"] is None else (f"truth.extra.{params['scale']}",)
    return (*sent_columns(params["quantiles"]), *scale)


def pinball_losses(target: Floats, quantiles: Floats, levels: Floats) -> Floats:
    """What each predicted quantile costs: too low its level, too high the rest.

    `target` has the shape (rows,), `levels` (n,), `quantiles` and the result (rows, n).
    """
    below = target[:, None] - quantiles
    losses: Floats = np.maximum(levels * below, (levels - 1) * below)
    return losses


@metric(
    "QuantileScore",
    title="Quantile score of several quantiles",
    source="Gneiting and Raftery, JASA 102(477), 2007, doi:10.1198/016214506000001437; the M5's "
    "uncertainty competition (WSPL)",
    formula=lambda params: (
        r"\frac{1}{n Q} \sum_{i=1}^{n} $scaled \sum_{q=1}^{Q} "
        r"\max(\tau_q (y_i - x_{i,q}), (\tau_q - 1) (y_i - x_{i,q})), "
        r"\qquad x_{i,q} = \text{predicted quantile } \tau_q".replace(
            "$scaled", "" if params["scale"] is None else r"\frac{1}{s_i}"
        )
    ),
    undefined="a scale is 0 or less",
    range=(0, None),
    better="lower",
    aliases=("WSPL", "MeanPinball"),
    columns=("prediction",),
    needs=_needed,
    statistic=Share(),
)
def quantilescore(targets: Targets, *, quantiles: Quantiles, scale: Scale | None = None) -> Rowwise:
    """The mean pinball loss of all predicted quantiles of a row.

    The quantiles are columns of the submission, `prediction` and further ones:
    `extra: {low: number, high: number}`. With `scale` each row's score is divided by a
    further column of the truth, so that with a column `weight` it is the weighted scaled
    pinball loss of the M5: scale and weight are those of the row's series. A scale of 0 or
    less gives no value.

    A target of 10; its median predicted as 9, its upper decile as 11:

    >>> from scorer.views.extras import Extras, NamedColumns
    >>> from scorer.views.labelled import targets
    >>> sent = Extras(submission=NamedColumns({"high": np.array([11.0])}, "submission"))
    >>> rows = targets([10], [9], extras=sent)
    >>> quantilescore(rows, quantiles={"prediction": 0.5, "high": 0.9}).given.round(4)
    array([0.3])
    """
    levels = np.array(list(quantiles.values()))
    predicted = sent(targets, quantiles, "QuantileScore")
    losses = pinball_losses(targets.target, predicted, levels)
    values = losses.mean(axis=1)
    if scale is not None:
        by = numbers(targets.truth_columns, scale, "QuantileScore")
        values = values / np.where(by > 0, by, np.nan)
    columns = dict(zip(quantiles, losses.T, strict=True))
    return Rowwise(targets.mean(values), lambda: {f"loss of {k}": v for k, v in columns.items()})
