"""Metrics of events in time, each with a beginning and an end, or a moment alone.

Lists hold events as they hold spans of texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator, Field

from scorer.core.arrays import Floats, Mask, ends
from scorer.metrics.api import metric
from scorer.metrics.parameters import Relevant
from scorer.metrics.ratios import Figure, Ratio, divide
from scorer.metrics.spans import (
    F1_LATEX,
    OnlyType,
    SpanColumns,
    Spans,
    TypeColumns,
    check_span,
    count_matches,
    f1_of_amounts,
    read_spans,
    refuse_many_spans,
)
from scorer.views.texts import Texts

TIME_ROUNDING = 1e-9  # so that times that are the tolerance apart are within it
Tolerance = Annotated[float, Field(ge=0, description="How far apart the times may be.")]
LengthShare = Annotated[
    float, Field(ge=0, description="Ends may be this share of the true length apart, if more.")
]
Tolerances = Annotated[
    tuple[Annotated[float, Field(gt=0)], ...],
    BeforeValidator(lambda value: (value,) if isinstance(value, int | float) else value),
    Field(min_length=1, description="Events fit that are less than this apart; the mean over all."),
]


@metric(
    "EventF1",
    title="F1 of events within a tolerance",
    source="Mesaros, Heittola and Virtanen, Applied Sciences 6(6), 2016, doi:10.3390/app6060162",
    latex=F1_LATEX.replace("spans", "events"),
    tools="mir_eval: onset.f_measure (with ends=false); sed_eval: EventBasedMetrics",
    pooling="default",
    check=check_span,
)
def eventf1(
    view: Texts,
    *,
    tolerance: Tolerance,
    rel: Relevant = 1,
    ends: bool = True,
    longer: LengthShare = 0,
    kind: TypeColumns | None = None,
    only: OnlyType | None = None,
) -> Ratio:
    """Precision and recall of events of equal types at nearly equal times, their harmonic mean.

    A list is a recording, its items are events: an onset and an offset, `0.5 2.25`, or one time,
    after a type if there are types, as in `SpanF1`. A submitted event is right where its onset and,
    unless `ends=false`, its offset are within the tolerance; each event once at most, so that the
    most are right. `EventF1(tolerance=0.2, longer=0.5)` is the event-based F1 of sound event
    detection, `EventF1(tolerance=0.05, ends=false)` the F1 of onsets in music (mir_eval).

    >>> view = texts_view(({"dog 0.5 2": 1, "cat 3 4": 1}, ["dog 0.6 2.1", "cat 3.5 4"]))
    >>> eventf1(view, tolerance=0.2).pooled()  # 2 * 1 / (2 + 2)
    0.5
    """

    def fits(true: SpanColumns, submitted: SpanColumns) -> Mask:
        near = np.abs(true.start - submitted.start) <= tolerance + TIME_ROUNDING
        if ends:
            limit = np.maximum(tolerance, longer * true.length) + TIME_ROUNDING
            near &= np.abs(true.end - submitted.end) <= limit
        return np.asarray((true.kind == submitted.kind) & near)

    refuse_many_spans(view)
    lists = read_spans(view, rel, kind, only)
    return f1_of_amounts((count_matches(*pair, fits), len(pair[0]), len(pair[1])) for pair in lists)


def _take_nearest(true: Spans, submitted: Spans, tolerances: Sequence[float]) -> Floats:
    """Whether each submitted event, best first, takes a true one; shape (events, tolerances)."""
    times = np.array([span.start for span in true])
    right = np.zeros((len(submitted), len(tolerances)))
    for column, tolerance in enumerate(tolerances):
        free = times.copy()
        for row, span in enumerate(submitted):
            distance = np.abs(free - span.start)
            if free.size and distance[nearest := int(distance.argmin())] < tolerance:
                right[row, column], free[nearest] = 1, np.inf
    return right


def _event_precision(score: Floats, right: Floats, weight: Floats, true: float) -> Floats:
    """The average precision at each tolerance; equal scores are taken together."""
    order = np.argsort(-score, kind="stable")
    last = ends(score[order])
    found = np.cumsum(right[order] * weight[order, None], axis=0)[last]
    returned = np.cumsum(weight[order])[last]
    precision = np.nan_to_num(divide(found, returned[:, None]))
    gained = np.diff(found, axis=0, prepend=0)
    return np.asarray((precision * gained).sum(axis=0) / true)


def _event_ap(columns: Mapping[str, Any], row_weight: Floats) -> float:
    """The mean over the truth's types of their means over tolerances."""
    true, score, right = (columns[name] for name in ("true", "score", "right"))
    is_submitted = ~np.isnan(score)
    values = []
    for code in np.unique(columns["type"]):
        of_type = columns["type"] == code
        true_weight = float((true * row_weight)[of_type].sum())
        if true_weight:
            rows = of_type & is_submitted
            by_tolerance = _event_precision(score[rows], right[rows], row_weight[rows], true_weight)
            values.append(float(by_tolerance.mean()))
    return float(np.mean(values)) if values else float("nan")


