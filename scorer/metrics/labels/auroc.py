"""Area under the receiver operating characteristic."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats, Mask
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula
from scorer.metrics.explain.tables import Listing
from scorer.metrics.labels.base import POSITIVE, divided
from scorer.metrics.labels.curves import (
    MEANS,
    auroc_area,
    auroc_terms,
    list_terms,
    of_auroc_terms,
    of_pairs,
    over_classes,
    over_terms,
    parts,
    placed,
    scored,
)
from scorer.metrics.notation import NotationError
from scorer.metrics.params import OverClasses, Positive
from scorer.metrics.statistic import Sums, fewest
from scorer.views.labelled import Labelled
from scorer.views.pooled import Statistics

WIDTH = 4  # terms of a problem
Multi = Annotated[
    Literal["ovr", "ovo"],
    Field(
        description="With more than two classes: each against all others (ovr), or all pairs of "
        "classes (ovo; Hand and Till 2001)."
    ),
]


def _figure(statistics: Statistics, *, average: str, multi: str, **_: Any) -> float:
    if multi == "ovo" and statistics.rows.shape[1] > 3:
        return _one_against_one(statistics, average)
    return over_classes(statistics, average, auroc_area)


def _one_against_one(statistics: Statistics, average: str) -> float:
    weight, true, score = parts(statistics)
    areas, shares = [], []
    for rows, sides in _pairs(true):
        pair_areas = [auroc_area(true[rows, n], score[rows, n], weight[rows]) for n in sides]
        areas.append(np.mean(pair_areas))
        shares.append(weight[rows].sum())
    weights = shares if average == "weighted" and sum(shares) > 0 else None
    return float(np.average(areas, weights=weights))


def _pairs(true: Floats) -> Iterator[tuple[Mask, tuple[int, int]]]:
    """The rows of each pair of classes, and the two."""
    for first, second in combinations(range(true.shape[1]), 2):
        yield (true[:, first] + true[:, second]) > 0, (first, second)


def _sums(statistics: Statistics, *, average: str, multi: str, **_: Any) -> Floats:
    if multi == "ovr" or statistics.rows.shape[1] <= 3:
        return list_terms(statistics, average, auroc_terms)
    weight, true, score = parts(statistics)
    blocks = []
    for rows, sides in _pairs(true):
        for n in sides:
            terms = np.zeros((weight.size, WIDTH))
            terms[rows] = auroc_terms(true[rows, n], score[rows, n], weight[rows])
            blocks.append(terms)
    return placed(statistics, np.concatenate(blocks, axis=1))


def _of_sums(sums: Floats, *, average: str, multi: str, **_: Any) -> Floats:
    if multi == "ovr" or sums.shape[1] <= WIDTH:
        return over_terms(sums, average, WIDTH, of_auroc_terms)
    table = sums.reshape(len(sums), -1, 2, WIDTH)  # of pairs, from both sides
    areas = of_auroc_terms(table).mean(axis=2)
    share = table[:, :, 0, 1] + table[:, :, 0, 3]
    share = share if average == "weighted" else np.ones_like(share)
    return divided((areas * share).sum(axis=1), share.sum(axis=1), np.nan)


def _explain(listing: Listing[Labelled], value: float, *, positive: str | None, **_: Any) -> Steps:
    yield from of_pairs(listing, positive)
    yield formula("AUROC", "pairs in the right order, ties half / pairs", "{}", value, value=value)


AREA = (
    r", \qquad A_c = \frac{\sum_{i=1}^{n} \sum_{j=1}^{n} y_{i,c} (1 - y_{j,c}) "
    r"([p_{i,c} > p_{j,c}] + \frac{1}{2} [p_{i,c} = p_{j,c}])}"
    r"{\sum_{i=1}^{n} y_{i,c} \cdot \sum_{i=1}^{n} (1 - y_{i,c})}"
)
ONE_ON_ONE = (
    r"\frac{1}{\lvert K \rvert} \sum_{b \in K} \frac{A_{b} + B_{b}}{2}, "
    r"\qquad K = \text{pairs of classes}, "
    r"\qquad A_{b}, B_{b} = \text{areas among the rows of pair } b \text{, from either side}"
)


@metric(
    "AUROC",
    title="Area under the ROC curve",
    source="Hanley and McNeil, Radiology 143(1), 1982, doi:10.1148/radiology.143.1.7063747",
    elsewhere={
        "scikit-learn": "roc_auc_score",
        "torchmetrics": "AUROC",
        "Kaggle": "area under the ROC curve",
    },
    formula=lambda params: (
        ONE_ON_ONE if params["multi"] == "ovo" else MEANS[params["average"]] + AREA
    ),
    undefined="a class has all rows or none",
    aggregate="pooled",
    aliases=("ROCAUC", "AUC"),
    columns=("probability",),
    settle=POSITIVE,
    statistic=Sums(_of_sums, _sums, _figure, fewest(WIDTH, 1, 3)),
    explain=_explain,
)
def auroc(
    labelled: Labelled,
    *,
    average: OverClasses = "macro",
    multi: Multi = "ovr",
    positive: Positive | None = None,
) -> Statistics:
    """How likely a row of the positive class has a higher probability than another row.

    The share of all pairs of a positive and a negative row that are in the right order,
    ties counting half, exactly. With more than two classes, or several labels a row, the
    mean over classes (`average`). Undefined where a class has all rows or none.

    Pairs (0.8, 0.3), (0.8, 0.4), (0.4, 0.3), (0.4, 0.4): three right, one tied:

    >>> from scorer.views.labelled import labelled
    >>> likely = [0.8, 0.4, 0.3, 0.4]
    >>> rows = labelled(["b", "b", "a", "a"], {"a": [1 - p for p in likely], "b": likely})
    >>> _figure(auroc(rows), average="macro", multi="ovr")
    0.875
    """
    if multi == "ovo" and labelled.several:
        raise NotationError("multi=ovo is not defined for rows with several labels", "multi")
    if multi == "ovo" and average == "micro":
        raise NotationError("multi=ovo has average=macro or weighted", "average")
    return scored(labelled, positive)
