"""F1 of probabilities, without a threshold."""

from __future__ import annotations

from typing import Any

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.labels.base import POSITIVE, divided
from scorer.metrics.labels.curves import parts, scored
from scorer.metrics.notation import NotationError
from scorer.metrics.params import Beta, Positive
from scorer.metrics.quotient import Rowwise
from scorer.metrics.statistic import Sums
from scorer.views.labelled import Labelled


def _of_sums(sums: Floats, *, beta: float, **_: Any) -> Floats:
    """From right, predicted and true probability."""
    right, predicted, true = sums.T
    value = divided((1 + beta**2) * right, beta**2 * true + predicted)
    return np.where(true > 0, value, np.nan)


@metric(
    "ProbabilisticF1",
    title="Probabilistic F1",
    source="Yacouby and Axman, Eval4NLP 2020, doi:10.18653/v1/2020.eval4nlp-1.9; RSNA Screening "
    "Mammography, Kaggle 2023",
    elsewhere={
        "Kaggle": "pF1",
    },
    formula=r"\frac{(1 + $beta^2) \sum_{i=1}^{n} y_i p_i}{$beta^2 \sum_{i=1}^{n} y_i + "
    r"\sum_{i=1}^{n} p_i}, \qquad y_i = \text{1 of a positive row, else 0}, \qquad "
    r"p_i = \text{probability of the positive class}",
    undefined="no row is positive",
    aggregate="pooled",
    aliases=("pF1",),
    columns=("probability",),
    settle=POSITIVE,
    statistic=Sums(_of_sums),
)
def probabilisticf1(
    labelled: Labelled, *, beta: Beta = 1, positive: Positive | None = None
) -> Rowwise:
    """F1 whose counts are sums of probabilities: a row with 0.7 is 0.7 of a positive one.

    Precision is the probability of the positive rows over that of all, recall the
    same over the number of positive rows. Of two classes; undefined where no row is
    positive. It is no proper score: probabilities of 0 and 1 gain by it.

    Probabilities 0.8 and 0.4, of which the first is right:

    >>> from scorer.views.labelled import labelled
    >>> rows = labelled(["b", "a"], {"a": [0.2, 0.6], "b": [0.8, 0.4]})
    >>> figure = probabilisticf1.__scorer__.statistic.figure
    >>> round(figure(probabilisticf1(rows).given, beta=1), 6)      # 2 × 0.8 / (1 + 1.2)
    0.727273
    """
    if len(labelled.classes) != 2 or labelled.several:
        raise NotationError("ProbabilisticF1 is for two classes")
    labelled.likely  # noqa: B018 - scores are refused
    weight, true, likely = (column.ravel() for column in parts(scored(labelled, positive)))
    likely = np.clip(likely, 0, 1)
    return Rowwise(
        labelled.pooled(weight * true * likely, weight * likely, weight * true),
        lambda: {"positive": true, "its probability": likely},
    )
