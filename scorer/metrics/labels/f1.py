"""F1: the harmonic mean of precision and recall."""

from __future__ import annotations

from scorer.metrics.base import metric
from scorer.metrics.labels.base import divided
from scorer.metrics.labels.tallies import of_tallies, tallied
from scorer.metrics.params import Averaged, Positive, Threshold
from scorer.views.labelled import Labelled
from scorer.views.pooled import Statistics

HOW = of_tallies(
    "F1",
    "2 hits / (true + predicted)",
    lambda hits, predicted, true: divided(2 * hits, true + predicted),
    r"\frac{2 h_c}{t_c + p_c}",
)


@metric(
    "F1",
    title="F1: the harmonic mean of precision and recall",
    source="van Rijsbergen, Information Retrieval, 1979, chapter 7",
    elsewhere={
        "scikit-learn": "f1_score",
        "torchmetrics": "F1Score",
    },
    aliases=("fmeasure", "f1score"),
    **HOW,
)
def f1(
    labelled: Labelled,
    *,
    average: Averaged | None = None,
    positive: Positive | None = None,
    threshold: Threshold = 0.5,
) -> Statistics:
    """Precision and recall in one number, their harmonic mean.

    `macro` is the mean of the classes' values, as in scikit-learn, and not the harmonic
    mean of two means. `micro` is the accuracy where a row has one label.

    Class a: 2 * 1 / (2 + 2); class b: 2 * 2 / (3 + 3):

    >>> from scorer.views.labelled import labelled
    >>> rows = labelled(["a", "a", "b", "b", "b"], ["a", "b", "b", "b", "a"])
    >>> HOW["statistic"].figure(f1(rows, average="macro"), average="macro")
    0.5833333333333333
    """
    return tallied(labelled, average, positive, threshold)
