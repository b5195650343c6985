"""Metrics of the order of predicted numbers: the Gini coefficient and the concordance index."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import pairwise
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats, Ints, ends, starts
from scorer.metrics.api import metric
from scorer.metrics.parameters import TruthColumn
from scorer.metrics.ratios import Figure, divide
from scorer.metrics.rows import number_column
from scorer.views.rows import Targets

BLOCK = 256  # rows whose times are compared with each other at once

number_metric = partial(metric, columns=("prediction",))  # which a submission must have

TiedRows = Annotated[
    Literal["mean", "file"],
    Field(description="Equal predictions stand in all orders alike, or as in the truth's file."),
]
EventColumn = Annotated[
    TruthColumn,
    Field(
        description="The column that is 1 where the event was seen, else 0; default: in all rows."
    ),
]
Strata = Annotated[TruthColumn, Field(description="Only rows that are equal here are compared.")]
Predicts = Annotated[
    Literal["time", "risk"],
    Field(description="Whether a higher prediction means a later event (time) or an earlier one."),
]


def _normalized_gini(columns: Mapping[str, Any], row_weight: Floats) -> float:
    """The Gini coefficient of the order by `key`, over the coefficient of the order by targets."""
    target, key, weight = columns["target"], columns["key"], columns["weight"] * row_weight
    counted = weight > 0
    if not counted.any() or np.ptp(target[counted]) == 0 or np.isnan(key[counted]).any():
        return float("nan")
    target, key, weight = target[counted], key[counted], weight[counted]
    return _gini(key, target, weight) / _gini(target, target, weight)


def _gini(key: Floats, target: Floats, weight: Floats) -> float:
    """Twice the area between the Lorenz curve of the targets and the diagonal.

    The curve has the share of the targets' sum over the share of the rows, highest key first. It is
    a straight line over rows with equal keys, which is the mean over all their orders.
    """
    order = np.argsort(-key, kind="stable")
    last = ends(key[order])
    rows = np.append(0.0, np.cumsum(weight[order])[last])
    sums = np.append(0.0, np.cumsum((target * weight)[order])[last])
    if not rows[-1] or not sums[-1]:
        return float("nan")
    rows, sums = rows / rows[-1], sums / sums[-1]
    return float((np.diff(rows) * (sums[1:] + sums[:-1])).sum() - 1)


@number_metric(
    "NormalizedGini",
    title="Normalised Gini coefficient",
    source="Kaggle, Allstate Claim Prediction Challenge, 2011; Porto Seguro, 2017",
    latex=r"\frac{G}{G^*}, \qquad G = \frac{1}{n} \sum_{i=1}^{n} (S_i + S_{i-1}) - 1, "
    r"\qquad G^* = \frac{1}{n} \sum_{i=1}^{n} (S^*_i + S^*_{i-1}) - 1, \qquad S_i = "
    r"\text{share of the targets' sum in the } i \text{ rows with the highest "
    r"predictions}, \qquad S^*_i = \text{with the highest targets}",
    tools="Kaggle: normalized gini (ties=file)",
    aliases=("nGini",),
    range=(-1, 1),
    undefined="all targets are equal, or a row has no prediction",
)
def normalizedgini(view: Targets, *, ties: TiedRows = "mean") -> Figure:
    """How well predictions order the rows: their Gini coefficient over the best order's.

    With the rows by their predictions, highest first, it is the area between the running share of
    the targets and the running share of the rows, over the same area of the rows by their targets.
    Rows with equal predictions count as in all orders at once; Kaggle's code takes them in the
    order of the file: `ties=file`. Rows count by their weights. Equal targets, such as of one class
    alone, have no value. For targets 0 and 1 it is 2 AUROC - 1. What recommenders call Gini, how
    unevenly items are recommended, is `Gini`.

    >>> normalizedgini(targets_view([1, 0, 1, 0], [4, 3, 2, 1])).pooled()  # 2 * 3/4 - 1
    0.5
    """
    key = view.prediction
    if ties == "file":
        # The key is the negative place in this order, so that no two keys are equal.
        file_row = np.arange(key.size) if view.file_row is None else view.file_row
        order = np.lexsort((file_row, -view.prediction))
        key = np.where(np.isnan(view.prediction), np.nan, -np.argsort(order))
    columns = {"target": view.target, "key": key, "weight": view.weights}
    formula = "Gini of the predictions' order / Gini of the targets' order"
    return Figure(_normalized_gini, columns, view.in_list, formula=formula)


def _comparable_pairs(
    time: Ints, event: Floats, prediction: Ints, weight: Floats, stratum: Ints
) -> tuple[float, float]:
    """The weight of the comparable pairs in the right order, ties as half, and of all such pairs.

    Rows are ordered by stratum, then by time. `time` and `prediction` are levels: whole numbers in
    the order of the values. A pair can be compared if the event of its earlier row was seen.

    Rows are taken in blocks. Each row of a block is compared with each other row of it. It is
    compared with all later rows together: with their weight at each predicted level.
    """
    right = total = 0.0
    event_weight = weight * (event > 0)
    edges = [*np.flatnonzero(np.diff(stratum, prepend=-1)).tolist(), stratum.size]
    for start, stop in pairwise(edges):
        later_weight = np.bincount(prediction[start:stop], weight[start:stop])
        for first in range(start, stop, BLOCK):
            end = min(first + BLOCK, stop)
            rows, last_time = np.arange(first, end), time[end - 1]
            later_weight -= np.bincount(prediction[rows], weight[rows], minlength=later_weight.size)
            # Rows after the block may have the time of its last row. They are later than the rows
            # of the block that are before that time, but not later than those at that time.
            same_end = end + int(np.searchsorted(time[end:stop], last_time, side="right"))
            same = slice(end, same_end)
            same_weight = np.bincount(prediction[same], weight[same], minlength=later_weight.size)
            for earlier, later in (
                (rows[time[rows] < last_time], later_weight),
                (rows[time[rows] == last_time], later_weight - same_weight),
            ):
                level, sums = prediction[earlier], np.append(0.0, np.cumsum(later))
                higher = sums[-1] - sums[level] - later[level] / 2
                right += float(event_weight[earlier] @ higher)
                total += float(event_weight[earlier].sum() * sums[-1])
            is_earlier = time[rows, None] < time[rows]
            pair_weight = event_weight[rows, None] * weight[rows] * is_earlier
            order = np.sign(prediction[rows] - prediction[rows, None])
            right += float((pair_weight * (1 + order)).sum() / 2)
            total += float(pair_weight.sum())
    return right, total


def _concordance(columns: Mapping[str, Any], row_weight: Floats) -> float:
    """The share of comparable pairs in the right order; NaN if a row has no prediction."""
    prediction = columns["prediction"]
    if (prediction < 0).any():
        return float("nan")
    weight = columns["weight"] * row_weight
    right, total = _comparable_pairs(
        columns["time"], columns["event"], prediction, weight, columns["stratum"]
    )
    return float(divide(right, total))


@number_metric(
    "Concordance",
    title="Concordance index",
    source="Harrell et al., JAMA 247(18), 1982; lifelines, concordance_index",
    latex=r"\frac{\sum_{i=1}^{n} \sum_{j=1}^{n} c_{i,j} ([z_i < z_j] + \frac{1}{2} [z_i = z_j])}"
    r"{\sum_{i=1}^{n} \sum_{j=1}^{n} c_{i,j}}, "
    r"\qquad c_{i,j} = d_i ([y_i < y_j] + [y_i = y_j] (1 - d_j)), "
    r"\qquad z_i = \hat{y}_i, \qquad d_i = \text{1 where the event of row } i "
    r"\text{ was seen, else 0}",
    tools="lifelines: concordance_index; scikit-survival: concordance_index_censored "
    "(predicts=risk)",
    aliases=("CIndex",),
    undefined="no pair of rows can be compared",
)
def concordance(
    view: Targets,
    *,
    event: EventColumn | None = None,
    predicts: Predicts = "time",
    strata: Strata | None = None,
) -> Figure:
    """How many comparable pairs of rows are in the right order of their times; ties count half.

    The target is a time. Where `event` names a column, 1 says that something happened at that time,
    0 that the row was only looked at until then: a pair is compared if the event of its earlier row
    was seen, as in lifelines. With `strata` only rows of the same stratum are compared; for the
    mean of the strata's own values write `average: group`. A submission without one of the
    predictions has no value.

    Times 1, 2, 3, the first two predicted in the wrong order:

    >>> round(concordance(targets_view([1, 2, 3], [5, 4, 6])).pooled(), 6)  # 2 / 3
    0.666667
    """
    rows = view.target.size
    seen, stratum = np.ones(rows), np.zeros(rows, dtype=np.int64)
    if event is not None:
        seen = (number_column(view.extras.truth, event, "Concordance") > 0).astype(np.float64)
    if strata is not None:
        stratum = np.unique(view.extras.truth[strata], return_inverse=True)[1]
    # Of rows with the same time those whose event was seen count as earlier.
    order = np.lexsort((-seen, view.target, stratum))
    time_level = np.cumsum(starts(view.target[order], seen[order]))
    predicted = view.prediction if predicts == "time" else -view.prediction
    level = np.where(np.isnan(predicted), -1, np.unique(predicted, return_inverse=True)[1])
    columns = {
        "time": time_level,
        "event": seen[order],
        "prediction": level[order],
        "weight": view.weights[order],
        "stratum": stratum[order],
        "class": np.where(seen > 0, 0, -1)[order],  # few rows with an event make it uncertain
    }
    in_list = view.in_list[order]
    formula = "pairs in the right order, ties half / comparable pairs"
    return Figure(_concordance, columns, in_list, class_columns=("class",), formula=formula)
