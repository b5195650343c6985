"""Average precision of events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator, Field

from scorer.core.arrays import Floats, Mask, starts
from scorer.metrics.base import metric
from scorer.metrics.explain.steps import Steps, formula, grid
from scorer.metrics.explain.tables import Listing
from scorer.metrics.params import Relevant
from scorer.metrics.spans.base import (
    Kind,
    Only,
    TypedSpan,
    needed,
    spans,
    typed_columns,
    wrong,
)
from scorer.metrics.statistic import Weighted
from scorer.views.pooled import Statistics, code_of
from scorer.views.texts import Texts

Tolerances = Annotated[
    tuple[Annotated[float, Field(gt=0)], ...],
    BeforeValidator(lambda value: (value,) if isinstance(value, int | float) else value),
    Field(
        min_length=1, description="How far apart events may be, less than which they fit; the mean."
    ),
]


def _right(
    true: Sequence[TypedSpan], given: Sequence[TypedSpan], tolerances: Sequence[float]
) -> Floats:
    """Whether each submitted event, best first, takes a true one; shape (events, tolerances)."""
    times = np.array([span.start for span in true])
    right = np.zeros((len(given), len(tolerances)))
    for column, tolerance in enumerate(tolerances):
        left = times.copy()
        for row, span in enumerate(given):
            apart = np.abs(left - span.start)
            if left.size and apart[nearest := int(apart.argmin())] < tolerance:
                right[row, column], left[nearest] = 1, np.inf
    return right


def _rows(
    n: int, true: Sequence[TypedSpan], given: Sequence[TypedSpan], tolerances: Sequence[float]
) -> Any:
    """Of each type of a list: how many true events there are, and each submitted one."""
    for kind in sorted({span.kind for span in (*true, *given)}):
        first = [span for span in true if span.kind == kind]
        second = sorted((s for s in given if s.kind == kind), key=lambda s: -s.score)
        yield [n, code_of(kind), len(first), np.nan, *(0.0 for _ in tolerances)]
        for span, right in zip(second, _right(first, second, tolerances), strict=True):
            yield [n, code_of(kind), 0.0, span.score, *right]


def _precision(score: Floats, right: Floats, weight: Floats, true: float) -> Floats:
    """The average precision at each tolerance; equal scores are taken together."""
    by = np.argsort(-score, kind="stable")
    ends = np.append(starts(score[by]), True)[1:]
    found = np.cumsum(right[by] * weight[by, None], axis=0)[ends]
    returned = np.cumsum(weight[by])[ends]
    precision = np.divide(
        found, returned[:, None], out=np.zeros_like(found), where=returned[:, None] > 0
    )
    gained: Floats = np.diff(found, axis=0, prepend=0)
    return np.asarray((precision * gained).sum(axis=0) / true)


def _value(statistics: Statistics, weights: Floats, **_: Any) -> float:
    """The mean over the truth's types of their means over tolerances."""
    code, true, score = statistics.rows[:, :3].T
    weight = weights[statistics.in_list]
    of_event: Mask = ~np.isnan(score)
    values = []
    for kind in np.unique(code):
        here = code == kind
        events, submitted = float((true * weight)[here].sum()), here & of_event
        if events:
            parts = score[submitted], statistics.rows[submitted, 3:], weight[submitted]
            values.append(float(_precision(*parts, events).mean()))
    return float(np.mean(values)) if values else float("nan")


def _explain(
    listing: Listing[Texts],
    value: float,
    *,
    tolerances: Sequence[float],
    rel: float,
    kind: Sequence[str] | None,
    only: str | None,
) -> Steps:
    ((true, given),) = spans(listing.view, rel, kind, only)
    for name in sorted({span.kind for span in true}):
        first = [span for span in true if span.kind == name]
        second = sorted((s for s in given if s.kind == name), key=lambda s: -s.score)
        right = _right(first, second, tolerances)
        columns: dict[str, Any] = {"time": [s.start for s in second]}
        columns |= {"score": [s.score for s in second]}
        columns |= {f"right within {t:g}": right[:, n] for n, t in enumerate(tolerances)}
        yield grid(f"{name or 'Events'}, of which there are {len(first):,}", columns)
    symbols = "mean over types and tolerances of precision at each gain of recall"
    yield formula("EventAP", symbols, "{}", value, value=value)


@metric(
    "EventAP",
    title="Average precision of events within tolerances",
    source="Kaggle, Child Mind Institute, Detect Sleep States, 2023",
    formula=r"\frac{1}{\lvert K \rvert \cdot \lvert Z \rvert} \sum_{c \in K} \sum_{z \in Z} "
    r"A_{c,z}, \qquad K = \text{types of the truth}, \qquad Z = $tolerances, \qquad "
    r"A_{c,z} = \text{average precision of the events of type } c \text{ that are "
    r"less than } z \text{ from a true one}",
    undefined="the truth has no event",
    aggregate="pooled",
    columns=("score",),
    needs=needed,
    check=wrong,
    classes=typed_columns,
    explain=_explain,
    statistic=Weighted(_value),
)
def eventap(
    texts: Texts,
    *,
    tolerances: Tolerances,
    rel: Relevant = 1,
    kind: Kind | None = None,
    only: Only | None = None,
) -> Statistics:
    """The area under precision and recall of events with scores, of each type and tolerance.

    A list is a series, its items are events: a time after its type, `wakeup 4992`, or with
    the type in a further column (`kind=event`); a span counts by its start. In a series the
    submitted events take, best score first, the nearest true event that is left and less than the
    tolerance away. All series' events together make an average precision; its mean over tolerances,
    and then over the truth's types, is the value.

    A right event, one too late, and a right one; 1 / 2 at once, and at 2 / 3:

    >>> texts = Texts.of(({"5": 0.9, "60": 0.8, "21": 0.7}, ["6", "20"]))
    >>> value = eventap.__scorer__.statistic.figure(eventap(texts, tolerances=(3,)))
    >>> round(value, 4)                                    # (1 / 1 + 2 / 3) / 2
    0.8333
    """
    found = [
        row
        for n, pair in enumerate(spans(texts, rel, kind, only))
        for row in _rows(n, *pair, tolerances)
    ]
    table = np.array(found, dtype=np.float64).reshape(-1, 4 + len(tolerances))
    return Statistics(table[:, 0].astype(np.int64), table[:, 1:], texts.lists)
