"""The metric of spans of texts, and how spans and events are read and matched.

A list is a text or a recording. Its items are spans or events, such as `PER 12 18` or `0.5 2.25`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import repeat
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field

from scorer.challenge.public import ClassCells, cell_as_class
from scorer.core.arrays import Floats, Mask
from scorer.core.errors import ChallengeError, SubmissionRejected
from scorer.core.problems import Problem
from scorer.core.text import quoted
from scorer.metrics.api import metric
from scorer.metrics.parameters import NamesClasses, Needs, Relevant
from scorer.metrics.ratios import Ratio
from scorer.reading.schema import EXTRA
from scorer.views.texts import Texts

MAX_SPANS = 10_000  # of a list: all pairs of a true and a submitted one are looked at
PAIRS_AT_ONCE = 2**20  # of spans: a MB for each array of booleans
SEPARATOR = re.compile(r"[\s:,]+")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE]-?\d+)?", re.ASCII)
F1_LATEX = (
    r"\frac{2 h}{t + p}, \qquad h = \text{right spans}, \qquad t = \text{true spans}, "
    r"\qquad p = \text{submitted spans}"
)


def _type_needs(names: tuple[str, ...] | None, _: Mapping[str, Any]) -> tuple[str, ...]:
    if names is None:
        return ()
    return f"truth.extra.{names[0]}", f"submission.extra.{names[-1]}"


def _type_cells(
    names: tuple[str, ...] | None, params: Mapping[str, Any]
) -> tuple[ClassCells, ClassCells]:
    """The cells of truth and submission that name types."""
    if names is None:
        cells = ClassCells("item", partial(span_types, form=params.get("form", "ends")))
        return cells, cells
    true, submitted = (
        ClassCells(f"{EXTRA}{name}]", cell_as_class) for name in (names[0], names[-1])
    )
    return true, submitted


TypeColumns = Annotated[
    tuple[str, ...],
    BeforeValidator(lambda value: (value,) if isinstance(value, str) else value),
    Field(
        min_length=1,
        max_length=2,
        description="The further column of truth and submission with the types, or the truth's and "
        "the submission's; without it a type is what stands before the numbers.",
    ),
    Needs(_type_needs),
    NamesClasses(_type_cells),
]
OnlyType = Annotated[str, Field(min_length=1, description="The type that counts; default: all.")]
SpanForm = Annotated[
    Literal["ends", "words"],
    Field(description="ends: the start, and the place after the end; words: each word's number."),
]
SpanMatch = Annotated[
    Literal["strict", "exact", "partial", "type", "overlap", "units"],
    Field(
        description="What is right. strict: equal ends and type; exact: equal ends; partial: equal "
        "ends, and half of it what overlaps; type: what overlaps, with an equal type; overlap: an "
        "equal type, and a share of both spans; units: the characters, words or seconds that both "
        "have, of a type."
    ),
]
OverlapShare = Annotated[
    float, Field(gt=0, le=1, description="The share of both spans that match=overlap asks for.")
]


class TypedSpan(NamedTuple):
    """A part of a list's text or time, from `start` to before `end`; an event has equal ones."""

    kind: str
    start: float
    end: float
    score: float = 0.0


Spans = Sequence[TypedSpan]
UNREADABLE = TypedSpan("", np.nan, np.nan)  # a submitted one, which fits nothing


class SpanColumns(NamedTuple):
    """Spans as arrays of shape (true, 1) or (1, submitted), so that two make a table of pairs."""

    kind: NDArray[Any]
    start: Floats
    end: Floats

    @property
    def length(self) -> Floats:
        """How long each is."""
        return self.end - self.start


Fits = Callable[[SpanColumns, SpanColumns], Mask]  # whether true and submitted spans fit


def parse_span(text: str, form: str = "ends") -> TypedSpan | None:
    """The span that a text describes; None if it describes none.

    >>> parse_span("PER 12 18")
    TypedSpan(kind='PER', start=12.0, end=18.0, score=0.0)
    >>> parse_span("3 4 5", "words")
    TypedSpan(kind='', start=3.0, end=6.0, score=0.0)
    """
    kind, numbers = _split_type(text)
    if form == "words":
        return TypedSpan(kind, min(numbers), max(numbers) + 1) if numbers else None
    if len(numbers) == 3 and not kind:  # a type that is a number
        kind, numbers = f"{numbers[0]:g}", numbers[1:]
    is_ordered = len(numbers) in (1, 2) and numbers[0] <= numbers[-1]
    return TypedSpan(kind, numbers[0], numbers[-1]) if is_ordered else None


def _split_type(text: str) -> tuple[str, list[float]]:
    """The words of a text before the numbers at its end, and these numbers."""
    words = SEPARATOR.split(text.strip())
    at = len(words)
    while at and NUMBER.fullmatch(words[at - 1]):
        at -= 1
    return " ".join(words[:at]), [float(word) for word in words[at:]]


