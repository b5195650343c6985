"""Top-k accuracy."""

from __future__ import annotations

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps
from scorer.metrics.explain.tables import Listing
from scorer.metrics.labels.base import of_row, one_label, true_probability
from scorer.metrics.params import Cutoff
from scorer.metrics.statistic import Share
from scorer.views.labelled import Labelled
from scorer.views.pooled import Statistics


def _explain(listing: Listing[Labelled], value: float, *, k: int) -> Steps:
    view = listing.view
    columns = {
        "true": [view.classes[n] for n in view.truth.tolist()],
        "its probability": true_probability(view),
        "classes above it": _above(view),
    }
    return of_row(listing, f"TopK = 1 where fewer than {k} classes are above it", value, columns)


def _above(labelled: Labelled) -> Floats:
    """How many classes stand above the true one; of equally likely ones the later is above."""
    probability = true_probability(labelled)[:, None]
    later = np.arange(len(labelled.classes)) > labelled.truth[:, None]
    likely = labelled.likely
    above = (likely > probability) | ((likely == probability) & later)
    return np.where(labelled.answered, above.sum(axis=1), len(labelled.classes)).astype(float)


@metric(
    "TopK",
    title="Top-k accuracy",
    source="scikit-learn, top_k_accuracy_score",
    aliases=("TopKAccuracy",),
    columns=("probability",),
    statistic=Share(),
    explain=_explain,
)
def topk(labelled: Labelled, *, k: Cutoff) -> Floats | Statistics:
    """How many of the rows have their class among the k likeliest.

    Of classes with equal probabilities the later one in the order of the classes
    stands above, as in scikit-learn.

    >>> from scorer.views.labelled import labelled
    >>> rows = labelled(["a", "b"], {"a": [0.2, 0.6], "b": [0.3, 0.1], "c": [0.5, 0.3]})
    >>> topk(rows, k=2)
    array([0., 0.])
    """
    one_label(labelled, "TopK")
    return labelled.mean(_above(labelled) < k)
