"""Accuracy."""

from __future__ import annotations

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula
from scorer.metrics.explain.tables import Listing
from scorer.metrics.explain.worked import by_weight
from scorer.metrics.labels.base import POSITIVE, cells, place
from scorer.metrics.params import Positive, Threshold
from scorer.metrics.statistic import Share
from scorer.views.labelled import Labelled
from scorer.views.pooled import Statistics


def _explain(
    listing: Listing[Labelled], value: float, *, positive: str | None, threshold: float
) -> Steps:
    yield from cells(listing, listing.view.decided(place(listing.view, positive), threshold))
    yield formula(
        "Accuracy", by_weight(listing.view, "1 where it is right, else 0"), "{}", value, value=value
    )


@metric(
    "Accuracy",
    title="Accuracy",
    source="scikit-learn, accuracy_score",
    elsewhere={
        "scikit-learn": "accuracy_score",
        "torchmetrics": "Accuracy",
    },
    formula=r"\frac{1}{n} \sum_{i=1}^{n} [\hat{y}_i = y_i]",
    settle=POSITIVE,
    statistic=Share(),
    explain=_explain,
)
def accuracy(
    labelled: Labelled, *, positive: Positive | None = None, threshold: Threshold = 0.5
) -> Floats | Statistics:
    """How many of the rows have the right class.

    With several labels a row all of them must be right (subset accuracy); HammingLoss
    counts single labels.

    >>> from scorer.views.labelled import labelled
    >>> accuracy(labelled(["a", "a", "b"], ["a", "b", "b"]))
    array([1., 0., 1.])
    """
    predicted = labelled.decided(place(labelled, positive), threshold)
    right = labelled.truth == predicted
    return labelled.mean(right.all(axis=1) if labelled.several else right)
