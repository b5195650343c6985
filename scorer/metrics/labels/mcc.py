"""Matthews correlation coefficient."""

from __future__ import annotations

from typing import Any

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula
from scorer.metrics.explain.tables import Listing
from scorer.metrics.labels.base import (
    POSITIVE,
    cells,
    counts,
    divided,
    list_counts,
    one_label,
    place,
)
from scorer.metrics.params import Positive, Threshold
from scorer.metrics.statistic import Sums, fewest
from scorer.views.labelled import Labelled
from scorer.views.pooled import Statistics


def _of_sums(sums: Floats, **_: Any) -> Floats:
    hits, predicted, true = np.moveaxis(sums.reshape(len(sums), -1, 3), 2, 0)
    right, rows = hits.sum(axis=1), true.sum(axis=1)
    # rows without a prediction are one more class, that no row has
    none = rows - predicted.sum(axis=1)
    covariance = right * rows - (true * predicted).sum(axis=1)
    first = rows**2 - (predicted**2).sum(axis=1) - none**2
    second = rows**2 - (true**2).sum(axis=1)
    # of one class both are 0, and weights leave a rest of their last digits
    first, second = (np.where(part <= 1e-12 * rows**2, 0.0, part) for part in (first, second))
    correlation = divided(covariance, np.sqrt(np.maximum(first, 0) * np.maximum(second, 0)))
    return np.where(rows > 0, correlation, np.nan)


def _figure(statistics: Statistics, **_: Any) -> float:
    return float(_of_sums(counts(statistics).reshape(1, -1))[0])


def _explain(
    listing: Listing[Labelled], value: float, *, positive: str | None, threshold: float
) -> Steps:
    yield from cells(listing, listing.view.decided(place(listing.view, positive), threshold))
    symbols = "(right × rows - Σ true × predicted) / sqrt((rows² - Σ predicted²) (rows² - Σ true²))"
    yield formula("MCC", symbols, "{}", value, value=value)


@metric(
    "MCC",
    title="Matthews correlation coefficient",
    source="Gorodkin, Computational Biology and Chemistry 28, 2004, "
    "doi:10.1016/j.compbiolchem.2004.09.006",
    elsewhere={
        "scikit-learn": "matthews_corrcoef",
        "torchmetrics": "MatthewsCorrCoef",
    },
    formula=r"\frac{n \sum_{c=1}^{C} h_c - \sum_{c=1}^{C} t_c p_c}{\sqrt{(n^2 - "
    r"\sum_{c=1}^{C} p_c^2) (n^2 - \sum_{c=1}^{C} t_c^2)}}",
    undefined="there are no rows",
    range=(-1, 1),
    aggregate="pooled",
    aliases=("Matthews", "PhiCoefficient"),
    settle=POSITIVE,
    statistic=Sums(_of_sums, list_counts, _figure, fewest(3, 1, 2)),
    explain=_explain,
)
def mcc(
    labelled: Labelled, *, positive: Positive | None = None, threshold: Threshold = 0.5
) -> Statistics:
    """The correlation of true and predicted classes: 1 is perfect, 0 no better than chance.

    For two classes or more. 0, as in scikit-learn, where the truth or the submission
    has one class only.

    Right 3 of 5; true 2 and 3, predicted 2 and 3, so (15 - 13) / sqrt((25 - 13) (25 - 13)):

    >>> from scorer.views.labelled import labelled
    >>> rows = labelled(["a", "a", "b", "b", "b"], ["a", "b", "b", "b", "a"])
    >>> round(_figure(mcc(rows)), 6)
    0.166667
    """
    one_label(labelled, "MCC")
    return labelled.tallies(place(labelled, positive), threshold)
