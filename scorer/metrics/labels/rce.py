"""Relative cross-entropy."""

from __future__ import annotations

from typing import Any

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps
from scorer.metrics.explain.tables import Listing
from scorer.metrics.labels.base import divided, of_row, one_label, true_probability
from scorer.metrics.statistic import Sums
from scorer.views.labelled import Labelled
from scorer.views.pooled import Statistics

EPSILON = float(np.finfo(np.float64).eps)


def _of_sums(sums: Floats, **_: Any) -> Floats:
    """From cross-entropy and rows of each class."""
    rows = sums[:, 1:].sum(axis=1)
    shares = divided(sums[:, 1:], rows[:, None])
    naive = -(shares * np.log(np.where(shares > 0, shares, 1.0))).sum(axis=1)
    percent: Floats = 100 * (1 - divided(divided(sums[:, 0], rows), naive, np.nan))
    return percent


def _explain(listing: Listing[Labelled], value: float) -> Steps:
    view = listing.view
    true = [view.classes[n] for n in view.truth.tolist()]
    columns = {"true": true, "its probability": true_probability(view)}
    return of_row(listing, "RCE, of all rows", value, columns)


@metric(
    "RCE",
    title="Relative cross-entropy",
    source="RecSys Challenge 2020, Belli et al., arXiv:2004.13715",
    range=(None, 100),
    aggregate="pooled",
    columns=("probability",),
    statistic=Sums(_of_sums),
    explain=_explain,
)
def rce(labelled: Labelled) -> Statistics:
    """By how many percent the cross-entropy is below that of always predicting the classes' shares.

    100 (1 - CE / CE of the naive prediction), where the naive one gives every row
    the share that each class has among the true ones. 0 is as good as that,
    100 perfect, below 0 worse. Probabilities are clipped as in `LogLoss`. With
    one class alone it is undefined. As in the challenge the shares are those of the
    rows that are scored, so that a split of them has its own naive prediction.

    >>> from scorer.views.labelled import labelled
    >>> rows = labelled(["a", "b"], {"a": [0.5, 0.25], "b": [0.5, 0.75]})
    >>> figure = rce.__scorer__.statistic.figure
    >>> round(figure(rce(rows)), 4)          # 1 - (ln 2 + ln 4/3) / (2 ln 2), in percent
    29.2481
    """
    one_label(labelled, "RCE")
    loss = -np.log(np.clip(true_probability(labelled), EPSILON, 1 - EPSILON)) * labelled.weights
    classes = labelled.indicators(labelled.truth) * labelled.weights[:, None]
    return labelled.pooled(loss, *classes.T)
