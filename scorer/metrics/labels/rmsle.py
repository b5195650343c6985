"""Root mean squared logarithmic error."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from scorer.metrics.base import metric
from scorer.metrics.labels.roots import OF_SQUARES, of_squares
from scorer.metrics.quotient import Rowwise
from scorer.views.labelled import Targets

Log = Annotated[
    Literal["log1p", "plain"], Field(description="ln(1 + x), or ln(x) of numbers above 0.")
]


@metric(
    "RMSLE",
    title="Root mean squared logarithmic error",
    source="scikit-learn, root_mean_squared_log_error",
    elsewhere={
        "scikit-learn": "root_mean_squared_log_error",
    },
    formula=lambda params: (
        r"\sqrt{\frac{1}{n} \sum_{i=1}^{n} (\ln(1 + \hat{y}_i) - \ln(1 + y_i))^2}"
        if params["log"] == "log1p"
        else r"\sqrt{\frac{1}{n} \sum_{i=1}^{n} (\ln \hat{y}_i - \ln y_i)^2}"
    ),
    undefined="a target or a prediction is -1 or less, or with `log=plain` 0 or less",
    **OF_SQUARES,
)
def rmsle(targets: Targets, *, log: Log = "log1p") -> Rowwise:
    """The root mean squared error of ln(1 + x): an error of ten percent costs the same anywhere.

    Undefined where a target or a prediction is -1 or less; `submission.range` refuses
    such predictions. `log=plain` takes ln(x), as Kaggle's House Prices does, and is
    undefined at 0 and below.

    >>> from scorer.metrics.labels.roots import ROOT
    >>> from scorer.views.labelled import targets
    >>> round(ROOT.figure(rmsle(targets([0, 9], [0, 99])).given), 6)      # ln(10) / sqrt(2)
    1.628174
    """
    function = np.log1p if log == "log1p" else np.log
    with np.errstate(invalid="ignore", divide="ignore"):
        logs = function(targets.prediction) - function(targets.target)
    squares = np.where(np.isfinite(logs), logs, np.nan) ** 2
    more = "1 + " if log == "log1p" else ""
    return of_squares(
        targets, f"(ln({more}prediction) - ln({more}target))²", squares, targets.weights
    )
