"""Laplace log likelihood of numbers with a spread."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from scorer.metrics.base import metric
from scorer.metrics.labels.further import numbers, sent_columns
from scorer.metrics.quotient import Rowwise
from scorer.metrics.statistic import Share
from scorer.views.labelled import Targets

SPREAD = "spread"
SpreadColumn = Annotated[
    str,
    Field(
        min_length=1,
        description="The further column of the submission with each prediction's standard "
        "deviation.",
    ),
]
Floor = Annotated[float, Field(gt=0, description="The least spread that counts.")]
Cap = Annotated[float, Field(gt=0, description="The largest error that counts.")]


def _formula(params: Mapping[str, Any]) -> str:
    error, spread = r"\lvert y_i - \hat{y}_i \rvert", "s_i"
    error = error if params["cap"] is None else rf"\min({error}, $cap)"
    spread = spread if params["floor"] is None else rf"\max({spread}, $floor)"
    return (
        r"-\frac{1}{n} \sum_{i=1}^{n} \left(\frac{\sqrt{2} e_i}{\sigma_i} "
        rf"+ \ln(\sqrt{{2}} \sigma_i)\right), \qquad e_i = {error}, \qquad \sigma_i = {spread}, "
        r"\qquad s_i = \text{spread of row } i"
    )


@metric(
    "LaplaceLogLikelihood",
    title="Laplace log likelihood",
    source="OSIC Pulmonary Fibrosis Progression, Kaggle 2020",
    formula=_formula,
    undefined="without a floor, a spread is 0 or less",
    range=(None, None),
    columns=("prediction",),
    needs=lambda params: sent_columns([params["spread"]]),
    statistic=Share(),
)
def laplaceloglikelihood(
    targets: Targets,
    *,
    spread: SpreadColumn = SPREAD,
    floor: Floor | None = None,
    cap: Cap | None = None,
) -> Rowwise:
    """How likely the targets are by Laplace distributions around the predictions, as logarithms.

    The mean of -√2 |error| / spread - ln(√2 spread), where the spread, the standard
    deviation, is a further column of the submission, `extra: {spread: number}`. A spread
    is at least `floor`, an error at most `cap`; in the OSIC challenge `floor=70, cap=1000`.
    Without a floor a spread of 0 or less gives no value, so a submission with one has none.

    An error of 100 with a spread of 100:

    >>> from scorer.views.extras import Extras, NamedColumns
    >>> from scorer.views.labelled import targets
    >>> sent = Extras(submission=NamedColumns({"spread": np.array([100.0])}, "submission"))
    >>> rows = targets([2000], [1900], extras=sent)
    >>> laplaceloglikelihood(rows).given.round(4)         # -√2 - ln(141.42)
    array([-6.366])
    """
    deviation = numbers(targets.submission, spread, "LaplaceLogLikelihood")
    error = np.abs(targets.error)
    if floor is not None:
        deviation = np.maximum(deviation, floor)
    if cap is not None:
        error = np.minimum(error, cap)
    scale = np.sqrt(2) * np.where(deviation > 0, deviation, np.nan)
    values = -2 * error / scale - np.log(scale)
    return Rowwise(
        targets.mean(values),
        lambda: {"error": error, "spread": deviation},
        "{} = -√2 error / spread - ln(√2 spread)",
    )
