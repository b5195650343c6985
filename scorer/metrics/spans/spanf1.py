"""F1 of spans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from scorer.core.arrays import Floats, Mask
from scorer.metrics.base import metric
from scorer.metrics.params import Pooling, Relevant
from scorer.metrics.quotient import Quotient
from scorer.metrics.spans.base import (
    Form,
    Kind,
    Only,
    SpanColumns,
    TypedSpan,
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

Match = Annotated[
    Literal["strict", "exact", "partial", "type", "overlap", "units"],
    Field(
        description="What is right. strict: equal ends and type; exact: equal ends; partial: equal "
        "ends, and half of it what overlaps; type: what overlaps, with an equal type; overlap: an "
        "equal type, and a share of both spans; units: the characters, words or seconds that both "
        "have, of a type."
    ),
]
Share_ = Annotated[
    float, Field(gt=0, le=1, description="The share of both spans that match=overlap asks for.")
]
Spans = Sequence[TypedSpan]


def _shared(first: SpanColumns, second: SpanColumns) -> Floats:
    """How long the part is that both have; 0 or less where they have none."""
    return np.asarray(np.minimum(first.end, second.end) - np.maximum(first.start, second.start))


def _overlap(true: SpanColumns, given: SpanColumns) -> Mask:
    return np.asarray(_shared(true, given) > 0)


def _equal(true: Spans, given: Spans, key: Callable[[TypedSpan], object]) -> int:
    return sum((Counter(map(key, true)) & Counter(map(key, given))).values())


def _partial(true: Spans, given: Spans) -> float:
    """Those with equal ends, and half of the further pairs that overlap."""
    equal = Counter(s[1:3] for s in true) & Counter(s[1:3] for s in given)

    def others(side: Spans) -> list[TypedSpan]:
        left = equal.copy()
        rest = []
        for span in side:
            left[span[1:3]] -= 1
            rest += [span] if left[span[1:3]] < 0 else []
        return rest

    return sum(equal.values()) + matched(others(true), others(given), _overlap) / 2


def _covered(side: Spans) -> dict[str, list[TypedSpan]]:
    """The spans of each type, ascending, those that touch as one."""
    covered: dict[str, list[TypedSpan]] = {}
    for span in sorted(span for span in side if span.length > 0):
        merged = covered.setdefault(span.kind, [])
        if merged and span.start <= merged[-1].end:
            merged[-1] = merged[-1]._replace(end=max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return covered


def _units(true: Spans, given: Spans) -> tuple[float, float, float]:
    """The lengths of what both sides, the true and the submitted one cover, of each type."""
    first, second = _covered(true), _covered(given)
    lengths = [sum(s.length for side in each.values() for s in side) for each in (first, second)]
    both = sum(
        max(0.0, min(one.end, other.end) - max(one.start, other.start))
        for kind in first
        for one in first[kind]
        for other in second.get(kind, ())
    )
    return both, lengths[0], lengths[1]


def _amounts(true: Spans, given: Spans, match: str, overlap: float) -> tuple[float, float, float]:
    """What is right, true and submitted in a list."""
    if match == "units":
        return _units(true, given)

    def of_type(first: SpanColumns, second: SpanColumns) -> Mask:
        fitting: Mask = _overlap(first, second) & (first.kind == second.kind)
        return fitting

    def of_both(first: SpanColumns, second: SpanColumns) -> Mask:
        least = overlap * np.maximum(first.length, second.length)
        return of_type(first, second) & np.asarray(_shared(first, second) >= least)

    right: dict[str, Callable[[], float]] = {
        "strict": lambda: _equal(true, given, lambda span: span[:3]),
        "exact": lambda: _equal(true, given, lambda span: span[1:3]),
        "partial": lambda: _partial(true, given),
        "type": lambda: matched(true, given, of_type),
        "overlap": lambda: matched(true, given, of_both),
    }
    return right[match](), len(true), len(given)


@metric(
    "SpanF1",
    title="F1 of spans",
    source="Chinchor and Sundheim, MUC-5, 1993; SemEval-2013 task 9.1; nervaluate",
    elsewhere={
        "nervaluate": "strict, exact, partial, ent_type",
        "seqeval": "f1_score; of chunks",
    },
    formula=r"\frac{2 h}{t + p}, \qquad h = \text{right spans}, \qquad t = \text{true spans}, "
    r"\qquad p = \text{submitted spans}",
    needs=needed,
    check=wrong,
    classes=typed_columns,
    statistic=Share(),
)
def spanf1(
    texts: Texts,
    *,
    rel: Relevant = 1,
    match: Match = "strict",
    overlap: Share_ = 0.5,
    form: Form = "ends",
    kind: Kind | None = None,
    only: Only | None = None,
    average: Pooling = "pooled",
) -> Quotient:
    """Precision and recall of spans of texts, or of time, their harmonic mean over all lists.

    A list is a text, its items are spans: a start and the place after the end, `12 18`,
    with a type before them where there are types, `PER 12 18`, or in a further column
    (`kind=`). Blanks, a comma or a colon stand between. With `cells: {item: ";"}` a cell has all
    spans of a text. Each span is right once at most. `strict`, `exact`, `partial` and `type` are
    SemEval-2013's, as in nervaluate; `strict` of chunks is seqeval's F1 and `ChunkF1`'s. The mean
    over types is a formula of measures with `only=`. `average=lists` is the mean of the lists'
    values, 1 where there are no spans at all.

    One of two spans has equal ends, the other overlaps and has another type:

    >>> texts = Texts.of(({"PER 0 2": 1, "LOC 5 9": 1}, ["PER 0 2", "ORG 5 8"]))
    >>> float(spanf1(texts).statistics.share())            # 2 * 1 / (2 + 2)
    0.5
    >>> float(spanf1(texts, match="partial").statistics.share())
    0.75
    """
    refuse_many(texts)
    sides = spans(texts, rel, kind, only, form)
    return f1(texts, (_amounts(*pair, match, overlap) for pair in sides), average)
