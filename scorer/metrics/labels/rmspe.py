"""Root mean squared percentage error."""

from __future__ import annotations

from scorer.metrics.base import metric
from scorer.metrics.labels.base import divided
from scorer.metrics.labels.roots import OF_SQUARES, of_squares
from scorer.metrics.quotient import Rowwise
from scorer.views.labelled import Targets


@metric(
    "RMSPE",
    title="Root mean squared percentage error",
    source="Kaggle, Rossmann Store Sales, 2015",
    elsewhere={
        "Kaggle": "RMSPE",
    },
    formula=r"\sqrt{\frac{\sum_{i=1}^{n} [y_i \ne 0] \left(\frac{y_i - "
    r"\hat{y}_i}{y_i}\right)^2}{\sum_{i=1}^{n} [y_i \ne 0]}}",
    undefined="all targets are 0",
    **OF_SQUARES,
)
def rmspe(targets: Targets) -> Rowwise:
    """The root of the mean squared error, each error divided by its target.

    Rows whose target is 0 do not count, as in the Rossmann challenge; undefined
    where there is no other. It is a share, so .1 is ten percent.

    >>> from scorer.metrics.labels.roots import ROOT
    >>> from scorer.views.labelled import targets
    >>> round(ROOT.figure(rmspe(targets([2, 4, 0], [1, 4, 9])).given), 6)      # sqrt((1/4 + 0) / 2)
    0.353553
    """
    shares = divided(targets.error, targets.target)  # 0 where the target is 0
    counts = targets.weights * (targets.target != 0)
    return of_squares(targets, "(error / target)²", shares**2, counts)
