"""Area under the precision-recall curve, by trapezoids."""

from __future__ import annotations

from typing import Any

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.labels.base import POSITIVE
from scorer.metrics.labels.curves import MEANS, over_classes, scored, tallied
from scorer.metrics.params import OverClasses, Positive
from scorer.metrics.quotient import Rowwise
from scorer.metrics.statistic import Weighted
from scorer.views.labelled import Labelled
from scorer.views.pooled import Statistics


def trapezoid_area(true: Floats, score: Floats, weight: Floats) -> float:
    """The area under straight lines between the points of recall and precision at each score.

    All are of shape (rows,); `true` is 1 or 0. NaN where no row is true.
    """
    yes, no = tallied(true, score, weight)
    if yes.sum() <= 0:
        return float("nan")
    positives, rows = np.cumsum(yes), np.cumsum(yes + no)
    precision = np.append(1.0, np.divide(positives, rows, out=np.ones_like(rows), where=rows > 0))
    recall = np.append(0.0, positives / positives[-1])
    return float((np.diff(recall) * (precision[1:] + precision[:-1])).sum() / 2)


def _weighted(statistics: Statistics, weights: Floats, *, average: str, **_: Any) -> float:
    rows = statistics.rows.copy()
    rows[:, 0] *= weights[statistics.in_list]
    return over_classes(statistics._replace(rows=rows), average, trapezoid_area)


AREA = (
    r", \qquad A_c = \frac{1}{2} \sum_{m=1}^{M} (u_m - u_{m-1}) (v_m + v_{m-1}), "
    r"\qquad u_m, v_m = \text{recall and precision at the } m "
    r"\text{-th highest probability, 0 and 1 before}"
)


@metric(
    "PRTrapezoids",
    title="Area under the precision-recall curve by trapezoids",
    source="scikit-learn, precision_recall_curve and auc",
    elsewhere={
        "scikit-learn": "auc of precision_recall_curve",
    },
    formula=lambda params: MEANS[params["average"]] + AREA,
    undefined="a class has no rows",
    aggregate="pooled",
    columns=("probability",),
    settle=POSITIVE,
    statistic=Weighted(_weighted),
)
def prtrapezoids(
    labelled: Labelled, *, average: OverClasses = "macro", positive: Positive | None = None
) -> Rowwise:
    """The area under the precision-recall curve with straight lines between its points.

    From recall 0 with precision 1 through a point at each probability. Lines are too good for
    such a curve, most where many rows have the same probability; `AveragePrecision` has none.
    Both are called PRAUC or AUPRC, so that neither answers to these names.
    Undefined where no row is of the class.

    Down the list: one of one, then two of three rows:

    >>> from scorer.views.labelled import labelled
    >>> likely = [0.8, 0.4, 0.3, 0.4]
    >>> rows = labelled(["b", "b", "a", "a"], {"a": [1 - p for p in likely], "b": likely})
    >>> figure = prtrapezoids.__scorer__.statistic.figure
    >>> round(figure(prtrapezoids(rows).given, average="macro"), 6)  # 1/2 + (1 + 2/3) / 4
    0.916667
    """
    return Rowwise(scored(labelled, positive), lambda: {"probability": labelled.ordering[:, -1]})
