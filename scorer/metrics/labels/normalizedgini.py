"""Normalised Gini coefficient of a ranking."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats, ends
from scorer.metrics.base import metric
from scorer.metrics.quotient import Rowwise
from scorer.metrics.statistic import Weighted
from scorer.views.labelled import Targets
from scorer.views.pooled import Statistics

TiedRows = Annotated[
    Literal["mean", "file"],
    Field(
        description="mean: rows with equal predictions stand in all their orders alike; file: in "
        "the order of the truth's file, as Kaggle's code takes them.",
        json_schema_extra={"quiet": True},
    ),
]


def _in_file_order(targets: Targets) -> Floats:
    """Numbers in the order of the predictions; of equal ones the earlier row's is higher."""
    by = np.lexsort((targets.file_order, -targets.prediction))
    key = np.empty(by.size)
    key[by] = -np.arange(by.size)
    return np.where(np.isnan(targets.prediction), np.nan, key)


def _gini(key: Floats, target: Floats, weight: Floats) -> float:
    """Twice the area between the Lorenz curve of the targets, highest key first, and a line.

    Rows with equal keys stand in all their orders alike: the curve is straight there.
    """
    order = np.argsort(-key, kind="stable")
    last = ends(key[order])
    rows = np.append(0.0, np.cumsum(weight[order])[last])
    sums = np.append(0.0, np.cumsum((target * weight)[order])[last])
    if not rows[-1] or not sums[-1]:
        return float("nan")
    rows, sums = rows / rows[-1], sums / sums[-1]
    return float((np.diff(rows) * (sums[1:] + sums[:-1])).sum() - 1)


def _weighted(statistics: Statistics, weights: Floats, **_: Any) -> float:
    target, prediction, weight = statistics.rows.T
    weight = weight * weights[statistics.in_list]
    counted = weight > 0
    if not counted.any() or np.ptp(target[counted]) == 0:
        return float("nan")
    target, prediction, weight = target[counted], prediction[counted], weight[counted]
    if np.isnan(prediction).any():
        return float("nan")
    return _gini(prediction, target, weight) / _gini(target, target, weight)


@metric(
    "NormalizedGini",
    title="Normalised Gini coefficient",
    source="Kaggle, Allstate Claim Prediction Challenge, 2011; Porto Seguro, 2017",
    elsewhere={
        "Kaggle": "normalized gini; ties=file",
    },
    formula=r"\frac{G}{G^*}, \qquad G = \frac{1}{n} \sum_{i=1}^{n} (S_i + S_{i-1}) - 1, "
    r"\qquad G^* = \frac{1}{n} \sum_{i=1}^{n} (S^*_i + S^*_{i-1}) - 1, \qquad S_i = "
    r"\text{share of the targets' sum in the } i \text{ rows with the highest "
    r"predictions}, \qquad S^*_i = \text{with the highest targets}",
    undefined="all targets are equal, or a row has no prediction",
    range=(-1, 1),
    aggregate="pooled",
    aliases=("nGini",),
    columns=("prediction",),
    statistic=Weighted(_weighted),
)
def normalizedgini(targets: Targets, *, ties: TiedRows = "mean") -> Rowwise:
    """How well predictions order the rows: the Gini coefficient over that of the best order.

    With the rows by their predictions, highest first, it is the area between
    the running share of the targets and that of the rows, over the same area
    of the rows by their targets. Rows with equal predictions count as in all
    orders at once; Kaggle's code takes them as they stand in the file: `ties=file`.
    Weights are those of the rows. Equal targets, such as of one class alone, have no
    value. For targets 0 and 1 it is 2 AUROC - 1. What
    recommenders call Gini, how unevenly items are recommended, is `Gini`.

    >>> from scorer.views.labelled import targets
    >>> figure = normalizedgini.__scorer__.statistic.figure
    >>> figure(normalizedgini(targets([1, 0, 1, 0], [4, 3, 2, 1])).given)     # 2 * 3/4 - 1
    0.5
    """

    def columns() -> dict[str, Floats]:
        above = (targets.prediction > targets.prediction[targets.at]).sum()
        return {"predictions above it": np.full(targets.lists, float(above))}

    key = targets.prediction if ties == "mean" else _in_file_order(targets)
    return Rowwise(targets.pooled(targets.target, key, targets.weights), columns)