def check_span(text: str) -> str | None:
    """What is wrong with a submitted span; None if nothing is."""
    _, numbers = _split_type(text)
    if not numbers:
        return "not a span: a start and an end, such as 12 18, after a type where there are types"
    if len(numbers) == 2 and numbers[0] > numbers[1]:
        return "the span ends before it starts"
    return None


def span_types(text: str, form: str = "ends") -> tuple[str, ...]:
    """The type of the span that a text describes; none if it describes no span.

    >>> span_types("PER 12 18"), span_types("12 18"), span_types("PER")
    (('PER',), ('',), ())
    """
    span = parse_span(text, form)
    return () if span is None else (span.kind,)


def read_spans(
    texts: Texts,
    rel: float,
    type_columns: Sequence[str] | None = None,
    only: str | None = None,
    form: str = "ends",
) -> Iterator[tuple[list[TypedSpan], list[TypedSpan]]]:
    """The true and the submitted spans of each list.

    Args:
        rel: The lowest grade of a true span.
        type_columns: The columns with the types, of the truth first; None: texts begin with them.
        only: The type of the spans; None: all types.
        form: How a text gives its numbers, as in `spanf1`.

    Raises:
        ChallengeError: The truth has a text that is no span.
    """
    true: list[list[TypedSpan]] = [[] for _ in range(texts.lists)]
    submitted: list[list[TypedSpan]] = [[] for _ in range(texts.lists)]

    def add(side: list[TypedSpan], span: TypedSpan, kind: Any) -> None:
        if kind is not None:
            span = span._replace(kind=str(kind))
        if only in (None, span.kind):
            side.append(span)

    unnamed: Iterable[Any] = repeat(None)
    true_kinds = unnamed if type_columns is None else texts.extras.truth[type_columns[0]]
    kinds = unnamed if type_columns is None else texts.extras.submission[type_columns[-1]]
    rows = zip(texts.truth_list, texts.truth_text, texts.grade, true_kinds, strict=False)
    for n, text, grade, kind in rows:
        if grade < rel:
            continue
        if (true_span := parse_span(text, form)) is None:
            raise ChallengeError(f"the truth's {quoted(text)} is no span")
        add(true[n], true_span, kind)
    rows = zip(texts.in_list, texts.text, texts.score, kinds, strict=False)
    for n, text, score, kind in rows:
        span = parse_span(text, form) or UNREADABLE
        add(submitted[n], span._replace(score=float(score)), kind)
    yield from zip(true, submitted, strict=True)


