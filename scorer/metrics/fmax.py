"""Highest F1 over thresholds."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from pydantic import Field, Strict

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula, grid
from scorer.metrics.explain.tables import Listing, nothing_relevant
from scorer.metrics.params import Average, ItemColumn, Relevant, item_needs
from scorer.metrics.statistic import Sums
from scorer.views.pooled import Statistics
from scorer.views.scored import Scored

Thresholds = Annotated[
    int,
    Strict(),
    Field(ge=1, le=1000, description="Into how many steps the scores from 0 to 1 are divided."),
]


def _curves(sums: Floats, steps: int, average: str) -> tuple[Floats, Floats]:
    """Precision and recall at each threshold: shape (draws, steps)."""
    first, second, third = sums[:, :steps], sums[:, steps : 2 * steps], sums[:, 2 * steps :]
    if average == "lists":
        parts = (first, second), (third[:, :-1], third[:, -1:])
    else:
        parts = (first, second), (first, third[:, -1:])
    precision, recall = (
        np.divide(part, whole, out=np.zeros(np.broadcast(part, whole).shape), where=whole > 0)
        for part, whole in parts
    )
    return precision, recall


def _of_sums(sums: Floats, *, steps: int, average: str, **_: Any) -> Floats:
    if not sums.shape[1]:
        return np.full(len(sums), np.nan)
    precision, recall = _curves(sums, steps, average)
    divisor = precision + recall
    f1 = np.divide(2 * precision * recall, divisor, out=np.zeros_like(divisor), where=divisor > 0)
    return np.where(sums[:, -1] > 0, f1.max(axis=1), np.nan)


def _tallies(scored: Scored, steps: int, rel: float, weight: str | None) -> tuple[Floats, ...]:
    """At each threshold the predicted and the right items of each list, and its relevant ones."""
    judged = scored.judged
    if weight is None:
        item_weight, ideal_weight = np.ones(scored.rank.size), np.ones(judged.ideal.rank.size)
    else:
        item_weight, ideal_weight = scored.extras.item[weight], judged.item[weight]
    score = np.nan_to_num(scored.score)
    level = np.clip(np.floor(score * steps + 1e-9), 0, steps).astype(np.int64)
    right = np.where(np.nan_to_num(scored.grade, nan=-np.inf) >= rel, item_weight, 0.0)
    tables = []
    for values in (item_weight, right):
        place = scored.in_list * (steps + 1) + level
        cells = np.bincount(place, np.nan_to_num(values), scored.lists * (steps + 1))
        cells = cells.astype(np.float64)  # of no rows they would be whole numbers
        # from the highest level down: an item counts at all thresholds up to its score
        at_or_above = cells.reshape(scored.lists, steps + 1)[:, :0:-1].cumsum(axis=1)[:, ::-1]
        tables.append(at_or_above)
    relevant = judged.ideal.total(
        np.where(judged.ideal.grade >= rel, np.nan_to_num(ideal_weight), 0.0)
    )
    return tables[0], tables[1], relevant


def _explain(
    listing: Listing[Scored],
    value: float,
    *,
    steps: int,
    rel: float,
    average: str,
    weight: str | None,
) -> Steps:
    predicted, right, relevant = _tallies(listing.view, steps, rel, weight)
    if not relevant[0]:
        yield nothing_relevant("Fmax")
        return
    statistics = fmax(listing.view, steps=steps, rel=rel, average="pooled", weight=weight)
    precision, recall = (curve[0] for curve in _curves(statistics.rows, steps, "pooled"))
    divisor = precision + recall
    f1 = np.divide(2 * precision * recall, divisor, out=np.zeros_like(divisor), where=divisor > 0)
    highest = int(np.argmax(f1))
    yield grid(
        "Thresholds",
        {
            "score at least": (np.arange(1, steps + 1) / steps).tolist(),
            "predicted": predicted[0],
            "right": right[0],
            "precision": precision,
            "recall": recall,
            "F1": f1,
        },
        np.arange(steps) == highest,
    )
    p, r = float(precision[highest]), float(recall[highest])
    if not p + r:
        yield formula("Fmax", "nothing right at any threshold", "{}", 0.0, value=value)
        return
    symbols = "highest 2 × precision × recall / (precision + recall)"
    yield formula("Fmax", symbols, "2 × {} × {} / ({} + {})", p, r, p, r, value=value)


@metric(
    "Fmax",
    title="Highest F1 over thresholds",
    source="Radivojac et al., Nature Methods 10, 2013, doi:10.1038/nmeth.2340; CAFA",
    elsewhere={
        "CAFA": "F-max",
    },
    formula=r"\max_{t \in T} \frac{2 P_t Q_t}{P_t + Q_t}, \qquad T = \text{the thresholds}, "
    r"\qquad P_t = \text{precision of the items with a score of } t \text{ or more}, "
    r"\qquad Q_t = \text{their recall}",
    undefined="nothing is relevant in the truth",
    aggregate="pooled",
    needs=item_needs("weight"),
    statistic=Sums(_of_sums),
    explain=_explain,
)
def fmax(
    scored: Scored,
    *,
    steps: Thresholds = 100,
    rel: Relevant = 1,
    average: Average = "lists",
    weight: ItemColumn | None = None,
) -> Statistics:
    """F1 of the items with a score of at least t, for the t from 0 to 1 that makes it highest.

    As in CAFA, whose lists are proteins and whose items are terms: at each
    threshold precision is averaged over the lists with any item left, recall
    over all lists with a relevant item, and t is the same for all.
    `average=pooled` counts the items of all lists together, which is what anomaly
    detection and others call Fmax. `weight` names a further column of `items`
    (`extra: {ic: number}`), so that items count by it: the weighted Fmax of information
    content. Terms are not propagated up an ontology. Scores are numbers from 0 to 1.

    Right at .9, wrong at .5, and one of two relevant items missed:

    >>> scored = Scored.of_scores(({"a": 0.9, "x": 0.5}, {"a": 1, "b": 1}))
    >>> figure = fmax.__scorer__.statistic.figure
    >>> round(figure(fmax(scored), steps=100, average="lists"), 6)     # P 1, R 1/2
    0.666667
    """
    predicted, right, relevant = _tallies(scored, steps, rel, weight)
    counts = relevant > 0
    if average == "pooled":
        columns = [right, predicted, relevant[:, None]]
    else:
        precision, recall = (
            np.divide(right, whole, out=np.zeros_like(right), where=whole > 0)
            for whole in (predicted, np.broadcast_to(relevant[:, None], right.shape))
        )
        columns = [
            precision,
            (predicted > 0).astype(np.float64),
            recall,
            counts[:, None].astype(np.float64),
        ]
    rows = np.concatenate(columns, axis=1) * counts[:, None]
    return Statistics(np.arange(scored.lists, dtype=np.int64), rows, scored.lists)
