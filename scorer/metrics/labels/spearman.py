"""Spearman's rank correlation."""

from __future__ import annotations

from typing import Any

import numpy as np

from scorer.core.arrays import Floats, starts
from scorer.metrics.base import metric
from scorer.metrics.labels.base import correlation, divided
from scorer.metrics.quotient import Rowwise
from scorer.metrics.statistic import Sums
from scorer.views.labelled import Targets
from scorer.views.pooled import Statistics


def _figure(statistics: Statistics, **_: Any) -> float:
    target, prediction, weight = statistics.rows.T
    return correlation(places(target, weight), places(prediction, weight), weight)


def places(values: Floats, weight: Floats) -> Floats:
    """The share of the weight below each value, half of equal values' weight included."""
    by = np.argsort(values, kind="stable")
    new = starts(values[by])
    group = np.cumsum(new) - 1
    sums = np.bincount(group, weight[by])
    shares = np.empty(values.size)
    shares[by] = ((np.cumsum(sums) - sums / 2) / max(weight.sum(), 1e-300))[group]
    return shares


def _sums(statistics: Statistics, **_: Any) -> Floats:
    """What each list adds to the covariance of the places and to their variances.

    To the first order: a draw of lists moves the places themselves too (Hájek's projection), so
    that they need not be found anew for every draw.
    """
    target, prediction, weight = statistics.rows.T
    table = np.zeros((statistics.lists, 4))
    if not weight.sum():
        return table
    x, y = (places(values, weight) - 0.5 for values in (target, prediction))
    cross, first, second = (np.average(a * b, weights=weight) for a, b in ((x, y), (x, x), (y, y)))
    above_y, above_x = _above(target, y, weight), _above(prediction, x, weight)
    columns = [
        np.ones_like(x),
        x * y + above_y + above_x - 2 * cross,
        x * x + 2 * _above(target, x, weight) - 2 * first,
        y * y + 2 * _above(prediction, y, weight) - 2 * second,
    ]
    table[statistics.in_list] = np.column_stack(columns) * weight[:, None]
    return table


def _above(values: Floats, other: Floats, weight: Floats) -> Floats:
    """The mean of `other` where `values` are above each one, ties half; `other` has mean 0."""
    by = np.argsort(-values, kind="stable")
    group = np.cumsum(starts(values[by])) - 1
    sums = np.bincount(group, (weight * other)[by])
    means = np.empty(values.size)
    means[by] = ((np.cumsum(sums) - sums / 2) / weight.sum())[group]
    return means


def _of_sums(sums: Floats, **_: Any) -> Floats:
    _weight, cross, first, second = sums.T
    spread = np.sqrt(np.maximum(first, 0) * np.maximum(second, 0))
    coefficient: Floats = np.clip(divided(cross, spread, np.nan), -1, 1)
    return coefficient


@metric(
    "Spearman",
    title="Spearman's rank correlation",
    source="Spearman, American Journal of Psychology 15(1), 1904, doi:10.2307/1412159",
    elsewhere={
        "scipy": "spearmanr",
        "torchmetrics": "SpearmanCorrCoef",
    },
    formula=r"\frac{\sum_{i=1}^{n} (a_i - \bar{a}) (b_i - \bar{a})}{\sqrt{\sum_{i=1}^{n} (a_i "
    r"- \bar{a})^2 \cdot \sum_{i=1}^{n} (b_i - \bar{a})^2}}, \qquad \bar{a} = \frac{n "
    r"+ 1}{2}, \qquad a_i = \text{rank of the target}, \qquad b_i = \text{rank of the "
    r"prediction, equal values at their mean rank}",
    undefined="all targets, or all predictions, are equal",
    range=(-1, 1),
    better="higher",
    aggregate="pooled",
    columns=("prediction",),
    statistic=Sums(_of_sums, _sums, _figure),
)
def spearman(targets: Targets) -> Rowwise:
    """The correlation of the ranks: whether larger targets have larger predictions.

    Equal values share their mean rank, as in scipy's spearmanr. Undefined where all targets
    or all predictions are equal.

    >>> from scorer.views.labelled import targets
    >>> _figure(spearman(targets([1, 2, 3], [20, 10, 30])).given)
    0.5
    """
    return Rowwise(targets.pooled(targets.target, targets.prediction, targets.weights))