@metric(
    "EventAP",
    title="Average precision of events within tolerances",
    source="Kaggle, Child Mind Institute, Detect Sleep States, 2023",
    latex=r"\frac{1}{\lvert K \rvert \cdot \lvert Z \rvert} \sum_{c \in K} \sum_{z \in Z} "
    r"A_{c,z}, \qquad K = \text{types of the truth}, \qquad Z = \mathrm{tolerances}, \qquad "
    r"A_{c,z} = \text{average precision of the events of type } c \text{ that are "
    r"less than } z \text{ from a true one}",
    undefined="the truth has no event",
    columns=("score",),
    check=check_span,
)
def eventap(
    view: Texts,
    *,
    tolerances: Tolerances,
    rel: Relevant = 1,
    kind: TypeColumns | None = None,
    only: OnlyType | None = None,
) -> Figure:
    """The area under precision and recall of events with scores, of each type and tolerance.

    A list is a series, its items are events: a time after its type, `wakeup 4992`, or with the type
    in a further column (`kind=event`); a span counts by its start. In a series the submitted events
    take, best score first, the nearest true event that is left and less than the tolerance away.
    All series' events together make an average precision; its mean over tolerances, and then over
    the truth's types, is the value.

    A right event, one too late, and a right one; 1 / 2 at once, and at 2 / 3:

    >>> view = texts_view(({"5": 0.9, "60": 0.8, "21": 0.7}, ["6", "20"]))
    >>> round(eventap(view, tolerances=(3,)).pooled(), 4)  # (1 / 1 + 2 / 3) / 2
    0.8333
    """
    codes: dict[str, int] = {}
    rows = list[list[float]]()
    for n, (true, submitted) in enumerate(read_spans(view, rel, kind, only)):
        for name in sorted({span.kind for span in (*true, *submitted)}):
            head = [n, codes.setdefault(name, len(codes))]
            true_events = [span for span in true if span.kind == name]
            events = [span for span in submitted if span.kind == name]
            events.sort(key=lambda event: -event.score)
            # One row counts the true events, and one each describes the submitted ones.
            rows.append([*head, len(true_events), np.nan, *np.zeros(len(tolerances))])
            matches = _take_nearest(true_events, events, tolerances)
            rows += [[*head, 0, e.score, *right] for e, right in zip(events, matches, strict=True)]
    table = np.array(rows, dtype=np.float64).reshape(-1, 4 + len(tolerances))
    columns = {
        "type": table[:, 1],
        "true": table[:, 2],
        "score": table[:, 3],
        "right": table[:, 4:],
    }
    in_list = table[:, 0].astype(np.int64)
    formula = "mean over types and tolerances of precision at each gain of recall"
    return Figure(_event_ap, columns, in_list, formula=formula)
