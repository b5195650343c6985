"""Recall."""

from __future__ import annotations

from scorer.metrics.base import metric
from scorer.metrics.labels.base import divided
from scorer.metrics.labels.tallies import of_tallies, tallied
from scorer.metrics.params import Averaged, Positive, Threshold
from scorer.views.labelled import Labelled
from scorer.views.pooled import Statistics

HOW = of_tallies(
    "Recall",
    "hits / true",
    lambda hits, predicted, true: divided(hits, true),
    r"[t_c > 0] \frac{h_c}{t_c}",
)


@metric(
    "Recall",
    title="Recall",
    source="van Rijsbergen, Information Retrieval, 1979, chapter 7",
    elsewhere={
        "scikit-learn": "recall_score",
        "torchmetrics": "Recall",
    },
    aliases=("Sensitivity",),
    **HOW,
)
def recall(
    labelled: Labelled,
    *,
    average: Averaged | None = None,
    positive: Positive | None = None,
    threshold: Threshold = 0.5,
) -> Statistics:
    """How many of the rows of a class were given it; sensitivity, of the positive class.

    As in scikit-learn, 0 for a class that no row has, which `macro` counts if the
    submission names it.

    Class a: 1 of 2; class b: 2 of 3:

    >>> from scorer.views.labelled import labelled
    >>> rows = labelled(["a", "a", "b", "b", "b"], ["a", "b", "b", "b", "a"])
    >>> HOW["statistic"].figure(recall(rows, average="macro"), average="macro")
    0.5833333333333333
    """
    return tallied(labelled, average, positive, threshold)
