"""Relative cross-entropy."""

from __future__ import annotations

from typing import Any

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.labels.base import divided, one_label
from scorer.metrics.quotient import Rowwise
from scorer.metrics.statistic import Sums
from scorer.views.labelled import Labelled

EPSILON = float(np.finfo(np.float64).eps)


def _of_sums(sums: Floats, **_: Any) -> Floats:
    """From cross-entropy and rows of each class."""
    rows = sums[:, 1:].sum(axis=1)
    shares = divided(sums[:, 1:], rows[:, None])
    naive = -(shares * np.log(np.where(shares > 0, shares, 1.0))).sum(axis=1)
    percent: Floats = 100 * (1 - divided(divided(sums[:, 0], rows), naive, np.nan))
    return percent


@metric(
    "RCE",
    title="Relative cross-entropy",
    source="RecSys Challenge 2020, Belli et al., arXiv:2004.13715",
    formula=r"100 \left(1 - \frac{L}{L^*}\right), \qquad L = -\frac{1}{n} \sum_{i=1}^{n} "
    r"\sum_{c=1}^{C} y_{i,c} \ln q_{i,c}, \qquad L^* = -\sum_{c=1}^{C} [t_c > 0] "
    r"\frac{t_c}{n} \ln(\frac{t_c}{n}), \qquad q_{i,c} = \min(\max(p_{i,c}, 2^{-52}), "
    r"1 - 2^{-52})",
    undefined="all rows are of one class",
    range=(None, 100),
    aggregate="pooled",
    columns=("probability",),
    statistic=Sums(_of_sums),
)
def rce(labelled: Labelled) -> Rowwise:
    """By how many percent the cross-entropy is below that of always predicting the classes' shares.

    100 (1 - CE / CE of the naive prediction), where the naive one gives every row
    the share that each class has among the true ones. 0 is as good as that,
    100 perfect, below 0 worse. Probabilities are clipped as in `LogLoss`. With
    one class alone it is undefined. As in the challenge the shares are those of the
    rows that are scored, so that a split of them has its own naive prediction.

    >>> from scorer.views.labelled import labelled
    >>> rows = labelled(["a", "b"], {"a": [0.5, 0.25], "b": [0.5, 0.75]})
    >>> figure = rce.__scorer__.statistic.figure
    >>> round(figure(rce(rows).given), 4)          # 1 - (ln 2 + ln 4/3) / (2 ln 2), in percent
    29.2481
    """
    one_label(labelled, "RCE")
    loss = -np.log(np.clip(labelled.true_probability, EPSILON, 1 - EPSILON)) * labelled.weights
    classes = labelled.indicators(labelled.truth) * labelled.weights[:, None]
    return Rowwise(labelled.pooled(loss, *classes.T), labelled.likelihoods)
