"""Kullback-Leibler divergence."""

from __future__ import annotations

import numpy as np

from scorer.metrics.base import metric
from scorer.metrics.labels.base import one_label
from scorer.metrics.labels.logloss import EPSILON, Least
from scorer.metrics.quotient import Rowwise
from scorer.metrics.statistic import Share
from scorer.views.labelled import Labelled


@metric(
    "KL",
    title="Kullback-Leibler divergence",
    source="Kullback and Leibler, Annals of Mathematical Statistics 22(1), 1951; scipy, rel_entr",
    elsewhere={
        "scipy": "rel_entr; summed over the classes",
        "torchmetrics": "KLDivergence",
    },
    formula=r"\frac{1}{n} \sum_{i=1}^{n} \sum_{c=1}^{C} [y_{i,c} > 0] y_{i,c} "
    r"\ln(\frac{y_{i,c}}{q_{i,c}}), \qquad q_{i,c} = \min(\max(p_{i,c}, $eps), 1 - "
    r"$eps)",
    range=(0, None),
    better="lower",
    aliases=("KullbackLeibler",),
    columns=("probability",),
    statistic=Share(),
    shares=True,
)
def kl(labelled: Labelled, *, eps: Least = EPSILON) -> Rowwise:
    """How far the probabilities are from the true shares of the classes: mean of Σ q ln(q / p).

    Where the truth names one class a row, that class has the whole share, and the
    divergence is LogLoss. A probability p is at least `eps` and at most 1 less that;
    Kaggle's rules write `eps=1e-15`.

    >>> from scorer.views.labelled import labelled
    >>> kl(labelled(["a", "b"], {"a": [0.5, 0.2], "b": [0.5, 0.8]})).given.round(4)
    array([0.6931, 0.2231])
    """
    one_label(labelled, "KL")
    share, likely = labelled.shares, np.clip(labelled.likely, eps, 1 - eps)
    logs = np.log(np.where(share > 0, share, 1) / likely)
    divergence = (share * logs).sum(axis=1)
    return Rowwise(labelled.mean(divergence), labelled.likelihoods, "{} = Σ share × ln(share / p)")
