"""F1: the harmonic mean of precision and recall."""

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
    return divided(2 * hits, true + predicted)


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
    parts = "2 hits / (true + predicted)", _value
    return by_class(one, value, "F1", parts, average, positive, threshold)


@metric(
    "F1",
    title="F1: the harmonic mean of precision and recall",
    source="van Rijsbergen, Information Retrieval, 1979, chapter 7",
    aggregate="pooled",
    settle=SETTLE,
    figure=_figure,
    of_sums=_of_sums,
    sums=list_counts,
    explain=_explain,
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
    >>> _figure(f1(rows, average="macro"), average="macro")
    0.5833333333333333
    """
    return tallied(labelled, average, positive, threshold)
