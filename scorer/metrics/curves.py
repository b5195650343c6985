"""Metrics of the order of the probabilities of classes: areas under curves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import combinations
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats, Ints
from scorer.core.text import join_first
from scorer.metrics.api import metric
from scorer.metrics.notation import NotationError
from scorer.metrics.parameters import MulticlassAverage, Positive
from scorer.metrics.ratios import Figure, divide
from scorer.metrics.rows import positive_code
from scorer.metrics.steps import OneList, Sentence, Steps, format_count
from scorer.views.rows import Labelled, indicator_matrix

MEAN_AREA = r"\frac{1}{C} \sum_{c=1}^{C} A_c, \qquad A_c = "

# Metrics of probabilities, or of scores, which a submission must have.
probability_metric = partial(metric, columns=("probability",))

# The area under a curve of one binary problem, from three arrays of shape (rows,): whether each row
# is true (1 or 0), the level of its score, and its weight. Levels are whole numbers that stand for
# the scores: 0 for the lowest, 1 for the next, and so on.
Area = Callable[[Floats, Ints, Floats], float]

Multiclass = Annotated[
    Literal["ovr", "ovo"],
    Field(description="More than two classes: each against all others (ovr), or all pairs (ovo)."),
]
MaxFpr = Annotated[
    float, Field(gt=0, le=1, description="Only the curve up to this false positive rate.")
]
MinTpr = Annotated[
    float, Field(ge=0, lt=1, description="Only the area above this true positive rate.")
]


def binary_problems(view: Labelled, positive: str | None) -> tuple[Floats, Floats]:
    """Each class against the others; of two classes only the positive one.

    A row without an answer stands where it is most wrong: it has the lowest score if it is true,
    else the highest.

    Returns:
        Whether the rows are true (1 or 0), and their scores, each of shape (rows, problems).

    Raises:
        NotationError: There is no such class, or there are more than two.
    """
    true = indicator_matrix(view.truth, len(view.classes))
    score = view.require_probabilities() if view.score is None else view.score
    if len(view.classes) == 2 and not view.multilabel:
        code = positive_code(view, positive)
        code = 1 if code is None else code
        true, score = true[:, [code]], score[:, [code]]
    elif positive is not None:
        message = f"positive= is for two classes; there are {join_first(view.classes)}"
        raise NotationError(message, "positive")
    return true, np.where(view.answered[:, None], score, np.where(true > 0, -np.inf, np.inf))


def _curve_figure(
    view: Labelled,
    function: Callable[[Mapping[str, Any], Floats], float],
    average: str,
    positive: str | None,
    formula: str,
    *,
    both_sides: bool = True,
) -> Figure:
    """A figure of the binary problems.

    Its columns `true`, `score`, `level` and `class` have shape (rows, problems). `class` is the
    class of rows that makes the value uncertain where it is rare: 1 of true rows, and 0 of the
    others with `both_sides`, else -1, which is no class.
    """
    true, score = binary_problems(view, positive)
    # Levels are computed here, once: a bootstrap, which draws lists often, then never sorts scores.
    if average == "micro":
        level = np.unique(score, return_inverse=True)[1].reshape(score.shape)
    else:
        level = np.stack([np.unique(each, return_inverse=True)[1] for each in score.T], axis=1)
    side = np.where(true > 0, 1, 0 if both_sides else -1)  # -1: of no class
    columns = {
        "true": true,
        "score": score,  # which pictures of reports draw
        "level": level,
        "class": side,
        "weight": view.weights,
    }
    is_single = true.shape[1] == 1
    class_columns = ("class",) if is_single or average != "micro" else ()
    figure = Figure(
        function,
        columns,
        view.in_list,
        zero_weights=True,
        class_columns=class_columns,
        formula=formula,
    )
    if not is_single:
        return figure
    # Rows in the order of their levels are counted faster.
    return figure.subset_rows(np.argsort(level[:, 0], kind="stable"))


def _mean_area(
    columns: Mapping[str, Any], row_weight: Floats, *, area: Area, average: str
) -> float:
    """The mean of the problems' areas.

    All problems count alike (`average="macro"`), or by the weight of their true rows ("weighted").
    With "micro" the rows of all problems make one problem.
    """
    true, level, weight = columns["true"], columns["level"], columns["weight"] * row_weight
    if average == "micro":
        return area(true.ravel(), level.ravel(), np.repeat(weight, true.shape[1]))
    areas = [area(is_true, of_row, weight) for is_true, of_row in zip(true.T, level.T, strict=True)]
    if len(areas) == 1 or average == "macro":
        return float(np.mean(areas))
    true_weight = (true * weight[:, None]).sum(axis=0)
    if true_weight.sum() <= 0:
        return float("nan")
    return float(np.average(areas, weights=true_weight))


def _one_against_one(columns: Mapping[str, Any], row_weight: Floats, *, average: str) -> float:
    """The mean, over pairs of classes, of the ROC areas among the rows of the two classes.

    A pair has two areas, with the one and with the other class as the positive one; their mean
    counts.
    """
    true, level, weight = columns["true"], columns["level"], columns["weight"] * row_weight
    pair_areas, pair_weights = [], []
    for pair in combinations(range(true.shape[1]), 2):
        rows = true[:, pair].any(axis=1)
        areas = [roc_area(true[rows, n], level[rows, n], weight[rows]) for n in pair]
        pair_areas.append(np.mean(areas))
        pair_weights.append(weight[rows].sum())
    weights = pair_weights if average == "weighted" and sum(pair_weights) > 0 else None
    return float(np.average(pair_areas, weights=weights))


def _count_by_level(true: Floats, level: Ints, weight: Floats) -> tuple[Floats, Floats]:
    """The weight of positive and of negative rows at each level, from the highest down."""
    positive, negative = (np.bincount(level, weight * side) for side in (true, 1 - true))
    return positive[::-1].astype(np.float64), negative[::-1].astype(np.float64)


def roc_area(true: Floats, level: Ints, weight: Floats) -> float:
    """The share of pairs of a positive and a negative row in the right order; ties count half."""
    positive, negative = (np.bincount(level, weight * side) for side in (true, 1 - true))
    below = np.cumsum(negative) - negative
    right = (positive * (below + negative / 2)).sum()
    return float(divide(right, positive.sum() * negative.sum()))


def _partial_roc_area(
    true: Floats,
    level: Ints,
    weight: Floats,
    *,
    max_fpr: float | None = None,
    min_tpr: float = 0,
) -> float:
    """The area up to a false positive rate, on McClish's scale, or above a true positive rate.

    NaN where a side has no rows.
    """
    positives, negatives = (np.cumsum(side) for side in _count_by_level(true, level, weight))
    if positives[-1] <= 0 or negatives[-1] <= 0:
        return float("nan")
    tpr, fpr = (np.append(0.0, side / side[-1]) for side in (positives, negatives))
    if max_fpr is None:
        # Seen from its other end, the curve has the true positive rate on the horizontal axis.
        return _area_until(1 - tpr[::-1], 1 - fpr[::-1], 1 - min_tpr)
    chance = max_fpr**2 / 2
    return 0.5 * (1 + (_area_until(fpr, tpr, max_fpr) - chance) / (max_fpr - chance))


def _area_until(rate: Floats, height: Floats, bound: float) -> float:
    """The area under straight lines between points, from rate 0 to the rate `bound`.

    `rate` and `height` are the coordinates of the points; `rate` ascends from 0 to 1.
    """
    areas = np.append(0.0, np.cumsum(np.diff(rate) * (height[1:] + height[:-1]) / 2))
    at = int(np.searchsorted(rate, bound))
    if at == 0:
        return 0.0
    part = (bound - rate[at - 1]) / (rate[at] - rate[at - 1])
    bound_height = height[at - 1] + part * (height[at] - height[at - 1])
    return float(areas[at - 1] + (bound - rate[at - 1]) * (height[at - 1] + bound_height) / 2)


def explain_pairs(one: OneList, *, positive: str | None, **_: Any) -> Steps:
    """How many of a row's pairs with rows of the other side are in the right order."""
    view: Labelled = one.view
    at, weight = view.at, view.weights
    true, score = binary_problems(view, positive)
    names = view.classes if true.shape[1] > 1 else (positive or view.classes[-1],)
    for n, class_name in enumerate(names):
        is_true, own = true[at, n] > 0, score[at, n]
        others = (true[:, n] > 0) != is_true
        right = others & ((score[:, n] < own) if is_true else (score[:, n] > own))
        tied = others & (score[:, n] == own)
        pairs, right_pairs, tied_pairs = (
            format_count(weight[rows].sum()) for rows in (others, right, tied)
        )
        side = "of that class" if is_true else "of another class"
        yield Sentence(
            f"{class_name}: this row, {side}, has probability {own:.6g}. Of {pairs:,} pairs with "
            f"rows of the other side {right_pairs:,} are in the right order and {tied_pairs:,} "
            "tied."
        )


