"""Metrics of the agreement of true and predicted classes, corrected for chance: MCC and kappa."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator, Field

from scorer.core.arrays import Floats
from scorer.metrics.api import metric
from scorer.metrics.classes import (
    class_figure,
    class_metric,
    count_classes,
    divide_or_zero,
    explain_classes,
)
from scorer.metrics.notation import NotationError
from scorer.metrics.parameters import Positive, Threshold
from scorer.metrics.ratios import Figure, divide
from scorer.metrics.rows import positive_code, refuse_several_labels
from scorer.views.rows import Labelled

MAX_KAPPA_CLASSES = 10_000  # the costs have their square of cells: 800 MB

KappaWeights = Annotated[
    Literal["none", "linear", "quadratic"],
    BeforeValidator(lambda value: "none" if value is None else value),  # YAML's and Python's none
    Field(
        description="What a wrong class costs: all alike, or by how far it stands from the true "
        "one in the order of the classes (`submission.classes`, else by number or name)."
    ),
]


def _matthews(columns: Mapping[str, Any], row_weight: Floats) -> float:
    hits, predicted, true = count_classes(columns, row_weight)
    right, rows = hits.sum(), true.sum()
    if rows <= 0:
        return float("nan")
    # Rows without a prediction are one more class, which no row truly has.
    unanswered = rows - predicted.sum()
    covariance = right * rows - (true * predicted).sum()
    variances = np.array(
        [rows**2 - (predicted**2).sum() - unanswered**2, rows**2 - (true**2).sum()]
    )
    # Both are 0 where a side has one class; weights leave an error of their last digits.
    variances[variances <= 1e-12 * rows**2] = 0.0
    return float(divide_or_zero(covariance, np.sqrt(variances[0] * variances[1])))


@class_metric(
    "MCC",
    title="Matthews correlation coefficient",
    source="Gorodkin, Computational Biology and Chemistry 28, 2004, "
    "doi:10.1016/j.compbiolchem.2004.09.006",
    latex=r"\frac{n \sum_{c=1}^{C} h_c - \sum_{c=1}^{C} t_c p_c}{\sqrt{(n^2 - "
    r"\sum_{c=1}^{C} p_c^2) (n^2 - \sum_{c=1}^{C} t_c^2)}}",
    tools="scikit-learn: matthews_corrcoef; torchmetrics: MatthewsCorrCoef",
    aliases=("Matthews", "PhiCoefficient"),
    range=(-1, 1),
)
def mcc(view: Labelled, *, positive: Positive = None, threshold: Threshold = 0.5) -> Figure:
    """The correlation of true and predicted classes: 1 is perfect, 0 no better than chance.

    For two classes or more. 0, as in scikit-learn, where the truth or the submission has one class
    only.

    Right 3 of 5; true 2 and 3, predicted 2 and 3, so (15 - 13) / sqrt((25 - 13) (25 - 13)):

    >>> rows = labelled_view(["a", "a", "b", "b", "b"], ["a", "b", "b", "b", "a"])
    >>> round(mcc(rows).pooled(), 6)
    0.166667
    """
    refuse_several_labels(view, "MCC")
    formula = "(right × rows - Σ true × predicted) / sqrt((rows² - Σ predicted²) (rows² - Σ true²))"
    return class_figure(view, _matthews, formula, positive_code(view, positive), threshold)


def _kappa(columns: Mapping[str, Any], row_weight: Floats, *, weights: str) -> float:
    true, predicted = columns["true"], columns["predicted"]
    weight = columns["weight"] * row_weight
    # The first class is that of rows without a prediction, whose code is -1.
    size = int(max(true.max(initial=-1), predicted.max(initial=-1))) + 2
    true_rows, predicted_rows = (
        np.bincount(side + 1, weight, minlength=size) for side in (true, predicted)
    )
    costs = _kappa_costs(size, weights)
    cost = (weight * costs[true + 1, predicted + 1]).sum()
    expected = true_rows @ costs @ predicted_rows
    return float(1 - divide(cost * true_rows.sum(), expected))


def _kappa_costs(size: int, weights: str) -> Floats:
    """What each true class (rows) costs as each predicted one (columns).

    A missing prediction, the first column, costs as much as the farthest class.
    """
    true, predicted = np.indices((size, size))
    if weights == "none":
        return np.asarray(true != predicted, dtype=np.float64)
    distance = np.where(predicted == 0, size - 2, np.abs(true - predicted)).astype(np.float64)
    return distance if weights == "linear" else np.square(distance)


@metric(
    "Kappa",
    title="Cohen's kappa",
    source="Cohen, Educational and Psychological Measurement 20(1), 1960, "
    "doi:10.1177/001316446002000104",
    latex=r"1 - \frac{n \sum_{i=1}^{n} d_{i,i}}{\sum_{i=1}^{n} \sum_{j=1}^{n} d_{i,j}}, "
    r"\qquad d_{i,j} = [y_i \ne \hat{y}_j]",
    tools="scikit-learn: cohen_kappa_score; Kaggle: quadratic weighted kappa (weights=quadratic)",
    aliases=("CohenKappa",),
    range=(-1, 1),
    undefined="one class is all that there is on both sides",
    explain=explain_classes,
)
def kappa(
    view: Labelled,
    *,
    weights: KappaWeights = "none",
    positive: Positive = None,
    threshold: Threshold = 0.5,
) -> Figure:
    """How far the agreement of true and predicted classes exceeds what chance would give.

    With `weights=quadratic`, the measure of many rating contests, a class far from the true one
    costs more. The classes are then in the order of `submission.classes`; without it they are
    ordered as numbers if all are numbers, else by the alphabet, and `score lint` warns of that.

    Wrong 2 of 5; by chance (2 * 3 + 3 * 2) / 5 = 2.4, so 1 - 2 / 2.4:

    >>> rows = labelled_view(["a", "a", "b", "b", "b"], ["a", "b", "b", "b", "a"])
    >>> round(kappa(rows).pooled(), 6)
    0.166667
    """
    refuse_several_labels(view, "Kappa")
    if (size := len(view.classes)) > MAX_KAPPA_CLASSES:
        limit = f"{MAX_KAPPA_CLASSES:,} are the most"
        raise NotationError(f"a confusion matrix of {size:,} classes is too large; {limit}")
    predicted = view.predicted_classes(positive_code(view, positive), threshold)
    columns = {"true": view.truth, "predicted": predicted, "weight": view.weights}
    # A cost that grows with the distance depends on all rows, not on the rarest class.
    class_columns = ("true", "predicted") if weights == "none" else ()
    return Figure(
        partial(_kappa, weights=weights),
        columns,
        view.in_list,
        class_columns=class_columns,
        formula="1 - cost of what is wrong / cost expected by chance",
    )
