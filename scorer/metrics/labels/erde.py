"""Early risk detection error."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats
from scorer.metrics.base import metric
from scorer.metrics.labels.base import POSITIVE, divided
from scorer.metrics.labels.delays import DELAY, DelayColumn, needed, outcomes
from scorer.metrics.params import Positive
from scorer.metrics.quotient import Rowwise
from scorer.metrics.statistic import Sums
from scorer.views.labelled import Labelled

Deadline = Annotated[
    float, Field(gt=0, le=1e9, description="The delay from which on a late hit costs much.")
]
Cost = Annotated[float, Field(ge=0, le=1e9, description="What such an error costs.")]


def late(when: Floats, o: float) -> Floats:
    """The latency cost, 1 - 1 / (1 + e^(k - o))."""
    cost: Floats = 1 / (1 + np.exp(np.clip(o - when, -700, 700)))
    return cost


def _of_sums(sums: Floats, *, c_fp: float | None, **_: Any) -> Floats:
    """From false alarms, other costs, positive rows and all rows."""
    alarms, others, positive, rows = sums.T
    cost = divided(positive, rows) if c_fp is None else c_fp
    return divided(alarms * cost + others, rows, np.nan)


@metric(
    "ERDE",
    title="Early risk detection error",
    source="Losada and Crestani, CLEF 2016, doi:10.1007/978-3-319-44564-9_3; CLEF eRisk",
    elsewhere={
        "eRisk": "ERDE_5, ERDE_50; in percent",
    },
    formula=lambda params: (
        r"\frac{1}{n} \sum_{i=1}^{n} \left((1 - y_i) \hat{y}_i \cdot $alarm "
        r"+ y_i (1 - \hat{y}_i) \cdot ${c_fn} + y_i \hat{y}_i \cdot ${c_tp} "
        r"\cdot (1 - \frac{1}{1 + e^{k_i - $o}})\right), "
        r"\qquad k_i = \text{delay of row } i".replace(
            "$alarm", r"\bar{y}" if params["c_fp"] is None else "${c_fp}"
        )
        + (r", \qquad \bar{y} = \frac{1}{n} \sum_{i=1}^{n} y_i" if params["c_fp"] is None else "")
    ),
    undefined="there are no rows",
    range=(0, None),
    better="lower",
    aggregate="pooled",
    at="o",
    settle=POSITIVE,
    needs=needed,
    statistic=Sums(_of_sums),
)
def erde(
    labelled: Labelled,
    *,
    o: Deadline,
    positive: Positive | None = None,
    delay: DelayColumn = DELAY,
    c_fp: Cost | None = None,
    c_fn: Cost = 1,
    c_tp: Cost = 1,
) -> Rowwise:
    """The mean cost of decisions: false alarms, misses, and hits that came too late.

    A false alarm costs c_fp, by default the share of positive rows; a miss
    costs c_fn; a hit after k observations costs c_tp (1 - 1 / (1 + e^(k - o))),
    which is half at k = o; a rightly negative row costs nothing. eRisk writes
    ERDE_5 and ERDE_50, and gives percent. The delay k is a further column of
    the submission, `extra: {delay: number}`.

    Two risks found after 1 and 10 observations, and a false alarm; o = 5:

    >>> from scorer.views.extras import Extras, NamedColumns
    >>> from scorer.views.labelled import labelled
    >>> sent = Extras(submission=NamedColumns({"delay": np.array([1, 10, 3])}, "submission"))
    >>> rows = labelled(["1", "1", "0"], ["1", "1", "1"], extras=sent)
    >>> given = erde(rows, o=5, positive="1").given
    >>> figure = erde.__scorer__.statistic.figure
    >>> round(figure(given, c_fp=None), 6)             # (.017986 + .993307 + 2/3) / 3
    0.55932
    """
    true, predicted, when = outcomes(labelled, "ERDE", positive, delay)
    delayed = late(when, o)
    others = true * np.where(predicted > 0, c_tp * delayed, c_fn)
    sums = ((1 - true) * predicted, others, true, np.ones_like(true))
    return Rowwise(
        labelled.pooled(*(column * labelled.weights for column in sums)),
        lambda: {"positive": true, "predicted": predicted, "delay": when, "late": delayed},
    )
