"""Root mean squared percentage error."""

from __future__ import annotations

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.labels.base import divided
from scorer.metrics.labels.roots import of_squares
from scorer.views.labelled import Targets
from scorer.views.pooled import Statistics


def _errors(targets: Targets) -> Floats:
    """The squared share by which each row is wrong; 0 where the target is 0."""
    shares = divided(targets.error, targets.target)
    squares: Floats = shares**2
    return squares


@metric(
    "RMSPE",
    title="Root mean squared percentage error",
    source="Kaggle, Rossmann Store Sales, 2015",
    **of_squares("RMSPE", _errors, lambda: "(error / target)²"),
)
def rmspe(targets: Targets) -> Statistics:
    """The root of the mean squared error, each error divided by its target.

    Rows whose target is 0 do not count, as in the Rossmann challenge; undefined
    where there is no other. It is a share, so .1 is ten percent.

    >>> from scorer.metrics.labels.roots import ROOT
    >>> from scorer.views.labelled import targets
    >>> round(ROOT.figure(rmspe(targets([2, 4, 0], [1, 4, 9]))), 6)      # sqrt((1/4 + 0) / 2)
    0.353553
    """
    counts = targets.weights * (targets.target != 0)
    return targets.pooled(_errors(targets) * counts, counts)