curve_metric = partial(probability_metric, explain=explain_pairs)


@curve_metric(
    "AUROC",
    title="Area under the ROC curve",
    source="Hanley and McNeil, Radiology 143(1), 1982, doi:10.1148/radiology.143.1.7063747; "
    "parts of it: McClish, Medical Decision Making 9(3), 1989, doi:10.1177/0272989X8900900307",
    latex=MEAN_AREA + r"\frac{\sum_{i=1}^{n} \sum_{j=1}^{n} y_{i,c} (1 - y_{j,c}) "
    r"([p_{i,c} > p_{j,c}] + \frac{1}{2} [p_{i,c} = p_{j,c}])}"
    r"{\sum_{i=1}^{n} y_{i,c} \cdot \sum_{i=1}^{n} (1 - y_{i,c})}",
    tools="scikit-learn: roc_auc_score; torchmetrics: AUROC; Kaggle: area under the ROC curve",
    aliases=("ROCAUC", "AUC", "pAUC"),
    undefined="a class has all rows or none",
)
def auroc(
    view: Labelled,
    *,
    average: MulticlassAverage = "macro",
    multi: Multiclass = "ovr",
    positive: Positive = None,
    max_fpr: MaxFpr | None = None,
    min_tpr: MinTpr | None = None,
) -> Figure:
    """How likely a row of the positive class has a higher probability than another row.

    The share of all pairs of a positive and a negative row that are in the right order, ties
    counting half, exactly. With more than two classes, or several labels a row, the mean over
    classes (`average`), or over pairs of classes (`multi=ovo`, Hand and Till 2001). Any scores will
    do in place of probabilities. `max_fpr` takes the curve up to a false positive rate, scaled so
    that chance is 0.5 and the best is 1, as scikit-learn does; `min_tpr` the area above a true
    positive rate, at most 1 - min_tpr, as in ISIC 2024.

    Pairs (0.8, 0.3), (0.8, 0.4), (0.4, 0.3), (0.4, 0.4): three right, one tied:

    >>> probability = {"a": [0.2, 0.6, 0.7, 0.6], "b": [0.8, 0.4, 0.3, 0.4]}
    >>> rows = labelled_view(["b", "b", "a", "a"], probability)
    >>> auroc(rows).pooled()
    0.875
    >>> auroc(rows, min_tpr=0.5).pooled()  # between the rates 0.5 and 1: 0.5 - 0.125
    0.375
    """
    formula = "pairs in the right order, ties half / pairs"
    if max_fpr is not None and min_tpr is not None:
        raise NotationError("max_fpr= and min_tpr= cannot be used together", "min_tpr")
    if multi == "ovo":
        if view.multilabel:
            raise NotationError("multi=ovo is not defined for rows with several labels", "multi")
        if average == "micro":
            raise NotationError("multi=ovo has average=macro or weighted", "average")
        if max_fpr is not None or min_tpr is not None:
            raise NotationError("max_fpr= and min_tpr= are for multi=ovr", "multi")
        if len(view.classes) > 2:
            function = partial(_one_against_one, average=average)
            return _curve_figure(view, function, average, positive, formula)
    area = roc_area
    if max_fpr is not None:
        area = partial(_partial_roc_area, max_fpr=max_fpr)
    elif min_tpr is not None:
        area = partial(_partial_roc_area, min_tpr=min_tpr)
    function = partial(_mean_area, area=area, average=average)
    return _curve_figure(view, function, average, positive, formula)


