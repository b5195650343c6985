"""F-beta: precision and recall, recall beta times as important."""

from __future__ import annotations

from functools import partial
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
from scorer.metrics.params import Averaged, Beta, Positive, Threshold
from scorer.views.labelled import Labelled
from scorer.views.pooled import Statistics


def _value(hits: Floats, predicted: Floats, true: Floats, beta: float) -> Floats:
    return divided((1 + beta**2) * hits, beta**2 * true + predicted)


def _of_sums(sums: Floats, *, average: str, beta: float, **_: Any) -> Floats:
    return averaged(sums, average, partial(_value, beta=beta))


def _figure(statistics: Statistics, **params: Any) -> float:
    return float(_of_sums(counts(statistics).reshape(1, -1), **params)[0])


def _explain(
    one: Listing[Labelled],
    value: float,
    *,
    average: str,
    positive: str | None,
    threshold: float,
    beta: float,
) -> Steps:
    parts = "(1 + beta²) hits / (beta² true + predicted)", partial(_value, beta=beta)
    return by_class(one, value, "FBeta", parts, average, positive, threshold)


@metric(
    "FBeta",
    title="F-beta: precision and recall, recall beta times as important",
    source="van Rijsbergen, Information Retrieval, 1979, chapter 7",
    aggregate="pooled",
    settle=SETTLE,
    figure=_figure,
    of_sums=_of_sums,
    sums=list_counts,
    explain=_explain,
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
    >>> _figure(fbeta(rows, average="macro", beta=2), average="macro", beta=2)
    0.5833333333333333
    """
    return tallied(labelled, average, positive, threshold)