def count_matches(true: Spans, submitted: Spans, fits: Fits) -> int:
    """The most pairs of a true and a submitted span that fit, each span in one of them."""
    if not (true and submitted):
        return 0
    from scipy.sparse import csr_array, hstack  # which few challenges need
    from scipy.sparse.csgraph import maximum_bipartite_matching

    block = max(1, PAIRS_AT_ONCE // len(true))
    first = _columns(true, 1)
    parts = [
        csr_array(fits(first, _columns(submitted[at : at + block], 0)))
        for at in range(0, len(submitted), block)
    ]
    return int((maximum_bipartite_matching(hstack(parts, "csr")) >= 0).sum())


def _columns(side: Spans, axis: int) -> SpanColumns:
    """The columns of spans, down (axis 1) or along (0) the table of all pairs."""
    kind, start, end = zip(*(span[:3] for span in side), strict=True)
    columns = (np.array(kind, dtype=object), np.array(start), np.array(end))
    return SpanColumns(*(np.expand_dims(column, axis) for column in columns))


def refuse_many_spans(texts: Texts) -> None:
    """Refuse more spans of a list than can be compared with the truth's, whatever these are.

    Raises:
        SubmissionRejected: A list has too many.
    """
    counts = np.bincount(texts.in_list)
    if (largest := int(counts.max(initial=0))) > MAX_SPANS:
        name = texts.names[int(counts.argmax())]
        limit = f"more than {MAX_SPANS:,}, the most there may be"
        message = f"{quoted(name)} has {largest:,} spans, {limit}"
        raise SubmissionRejected(problems=[Problem("S402", message, list=name)])


def f1_of_amounts(amounts: Iterable[tuple[float, float, float]]) -> Ratio:
    """F1 from the right, true and submitted amounts of each list; 1 where all are 0."""
    right, true, submitted = np.array(list(amounts), dtype=np.float64).reshape(-1, 3).T
    return Ratio(
        2 * right,
        true + submitted,
        "2 × right / (true + submitted)",
        {"right": right, "true": true, "submitted": submitted},
        empty=1.0,
    )


@metric(
    "SpanF1",
    title="F1 of spans",
    source="Chinchor and Sundheim, MUC-5, 1993; SemEval-2013 task 9.1; nervaluate",
    latex=F1_LATEX,
    tools="nervaluate: strict, exact, partial, ent_type; seqeval: f1_score (of chunks)",
    pooling="default",
    check=check_span,
)
def spanf1(
    view: Texts,
    *,
    rel: Relevant = 1,
    match: SpanMatch = "strict",
    overlap: OverlapShare = 0.5,
    form: SpanForm = "ends",
    kind: TypeColumns | None = None,
    only: OnlyType | None = None,
) -> Ratio:
    """Precision and recall of spans of texts, or of time, their harmonic mean over all lists.

    A list is a text, its items are spans: a start and the place after the end, `12 18`, with a type
    before them where there are types, `PER 12 18`, or in a further column (`kind=`). Blanks, a
    comma or a colon stand between. With `cells: {item: ";"}` a cell has all spans of a text. Each
    span is right once at most. `strict`, `exact`, `partial` and `type` are SemEval-2013's, as in
    nervaluate; `strict` of chunks is seqeval's F1 and `ChunkF1`'s. The mean over types is a formula
    of measures with `only=`. `average=lists` is the mean of the lists' values, 1 where there are no
    spans at all.

    One of two spans has equal ends, the other overlaps and has another type:

    >>> view = texts_view(({"PER 0 2": 1, "LOC 5 9": 1}, ["PER 0 2", "ORG 5 8"]))
    >>> spanf1(view).pooled()  # 2 * 1 / (2 + 2)
    0.5
    >>> spanf1(view, match="partial").pooled()
    0.75
    """
    refuse_many_spans(view)
    lists = read_spans(view, rel, kind, only, form)
    return f1_of_amounts(_count_spans(*pair, match, overlap) for pair in lists)


def _count_spans(
    true: Spans, submitted: Spans, match: str, share: float
) -> tuple[float, float, float]:
    """The right, the true and the submitted amount of a list."""
    if match == "units":
        return _count_units(true, submitted)
    right: float
    if match in ("strict", "exact"):
        fields = slice(0, 3) if match == "strict" else slice(1, 3)  # with the type, or without
        equal = Counter(span[fields] for span in true) & Counter(span[fields] for span in submitted)
        right = equal.total()
    elif match == "partial":
        right = _count_partial(true, submitted)
    elif match == "type":
        right = count_matches(true, submitted, partial(_overlap_of_type, share=0))
    else:
        right = count_matches(true, submitted, partial(_overlap_of_type, share=share))
    return right, len(true), len(submitted)


def _common_length(first: SpanColumns, second: SpanColumns) -> Floats:
    """How long the part is that both have; 0 or less where they have none."""
    return np.asarray(np.minimum(first.end, second.end) - np.maximum(first.start, second.start))


def _overlap(true: SpanColumns, submitted: SpanColumns) -> Mask:
    return np.asarray(_common_length(true, submitted) > 0)


def _overlap_of_type(true: SpanColumns, submitted: SpanColumns, share: float) -> Mask:
    """Whether spans of equal type overlap, and have that share of the longer one in common."""
    needed = share * np.maximum(true.length, submitted.length)
    enough = _common_length(true, submitted) >= needed
    return np.asarray(_overlap(true, submitted) & enough & (true.kind == submitted.kind))


def _count_partial(true: Spans, submitted: Spans) -> float:
    """The pairs with equal ends, and half of the other pairs that overlap."""
    sides = [Counter(span[1:3] for span in side) for side in (true, submitted)]
    equal = sides[0] & sides[1]
    rest = [[TypedSpan("", *ends) for ends in (side - equal).elements()] for side in sides]
    return equal.total() + count_matches(rest[0], rest[1], _overlap) / 2


def _count_units(true: Spans, submitted: Spans) -> tuple[float, float, float]:
    """The lengths that both sides cover, type by type, and that each side covers."""
    merged, submitted_merged = _merge_spans(true), _merge_spans(submitted)
    both = sum(
        max(0.0, min(one.end, other.end) - max(one.start, other.start))
        for kind, spans in merged.items()
        for one in spans
        for other in submitted_merged.get(kind, ())
    )
    return both, _total_length(merged), _total_length(submitted_merged)


def _total_length(merged: Mapping[str, Spans]) -> float:
    return sum(span.end - span.start for spans in merged.values() for span in spans)


def _merge_spans(side: Spans) -> dict[str, list[TypedSpan]]:
    """The spans of each type, ascending, those that touch as one."""
    by_type: dict[str, list[TypedSpan]] = {}
    for span in sorted(span for span in side if span.end > span.start):
        merged = by_type.setdefault(span.kind, [])
        if merged and span.start <= merged[-1].end:
            merged[-1] = merged[-1]._replace(end=max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return by_type