def _precision_by_level(true: Floats, level: Ints, weight: Floats) -> tuple[Floats, Floats]:
    """The weight of positive rows at each level, from the highest down, and the precision there.

    The precision is 1 where no row down to there has a weight.
    """
    positive, negative = _count_by_level(true, level, weight)
    found, rows = np.cumsum(positive), np.cumsum(positive + negative)
    return positive, np.divide(found, rows, out=np.ones_like(rows), where=rows > 0)


def precision_area(true: Floats, level: Ints, weight: Floats) -> float:
    """The mean of the precisions at each score, weighted by the growth of recall there."""
    positive, precision = _precision_by_level(true, level, weight)
    return float(divide((precision * positive).sum(), positive.sum()))


@curve_metric(
    "AveragePrecision",
    title="Average precision: the area under the precision-recall curve",
    source="scikit-learn, average_precision_score",
    latex=MEAN_AREA + r"\frac{1}{t_c} \sum_{i=1}^{n} y_{i,c} \frac{\sum_{j=1}^{n} y_{j,c} "
    r"[p_{j,c} \ge p_{i,c}]}{\sum_{j=1}^{n} [p_{j,c} \ge p_{i,c}]}",
    tools="scikit-learn: average_precision_score; torchmetrics: AveragePrecision",
    aliases=("AP",),
    undefined="a class has no rows",
)
def averageprecision(
    view: Labelled, *, average: MulticlassAverage = "macro", positive: Positive = None
) -> Figure:
    """The mean precision at the probabilities of the positive rows.

    A step function without interpolation, rows of equal probability taken together, as in
    scikit-learn.

    Down the list: one of one, then two of three rows:

    >>> probability = {"a": [0.2, 0.6, 0.7, 0.6], "b": [0.8, 0.4, 0.3, 0.4]}
    >>> rows = labelled_view(["b", "b", "a", "a"], probability)
    >>> round(averageprecision(rows).pooled(), 6)
    0.833333
    """
    function = partial(_mean_area, area=precision_area, average=average)
    formula = "sum of precision × growth of recall, down the scores"
    return _curve_figure(view, function, average, positive, formula, both_sides=False)


