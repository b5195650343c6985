"""Roots of means of squares over all rows: RMSE and its kin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.explain.steps import Steps
from scorer.metrics.explain.tables import Listing
from scorer.metrics.labels.base import divided, of_row
from scorer.metrics.statistic import Sums
from scorer.views.labelled import Targets


def _roots(sums: Floats, **_: Any) -> Floats:
    """The value of each draw, from its sums of squares and of weights: shape (draws, 2)."""
    values: Floats = np.sqrt(divided(sums[:, 0], sums[:, 1], np.nan))
    return values


ROOT = Sums(_roots)


def of_squares(
    name: str, squares: Callable[..., Floats], heading: Callable[..., str]
) -> dict[str, Any]:
    """Arguments of `metric` for the root of a mean of squares, whose sums are pooled.

    `squares` takes the rows and the metric's parameters; `heading` names their column, from the
    parameters.
    """

    def explain(listing: Listing[Targets], value: float, **params: Any) -> Steps:
        columns = {heading(**params): squares(listing.view, **params)}
        return of_row(listing, f"{name}, of all rows", value, columns)

    return {
        "range": (0, None),
        "better": "lower",
        "aggregate": "pooled",
        "columns": ("prediction",),
        "statistic": ROOT,
        "explain": explain,
    }
