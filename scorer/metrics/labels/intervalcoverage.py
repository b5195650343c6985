"""Coverage of prediction intervals, in a table of numbers."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from scorer.metrics.base import metric
from scorer.metrics.labels.further import numbers, sent_columns
from scorer.metrics.quotient import Rowwise
from scorer.metrics.statistic import Share
from scorer.views.labelled import Targets

LowColumn = Annotated[
    str, Field(min_length=1, description="The column of the submission where intervals begin.")
]
HighColumn = Annotated[
    str, Field(min_length=1, description="The column of the submission where intervals end.")
]


@metric(
    "IntervalCoverage",
    title="Coverage of prediction intervals",
    source="Gneiting and Raftery, JASA 102(477), 2007, section 6.2, doi:10.1198/016214506000001437",
    formula=r"\frac{1}{n} \sum_{i=1}^{n} [l_i \le y_i \le u_i], \qquad l_i, u_i = \text{ends "
    r"of the interval of row } i",
    needs=lambda params: sent_columns([params["low"], params["high"]]),
    columns=("prediction",),
    statistic=Share(),
)
def intervalcoverage(
    targets: Targets, *, low: LowColumn = "low", high: HighColumn = "high"
) -> Rowwise:
    """The share of the targets that lie inside the interval given for them.

    Both ends are further columns of the submission, `extra: {low: number, high: number}`,
    and belong to the interval. One that should hold 90 % of the targets is honest where the
    value is near 0.9. Wide intervals score high for nothing: rank by `QuantileScore`, whose
    quantiles 0.05 and 0.95 are these ends, and show the coverage beside it.

    >>> import numpy as np
    >>> from scorer.views.extras import Extras, NamedColumns
    >>> from scorer.views.labelled import targets
    >>> ends = {"low": np.array([2.0, 1.0]), "high": np.array([4.0, 4.0])}
    >>> sent = Extras(submission=NamedColumns(ends, "submission"))
    >>> intervalcoverage(targets([3, 5], [3, 4], extras=sent)).given
    array([1., 0.])
    """
    least, most = (numbers(targets.submission, name, "IntervalCoverage") for name in (low, high))
    inside = (least <= targets.target) & (targets.target <= most)
    return Rowwise(targets.mean(inside), lambda: {"low": least, "high": most, "inside": inside})
