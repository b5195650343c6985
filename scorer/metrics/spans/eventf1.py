"""F1 of events."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from scorer.core.arrays import Mask
from scorer.metrics.base import metric
from scorer.metrics.params import Pooling, Relevant
from scorer.metrics.quotient import Quotient
from scorer.metrics.spans.base import (
    Kind,
    Only,
    SpanColumns,
    f1,
    matched,
    needed,
    refuse_many,
    spans,
    typed_columns,
    wrong,
)
from scorer.metrics.statistic import Share
from scorer.views.texts import Texts

ROUNDING = 1e-9  # so that times that are the tolerance apart are within it

Tolerance = Annotated[
    float,
    Field(ge=0, description="How far apart the times of a true and a submitted event may be."),
]
Longer = Annotated[
    float,
    Field(ge=0, description="Ends may be this share of the true event's length apart, if more."),
]


@metric(
    "EventF1",
    title="F1 of events within a tolerance",
    source="Mesaros, Heittola and Virtanen, Applied Sciences 6(6), 2016, doi:10.3390/app6060162",
    elsewhere={
        "mir_eval": "onset.f_measure; with ends=false",
        "sed_eval": "EventBasedMetrics",
    },
    formula=r"\frac{2 h}{t + p}, \qquad h = \text{right events}, \qquad t = \text{true "
    r"events}, \qquad p = \text{submitted events}",
    needs=needed,
    check=wrong,
    classes=typed_columns,
    statistic=Share(),
)
def eventf1(
    texts: Texts,
    *,
    tolerance: Tolerance,
    rel: Relevant = 1,
    ends: bool = True,
    longer: Longer = 0,
    kind: Kind | None = None,
    only: Only | None = None,
    average: Pooling = "pooled",
) -> Quotient:
    """Precision and recall of events of equal types at nearly equal times, their harmonic mean.

    A list is a recording, its items are events: an onset and an offset, `0.5 2.25`, or
    one time, after a type if there are types, as in `SpanF1`. A submitted event is right where
    its onset and, unless `ends=false`, its offset are within the tolerance; each event once
    at most, so that the most are right. `EventF1(tolerance=0.2, longer=0.5)` is the event-based F1
    of sound event detection, `EventF1(tolerance=0.05, ends=false)` that of onsets in music
    (mir_eval).

    >>> texts = Texts.of(({"dog 0.5 2": 1, "cat 3 4": 1}, ["dog 0.6 2.1", "cat 3.5 4"]))
    >>> float(eventf1(texts, tolerance=0.2).statistics.share())       # 2 * 1 / (2 + 2)
    0.5
    """

    def fits(true: SpanColumns, given: SpanColumns) -> Mask:
        late = np.maximum(tolerance, longer * true.length) + ROUNDING
        near = np.abs(true.start - given.start) <= tolerance + ROUNDING
        fitting: Mask = np.asarray((true.kind == given.kind) & near)
        return fitting & (np.abs(true.end - given.end) <= late) if ends else fitting

    refuse_many(texts)
    sides = spans(texts, rel, kind, only)
    amounts = ((matched(*pair, fits), len(pair[0]), len(pair[1])) for pair in sides)
    return f1(texts, amounts, average)
