"""Area under parts of the receiver operating characteristic."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, Field, Strict

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.labels.base import POSITIVE
from scorer.metrics.labels.curves import over_classes, scored, tallied
from scorer.metrics.notation import NotationError
from scorer.metrics.params import OverClasses, Positive
from scorer.metrics.quotient import Rowwise
from scorer.metrics.statistic import Weighted
from scorer.views.labelled import Labelled
from scorer.views.pooled import Statistics


def _ascending(bounds: tuple[float, ...]) -> tuple[float, ...]:
    if any(first >= second for first, second in pairwise(bounds)):
        raise ValueError("bounds must ascend")
    return bounds


Bounds = Annotated[
    tuple[Annotated[float, Field(ge=0, le=1)], ...],
    Strict(False),
    Field(
        min_length=2,
        description="Where the parts begin and end on the axis, ascending, 0 to 1: [0, 0.1], or "
        "[0, 0.4, 1] for two parts.",
    ),
    AfterValidator(_ascending),
]
PartWeights = Annotated[
    tuple[Annotated[float, Field(ge=0)], ...],
    Strict(False),
    Field(description="How much the area of each part counts; default: 1."),
]
Axis = Annotated[
    Literal["fpr", "tpr"],
    Field(
        description="fpr: the parts are spans of the false positive rate, the area is that under "
        "the curve; tpr: spans of the true positive rate, the area that under the curve and above "
        "the span's beginning."
    ),
]
PartScale = Annotated[
    Literal["mean", "area", "mcclish"],
    Field(
        description="mean: over the largest possible area; area: the weighted sum of areas; "
        "mcclish: of one part, 0.5 where chance is and 1 where the best is, as scikit-learn's "
        "max_fpr."
    ),
]
Edges = Annotated[
    Literal["cut", "points"],
    Field(
        description="cut: a line of the curve that crosses an edge of a part is cut there; points: "
        "the area of a part begins at its first point and rises at its last one, as in Kaggle's "
        "ALASKA2 (of tpr)."
    ),
]


def _until(rate: Floats, height: Floats, bound: float) -> float:
    """The area under a curve from 0 to `bound`; `rate` ascends from 0 to 1."""
    areas = np.append(0.0, np.cumsum(np.diff(rate) * (height[1:] + height[:-1]) / 2))
    at = int(np.searchsorted(rate, bound))
    if at == 0:
        return 0.0
    part = (bound - rate[at - 1]) / (rate[at] - rate[at - 1])
    there = height[at - 1] + part * (height[at] - height[at - 1])
    return float(areas[at - 1] + (bound - rate[at - 1]) * (height[at - 1] + there) / 2)


def _by_points(fpr: Floats, tpr: Floats, low: float, high: float) -> float:
    """The area of a part from its first point on, and above its last one, as ALASKA2 has it."""
    inside = (low < tpr) & (tpr < high)
    if not inside.any():
        return 0.0
    x, y = fpr[inside], tpr[inside] - low
    area = float((np.diff(x) * (y[1:] + y[:-1])).sum() / 2)
    return area + (1 - float(x[-1])) * (high - low)


def _kinks(fpr: Floats, tpr: Floats) -> tuple[Floats, Floats]:
    """The curve without points between two equal steps, as scikit-learn leaves them out."""
    bends = np.append(np.append(True, np.diff(fpr, 2) != 0) | np.append(
        True, np.diff(tpr, 2) != 0), True)[: fpr.size]  # fmt: skip
    return fpr[bends], tpr[bends]


def _areas(
    positives: Floats, others: Floats, bounds: tuple[float, ...], axis: str, edges: str
) -> Floats:
    """The area of each part, from the running weight of both sides."""
    spans = list(pairwise(bounds))
    if edges == "points":
        counted = _kinks(others, positives)
        fpr, tpr = (np.append(0.0, side / side[-1]) for side in counted)
        return np.array([_by_points(fpr, tpr, low, high) for low, high in spans])
    fpr, tpr = (np.append(0.0, side / side[-1]) for side in (others, positives))
    if axis == "tpr":  # the curve seen from its other end
        fpr, tpr = 1 - tpr[::-1], 1 - fpr[::-1]
        spans = [(1 - high, 1 - low) for low, high in spans]
    return np.array([_until(fpr, tpr, high) - _until(fpr, tpr, low) for low, high in spans])


def part_area(
    true: Floats, score: Floats, weight: Floats, *, bounds: tuple[float, ...],
    part_weights: tuple[float, ...] | None, axis: str, scale: str, edges: str,
) -> float:  # fmt: skip
    """The area of all parts; of one binary problem, with rows of shape (rows,)."""
    yes, no = tallied(true, score, weight)
    if yes.sum() <= 0 or no.sum() <= 0:
        return float("nan")
    positives, others = np.cumsum(yes), np.cumsum(no)
    areas = _areas(positives, others, bounds, axis, edges)
    counts = np.ones(areas.size) if part_weights is None else np.array(part_weights)
    area = float((counts * areas).sum())
    if scale == "area":
        return area
    if scale == "mcclish":
        low, high = bounds
        chance = (high**2 - low**2) / 2
        return 0.5 * (1 + (area - chance) / (high - low - chance))
    return area / float((counts * np.diff(bounds)).sum())


def _weighted(statistics: Statistics, weights: Floats, **params: Any) -> float:
    rows = statistics.rows.copy()
    rows[:, 0] *= weights[statistics.in_list]
    asked = {key: params[key] for key in ("bounds", "axis", "scale", "edges")}

    def area(true: Floats, score: Floats, weight: Floats) -> float:
        return part_area(true, score, weight, part_weights=params["part_weights"], **asked)

    return over_classes(statistics._replace(rows=rows), params["average"], area)


PARTS = (
    r", \qquad A_j = \text{area of the part from } b_{j-1} \text{ to } b_j, "
    r"\qquad w_j = \text{its weight}"
)
FORMULAS = {
    "mean": r"\frac{\sum_{j=1}^{m} w_j A_j}{\sum_{j=1}^{m} w_j \cdot (b_j - b_{j-1})}" + PARTS,
    "area": r"\sum_{j=1}^{m} w_j A_j" + PARTS,
    "mcclish": r"\frac{1}{2} \left(1 + \frac{w_1 A_1 - c}{b_1 - b_0 - c}\right), "
    r"\qquad c = \frac{b_1^2 - b_0^2}{2}" + PARTS,
}


@metric(
    "PartialAUROC",
    title="Area under parts of the ROC curve",
    source="McClish, Medical Decision Making 9(3), 1989, doi:10.1177/0272989X8900900307; "
    "scikit-learn, roc_auc_score(max_fpr)",
    elsewhere={
        "scikit-learn": "roc_auc_score(max_fpr=0.1); with scale=mcclish",
    },
    formula=lambda params: FORMULAS[params["scale"]],
    undefined="a class has all rows or none",
    aggregate="pooled",
    aliases=("pAUC", "WeightedAUROC"),
    columns=("probability",),
    settle=POSITIVE,
    statistic=Weighted(_weighted),
)
def partialauroc(
    labelled: Labelled,
    *,
    bounds: Bounds,
    axis: Axis = "fpr",
    part_weights: PartWeights | None = None,
    scale: PartScale = "mean",
    edges: Edges = "cut",
    average: OverClasses = "macro",
    positive: Positive | None = None,
) -> Rowwise:
    """The area under the ROC curve in some spans of one of its rates.

    `bounds: [0, 0.1]` looks at the lowest false positive rates alone; with
    `scale: mcclish` that is scikit-learn's `max_fpr=0.1`. The area above a true positive
    rate of 0.8, as in ISIC 2024, is `bounds: [0.8, 1], axis: tpr, scale: area`. ALASKA2's
    weighted area is `bounds: [0, 0.4, 1], part_weights: [2, 1], axis: tpr, edges: points`. Any
    scores will do in place of probabilities. Undefined where a class has no rows.

    Of three other rows the one positive row is below one:

    >>> from scorer.views.labelled import labelled
    >>> likely = [0.8, 0.9, 0.3, 0.4]
    >>> rows = labelled(["b", "a", "a", "a"], {"a": [1 - p for p in likely], "b": likely})
    >>> value = lambda **given: part_area(*_one(rows), **dict(
    ...     part_weights=None, axis="fpr", scale="mean", edges="cut") | given)
    >>> round(value(bounds=(0, 0.5)), 6)                # 1 from 1/3 to 1/2, over 1/2
    0.333333
    """
    if part_weights is not None and (len(part_weights) != len(bounds) - 1 or not sum(part_weights)):
        raise NotationError("part_weights= needs a number for each part, not all 0", "part_weights")
    if scale == "mcclish" and (len(bounds) != 2 or axis != "fpr"):
        raise NotationError("scale=mcclish is for one part of the false positive rate", "scale")
    if edges == "points" and axis != "tpr":
        raise NotationError("edges=points is for axis=tpr", "edges")
    return Rowwise(scored(labelled, positive), lambda: {"probability": labelled.ordering[:, -1]})


def _one(labelled: Labelled) -> tuple[Floats, Floats, Floats]:
    """The only problem of two classes: true, score and weight."""
    weight, true, score = scored(labelled, None).rows.T
    return true, score, weight
