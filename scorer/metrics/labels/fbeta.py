"""F-beta: precision and recall, recall beta times as important."""

from __future__ import annotations

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.labels.base import divided
from scorer.metrics.labels.tallies import of_tallies, tallied
from scorer.metrics.params import Averaged, Beta, Positive, Threshold
from scorer.views.labelled import Labelled
from scorer.views.pooled import Statistics


def _rate(hits: Floats, predicted: Floats, true: Floats, beta: float) -> Floats:
    return divided((1 + beta**2) * hits, beta**2 * true + predicted)


HOW = of_tallies(
    "FBeta",
    "(1 + beta²) hits / (beta² true + predicted)",
    _rate,
    r"\frac{(1 + $beta^2) h_c}{$beta^2 t_c + p_c}",
)


@metric(
    "FBeta",
    title="F-beta: precision and recall, recall beta times as important",
    source="van Rijsbergen, Information Retrieval, 1979, chapter 7",
    elsewhere={
        "scikit-learn": "fbeta_score",
        "torchmetrics": "FBetaScore",
    },
    **HOW,
)
def fbeta(
    labelled: Labelled,
    *,
    beta: Beta,
    average: Averaged | None = None,
    positive: Positive | None = None,
    threshold: Threshold = 0.5,
) -> Statistics:
    """Precision and recall in one number, recall counting beta times as much.

    `beta` is not squared by the caller; 1 is F1.

    Class a: 5 * 1 / (4 * 2 + 2); class b: 5 * 2 / (4 * 3 + 3):

    >>> from scorer.views.labelled import labelled
    >>> rows = labelled(["a", "a", "b", "b", "b"], ["a", "b", "b", "b", "a"])
    >>> HOW["statistic"].figure(fbeta(rows, average="macro", beta=2), average="macro", beta=2)
    0.5833333333333333
    """
    return tallied(labelled, average, positive, threshold)
