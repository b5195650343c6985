"""Roots of means of squares over all rows: RMSE and its kin."""

from __future__ import annotations

from typing import Any

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.labels.base import divided
from scorer.metrics.quotient import Rowwise
from scorer.metrics.statistic import Sums
from scorer.views.labelled import Targets


def _roots(sums: Floats, **_: Any) -> Floats:
    """The value of each draw, from its sums of squares and of weights: shape (draws, 2)."""
    values: Floats = np.sqrt(divided(sums[:, 0], sums[:, 1], np.nan))
    return values


ROOT = Sums(_roots)


# arguments of `metric`
OF_SQUARES: dict[str, Any] = {
    "range": (0, None),
    "better": "lower",
    "aggregate": "pooled",
    "columns": ("prediction",),
    "statistic": ROOT,
}


def of_squares(targets: Targets, heading: str, squares: Floats, weights: Floats) -> Rowwise:
    """The sums under the root; `squares` and `weights` have the shape (rows,)."""
    return Rowwise(targets.pooled(squares * weights, weights), lambda: {heading: squares})
