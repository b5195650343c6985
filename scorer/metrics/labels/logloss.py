"""Logarithmic loss."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from scorer.metrics.base import metric
from scorer.metrics.labels.base import one_label
from scorer.metrics.quotient import Rowwise
from scorer.metrics.statistic import Share
from scorer.views.labelled import Labelled

EPSILON = float(np.finfo(np.float64).eps)
Least = Annotated[
    float,
    Field(
        gt=0,
        lt=0.5,
        description="The lowest probability, and how far below 1 the highest is; 1e-15 in older "
        "rules.",
        json_schema_extra={"quiet": True},
    ),
]


@metric(
    "LogLoss",
    title="Logarithmic loss, cross-entropy",
    source="Good, Journal of the Royal Statistical Society B 14, 1952; scikit-learn, log_loss",
    elsewhere={
        "scikit-learn": "log_loss",
    },
    formula=r"-\frac{1}{n} \sum_{i=1}^{n} \sum_{c=1}^{C} y_{i,c} \ln q_{i,c}, \qquad q_{i,c} "
    r"= \min(\max(p_{i,c}, $eps), 1 - $eps)",
    range=(0, None),
    better="lower",
    aliases=("CrossEntropy",),
    columns=("probability",),
    statistic=Share(),
    shares=True,
)
def logloss(labelled: Labelled, *, eps: Least = EPSILON) -> Rowwise:
    """How surprising the true classes are, given their probabilities: mean of -ln(p).

    As in scikit-learn a probability is at least `eps`, 2.2e-16, and at most 1 less that, so
    that a wrong certainty costs 36.04 and not infinitely much; with `eps=1e-15` 34.54.
    Where the truth has shares of classes, it is the mean of -Σ share × ln(p).

    >>> from scorer.views.labelled import labelled
    >>> logloss(labelled(["a", "b"], {"a": [0.5, 0.2], "b": [0.5, 0.8]})).given.round(4)
    array([0.6931, 0.2231])
    """
    one_label(labelled, "LogLoss")
    if labelled.soft is None:
        losses = -np.log(np.clip(labelled.true_probability, eps, 1 - eps))
    else:
        losses = -(labelled.soft * np.log(np.clip(labelled.likely, eps, 1 - eps))).sum(axis=1)
    return Rowwise(labelled.mean(losses), labelled.likelihoods, "{} = -ln(probability)")
