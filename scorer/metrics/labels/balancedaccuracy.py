"""Balanced accuracy."""

from __future__ import annotations

from typing import Any

import numpy as np

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula, grid
from scorer.metrics.explain.tables import Listing
from scorer.metrics.labels.base import (
    POSITIVE,
    cells,
    counts,
    divided,
    list_counts,
    one_label,
    place,
    whole_number,
)
from scorer.metrics.params import Positive, Threshold
from scorer.metrics.statistic import Sums, fewest
from scorer.views.labelled import Labelled
from scorer.views.pooled import Statistics


def _of_sums(sums: Floats, **_: Any) -> Floats:
    hits, _predicted, true = np.moveaxis(sums.reshape(len(sums), -1, 3), 2, 0)
    present = (true > 0).sum(axis=1, dtype=np.float64)
    return divided(divided(hits, true).sum(axis=1), present, np.nan)


def _figure(statistics: Statistics, **_: Any) -> float:
    return float(_of_sums(counts(statistics).reshape(1, -1))[0])


def _explain(
    listing: Listing[Labelled], value: float, *, positive: str | None, threshold: float
) -> Steps:
    view = listing.view
    code = place(view, positive)
    yield from cells(listing, view.decided(code, threshold))
    hits, _predicted, true = counts(view.tallies(code, threshold)).T
    present = np.flatnonzero(true > 0)
    yield grid(
        "The recall of each class",
        {
            "class": [view.classes[n] for n in present.tolist()],
            "hits": [whole_number(n) for n in hits[present]],
            "true": [whole_number(n) for n in true[present]],
            "recall": hits[present] / true[present],
        },
    )
    yield formula("BalancedAccuracy", "mean of the recalls", "{}", value, value=value)


@metric(
    "BalancedAccuracy",
    title="Balanced accuracy",
    source="Brodersen et al., ICPR 2010, doi:10.1109/ICPR.2010.764",
    elsewhere={
        "scikit-learn": "balanced_accuracy_score",
    },
    formula=r"\frac{1}{\lvert K \rvert} \sum_{c \in K} \frac{h_c}{t_c}, \qquad K = "
    r"\text{classes that the truth has}",
    undefined="there are no rows",
    aggregate="pooled",
    settle=POSITIVE,
    statistic=Sums(_of_sums, list_counts, _figure, fewest(3, 2)),
    explain=_explain,
)
def balancedaccuracy(
    labelled: Labelled, *, positive: Positive | None = None, threshold: Threshold = 0.5
) -> Statistics:
    """The mean of the classes' recalls, so that a rare class counts as much as a common one.

    Over the classes that the truth has.

    Class a: 1 of 2; class b: 2 of 3:

    >>> from scorer.views.labelled import labelled
    >>> rows = labelled(["a", "a", "b", "b", "b"], ["a", "b", "b", "b", "a"])
    >>> _figure(balancedaccuracy(rows))
    0.5833333333333333
    """
    one_label(labelled, "BalancedAccuracy")
    return labelled.tallies(place(labelled, positive), threshold)