def _trapezoid_area(true: Floats, level: Ints, weight: Floats) -> float:
    """The area under straight lines between the points of recall and precision at each score."""
    positive, precision = _precision_by_level(true, level, weight)
    found = np.cumsum(positive)
    recall, precision = np.append(0.0, divide(found, found[-1])), np.append(1.0, precision)
    return float((np.diff(recall) * (precision[1:] + precision[:-1])).sum() / 2)


@curve_metric(
    "PRTrapezoids",
    title="Area under the precision-recall curve by trapezoids",
    source="scikit-learn, precision_recall_curve and auc",
    latex=MEAN_AREA + r"\frac{1}{2} \sum_{m=1}^{M} (u_m - u_{m-1}) (v_m + v_{m-1}), "
    r"\qquad u_m, v_m = \text{recall and precision at the } m "
    r"\text{-th highest probability, 0 and 1 before}",
    tools="scikit-learn: auc of precision_recall_curve",
    undefined="a class has no rows",
)
def prtrapezoids(
    view: Labelled, *, average: MulticlassAverage = "macro", positive: Positive = None
) -> Figure:
    """The area under the precision-recall curve with straight lines between its points.

    From recall 0 with precision 1 through a point at each probability. Lines are too good for such
    a curve, most where many rows have the same probability; `AveragePrecision` draws steps. Both
    are called PRAUC or AUPRC, so that neither answers to these names.

    Down the list: one of one, then two of three rows:

    >>> probability = {"a": [0.2, 0.6, 0.7, 0.6], "b": [0.8, 0.4, 0.3, 0.4]}
    >>> rows = labelled_view(["b", "b", "a", "a"], probability)
    >>> round(prtrapezoids(rows).pooled(), 6)  # 1/2 + (1 + 2/3) / 4
    0.916667
    """
    function = partial(_mean_area, area=_trapezoid_area, average=average)
    formula = "area under straight lines between the points of recall and precision"
    return _curve_figure(view, function, average, positive, formula, both_sides=False)
