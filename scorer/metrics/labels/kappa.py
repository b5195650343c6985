"""Cohen's kappa."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator, Field

from scorer.core.arrays import Floats, Ints
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula
from scorer.metrics.explain.tables import Listing
from scorer.metrics.labels.base import POSITIVE, cells, confusable, divided, one_label, place
from scorer.metrics.params import Positive, Threshold
from scorer.metrics.statistic import Sums
from scorer.views.labelled import Labelled
from scorer.views.pooled import Statistics

Weights = Annotated[
    Literal["none", "linear", "quadratic"],
    BeforeValidator(lambda value: "none" if value is None else value),  # as notation reads it
    Field(
        description="What a wrong class costs: all alike, or by how far it stands from the true "
        "one in the order of the classes (`submission.classes`, else by number or name)."
    ),
]


def _sums(statistics: Statistics, *, weights: str, **_: Any) -> Floats:
    """The cost of each list, then its weight of each true and each predicted class."""
    return _tabled(statistics, statistics.in_list, weights)


def _tabled(statistics: Statistics, row: Ints, weights: str) -> Floats:
    """Shape (rows, 1 + 2 size): cost, true and predicted of the first class, of the second, .."""
    true, predicted, weight = statistics.rows.T
    # the first class is of rows without a prediction
    size = int(max(true.max(initial=-1), predicted.max(initial=-1))) + 2
    rows = max(int(row.max(initial=-1)) + 1, statistics.lists if row.any() else 1)
    sides = [
        np.bincount(row * size + side.astype(np.int64) + 1, weight, minlength=rows * size)
        for side in (true, predicted)
    ]
    cost = np.bincount(row, weight * _cost(true, predicted, weights, size), minlength=rows)
    table = np.stack([side_counts.reshape(rows, size) for side_counts in sides], axis=2)
    return np.column_stack([cost, table.reshape(rows, 2 * size)])


def _cost(true: Floats, predicted: Floats, weights: str, size: int) -> Floats:
    """What each prediction costs; a missing one (-1) as much as the farthest class."""
    if weights == "none":
        wrong: Floats = (true != predicted).astype(np.float64)
        return wrong
    distance: Floats = np.where(predicted < 0, np.maximum(size - 2, 0), np.abs(true - predicted))
    return distance if weights == "linear" else np.square(distance)


def _of_sums(sums: Floats, *, weights: str, **_: Any) -> Floats:
    cost, table = sums[:, 0], sums[:, 1:].reshape(len(sums), -1, 2)
    size = table.shape[1]
    first, second = np.indices((size, size)).astype(np.float64) - 1
    costs = _cost(first, second, weights, size)
    chance = np.einsum("di,ij,dj->d", table[:, :, 0], costs, table[:, :, 1])
    return 1 - divided(cost * table[:, :, 0].sum(axis=1), chance, np.nan)


def _rests(terms: Floats, *, weights: str, **_: Any) -> float:
    """The least frequent class; a cost that grows with the distance hangs on all lists."""
    if weights != "none":
        return float(len(terms))
    times = np.count_nonzero(terms[:, 1:], axis=0)
    return float(times[times > 0].min(initial=len(terms)))


def _figure(statistics: Statistics, *, weights: str, **_: Any) -> float:
    table = _tabled(statistics, np.zeros_like(statistics.in_list), weights)
    return float(_of_sums(table, weights=weights)[0])


def _explain(
    listing: Listing[Labelled],
    value: float,
    *,
    weights: str,
    positive: str | None,
    threshold: float,
) -> Steps:
    yield from cells(listing, listing.view.decided(place(listing.view, positive), threshold))
    symbols = "1 - cost of what is wrong / cost expected by chance"
    yield formula("Kappa", symbols, "{}", value, value=value)


COSTS = {  # of the true class of row i and the predicted one of row j
    "none": r"[y_i \ne \hat{y}_j]",
    "linear": r"\lvert y_i - \hat{y}_j \rvert",
    "quadratic": r"(y_i - \hat{y}_j)^2",
}


@metric(
    "Kappa",
    title="Cohen's kappa",
    source="Cohen, Educational and Psychological Measurement 20(1), 1960, "
    "doi:10.1177/001316446002000104",
    elsewhere={
        "scikit-learn": "cohen_kappa_score",
        "Kaggle": "quadratic weighted kappa; weights=quadratic",
    },
    formula=lambda params: (
        r"1 - \frac{n \sum_{i=1}^{n} d_{i,i}}{\sum_{i=1}^{n} \sum_{j=1}^{n} d_{i,j}}, "
        r"\qquad d_{i,j} = " + COSTS[params["weights"]]
    ),
    undefined="one class is all that there is on both sides",
    range=(-1, 1),
    aggregate="pooled",
    aliases=("CohenKappa",),
    settle=POSITIVE,
    statistic=Sums(_of_sums, _sums, _figure, _rests),
    explain=_explain,
)
def kappa(
    labelled: Labelled,
    *,
    weights: Weights = "none",
    positive: Positive | None = None,
    threshold: Threshold = 0.5,
) -> Statistics:
    """How far the agreement of true and predicted classes exceeds what chance would give.

    With `weights=quadratic`, the measure of many rating contests, a class far from the
    true one costs more; the order of the classes is then what `submission.classes`
    says. Undefined where one class is all that there is on both sides.

    Wrong 2 of 5; by chance (2 * 3 + 3 * 2) / 5 = 2.4, so 1 - 2 / 2.4:

    >>> from scorer.views.labelled import labelled
    >>> rows = labelled(["a", "a", "b", "b", "b"], ["a", "b", "b", "b", "a"])
    >>> round(_figure(kappa(rows), weights="none"), 6)
    0.166667
    """
    one_label(labelled, "Kappa")
    confusable(labelled)
    predicted = labelled.decided(place(labelled, positive), threshold)
    return labelled.pooled(labelled.truth, predicted, labelled.weights)
