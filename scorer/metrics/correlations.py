"""Metrics of predicted numbers that compare how they vary: explained variance and correlation.

Each is a `Figure` of all rows and their weights.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from scorer.core.arrays import Floats, Ints
from scorer.metrics.numbers import figure_of_numbers, number_metric, weighted_numbers
from scorer.metrics.ratios import Figure
from scorer.views.rows import Targets

MEANS = (
    r", \qquad \bar{y} = \frac{1}{n} \sum_{i=1}^{n} y_i, "
    r"\qquad \bar{z} = \frac{1}{n} \sum_{i=1}^{n} \hat{y}_i"
)


def _r2(columns: Mapping[str, Any], row_weight: Floats) -> float:
    target, prediction, weight = weighted_numbers(columns, row_weight)
    if np.count_nonzero(row_weight) < 2 or not weight.any():
        return float("nan")
    error = (weight * (target - prediction) ** 2).sum()
    spread = 0.0
    if not _is_constant(target, weight):  # else rounding could leave a spread above 0
        spread = (weight * (target - np.average(target, weights=weight)) ** 2).sum()
    return float(1 - error / spread) if spread else float(error == 0)


@number_metric(
    "R2",
    title="Coefficient of determination",
    source="Wright, Journal of Agricultural Research 20, 1921; Kvålseth, The American "
    "Statistician 39(4), 1985, his R² number 1; scikit-learn, r2_score",
    latex=r"1 - \frac{\sum_{i=1}^{n} (y_i - \hat{y}_i)^2}{\sum_{i=1}^{n} (y_i - "
    r"\bar{y})^2}, \qquad \bar{y} = \frac{1}{n} \sum_{i=1}^{n} y_i",
    tools="scikit-learn: r2_score; torchmetrics: R2Score",
    range=(None, 1),
    undefined="there are fewer than two rows",
    zero_is_bad=False,
)
def r2(view: Targets) -> Figure:
    """How much of the targets' variance the predictions explain: 1 is all, 0 as their mean.

    Below 0 the mean would have been better. As in scikit-learn, where all targets are equal: 1 if
    all predictions are right, else 0. Of ratings the mean is over all together; `average=lists`
    takes each list's own, and the value is the mean over lists.

    >>> r2(targets_view([1, 2, 3], [1, 2, 4])).pooled()  # 1 - 1 / 2
    0.5
    """
    return figure_of_numbers(view, _r2, "1 - sum of error² / sum of (target - mean)²")


def _explained_variance(columns: Mapping[str, Any], row_weight: Floats) -> float:
    target, prediction, weight = weighted_numbers(columns, row_weight)
    if not weight.any():
        return float("nan")
    # A shift changes no variance. Without it, the targets would be lost in the rounding of
    # predictions of 1e30, all errors would be the same, and the value 1.
    first = np.argmax(weight > 0)
    target, prediction = target - target[first], prediction - prediction[first]
    error = _variance(target - prediction, weight)
    spread = _variance(target, weight)
    return float(1 - error / spread) if spread else float(error == 0)


def _variance(values: Floats, weight: Floats) -> float:
    mean = np.average(values, weights=weight)
    return float(np.average((values - mean) ** 2, weights=weight))


@number_metric(
    "ExplainedVariance",
    title="Explained variance",
    source="scikit-learn, explained_variance_score",
    latex=r"1 - \frac{\sum_{i=1}^{n} (y_i - \hat{y}_i - \bar{y} + "
    r"\bar{z})^2}{\sum_{i=1}^{n} (y_i - \bar{y})^2}" + MEANS,
    tools="scikit-learn: explained_variance_score; torchmetrics: ExplainedVariance",
    range=(None, 1),
    undefined="there are no rows",
    zero_is_bad=False,
)
def explainedvariance(view: Targets) -> Figure:
    """As R2, but predictions that are all too high by the same amount lose nothing.

    >>> explainedvariance(targets_view([1, 2, 3], [2, 3, 4])).pooled()
    1.0
    >>> explainedvariance(targets_view([1, 2, 3], [1e30, 1e30, 1e30])).pooled()
    0.0
    """
    formula = "1 - variance of errors / variance of targets"
    return figure_of_numbers(view, _explained_variance, formula)


def correlation(first: Floats, second: Floats, weight: Floats) -> float:
    """The weighted correlation of two variables; NaN where one of them is constant."""
    if not weight.any() or _is_constant(first, weight) or _is_constant(second, weight):
        return float("nan")
    first, second = (x - np.average(x, weights=weight) for x in (first, second))
    covariance = (weight * first * second).sum()
    coefficient = covariance / np.sqrt((weight * first**2).sum() * (weight * second**2).sum())
    return float(np.clip(coefficient, -1, 1))


def _is_constant(values: Floats, weight: Floats) -> bool:
    """Whether all rows with a weight have the same value."""
    counted = weight > 0
    first_value = values[np.argmax(counted)]
    return bool(((values == first_value) | ~counted).all())


def _pearson(columns: Mapping[str, Any], row_weight: Floats) -> float:
    return correlation(*weighted_numbers(columns, row_weight))


@number_metric(
    "Pearson",
    title="Pearson's correlation",
    source="Pearson, Philosophical Transactions of the Royal Society A 187, 1896",
    latex=r"\frac{\sum_{i=1}^{n} (y_i - \bar{y}) (\hat{y}_i - "
    r"\bar{z})}{\sqrt{\sum_{i=1}^{n} (y_i - \bar{y})^2 \cdot \sum_{i=1}^{n} "
    r"(\hat{y}_i - \bar{z})^2}}" + MEANS,
    tools="scipy: pearsonr; torchmetrics: PearsonCorrCoef",
    range=(-1, 1),
    undefined="all targets, or all predictions, are equal",
)
def pearson(view: Targets) -> Figure:
    """How close the points of target and prediction are to a line: 1 is exactly, 0 not at all.

    Scale and offset of the predictions do not matter.

    >>> round(pearson(targets_view([1, 2, 3], [10, 20, 30])).pooled(), 6)
    1.0
    """
    return figure_of_numbers(view, _pearson, "covariance / product of standard deviations")


def _spearman(columns: Mapping[str, Any], row_weight: Floats) -> float:
    weight = columns["weight"] * row_weight
    target, prediction = (
        _weighted_ranks(columns[name], weight) for name in ("target level", "prediction level")
    )
    return correlation(target, prediction, weight)


def _weighted_ranks(level: Ints, weight: Floats) -> Floats:
    """The share of the weight at lower levels, and half of that at the row's own."""
    sums = np.bincount(level, weight)
    total = weight.sum() or 1.0  # without any weight there is no correlation
    shares = (np.cumsum(sums) - sums / 2) / total
    return np.asarray(shares[level])


