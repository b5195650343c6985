"""Jaccard index."""

from __future__ import annotations

from scorer.metrics.base import metric
from scorer.metrics.labels.base import divided
from scorer.metrics.labels.tallies import of_tallies, tallied
from scorer.metrics.params import Averaged, Positive, Threshold
from scorer.views.labelled import Labelled
from scorer.views.pooled import Statistics

HOW = of_tallies(
    "Jaccard",
    "hits / (true + predicted - hits)",
    lambda hits, predicted, true: divided(hits, true + predicted - hits),
    r"\frac{h_c}{t_c + p_c - h_c}",
)


@metric(
    "Jaccard",
    title="Jaccard index",
    source="Jaccard, Bulletin de la Société vaudoise des sciences naturelles 37, 1901",
    elsewhere={
        "scikit-learn": "jaccard_score",
        "torchmetrics": "JaccardIndex",
    },
    aliases=("IoU",),
    **HOW,
)
def jaccard(
    labelled: Labelled,
    *,
    average: Averaged | None = None,
    positive: Positive | None = None,
    threshold: Threshold = 0.5,
) -> Statistics:
    """How many of the rows that have a class or were given it have both.

    Intersection over union, of each class.

    Class a: 1 of 3; class b: 2 of 4:

    >>> from scorer.views.labelled import labelled
    >>> rows = labelled(["a", "a", "b", "b", "b"], ["a", "b", "b", "b", "a"])
    >>> HOW["statistic"].figure(jaccard(rows, average="macro"), average="macro")
    0.41666666666666663
    """
    return tallied(labelled, average, positive, threshold)
