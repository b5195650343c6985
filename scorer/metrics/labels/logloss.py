"""Logarithmic loss."""

from __future__ import annotations

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps
from scorer.metrics.explain.tables import Listing
from scorer.metrics.labels.base import of_row, one_label, true_probability
from scorer.metrics.statistic import Share
from scorer.views.labelled import Labelled
from scorer.views.pooled import Statistics

EPSILON = float(np.finfo(np.float64).eps)


def _explain(listing: Listing[Labelled], value: float) -> Steps:
    view = listing.view
    true = [view.classes[n] for n in view.truth.tolist()]
    columns = {"true": true, "its probability": true_probability(view)}
    return of_row(listing, "LogLoss = -ln(probability)", value, columns)


@metric(
    "LogLoss",
    title="Logarithmic loss, cross-entropy",
    source="Good, Journal of the Royal Statistical Society B 14, 1952; scikit-learn, log_loss",
    range=(0, None),
    better="lower",
    aliases=("CrossEntropy",),
    columns=("probability",),
    statistic=Share(),
    explain=_explain,
)
def logloss(labelled: Labelled) -> Floats | Statistics:
    """How surprising the true classes are, given their probabilities: mean of -ln(p).

    As in scikit-learn a probability is at least 2.2e-16 and at most 1 less that, so
    that a wrong certainty costs 36.04 and not infinitely much.

    >>> from scorer.views.labelled import labelled
    >>> logloss(labelled(["a", "b"], {"a": [0.5, 0.2], "b": [0.5, 0.8]})).round(4)
    array([0.6931, 0.2231])
    """
    one_label(labelled, "LogLoss")
    return labelled.mean(-np.log(np.clip(true_probability(labelled), EPSILON, 1 - EPSILON)))