@number_metric(
    "Spearman",
    title="Spearman's rank correlation",
    source="Spearman, American Journal of Psychology 15(1), 1904, doi:10.2307/1412159",
    latex=r"\frac{\sum_{i=1}^{n} (a_i - \bar{a}) (b_i - \bar{a})}{\sqrt{\sum_{i=1}^{n} (a_i "
    r"- \bar{a})^2 \cdot \sum_{i=1}^{n} (b_i - \bar{a})^2}}, \qquad \bar{a} = \frac{n "
    r"+ 1}{2}, \qquad a_i = \text{rank of the target}, \qquad b_i = \text{rank of the "
    r"prediction, equal values at their mean rank}",
    tools="scipy: spearmanr; torchmetrics: SpearmanCorrCoef",
    range=(-1, 1),
    undefined="all targets, or all predictions, are equal",
)
def spearman(view: Targets) -> Figure:
    """The correlation of the ranks: whether larger targets have larger predictions.

    Equal values share their mean rank, as in scipy's spearmanr.

    >>> spearman(targets_view([1, 2, 3], [20, 10, 30])).pooled()
    0.5
    """
    figure = figure_of_numbers(view, _spearman, "Pearson correlation of the ranks")
    # Levels are whole numbers in the order of the values: 0 for the lowest. They are computed here,
    # once: a bootstrap, which draws lists often, then never sorts values.
    levels = {
        f"{name} level": np.unique(figure.columns[name], return_inverse=True, equal_nan=False)[1]
        for name in ("target", "prediction")
    }
    return replace(figure, columns={**figure.columns, **levels})
