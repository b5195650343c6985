"""Average precision."""

from __future__ import annotations

from typing import Any

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula
from scorer.metrics.explain.tables import Listing
from scorer.metrics.labels.base import POSITIVE
from scorer.metrics.labels.curves import (
    MEANS,
    list_terms,
    of_pairs,
    of_precision_terms,
    over_classes,
    over_terms,
    precision_area,
    precision_terms,
    scored,
)
from scorer.metrics.params import OverClasses, Positive
from scorer.metrics.statistic import Sums, fewest
from scorer.views.labelled import Labelled
from scorer.views.pooled import Statistics


def _figure(statistics: Statistics, *, average: str, **_: Any) -> float:
    return over_classes(statistics, average, precision_area)


def _sums(statistics: Statistics, *, average: str, **_: Any) -> Floats:
    return list_terms(statistics, average, precision_terms)


def _of_sums(sums: Floats, *, average: str, **_: Any) -> Floats:
    return over_terms(sums, average, 2, of_precision_terms)


def _explain(listing: Listing[Labelled], value: float, *, positive: str | None, **_: Any) -> Steps:
    yield from of_pairs(listing, positive)
    symbols = "Σ precision × growth of recall, down the probabilities"
    yield formula("AveragePrecision", symbols, "{}", value, value=value)


AREA = (
    r", \qquad A_c = \frac{1}{t_c} \sum_{i=1}^{n} y_{i,c} \frac{\sum_{j=1}^{n} y_{j,c} "
    r"[p_{j,c} \ge p_{i,c}]}{\sum_{j=1}^{n} [p_{j,c} \ge p_{i,c}]}"
)


@metric(
    "AveragePrecision",
    title="Average precision: the area under the precision-recall curve",
    source="scikit-learn, average_precision_score",
    elsewhere={
        "scikit-learn": "average_precision_score",
        "torchmetrics": "AveragePrecision",
    },
    formula=lambda params: MEANS[params["average"]] + AREA,
    undefined="a class has no rows",
    aggregate="pooled",
    aliases=("AP",),
    columns=("probability",),
    settle=POSITIVE,
    statistic=Sums(_of_sums, _sums, _figure, fewest(2, 1)),
    explain=_explain,
)
def averageprecision(
    labelled: Labelled, *, average: OverClasses = "macro", positive: Positive | None = None
) -> Statistics:
    """The mean precision at the probabilities of the positive rows.

    A step function without interpolation, rows of equal probability taken together, as
    in scikit-learn. Undefined where no row is of the class.

    Down the list: one of one, then two of three rows:

    >>> from scorer.views.labelled import labelled
    >>> likely = [0.8, 0.4, 0.3, 0.4]
    >>> rows = labelled(["b", "b", "a", "a"], {"a": [1 - p for p in likely], "b": likely})
    >>> round(_figure(averageprecision(rows), average="macro"), 6)
    0.833333
    """
    return scored(labelled, positive)
