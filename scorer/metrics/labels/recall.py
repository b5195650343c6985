"""Recall."""

from __future__ import annotations

from typing import Any

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps
from scorer.metrics.explain.tables import Listing
from scorer.metrics.labels.base import (
    SETTLE,
    averaged,
    by_class,
    counts,
    divided,
    list_counts,
    tallied,
)
from scorer.metrics.params import Averaged, Positive, Threshold
from scorer.views.labelled import Labelled
from scorer.views.pooled import Statistics


def _value(hits: Floats, predicted: Floats, true: Floats) -> Floats:
    return divided(hits, true)


def _of_sums(sums: Floats, *, average: str, **_: Any) -> Floats:
    return averaged(sums, average, _value)


def _figure(statistics: Statistics, **params: Any) -> float:
    return float(_of_sums(counts(statistics).reshape(1, -1), **params)[0])


def _explain(
    one: Listing[Labelled],
    value: float,
    *,
    average: str,
    positive: str | None,
    threshold: float,
) -> Steps:
    parts = "hits / true", _value
    return by_class(one, value, "Recall", parts, average, positive, threshold)


@metric(
    "Recall",
    title="Recall",
    source="van Rijsbergen, Information Retrieval, 1979, chapter 7",
    aggregate="pooled",
    aliases=("Sensitivity",),
    settle=SETTLE,
    figure=_figure,
    of_sums=_of_sums,
    sums=list_counts,
    explain=_explain,
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
    >>> _figure(recall(rows, average="macro"), average="macro")
    0.5833333333333333
    """
    return tallied(labelled, average, positive, threshold)
