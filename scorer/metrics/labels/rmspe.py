"""Root mean squared percentage error."""

from __future__ import annotations

from typing import Any

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps
from scorer.metrics.explain.tables import Listing
from scorer.metrics.labels.base import divided, of_row
from scorer.views.labelled import Targets
from scorer.views.pooled import Statistics


def _errors(targets: Targets) -> Floats:
    """The squared share by which each row is wrong; 0 where the target is 0."""
    shares = divided(targets.error, targets.target)
    squares: Floats = shares**2
    return squares


def _of_sums(sums: Floats, **_: Any) -> Floats:
    found: Floats = np.sqrt(divided(sums[:, 0], sums[:, 1], np.nan))
    return found


def _figure(statistics: Statistics, **_: Any) -> float:
    return float(_of_sums(statistics.rows.sum(axis=0)[None])[0])


def _explain(one: Listing[Targets], value: float) -> Steps:
    return of_row(one, "RMSPE, of all rows", value, {"(error / target)²": _errors(one.view)})


@metric(
    "RMSPE",
    title="Root mean squared percentage error",
    source="Kaggle, Rossmann Store Sales, 2015",
    range=(0, None),
    better="lower",
    aggregate="pooled",
    columns=("prediction",),
    figure=_figure,
    of_sums=_of_sums,
    explain=_explain,
)
def rmspe(targets: Targets) -> Statistics:
    """The root of the mean squared error, each error divided by its target.

    Rows whose target is 0 do not count, as in the Rossmann challenge; undefined
    where there is no other. It is a share, so .1 is ten percent.

    >>> from scorer.views.labelled import targets
    >>> round(_figure(rmspe(targets([2, 4, 0], [1, 4, 9]))), 6)      # sqrt((1/4 + 0) / 2)
    0.353553
    """
    counts = targets.weights * (targets.target != 0)
    return targets.pooled(_errors(targets) * counts, counts)
