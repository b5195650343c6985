"""Top-k accuracy."""

from __future__ import annotations

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.labels.base import one_label
from scorer.metrics.params import Cutoff
from scorer.metrics.quotient import Rowwise
from scorer.metrics.statistic import Share
from scorer.views.labelled import Labelled


def _above(labelled: Labelled) -> Floats:
    """How many classes stand above the true one; of equally likely ones the later is above."""
    probability = labelled.true_probability[:, None]
    later = np.arange(len(labelled.classes)) > labelled.truth[:, None]
    likely = labelled.likely
    above = (likely > probability) | ((likely == probability) & later)
    return np.where(labelled.answered, above.sum(axis=1), len(labelled.classes)).astype(float)


@metric(
    "TopK",
    title="Top-k accuracy",
    source="scikit-learn, top_k_accuracy_score",
    elsewhere={
        "scikit-learn": "top_k_accuracy_score",
    },
    formula=r"\frac{1}{n} \sum_{i=1}^{n} [a_i < $k], \qquad a_i = \text{classes likelier than "
    r"the true one of row } i",
    aliases=("TopKAccuracy",),
    columns=("probability",),
    statistic=Share(),
)
def topk(labelled: Labelled, *, k: Cutoff) -> Rowwise:
    """How many of the rows have their class among the k likeliest.

    Of classes with equal probabilities the later one in the order of the classes
    stands above, as in scikit-learn.

    >>> from scorer.views.labelled import labelled
    >>> rows = labelled(["a", "b"], {"a": [0.2, 0.6], "b": [0.3, 0.1], "c": [0.5, 0.3]})
    >>> topk(rows, k=2).given
    array([0., 0.])
    """
    one_label(labelled, "TopK")
    above = _above(labelled)
    return Rowwise(
        labelled.mean(above < k),
        lambda: labelled.likelihoods() | {"classes above it": above},
        f"{{}} = 1 where fewer than {k} classes are above it",
    )
