"""F-latency."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.labels.base import POSITIVE
from scorer.metrics.labels.delays import DELAY, DelayColumn, needed, outcomes
from scorer.metrics.params import Positive
from scorer.metrics.quotient import Rowwise
from scorer.metrics.statistic import Weighted
from scorer.stats.aggregate import median
from scorer.views.labelled import Labelled
from scorer.views.pooled import Statistics

USUAL = 0.0078

Penalty = Annotated[float, Field(gt=0, le=1e6, description="How fast a delay is punished.")]


def _penalty(when: Floats, p: float) -> Floats:
    """-1 + 2 / (1 + e^(-p (k - 1)))."""
    penalty: Floats = np.tanh(p * (when - 1) / 2)
    return penalty


def _weighted(statistics: Statistics, weights: Floats, *, p: float, **_: Any) -> float:
    true, predicted, when, weight = statistics.rows.T
    weight = weight * weights[statistics.in_list]
    hit = (true * predicted * weight) > 0
    whole = float((weight * (true + predicted)).sum())
    if not weight.sum():
        return float("nan")
    if not hit.any():
        return 0.0
    f1 = 2 * float((weight * true * predicted).sum()) / whole
    return f1 * (1 - median(_penalty(when[hit], p), weight[hit]))


@metric(
    "FLatency",
    title="Latency-weighted F1",
    source="Sadeque, Xu and Bethard, WSDM 2018, doi:10.1145/3159652.3159725; CLEF eRisk",
    elsewhere={
        "eRisk": "F-latency",
    },
    formula=r"\frac{2 h}{t + p} (1 - m), \qquad m = \text{median over the hits of } "
    r"\frac{2}{1 + e^{-$p (k - 1)}} - 1, \qquad k = \text{delay of a hit}, \qquad h = "
    r"\text{hits}, \qquad t = \text{positive rows}, \qquad p = \text{rows given as "
    r"positive}",
    undefined="there are no rows",
    range=(None, 1),
    aggregate="pooled",
    settle=POSITIVE,
    needs=needed,
    statistic=Weighted(_weighted),
)
def flatency(
    labelled: Labelled,
    *,
    p: Penalty = USUAL,
    positive: Positive | None = None,
    delay: DelayColumn = DELAY,
) -> Rowwise:
    """F1 of the positive class, times how soon its hits were decided.

    The speed is 1 less the median over the hits of -1 + 2 / (1 + e^(-p (k - 1))),
    k being the observations before the decision; eRisk takes p = .0078. Without a hit
    it is 0. The delay k is a further column of the submission, `extra: {delay: number}`.

    Two risks, one found after 1 observation, one missed, and no false alarm:

    >>> from scorer.views.extras import Extras, NamedColumns
    >>> from scorer.views.labelled import labelled
    >>> sent = Extras(submission=NamedColumns({"delay": np.array([1, 10, 3])}, "submission"))
    >>> rows = labelled(["1", "1", "0"], ["1", "0", "0"], extras=sent)
    >>> figure = flatency.__scorer__.statistic.figure
    >>> round(figure(flatency(rows, positive="1").given, p=0.0078), 6)      # 2/3 * (1 - 0)
    0.666667
    """
    true, predicted, when = outcomes(labelled, "FLatency", positive, delay)
    columns = {"positive": true, "predicted": predicted, "delay": when}
    return Rowwise(
        labelled.pooled(*columns.values(), labelled.weights),
        lambda: columns | {"penalty": _penalty(when, p)},
    )
