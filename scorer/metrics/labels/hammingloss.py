"""Hamming loss."""

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
    what = "wrong labels / classes" if listing.view.several else "1 where it is wrong, else 0"
    yield formula("HammingLoss", by_weight(listing.view, what), "{}", value, value=value)


@metric(
    "HammingLoss",
    title="Hamming loss",
    source="scikit-learn, hamming_loss",
    elsewhere={
        "scikit-learn": "hamming_loss",
    },
    formula=r"\frac{1}{n} \sum_{i=1}^{n} [\hat{y}_i \ne y_i]",
    better="lower",
    settle=POSITIVE,
    statistic=Share(),
    explain=_explain,
)
def hammingloss(
    labelled: Labelled, *, positive: Positive | None = None, threshold: Threshold = 0.5
) -> Floats | Statistics:
    """How many of the labels are wrong.

    With several labels a row: of all classes the share that the row has and was not
    given, or was given and does not have. With one it is 1 - Accuracy.

    >>> from scorer.views.labelled import labelled
    >>> hammingloss(labelled(["a", "a", "b"], ["a", "b", "b"]))
    array([0., 1., 0.])
    """
    predicted = labelled.decided(place(labelled, positive), threshold)
    wrong = labelled.truth != predicted
    return labelled.mean(wrong.mean(axis=1) if labelled.several else wrong)
