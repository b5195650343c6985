"""Cohen's kappa."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator, Field

from scorer.core.arrays import Floats, Ints
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula
from scorer.metrics.explain.tables import Listing
from scorer.metrics.labels.base import POSITIVE, cells, divided, one_label, place
from scorer.metrics.params import Positive, Threshold
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


def _sums(
    statistics: Statistics, group: Ints | None = None, groups: int = 1, *, weights: str, **_: Any
) -> Floats:
    """The weight of each true class, of each predicted one, and the cost: (groups, 2 size + 1)."""
    true, found, weight = statistics.rows.T
    # the last class is of rows without a prediction
    size = int(max(true.max(initial=-1), found.max(initial=-1))) + 2
    found = np.where(found < 0, size - 1, found)
    of = 0 * statistics.in_list if group is None else group[statistics.in_list]
    sides = [
        np.bincount(of * size + side.astype(np.int64), weight, minlength=groups * size)
        for side in (true, found)
    ]
    cost = np.bincount(of, weight * _cost(true, found, size, weights), minlength=groups)
    return np.column_stack([*(side.reshape(groups, size) for side in sides), cost])


def _cost(true: Floats, found: Floats, size: int, weights: str) -> Floats:
    """What each prediction costs; a missing one as much as the farthest class."""
    if weights == "none":
        wrong: Floats = (true != found).astype(np.float64)
        return wrong
    apart: Floats = np.where(found == size - 1, size - 2, np.abs(true - found))
    return apart if weights == "linear" else np.square(apart)


def _of_sums(sums: Floats, *, weights: str, **_: Any) -> Floats:
    size = (sums.shape[1] - 1) // 2
    true, found, cost = sums[:, :size], sums[:, size : 2 * size], sums[:, -1]
    first, second = np.indices((size, size)).astype(np.float64)
    chance = np.einsum("di,ij,dj->d", true, _cost(first, second, size, weights), found)
    return 1 - divided(cost * true.sum(axis=1), chance, np.nan)


def _figure(statistics: Statistics, **params: Any) -> float:
    return float(_of_sums(_sums(statistics, **params), **params)[0])


def _explain(
    one: Listing[Labelled], value: float, *, weights: str, positive: str | None, threshold: float
) -> Steps:
    yield from cells(one, one.view.decided(place(one.view, positive), threshold))
    symbols = "1 - cost of what is wrong / cost expected by chance"
    yield formula("Kappa", symbols, "{}", value, value=value)


@metric(
    "Kappa",
    title="Cohen's kappa",
    source="Cohen, Educational and Psychological Measurement 20(1), 1960, "
    "doi:10.1177/001316446002000104",
    range=(-1, 1),
    aggregate="pooled",
    aliases=("CohenKappa",),
    settle=POSITIVE,
    figure=_figure,
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
    found = labelled.decided(place(labelled, positive), threshold)
    return labelled.pooled(labelled.truth, found, labelled.weights)
