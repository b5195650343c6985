"""Jaccard index."""

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
    return divided(hits, true + predicted - hits)


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
    parts = "hits / (true + predicted - hits)", _value
    return by_class(one, value, "Jaccard", parts, average, positive, threshold)


@metric(
    "Jaccard",
    title="Jaccard index",
    source="Jaccard, Bulletin de la Société vaudoise des sciences naturelles 37, 1901",
    aggregate="pooled",
    aliases=("IoU",),
    settle=SETTLE,
    figure=_figure,
    of_sums=_of_sums,
    sums=list_counts,
    explain=_explain,
)
def jaccard(
    labelled: Labelled,
    *,
    average: Averaged | None = None,
    positive: Positive | None = None,
    threshold: Threshold = 0.5,
) -> Statistics:
    """How many of the rows that have a class or were given it have both.

    Intersection over union, of each class.

    Class a: 1 of 3; class b: 2 of 4:

    >>> from scorer.views.labelled import labelled
    >>> rows = labelled(["a", "a", "b", "b", "b"], ["a", "b", "b", "b", "a"])
    >>> _figure(jaccard(rows, average="macro"), average="macro")
    0.41666666666666663
    """
    return tallied(labelled, average, positive, threshold)
