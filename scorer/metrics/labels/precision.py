"""Precision."""

from __future__ import annotations

from scorer.metrics.base import metric
from scorer.metrics.labels.base import divided
from scorer.metrics.labels.tallies import of_tallies, tallied
from scorer.metrics.params import Averaged, Positive, Threshold
from scorer.views.labelled import Labelled
from scorer.views.pooled import Statistics

HOW = of_tallies(
    "Precision",
    "hits / predicted",
    lambda hits, predicted, true: divided(hits, predicted),
    r"[p_c > 0] \frac{h_c}{p_c}",
)


@metric(
    "Precision",
    title="Precision",
    source="van Rijsbergen, Information Retrieval, 1979, chapter 7",
    elsewhere={
        "scikit-learn": "precision_score",
        "torchmetrics": "Precision",
    },
    **HOW,
)
def precision(
    labelled: Labelled,
    *,
    average: Averaged | None = None,
    positive: Positive | None = None,
    threshold: Threshold = 0.5,
) -> Statistics:
    """How many of the rows that were given a class have it.

    As in scikit-learn, 0 for a class that no row was given. `micro` is the accuracy
    where a row has one label; a class that neither the truth nor the submission has
    does not count in the mean of `macro`.

    Class a: 1 of 2; class b: 2 of 3:

    >>> from scorer.views.labelled import labelled
    >>> rows = labelled(["a", "a", "b", "b", "b"], ["a", "b", "b", "b", "a"])
    >>> HOW["statistic"].figure(precision(rows, average="macro"), average="macro")
    0.5833333333333333
    """
    return tallied(labelled, average, positive, threshold)
